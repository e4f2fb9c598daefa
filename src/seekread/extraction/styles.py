"""
Style declarations, and the reasons for which they hide text.

Inline styles are normalised (case, spaces, escapes, `!important`). Style sheets are read for selectors made of one tag,
classes and an id; there is no cascade with combinators, and rules under a media condition are left alone:
a page that hides its menu on paper hides nothing from a reader.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

Declarations = Mapping[str, str]

COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
LENGTH = re.compile(r"([-+]?\d*\.?\d+(?:e[-+]?\d+)?)(px|r?em|ex|ch|pt|pc|cm|mm|in|%|[sld]?v(?:w|h|min|max|i|b))?")
PIXELS = {
    "": 1,
    "px": 1,
    "em": 16,
    "rem": 16,
    "ex": 8,
    "ch": 8,
    "pt": 1.33,
    "pc": 16,
    "cm": 37.8,
    "mm": 3.78,
    "in": 96,
    "%": 10,
}
VIEWPORT_UNIT = 10
FAR = 900
"""Pixels beyond which a negative offset puts text off every screen."""
FAR_RIGHT = 2500
"""A positive offset must be larger: pages with absolute layout place visible columns far right."""
SELECTOR = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?(?P<parts>(?:[.#][\w-]+)+)")
RULE_LIMIT = 20_000
SIMPLE = re.compile(r"(?:^|,)\s*+[a-zA-Z0-9]*+(?:[.#][\w-]++)++\s*+(?:,|$)")
NOTABLE = (
    "display", "visib", "opacity", "color", "background", "indent", "clip", "scale", "rotate", "translate", "overflow",
    "absolute", "fixed", ":-9", ": -9", "\\",
)  # fmt: skip
"""What the body of a rule must hold to be worth reading: most rules of a style sheet are about looks only."""
TINY = re.compile(r"font(?:-size)?\s*:\s*(?:[.0]|[12](?:px|pt|%|\s|;|$))")
BRACE = re.compile(r"[{}]")
SCREEN = re.compile(r"@media\b(?!\s*print).*(?:width|height|orientation|hover|pointer)", re.DOTALL)
SHOWING = frozenset({"display", "visibility", "opacity", "height", "max-height", "position", "clip", "left"})
SHOWN_FOR_ALL = re.compile(r"@(?:media\s+(?:only\s+)?(?:screen|all)\s*|layer\b.*|supports\b.*)", re.DOTALL)


def declarations(style: str) -> dict[str, str]:
    """The declarations of a style attribute or of one rule, in lower case; what is `!important` is not overridden."""
    found: dict[str, str] = {}
    important: set[str] = set()
    if "\\" in style:
        style = ESCAPE.sub(lambda match: chr(min(int(match[1], 16), 0x10FFFF)), style).replace("\\", "")
    if "/*" in style:
        style = COMMENT.sub("", style)
    for part in style.lower().split(";"):
        name, colon, value = part.partition(":")
        name, value = name.strip(), value.strip()
        if not colon or not value:
            continue
        if "!" in value:
            value = value.partition("!")[0].strip()
            important.add(name)
        elif name in important:
            continue
        found[name] = value
    return found


def pixels(value: str) -> float | None:
    """The first length in a value, in pixels."""
    match = LENGTH.search(value)
    return float(match[1]) * PIXELS.get(match[2] or "", VIEWPORT_UNIT) if match else None


def number(value: str) -> float | None:
    """A number or a percentage."""
    match = re.match(r"([-+]?\d*\.?\d+)(%)?", value)
    return float(match[1]) / (100 if match[2] else 1) if match else None


def no_display(style: Declarations) -> bool:
    return style.get("display") == "none" or style.get("content-visibility") == "hidden"


def not_visible(style: Declarations) -> bool:
    return style.get("visibility") in {"hidden", "collapse"}


def see_through(style: Declarations) -> bool:
    value = number(style.get("opacity", ""))
    filtered = re.search(r"opacity\(\s*([^)]*)", style.get("filter", ""))
    faded = number(filtered[1]) if filtered else None
    return any(amount is not None and amount <= 0.05 for amount in (value, faded))


def tiny_font(style: Declarations) -> bool:
    size = style.get("font-size") or next(
        iter(re.findall(r"(?:^|\s)([\d.]+[a-z%]*)(?:\s|/)", style.get("font", ""))), ""
    )
    if not size or size.startswith(("var", "clamp", "calc", "min", "max")):
        return False
    if size.endswith("%"):
        return (number(size) or 0) < 0.19
    length = pixels(size)
    return length is not None and 0 <= length < 3


def off_screen(style: Declarations) -> bool:
    if style.get("position") in {"absolute", "fixed", "relative"}:
        sides = [
            pixels(style.get(side, "")) for side in ("left", "top", "right", "bottom", "inset", "inset-inline-start")
        ]
        if any(offset is not None and offset <= -FAR for offset in sides):
            return True
        left = pixels(style.get("left", ""))
        if left is not None and left >= FAR_RIGHT:
            return True
    shifted = re.search(
        r"translate(?:3d|x|y)?\(([^)]*)\)", style.get("transform", "") + " " + style.get("translate", "")
    )
    moves = LENGTH.findall(shifted[1]) if shifted else []
    if any(unit != "%" and float(amount) * PIXELS.get(unit, VIEWPORT_UNIT) <= -FAR for amount, unit in moves):
        return True
    margins = (pixels(style.get(name, "")) for name in ("margin-left", "margin-top", "margin"))
    return any(margin is not None and margin <= -FAR for margin in margins)


def indented_away(style: Declarations) -> bool:
    indent = pixels(style.get("text-indent", ""))
    return indent is not None and abs(indent) >= FAR


def clipped(style: Declarations) -> bool:
    rectangle = re.search(r"rect\(([^)]*)\)", style.get("clip", ""))
    if rectangle and style.get("position") in {"absolute", "fixed"}:
        edges = [abs(float(amount)) for amount, _ in LENGTH.findall(rectangle[1])]
        if len(edges) == 4 and max(edges) <= 1.01:
            return True
    path = style.get("clip-path", "")
    inset = re.search(r"inset\(\s*([\d.]+)%", path)
    if inset and float(inset[1]) >= 50:
        return True
    shape = re.search(r"(?:polygon|circle|ellipse|rect)\(([^)]*)\)", path)
    amounts = LENGTH.findall(shape[1].partition(" at ")[0]) if shape else []
    return bool(amounts) and all(float(amount) == 0 for amount, _ in amounts)


def no_size(style: Declarations) -> bool:
    overflow = " ".join(style.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    if "hidden" not in overflow and "clip" not in overflow:
        return False
    sides = (
        pixels(style.get(name, ""))
        for name in ("height", "width", "max-height", "max-width", "block-size", "inline-size")
    )
    return any(side is not None and 0 <= side <= 1 for side in sides)


def scaled_away(style: Declarations) -> bool:
    factors = re.search(r"scale(?:3d|x|y)?\(([^)]*)\)", style.get("transform", ""))
    amounts = re.findall(r"-?\d*\.?\d+", factors[1] if factors else style.get("scale", ""))
    if any(abs(float(amount)) < 0.02 for amount in amounts[:2]):
        return True
    return bool(re.search(r"rotate[xy]\(\s*-?(?:90|270)deg", style.get("transform", "")))


Check = Callable[[Declarations], bool]

REASONS: tuple[tuple[str, Check, frozenset[str]], ...] = (
    ("display none", no_display, frozenset({"display", "content-visibility"})),
    ("visibility hidden", not_visible, frozenset({"visibility"})),
    ("transparent", see_through, frozenset({"opacity", "filter"})),
    ("tiny font", tiny_font, frozenset({"font-size", "font"})),
    (
        "off screen",
        off_screen,
        frozenset({"position", "transform", "translate", "margin", "margin-left", "margin-top"}),
    ),
    ("indented away", indented_away, frozenset({"text-indent"})),
    ("clipped", clipped, frozenset({"clip", "clip-path"})),
    ("no size", no_size, frozenset({"overflow", "overflow-x", "overflow-y"})),
    ("scaled away", scaled_away, frozenset({"transform", "scale"})),
)
"""Each reason to hide text, its check, and the properties without which the check has nothing to say."""


def hiding(style: Declarations) -> str:
    """The reason why declarations hide text, or an empty string."""
    names = style.keys()
    return next((reason for reason, check, needed in REASONS if not needed.isdisjoint(names) and check(style)), "")


@dataclass(frozen=True)
class Rule:
    """One selector of tag, classes and id with its declarations."""

    tag: str
    classes: frozenset[str]
    identifier: str
    style: Declarations
    weight: tuple[int, int, int]
    """How specific the selector is, and its place in the sheet: later and more specific rules win."""

    def matches(self, tag: str, classes: frozenset[str], identifier: str) -> bool:
        """Say whether an element falls under the rule."""
        return (
            (not self.tag or self.tag == tag)
            and (not self.identifier or self.identifier == identifier)
            and self.classes <= classes
        )


@dataclass
class Sheet:
    """The rules of a page's own style sheets that can concern the visibility of an element."""

    rules: dict[str, list[Rule]] = field(default_factory=lambda: defaultdict(list))
    suspects: set[str] = field(default_factory=set)
    revealed: set[str] = field(default_factory=set)
    """Classes and ids that some screen size shows; hiding them elsewhere is layout."""
    count: int = 0
    whole: bool = True
    """Whether the page links no other style sheet, so that everything about its looks is in sight."""

    def style(self, tag: str, names: Iterable[str], identifier: str) -> dict[str, str]:
        """The declarations that apply to an element, later rules over earlier ones."""
        classes = frozenset(names)
        matching = [
            rule
            for key in (*classes, f"#{identifier}")
            if key in self.rules
            for rule in self.rules[key]
            if rule.matches(tag, classes, identifier)
        ]
        merged: dict[str, str] = {}
        for rule in sorted(matching, key=lambda rule: rule.weight):
            merged.update(rule.style)
        return merged


