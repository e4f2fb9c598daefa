"""
Which declarations could hide text at all, so that only what they touch is looked at closely.

The tests are generous: they may name too much, never too little. A value with variables is tried with whatever the
page declares for them.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache

from seekread.extraction.colours import BLACK, SAME, SYSTEM, WHITE, Colour, alike, parse_colour
from seekread.extraction.css_properties import IMAGES, PENDING, SHORTHANDS, SUBSTITUTED
from seekread.extraction.css_sheet import Declarations, Sheets
from seekread.extraction.css_values import PLAIN, Units, amount, amounts, words_of
from seekread.extraction.fonts import blank_letters
from seekread.extraction.hiding import NOT_DISPLAYED, ratios
from seekread.extraction.transforms import individual, moved, parsed_steps

MAX_TRIES = 40
"""Ways to put in variables that are tried for one value; beyond that it is a suspect."""
VARIABLE = re.compile(r"var\(\s*(--[^\s,()]+)\s*(?:,((?:[^()]|\([^()]*\))*))?\)")
GRADIENTS = re.compile(r"[a-z-]*gradient\(")
STOPS = re.compile(r"#[0-9a-f]+|[a-z-]+\([^()]*\)|[a-z]+")
RELATIVE = re.compile(r"[\d.](?:em|ex|ch|cap|ic|lh|%)")
"""A size that is relative to that of the letters around."""
SMALL_FACE = 0.3
"""Fonts that shrink their letters to less are looked at."""
LINK = Colour(0, 0, 238)
USUAL_INKS = (BLACK, LINK)
"""Inks of a page that names none."""
DEEP = re.compile(r"rotate|skew|z\(|3d\(|perspective")
"""Transformations whose outcome depends on what is around, or on where the box is."""
ROOT = re.compile(r"(?:^|[\s,>])(?:html|:root|\*)(?![\w-])", re.IGNORECASE)
MIN_ROOT, MAX_ROOT = 4.0, 64.0
"""Pixels between which the size of letters of a page itself lies."""
CONTAINED = re.compile(r"[\d.]cq(?:w|h|i|b|min|max)")
"""A size that is relative to that of a container."""
ValueTest = Callable[[str], bool]


def below(limit: float, units: Units = PLAIN) -> ValueTest:
    """Suspect what is smaller than a limit."""

    def test(value: str) -> bool:
        numbers = amounts(value, units)
        return any(number < limit for number in numbers)

    return test


def font_size(value: str) -> bool:
    """Small letters, or letters that shrink with each level."""
    size = amount(value, Units(percent=16))
    if size is None:
        return "(" in value
    if not RELATIVE.search(value):
        return size < 3
    if size < 9.7:
        return True
    # An expression may take more from small letters than from those of usual size.
    smaller = amount(value, Units(font=6, percent=6)) if "(" in value else None
    return smaller is not None and smaller < 3


def offset(value: str) -> bool:
    numbers = amounts(value, Units(percent=1280))
    return any(number <= -20 or number >= 30 for number in numbers)


def margin(value: str) -> bool:
    return any(abs(number) >= 800 for number in amounts(value, Units(percent=1280)))


def size(value: str) -> bool:
    return any(number <= 2 for number in amounts(value, Units(percent=1280)))


def face_size(face: Mapping[str, str]) -> float:
    """By how much a font makes its letters larger or smaller."""
    size = amount(face.get("size-adjust", "100%"))
    return 1.0 if size is None else size


def is_odd_face(face: Mapping[str, str]) -> bool:
    """Say whether a font makes its letters small, or draws some without ink."""
    return face_size(face) < SMALL_FACE or any(map(str.isalpha, blank_letters(face.get("src", ""))))


def transform(value: str) -> bool:
    return is_odd_movement(value, "", "", "")


def is_odd_movement(transform: str, translate: str, rotate: str, scale: str) -> bool:
    steps = individual(translate, rotate, scale) + parsed_steps(transform)
    change = moved(steps, PLAIN)
    if change is None or rotate or DEEP.search(transform) or len(words_of(translate)) > 2:
        return True
    return change.vanished or change.turned or abs(change.right) >= 300 or abs(change.down) >= 300 or change.area < 0.1


TESTS: dict[str, ValueTest] = {
    "display": NOT_DISPLAYED.__contains__,
    "visibility": lambda value: value != "visible",
    "content-visibility": lambda value: value == "hidden",
    "opacity": below(0.3),
    "filter": lambda value: value != "none" and "shadow" not in value,
    "font-size": font_size,
    "font-size-adjust": below(0.1),
    "left": offset,
    "right": offset,
    "top": offset,
    "bottom": offset,
    "margin-left": margin,
    "margin-top": margin,
    "margin-right": lambda value: any(number >= 900 for number in amounts(value, Units(percent=1280))),
    "text-indent": lambda value: any(abs(number) >= 50 for number in amounts(value, Units(percent=1280))),
    "letter-spacing": lambda value: any(not -1.5 <= number <= 100 for number in amounts(value)),
    "word-spacing": lambda value: any(number > 200 for number in amounts(value)),
    "tab-size": lambda value: any(number > 40 for number in amounts(value)),
    "padding-left": lambda value: any(number >= 300 for number in amounts(value, Units(percent=1280))),
    "flex-basis": size,
    "aspect-ratio": lambda value: any(number > 50 or number < 0.02 for number in ratios(value)),
    "content": lambda value: value.partition("(")[0] in IMAGES,
    "outline-offset": below(-3),
    "vertical-align": below(-12, Units(percent=16)),
    "backdrop-filter": lambda value: value != "none",
    "grid-area": lambda value: value != "auto",
    "-webkit-text-stroke-width": lambda value: any(number > 2 for number in amounts(value)),
    "transform": transform,
    "translate": lambda value: is_odd_movement("", value, "", ""),
    "rotate": lambda value: is_odd_movement("", "", value, ""),
    "scale": lambda value: is_odd_movement("", "", "", value),
    "zoom": below(0.3, Units(percent=1)),
    "clip": lambda value: value.startswith("rect"),
    "clip-path": lambda value: "(" in value,
    "mask-image": lambda value: value != "none",
    "width": size,
    "height": size,
    "max-width": size,
    "max-height": size,
    "line-height": below(0.2, Units(percent=1)),
    "grid-template-rows": lambda value: "0" in words_of(value.replace("fr", "").replace("px", "")),
    "contain": lambda value: value in {"strict", "size paint"} or "strict" in value or "size" in value.split(),
    "mix-blend-mode": lambda value: value != "normal",
    "-webkit-text-security": lambda value: value != "none",
    "z-index": lambda value: value.startswith("-"),
    "offset-path": lambda value: value != "none",
    "backface-visibility": lambda value: value == "hidden",
}
"""Which values of a property could hide, each by itself."""
WITHIN = frozenset({"-webkit-text-security", "font-size-adjust", "font-size", "visibility", "text-indent", "filter",
                    "mix-blend-mode", "zoom", "letter-spacing", "word-spacing", "tab-size", "font-family",
                    "-webkit-text-stroke-width"})  # fmt: skip
"""Properties that concern texts one by one, because what is inside may undo them, or because colours decide."""
BOXES = TESTS.keys() - WITHIN
BOTH = frozenset({"padding-left"})
"""Properties of a box that may push the words in it away."""
ON_TEXTS = WITHIN | BOTH
INKS = frozenset({"color", "-webkit-text-fill-color"})
GROUNDS = frozenset({"background-color", "background-image"})
ONE_COLOUR = INKS | {"background-color"}
PAINTS = INKS | GROUNDS | {"box-shadow"}


@lru_cache(maxsize=20_000)
def could_hide(name: str, value: str) -> bool:
    """Say whether a value of a property could hide, each by itself; pages of the whole web share their values."""
    return TESTS[name](value)


known_colour = lru_cache(maxsize=5_000)(parse_colour)


def is_pale(colour: Colour) -> bool:
    """
    Say whether a colour is near that of paper.

    Pale inks are looked at wherever they are used, because nobody declares paper; all others only on a ground that is
    declared, which has fewer places.
    """
    return math.dist(colour[:3], WHITE[:3]) < 3 * SAME


class Suspicion:
    """What the declarations of one page could hide."""

    def __init__(self, sheets: Sheets, styles: Iterable[Declarations]) -> None:
        self.sheets, self.styles = sheets, [*styles]
        self.values: dict[str, list[str]] = {}
        self.known: dict[tuple[str, str], bool] = {}
        self.judged: dict[int, tuple[bool, bool]] = {}
        self.odd_faces = {name for name, face in sheets.faces.items() if is_odd_face(face)}
        self.odd: set[str] = set()
        """Properties that were found to hide something, as far as it was asked."""
        self.frames: set[str] = set()
        """Animations that could hide something."""
        everything = [*(rule.declarations for rule in sheets.rules), *self.styles]
        for frames in sheets.frames.values():
            everything.extend(frames.values())
        for declared in everything:
            for name, one in declared.items():
                if name.startswith("--"):
                    known = self.values.setdefault(name, [])
                    if one.value not in known:
                        known.append(one.value)
        for name, registered in sheets.registered.items():
            self.values.setdefault(name, []).extend([registered.initial] if registered.initial is not None else [])
        written = {(name, declared[name].value) for declared in everything for name in INKS & declared.keys()}
        inks = [ink for name, value in written for ink in self.colours(name, value) if not is_pale(ink)]
        self.inks = [*USUAL_INKS, *dict.fromkeys(inks)]
        """Inks that would not be seen on a ground other than paper."""
        self.frames = {
            name for name, frames in sheets.frames.items() if any(any(self.of(frame)) for frame in frames.values())
        }

    def tries(self, value: str) -> Iterator[str]:
        """A value with its variables put in, in the ways the page offers; an empty text when there are too many."""
        waiting, tried = [value], 0
        while waiting:
            text = waiting.pop()
            found = VARIABLE.search(text)
            if found is None:
                yield text.lower()
                continue
            tried += 1
            if tried > MAX_TRIES or len(text) > 2000:
                yield ""
                return
            values = [*self.values.get(found[1], ())[:MAX_TRIES], *((found[2],) if found[2] is not None else ())]
            waiting.extend(f"{text[: found.start()]}{value.strip()}{text[found.end() :]}" for value in values)

    def written(self, name: str, value: str) -> Iterator[str]:
        """The values a declaration can come to; an empty text stands for any."""
        shorthand = ""
        if value.startswith(PENDING):
            shorthand, _, value = value[1:].partition(":")
        if "(" not in value or not SUBSTITUTED.search(value):
            yield value
            return
        if any(found.lower() != "var" for found in SUBSTITUTED.findall(value)):
            # What an attribute, a choice or a place among siblings stands for is worked out where it is used.
            yield ""
            return
        for tried in self.tries(value):
            yield SHORTHANDS[shorthand](tried).get(name, "none") if shorthand and tried else tried

    def is_odd(self, name: str, value: str) -> bool:
        """Say whether a declaration could hide by itself."""
        key = name, value
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = any(
                not tried
                or (could_hide(name, tried) if name in TESTS else self.is_odd_family(tried))
                or self.is_relative(tried)
                for tried in self.written(name, value)
            )
            if known:
                self.odd.add(name)
        return known

    def is_relative(self, value: str) -> bool:
        """Say whether a value is measured by what the page makes unusually small or large."""
        return ("rem" in value and self.odd_root) or CONTAINED.search(value) is not None

    @cached_property
    def odd_root(self) -> bool:
        """Whether the letters of the page itself may have a size that no page has."""
        rules = (rule.declarations for rule in self.sheets.rules if ROOT.search(rule.selectors[-1]))
        sizes = (declared["font-size"].value for declared in (*rules, *self.styles) if "font-size" in declared)
        return any(
            not tried or not MIN_ROOT <= (amount(tried, Units(percent=16)) or 0.0) <= MAX_ROOT
            for size in sizes
            for tried in self.written("font-size", size)
        )

    def is_odd_family(self, value: str) -> bool:
        """Say whether a font of the page's own hides its letters."""
        return any(family.strip("\"' ").lower() in self.odd_faces for family in value.split(","))

    def of(self, declared: Declarations) -> tuple[bool, bool]:
        """Whether declarations could hide a box, and whether they could hide texts in it; worked out once."""
        known = self.judged.get(id(declared))
        if known is None:
            box = text = self.animates(declared)
            box = box or self.is_odd_together(declared)
            for name, one in declared.items():
                if name in ON_TEXTS:
                    # Asked in any case, because what is odd is noted.
                    odd = self.is_odd(name, one.value)
                    box, text = box or (odd and name in BOTH), text or odd
                elif name in PAINTS:
                    text = text or self.is_odd_paint(name, one.value)
                elif name in BOXES:
                    box = box or self.is_odd(name, one.value)
            known = self.judged[id(declared)] = (box, text)
        return known

    def is_odd_together(self, declared: Declarations) -> bool:
        """Say whether declarations could hide a box together, each of which could not."""
        if "position" in declared and declared["position"].value == "absolute" and GROUNDS & declared.keys():
            return True
        if "padding-top" in declared and "height" in declared:
            # Padding may leave the text of a box of fixed height no place in it.
            above, high = amount(declared["padding-top"].value), amount(declared["height"].value)
            if above is not None and high is not None and above >= high:
                return True
        return "filter" in declared and any(
            name in declared["filter"].value for name in ("opacity", "url(", "var(", "blur(")
        )

    def is_odd_paint(self, name: str, value: str) -> bool:
        """Say whether a colour could make text or its ground unseen; worked out once."""
        key = name, value
        known = self.known.get(key)
        if known is None:
            judge = self.is_odd_ink if name in INKS else self.is_odd_ground
            known = self.known[key] = judge(name, value)
        return known

    def animates(self, declared: Declarations) -> bool:
        names = declared.get("animation-name")
        return names is not None and not self.frames.isdisjoint(words_of(names.value, " ,"))

    @cached_property
    def is_dark_somewhere(self) -> bool:
        """Whether something on the page has the dark colour scheme."""
        declared = (*(rule.declarations for rule in self.sheets.rules), *self.styles)
        return any("dark" in one["color-scheme"].value for one in declared if "color-scheme" in one)

    def colours(self, name: str, value: str) -> list[Colour]:
        """The colours that a background can come to."""
        found: list[Colour] = []
        for tried in self.written(name, value):
            if tried == "none":
                continue
            stops = [tried] if name in ONE_COLOUR else STOPS.findall(GRADIENTS.sub(" ", tried))
            for part in stops:
                known = known_colour(part)
                if known is not None and known.alpha > 0.5:
                    found.append(known)
        return found

    def is_odd_ink(self, name: str, value: str) -> bool:
        for tried in self.written(name, value):
            # A colour that depends on others is worked out where it stands.
            ink = known_colour(tried)
            if tried in SYSTEM and self.is_dark_somewhere:
                return True
            if not tried or "currentcolor" in tried or "(from" in tried or "light-dark" in tried:
                return True
            if ink is not None and (ink.alpha < 0.3 or is_pale(ink)):
                return True
        return False

    def is_odd_ground(self, name: str, value: str) -> bool:
        for tried in self.written(name, value):
            if tried and name == "box-shadow" and "inset" not in tried:
                continue
            if not tried or "currentcolor" in tried or "light-dark" in tried:
                return True
            grounds = [ground for ground in self.colours(name, tried) if not is_pale(ground)]
            if any(alike(ground, ink) for ground in grounds for ink in self.inks):
                return True
        return False
