"""
The properties that decide whether text is seen: which values are valid, which are inherited, what shorthands set.

Validity matters because a browser ignores a declaration it does not understand: `display: none; display: nothing`
hides. A value with `var()` is valid until it is known what it stands for.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from seekread.extraction.colours import parse_colour
from seekread.extraction.css_values import kind_of, words_of
from seekread.extraction.prescan import words
from seekread.late import dataclass

GLOBAL = words("inherit initial unset revert revert-layer")
"""Keywords that every property understands."""
OUTSIDE, INSIDE = words("block inline run-in"), words("flow flow-root table flex grid ruby math")
"""The two halves of a `display` of several words."""
DISPLAYS = words(
    "none contents block inline flow flow-root table flex grid ruby math list-item inline-block inline-table "
    "inline-flex inline-grid table-row-group table-header-group table-footer-group table-row table-cell "
    "table-column-group table-column table-caption ruby-base ruby-text ruby-base-container ruby-text-container run-in "
    "-webkit-box -webkit-inline-box -webkit-flex -webkit-inline-flex masonry"
)
KEYWORDS: dict[str, frozenset[str]] = {
    "visibility": words("visible hidden collapse"),
    "content-visibility": words("visible hidden auto"),
    "position": words("static relative absolute fixed sticky -webkit-sticky"),
    "overflow-x": words("visible hidden clip scroll auto overlay"),
    "overflow-y": words("visible hidden clip scroll auto overlay"),
    "backface-visibility": words("visible hidden"),
    "-webkit-text-security": words("none disc circle square"),
    "white-space": words("normal pre nowrap pre-wrap pre-line break-spaces"),
    "white-space-collapse": words("collapse preserve preserve-breaks preserve-spaces break-spaces"),
    "text-wrap-mode": words("wrap nowrap"),
    "box-sizing": words("content-box border-box"),
    "transform-style": words("flat preserve-3d"),
    "float": words("left right none inline-start inline-end"),
    "table-layout": words("auto fixed"),
    "flex-direction": words("row row-reverse column column-reverse"),
    "direction": words("ltr rtl"),
    "writing-mode": words(
        "horizontal-tb vertical-rl vertical-lr sideways-rl sideways-lr lr lr-tb rl rl-tb tb tb-rl tb-lr"
    ),
    "outline-style": words("none auto dotted dashed solid double groove ridge inset outset"),
    "transition-behavior": words("normal allow-discrete"),
    "isolation": words("auto isolate"),
    "all": frozenset(),
    "mix-blend-mode": words(
        "normal multiply screen overlay darken lighten color-dodge color-burn hard-light soft-light difference "
        "exclusion hue saturation color luminosity plus-darker plus-lighter"
    ),
}
SIZES = words(
    "auto min-content max-content fit-content stretch -webkit-fill-available -moz-available intrinsic min-intrinsic"
)
THICKNESSES = words("thin medium thick")
EDGES = words("left right top bottom center")
LETTERS = words("xx-small x-small small medium large x-large xx-large xxx-large smaller larger math -webkit-xxx-large")
NUMBER, LENGTH = frozenset({"number"}), frozenset({"length"})
EXTENT = frozenset({"length", "percentage"})
SHARE = frozenset({"number", "percentage"})
TIMES = frozenset({"time"})


@dataclass(frozen=True)
class Grammar:
    """What may stand in the value of a property."""

    kinds: frozenset[str] = frozenset()
    """What its numbers may measure."""
    keywords: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    many: bool = False
    """Whether there may be several words."""
    negative: bool = True
    colours: bool = False
    strings: bool = False
    needs: str = ""
    """What one of its numbers must measure."""


IMAGES = words(
    "url src image image-set -webkit-image-set cross-fade -webkit-cross-fade element paint linear-gradient "
    "radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient repeating-conic-gradient "
    "-webkit-linear-gradient -webkit-radial-gradient -webkit-gradient -webkit-repeating-linear-gradient "
    "-webkit-repeating-radial-gradient"
)
SHAPES = words("inset circle ellipse polygon path rect xywh shape url")
BOXES = words("border-box padding-box content-box margin-box fill-box stroke-box view-box")
"""What a clip path may be measured from."""
FILTERS = words("url blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia")
EASINGS = words("linear ease ease-in ease-out ease-in-out step-start step-end")
FILLS = words("none forwards backwards both")
DIRECTIONS = words("normal reverse alternate alternate-reverse")
STATES = words("running paused")
PLACED = words("anchor anchor-size calc-size fit-content")


def sized(keywords: frozenset[str] = frozenset(), *, negative: bool = False) -> Grammar:
    return Grammar(EXTENT, keywords, PLACED, negative=negative)


def every(names: str, grammar: Grammar) -> dict[str, Grammar]:
    return dict.fromkeys(words(names), grammar)


GRAMMARS: dict[str, Grammar] = {
    **every("left top right bottom", sized(words("auto"), negative=True)),
    **every("margin-left margin-top margin-right margin-bottom", sized(words("auto"), negative=True)),
    **every("padding-left padding-top padding-right padding-bottom", sized()),
    **every("width height min-width min-height flex-basis", sized(SIZES | {"content"})),
    **every("max-width max-height", sized(SIZES | {"none"})),
    **every("letter-spacing word-spacing", Grammar(EXTENT, words("normal"))),
    **every("border-top-width border-bottom-width -webkit-text-stroke-width outline-width",
            Grammar(LENGTH, THICKNESSES, negative=False)),
    **every("z-index order", Grammar(NUMBER, words("auto"))),
    **every("flex-grow flex-shrink", Grammar(NUMBER, negative=False)),
    **every("background-image mask-image", Grammar(keywords=words("none"), functions=IMAGES, many=True)),
    **every("background-size mask-size", Grammar(EXTENT, words("auto cover contain"), many=True)),
    **every("background-position mask-position transform-origin perspective-origin offset-position offset-anchor",
            Grammar(EXTENT, EDGES | {"auto", "normal"}, many=True)),
    **every("background-repeat mask-repeat",
            Grammar(keywords=words("repeat no-repeat repeat-x repeat-y round space"), many=True)),
    **every("animation-delay animation-duration transition-duration transition-delay",
            Grammar(TIMES, words("auto"), many=True)),
    **every("animation-timing-function transition-timing-function",
            Grammar(keywords=EASINGS, functions=words("cubic-bezier steps linear"), many=True)),
    **every("filter backdrop-filter", Grammar(keywords=words("none"), functions=FILTERS, many=True)),
    "background-clip": Grammar(keywords=BOXES | {"text", "border-area", "no-clip"}, many=True),
    "text-indent": Grammar(EXTENT, words("hanging each-line"), many=True),
    "vertical-align": Grammar(EXTENT, words("baseline sub super text-top text-bottom middle top bottom")),
    "font-size": Grammar(EXTENT, LETTERS, negative=False),
    "line-height": Grammar(EXTENT | NUMBER, words("normal"), negative=False),
    "opacity": Grammar(SHARE),
    "zoom": Grammar(SHARE, words("normal reset document"), negative=False),
    "font-size-adjust": Grammar(
        NUMBER, words("none from-font ex-height cap-height ch-width ic-width ic-height"), many=True, negative=False
    ),
    "tab-size": Grammar(NUMBER | LENGTH, negative=False),
    "perspective": Grammar(LENGTH, words("none"), negative=False),
    "outline-offset": Grammar(LENGTH),
    "aspect-ratio": Grammar(NUMBER, words("auto"), many=True, negative=False),
    "scale": Grammar(SHARE, words("none"), many=True),
    "translate": Grammar(EXTENT, words("none"), many=True),
    "rotate": Grammar(frozenset({"angle", "number"}), words("none x y z"), many=True, needs="angle"),
    "transform": Grammar(keywords=words("none"), many=True, functions=words(
        "matrix matrix3d translate translatex translatey translatez translate3d scale scalex scaley scalez scale3d "
        "rotate rotatex rotatey rotatez rotate3d skew skewx skewy perspective")),
    "clip-path": Grammar(keywords=BOXES | {"none"}, functions=SHAPES, many=True),
    "clip": Grammar(keywords=words("auto"), functions=words("rect")),
    "offset-path": Grammar(keywords=BOXES | {"none"}, functions=SHAPES | {"ray"}, many=True),
    "offset-distance": Grammar(EXTENT),
    "animation-fill-mode": Grammar(keywords=FILLS, many=True),
    "animation-direction": Grammar(keywords=DIRECTIONS, many=True),
    "animation-play-state": Grammar(keywords=STATES, many=True),
    "animation-iteration-count": Grammar(NUMBER, words("infinite"), many=True, negative=False),
    "contain": Grammar(keywords=words("none strict content size layout style paint inline-size"), many=True),
    "container-type": Grammar(keywords=words("normal size inline-size scroll-state anchored"), many=True),
    "content": Grammar(keywords=words("normal none open-quote close-quote no-open-quote no-close-quote"),
                       functions=IMAGES | {"counter", "counters", "attr"}, many=True, strings=True),
    "text-shadow": Grammar(LENGTH, words("none"), many=True, colours=True),
    "box-shadow": Grammar(LENGTH, words("none inset"), many=True, colours=True),
    "-webkit-line-clamp": Grammar(NUMBER, words("none")),
    **every("color background-color -webkit-text-fill-color -webkit-text-stroke-color outline-color",
            Grammar(colours=True)),
}  # fmt: skip
"""The grammar of each property, as far as it decides whether a browser understands a value."""
FREE = words(
    "animation-name animation-timeline transition-property color-scheme font-family grid-template-rows "
    "grid-template-columns grid-area will-change container-name cursor paint-order"
)
"""Properties whose values are taken as they are."""
QUIRKY = words(
    "bottom font-size height left letter-spacing margin margin-bottom margin-left margin-right margin-top max-height "
    "max-width min-height min-width padding padding-bottom padding-left padding-right padding-top right text-indent "
    "top width word-spacing"
)
"""Properties that take a bare number for pixels on a page without a doctype."""
BARE_NUMBER = re.compile(r"(?<![\w.%(#-])([-+]?(?:\d+\.?\d*|\.\d+))(?![\w.%])")
BARE_COLOUR = re.compile(r"[0-9a-f]{3}|[0-9a-f]{6}")
SUBSTITUTED = re.compile(r"(?<![\w-])(var|env|attr|if|sibling-index|sibling-count)\(", re.IGNORECASE)
"""A function that stands for a value which is known only where it is used."""

INHERITED = words(
    "visibility font-size color -webkit-text-fill-color -webkit-text-security text-indent line-height white-space "
    "white-space-collapse text-wrap-mode color-scheme font-size-adjust letter-spacing word-spacing text-shadow "
    "-webkit-text-stroke-width -webkit-text-stroke-color font-family writing-mode direction tab-size paint-order"
)

ALIASES = {
    "inset-inline-start": "left",
    "inset-inline-end": "right",
    "inset-block-start": "top",
    "inset-block-end": "bottom",
    "margin-inline-start": "margin-left",
    "margin-inline-end": "margin-right",
    "margin-block-start": "margin-top",
    "margin-block-end": "margin-bottom",
    "padding-inline-start": "padding-left",
    "padding-inline-end": "padding-right",
    "padding-block-start": "padding-top",
    "padding-block-end": "padding-bottom",
    "inline-size": "width",
    "block-size": "height",
    "max-inline-size": "max-width",
    "max-block-size": "max-height",
    "min-inline-size": "min-width",
    "min-block-size": "min-height",
    "overflow-inline": "overflow-x",
    "overflow-block": "overflow-y",
    "word-wrap": "overflow-wrap",
    **{
        f"-webkit-{name}": name
        for name in (
            "transform", "transform-origin", "transform-style", "backface-visibility", "filter", "clip-path", "opacity",
            "mask-image", "mask-size", "mask-position", "mask-repeat", "background-clip", "animation", "animation-name",
            "animation-fill-mode", "animation-delay", "animation-duration", "animation-play-state",
            "animation-iteration-count", "animation-direction", "animation-timing-function", "transition",
            "transition-duration", "transition-delay", "transition-property", "transition-timing-function",
            "perspective", "perspective-origin", "flex", "flex-grow", "flex-shrink", "flex-basis", "flex-direction",
            "mask", "box-sizing", "background-size",
        )
    },
}  # fmt: skip
"""Other names of properties; logical sides are those of a page that is written from left to right."""
SIDES = ("top", "right", "bottom", "left")

FONT_SIZE = re.compile(
    r"(?:^|\s)((?:[\d.]+(?:e-?\d+)?(?:[a-z]+|%)|[0.]+(?=[\s/])|xx-small|x-small|small|medium|large|x-large|xx-large|smaller|larger"
    r"|(?:calc|min|max|clamp|var)\([^/]*\)))(?:\s*/\s*([^\s]+))?\s+\S"
)
Longhands = dict[str, str]
SHORT = 60
"""Values up to so many characters are met again and again, on every page."""


def is_valid(name: str, value: str) -> bool:
    """Say whether a browser would understand a longhand declaration."""
    if value in GLOBAL or ("(" in value and SUBSTITUTED.search(value)) or name in FREE:
        return True
    if name in KEYWORDS:
        return value in KEYWORDS[name] or (name == "white-space" and len(value.split()) > 1)
    if name == "display":
        return is_display(value.split())
    grammar = GRAMMARS.get(name)
    if grammar is None:
        return False
    if not grammar.many:
        return is_word_of(grammar, value)
    found = words_of(value)
    if grammar.needs and value != "none" and all(kind_of(word) != grammar.needs for word in found):
        return False
    return bool(found) and all(is_word_of(grammar, word) for word in found)


def is_display(parts: list[str]) -> bool:
    """Say whether a browser knows a way to lay out an element."""
    if len(parts) == 1:
        return parts[0] in DISPLAYS
    outside, inside = [one for one in parts if one in OUTSIDE], [one for one in parts if one in INSIDE]
    others = [one for one in parts if one not in OUTSIDE and one not in INSIDE]
    return bool(parts) and len(outside) <= 1 and len(inside) <= 1 and others in ([], ["list-item"])


def in_quirks(name: str, value: str) -> str:
    """A value as a page without a doctype means it: bare numbers are pixels, and colours need no mark before them."""
    if name in QUIRKY:
        return BARE_NUMBER.sub(r"\1px", value)
    return f"#{value}" if name in {"color", "background-color"} and BARE_COLOUR.fullmatch(value) else value


def is_word_of(grammar: Grammar, word: str) -> bool:
    """Say whether a word may stand in the value of a property."""
    if word in grammar.keywords or word.partition("(")[0] in grammar.functions:
        return True
    if grammar.strings and word[:1] in {'"', "'"}:
        return True
    kind = kind_of(word) if grammar.kinds else ""
    if kind:
        zero = kind == "number" and "(" not in word and not word.strip("+-0.")
        if kind not in grammar.kinds and kind != "any" and not (zero and "length" in grammar.kinds):
            return False
        return grammar.negative or "(" in word or not word.startswith("-") or zero
    return grammar.colours and parse_colour(word) is not None


SYNTAXES: dict[str, Callable[[str], bool]] = {
    "number": lambda value: kind_of(value) in {"number", "any"},
    "integer": lambda value: kind_of(value) == "number" and "." not in value,
    "length": lambda value: kind_of(value) in {"length", "any"} or not value.strip("+-0."),
    "percentage": lambda value: kind_of(value) in {"percentage", "any"},
    "length-percentage": lambda value: kind_of(value) in {"length", "percentage", "any"} or not value.strip("+-0."),
    "angle": lambda value: kind_of(value) == "angle",
    "time": lambda value: kind_of(value) == "time",
    "resolution": lambda value: kind_of(value) == "resolution",
    "color": lambda value: parse_colour(value.lower()) is not None,
    "custom-ident": lambda value: re.fullmatch(r"[\w-]+", value) is not None,
    "string": lambda value: value[:1] in {'"', "'"},
    "image": lambda value: "(" in value,
    "url": lambda value: value.lower().startswith("url("),
    "transform-function": lambda value: value.partition("(")[0] in GRAMMARS["transform"].functions,
    "transform-list": lambda value: is_valid("transform", value),
}


def is_of_syntax(syntax: str, value: str) -> bool:
    """Say whether the value of a variable is of the type it was registered with."""
    if syntax.strip() == "*":
        return True
    for one in map(str.strip, syntax.split("|")):
        listed = words_of(value, ", " if one.endswith("#") else " ") if one[-1:] in {"#", "+"} else [value.strip()]
        name = one.rstrip("#+").strip("<> ").partition(" ")[0]
        test = SYNTAXES.get(name, name.__eq__) if one.startswith("<") else one.rstrip("#+").__eq__
        if listed and all(test(part) for part in listed):
            return True
    return False


def longhands(name: str, value: str) -> Longhands:
    """What a declaration sets, by longhand; nothing if a browser would ignore it. Nobody changes the answer."""
    return known_longhands(name, value) if len(value) < SHORT else worked_out(name, value)


@lru_cache(maxsize=10_000)
def known_longhands(name: str, value: str) -> Longhands:
    return worked_out(name, value)


def worked_out(name: str, value: str) -> Longhands:
    name = ALIASES.get(name, name)
    expand = SHORTHANDS.get(name)
    if expand is None:
        return {name: value} if name in RELEVANT and is_valid(name, value) else {}
    if value in GLOBAL:
        return dict.fromkeys(SETS[name], value)
    if "(" in value and SUBSTITUTED.search(value):
        # What it sets is known once the variable is.
        return dict.fromkeys(SETS[name], f"{PENDING}{name}:{value}")
    found = expand(value)
    return found if all(is_valid(part, written) for part, written in found.items()) else {}


PENDING = "\0"
"""Begins a value that is a whole shorthand with variables in it."""


def four(prefix: str) -> Callable[[str], Longhands]:
    """A shorthand of four sides: those that are not written are those they face."""

    def expand(value: str) -> Longhands:
        parts = words_of(value, " \t\n")
        if not 1 <= len(parts) <= 4:
            return {}
        facing = (0, 0, 0, 1)
        sides = [
            parts[index] if index < len(parts) else parts[min(facing[index], len(parts) - 1)] for index in range(4)
        ]
        return {f"{prefix}{side}": part for side, part in zip(SIDES, sides, strict=True)}

    return expand


def two(first: str, second: str) -> Callable[[str], Longhands]:
    """A shorthand of a start and an end."""

    def expand(value: str) -> Longhands:
        parts = words_of(value, " \t\n")
        return {first: parts[0], second: parts[-1]} if 1 <= len(parts) <= 2 else {}

    return expand


def font(value: str) -> Longhands:
    size = FONT_SIZE.search(value)
    if size is None:
        return {}
    family = value[size.end() - 1 :]
    return {"font-size": size[1], "line-height": size[2] or "normal", "font-family": family, "font-size-adjust": "none"}


def background(value: str) -> Longhands:
    """The colour, the image and the clip of a background."""
    found = {"background-color": "transparent", "background-image": "none", "background-clip": "border-box"}
    images: list[str] = []
    for word in words_of(value):
        if "gradient(" in word or word.startswith(("url(", "image", "-webkit-image", "paint(")):
            images.append(word)
        elif word == "text":
            found["background-clip"] = "text"
        elif parse_colour(word) is not None:
            found["background-color"] = word
        elif not BACKGROUND_WORD.fullmatch(word):
            return {}
    if images:
        found["background-image"] = ", ".join(images)
    return found


BACKGROUND_WORD = re.compile(
    r"none|(?:no-)?repeat(?:-[xy])?|round|space|scroll|fixed|local|left|right|top|bottom|center|cover|contain|auto"
    r"|(?:border|padding|content)-box|[-+]?[\d.]+(?:e-?\d+)?[a-z%]*|(?:calc|min|max|clamp)\(.*"
)


LAYER_WORDS = words("alpha luminance match-source add subtract intersect exclude no-clip auto") | BOXES
PLACES = EDGES | words("repeat no-repeat repeat-x repeat-y round space cover contain")


def mask(value: str) -> Longhands:
    """The images of a mask, each with its place, its size and how it is repeated."""
    found: dict[str, list[str]] = {name: [] for name in ("image", "position", "size", "repeat")}
    for layer in words_of(value, ","):
        place, _, rest = (part.strip() for part in slashed(layer))
        words_before, words_after = words_of(place, " \t\n"), words_of(rest, " \t\n")
        after = [word for word in words_after if kind_of(word) or word in {"auto", "cover", "contain"}][:2]
        words_before += [word for word in words_after if word not in after]
        images = [word for word in words_before if word.partition("(")[0] in IMAGES]
        repeats = [word for word in words_before if word in GRAMMARS["mask-repeat"].keywords]
        places = [word for word in words_before if word in EDGES or kind_of(word)]
        known = {*images, *repeats, *places}
        if any(word not in known and word not in LAYER_WORDS and word != "none" for word in words_before):
            return {}
        found["image"].append(images[0] if images else "none")
        found["position"].append(" ".join(places) or "0% 0%")
        found["size"].append(" ".join(after) or "auto")
        found["repeat"].append(" ".join(repeats) or "repeat")
    return {f"mask-{name}": ", ".join(parts) for name, parts in found.items()}


def slashed(text: str) -> tuple[str, str, str]:
    """A text cut at the slash outside of parentheses."""
    before, *after = words_of(text, "/")
    return before, "/", " ".join(after)


def animation(value: str) -> Longhands:
    """The animations of a list, and whether each stays at its end."""
    listed = [one_animation(words_of(one, " \t\n")) for one in words_of(value, ",")] or [one_animation([])]
    return {name: ", ".join(one[name] for one in listed) for name in listed[0]}


def one_animation(parts: list[str]) -> Longhands:
    found = {"animation-name": "none", "animation-fill-mode": "none", "animation-delay": "0s",
             "animation-duration": "0s", "animation-play-state": "running", "animation-iteration-count": "1",
             "animation-direction": "normal", "animation-timing-function": "ease",
             "animation-timeline": "auto"}  # fmt: skip
    times = ["animation-duration", "animation-delay"]
    for word in parts:
        if kind_of(word) == "time" and times:
            found[times.pop(0)] = word
        elif word in FILLS and word != "none":
            found["animation-fill-mode"] = word
        elif word in STATES:
            found["animation-play-state"] = word
        elif word in DIRECTIONS:
            found["animation-direction"] = word
        elif word == "infinite" or kind_of(word) == "number":
            found["animation-iteration-count"] = word
        elif word in EASINGS or "(" in word:
            found["animation-timing-function"] = word
        elif word != "none":
            found["animation-name"] = word
    return found


def transition(value: str) -> Longhands:
    """The transitions of a list."""
    found: dict[str, list[str]] = {name: [] for name in ("property", "duration", "delay", "timing-function")}
    for one in words_of(value, ","):
        parts = words_of(one, " \t\n")
        times = [part for part in parts if kind_of(part) == "time"]
        easing = [part for part in parts if part in EASINGS or ("(" in part and part not in times)]
        rest = [part for part in parts if part not in times and part not in easing and part != "allow-discrete"]
        found["property"].append(rest[0] if rest else "all")
        found["duration"].append(times[0] if times else "0s")
        found["delay"].append(times[1] if len(times) > 1 else "0s")
        found["timing-function"].append(easing[0] if easing else "ease")
    return {f"transition-{name}": ", ".join(parts) for name, parts in found.items()}


def flex(value: str) -> Longhands:
    """How an item of a flexible box grows, and from which size."""
    if value in {"none", "auto"}:
        return {"flex-grow": str(int(value == "auto")), "flex-shrink": str(int(value == "auto")), "flex-basis": "auto"}
    parts = words_of(value, " \t\n")
    numbers = [part for part in parts if kind_of(part) == "number"]
    basis = [part for part in parts if part not in numbers]
    if len(numbers) == 3 and numbers[2] == "0":
        basis.append(numbers.pop())
    if len(numbers) > 2 or len(basis) > 1 or not parts:
        return {}
    return {
        "flex-grow": numbers[0] if numbers else "1",
        "flex-shrink": numbers[1] if len(numbers) > 1 else "1",
        "flex-basis": basis[0] if basis else "0px",
    }


def container_of(value: str) -> Longhands:
    name, _, kind = (part.strip() for part in value.partition("/"))
    return {"container-name": name, "container-type": kind or "normal"}


def outline(value: str) -> Longhands:
    found = {"outline-width": "medium", "outline-style": "none", "outline-color": "currentcolor"}
    for word in words_of(value, " \t\n"):
        if word in KEYWORDS["outline-style"]:
            found["outline-style"] = word
        elif kind_of(word) or word in THICKNESSES:
            found["outline-width"] = word
        else:
            found["outline-color"] = word
    return found


def stroke(value: str) -> Longhands:
    found: Longhands = {}
    for word in words_of(value, " \t\n"):
        name = "-webkit-text-stroke-color" if parse_colour(word) else "-webkit-text-stroke-width"
        found[name] = word
    return found


def offset(value: str) -> Longhands:
    path = next((word for word in words_of(value, " \t\n") if word.partition("(")[0] in SHAPES | {"ray"}), "none")
    return {"offset-path": path}


def grid(value: str) -> Longhands:
    rows, _, columns = value.partition("/")
    return {"grid-template-rows": rows.strip(), "grid-template-columns": columns.strip() or "none"}


SHORTHANDS: dict[str, Callable[[str], Longhands]] = {
    "margin": four("margin-"),
    "padding": four("padding-"),
    "inset": four(""),
    "inset-inline": two("left", "right"),
    "inset-block": two("top", "bottom"),
    "margin-inline": two("margin-left", "margin-right"),
    "margin-block": two("margin-top", "margin-bottom"),
    "padding-inline": two("padding-left", "padding-right"),
    "padding-block": two("padding-top", "padding-bottom"),
    "overflow": two("overflow-x", "overflow-y"),
    "font": font,
    "background": background,
    "mask": mask,
    "animation": animation,
    "transition": transition,
    "flex": flex,
    "container": container_of,
    "outline": outline,
    "-webkit-text-stroke": stroke,
    "grid-template": grid,
    "offset": offset,
}
SETS: dict[str, tuple[str, ...]] = {
    name: tuple(expand("1px")) or () for name, expand in SHORTHANDS.items() if name not in {"font", "mask"}
} | {
    "font": ("font-size", "line-height", "font-family", "font-size-adjust"),
    "background": ("background-color", "background-image", "background-clip"),
    "mask": ("mask-image", "mask-position", "mask-size", "mask-repeat"),
    "-webkit-text-stroke": ("-webkit-text-stroke-width", "-webkit-text-stroke-color"),
}
"""Which longhands a shorthand sets."""

RELEVANT = KEYWORDS.keys() | GRAMMARS.keys() | FREE | {"display"}
"""Every longhand that is looked at."""
UNDERSTOOD = RELEVANT | ALIASES.keys() | SHORTHANDS.keys()
"""Every name of a declaration that is looked at."""