RELEVANT = {
    "display", "visibility", "content-visibility", "opacity", "filter", "font-size", "font", "position", "left",
    "top", "right", "bottom", "inset", "inset-inline-start", "transform", "translate", "scale", "margin",
    "margin-left", "margin-top", "text-indent", "clip", "clip-path", "overflow", "overflow-x", "overflow-y",
    "height", "width", "max-height", "max-width", "block-size", "inline-size", "color", "background",
    "background-color", "animation", "transition",
}  # fmt: skip


def read_sheets(texts: Iterable[str], *, whole: bool) -> Sheet:
    """Read the style elements of a page."""
    sheet = Sheet(whole=whole)
    for text in texts:
        for selectors, body, conditional in blocks(COMMENT.sub("", text) if "/*" in text else text):
            if not SIMPLE.search(selectors) or not is_notable(body.lower()):
                continue
            matches = [match for selector in selectors.split(",") if (match := SELECTOR.fullmatch(selector.strip()))]
            style = {name: value for name, value in declarations(body).items() if name in RELEVANT} if matches else {}
            if not style:
                continue
            reason = hiding(style)
            coloured = "color" in style and (whole or "background" in style or "background-color" in style)
            for match in matches:
                if not conditional:
                    add(sheet, match, style, suspicious=bool(reason) or coloured)
                elif not reason and SHOWING & style.keys():
                    sheet.revealed.update(re.findall(r"#?[\w-]+", match["parts"].replace(".", " ")))
            if sheet.count >= RULE_LIMIT:
                return sheet
    return sheet


def is_notable(body: str) -> bool:
    """Say whether the body of a rule can hide text, show it or paint it."""
    return any(word in body for word in NOTABLE) or ("font" in body and TINY.search(body) is not None)


def add(sheet: Sheet, match: re.Match[str], style: Declarations, *, suspicious: bool) -> None:
    classes = frozenset(re.findall(r"\.([\w-]+)", match["parts"]))
    identifier = next(iter(re.findall(r"#([\w-]+)", match["parts"])), "")
    key = f"#{identifier}" if identifier else min(classes)
    sheet.count += 1
    weight = (bool(identifier), len(classes), sheet.count)
    sheet.rules[key].append(Rule(match["tag"] or "", classes, identifier, style, weight))
    if suspicious:
        sheet.suspects.add(key)


def blocks(text: str) -> Iterator[tuple[str, str, bool]]:
    """The rules of a style sheet as selector, body and whether they depend on the screen; other groups are left out."""
    position, end, conditional_until = 0, len(text), 0
    while position < end:
        opening = text.find("{", position)
        if opening < 0:
            return
        prelude = text[position:opening].rpartition(";")[2].rpartition("}")[2].strip()
        if prelude.startswith("@") and SCREEN.match(prelude):
            # Inside another condition the end is known; looking for it again would make nested ones quadratic.
            if opening >= conditional_until:
                conditional_until = skip(text, opening)
            position = opening + 1
        elif prelude.startswith("@") and not SHOWN_FOR_ALL.fullmatch(prelude):
            position = skip(text, opening)
        elif prelude.startswith("@"):
            position = opening + 1
        else:
            closing = text.find("}", opening)
            closing = end if closing < 0 else closing
            yield prelude, text[opening + 1 : closing], opening < conditional_until
            position = closing + 1


def skip(text: str, opening: int) -> int:
    """The position after the block that opens here."""
    depth = 0
    for match in BRACE.finditer(text, opening):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.end()
    return len(text)
