"""
The properties that decide whether text is seen: which values are valid, which are inherited, what shorthands set.

Validity matters because a browser ignores a declaration it does not understand: `display: none; display: nothing`
hides. A value with `var()` is valid until it is known what it stands for.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from seekread.extraction.colours import parse_colour
from seekread.extraction.css_values import amount, words_of
from seekread.extraction.prescan import words

GLOBAL = words("inherit initial unset revert revert-layer")
"""Keywords that every property understands."""
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
    "mix-blend-mode": words(
        "normal multiply screen overlay darken lighten color-dodge color-burn hard-light soft-light difference "
        "exclusion hue saturation color luminosity plus-darker plus-lighter"
    ),
}
SIZES = words(
    "auto none min-content max-content fit-content stretch -webkit-fill-available -moz-available content thin medium "
    "thick normal xx-small x-small small large x-large xx-large xxx-large smaller larger math"
)
LENGTHS = words(
    "left top right bottom width height max-width max-height min-width min-height margin-left margin-top margin-right "
    "margin-bottom padding-left padding-top padding-right padding-bottom text-indent font-size line-height "
    "letter-spacing word-spacing zoom opacity font-size-adjust -webkit-text-stroke-width z-index order perspective "
    "border-top-width border-bottom-width"
)
NEVER_NEGATIVE = words(
    "width height max-width max-height min-width min-height padding-left padding-top padding-right padding-bottom "
    "font-size line-height"
)
COLOURS = words("color background-color -webkit-text-fill-color -webkit-text-stroke-color")
FUNCTIONS: dict[str, frozenset[str]] = {
    "transform": words(
        "matrix matrix3d translate translatex translatey translatez translate3d scale scalex scaley scalez scale3d "
        "rotate rotatex rotatey rotatez rotate3d skew skewx skewy perspective"
    ),
    "filter": words("url blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia"),
    "clip-path": words("inset circle ellipse polygon path rect xywh shape url"),
    "clip": words("rect"),
}
BOXES = words("border-box padding-box content-box margin-box fill-box stroke-box view-box")
"""What a clip path may be measured from."""
FREE = words(
    "background-image background-clip mask-image mask-size mask-position mask-repeat translate scale rotate "
    "transform-origin animation-name animation-fill-mode animation-delay animation-duration "
    "animation-play-state animation-iteration-count animation-direction transition color-scheme contain content "
    "text-shadow -webkit-line-clamp font-family grid-template-rows grid-template-columns offset-path offset-distance "
    "offset-position will-change container-type cursor writing-mode direction flex "
    "background-size background-repeat background-position all"
)
"""Properties whose values are taken as they are."""

INHERITED = words(
    "visibility font-size color -webkit-text-fill-color -webkit-text-security text-indent line-height white-space "
    "white-space-collapse text-wrap-mode color-scheme font-size-adjust letter-spacing word-spacing text-shadow "
    "-webkit-text-stroke-width -webkit-text-stroke-color font-family writing-mode direction"
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
            "animation-iteration-count", "animation-direction", "transition", "perspective", "flex", "mask",
            "box-sizing", "background-size",
        )
    },
}  # fmt: skip
"""Other names of properties; logical sides are those of a page that is written from left to right."""
SIDES = ("top", "right", "bottom", "left")

FONT_SIZE = re.compile(
    r"(?:^|\s)((?:[\d.]+(?:e-?\d+)?[a-z%]*|xx-small|x-small|small|medium|large|x-large|xx-large|smaller|larger"
    r"|(?:calc|min|max|clamp|var)\([^/]*\)))(?:\s*/\s*([^\s]+))?\s+\S"
)
FILLS = words("none forwards backwards both")
DIRECTIONS = words("normal reverse alternate alternate-reverse")
STATES = words("running paused")
EASINGS = words("linear ease ease-in ease-out ease-in-out step-start step-end")
TIME = re.compile(r"[-+]?[\d.]+(?:e-?\d+)?m?s")
Longhands = dict[str, str]
SHORT = 60
"""Values up to so many characters are met again and again, on every page."""


def is_valid(name: str, value: str) -> bool:
    """Say whether a browser would understand a longhand declaration."""
    if value in GLOBAL or "var(" in value or "env(" in value or name in FREE:
        return True
    if name in KEYWORDS:
        return value in KEYWORDS[name] or (name == "white-space" and len(value.split()) > 1)
    if name == "display":
        return DISPLAYS.issuperset(value.split())
    if name in LENGTHS:
        return is_length(name, value)
    if name in COLOURS:
        return parse_colour(value) is not None
    allowed = FUNCTIONS.get(name)
    if allowed is None or value in {"none", "auto"}:
        return True
    return all(word.partition("(")[0] in allowed or word in BOXES for word in words_of(value, " \t\n"))


def is_length(name: str, value: str) -> bool:
    if value in SIZES or value.startswith(("fit-content(", "anchor(", "anchor-size(", "calc-size(")):
        return name not in {"opacity", "text-indent"}
    # A hanging or repeated indent has words beside its length.
    parts = [amount(word) for word in words_of(value)] if name == "text-indent" else [amount(value)]
    number = next((part for part in parts if part is not None), None)
    if number is None:
        return False
    if name not in {"opacity", "line-height", "zoom", "order", "z-index", "font-size-adjust"} and unitless(value):
        return False
    return number >= 0 or name not in NEVER_NEGATIVE or "(" in value


def unitless(value: str) -> bool:
    """A bare number other than zero is no length."""
    return value[-1:].isdigit() and value.strip("+-0.") != "" and "(" not in value


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
    if "var(" in value:
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
    return {"font-size": size[1], "line-height": size[2] or "normal"}


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


def mask(value: str) -> Longhands:
    images = [word for word in words_of(value) if "(" in word and not word.startswith(("calc(", "min(", "max("))]
    return {"mask-image": ", ".join(images) or "none"}


def animation(value: str) -> Longhands:
    """The first animation of a list, and whether it stays at its end."""
    found = {"animation-name": "none", "animation-fill-mode": "none", "animation-delay": "0s",
             "animation-duration": "0s", "animation-play-state": "running", "animation-iteration-count": "1",
             "animation-direction": "normal"}  # fmt: skip
    times = ["animation-duration", "animation-delay"]
    for word in words_of(words_of(value, ",")[0] if value else "", " \t\n"):
        if TIME.fullmatch(word) and times:
            found[times.pop(0)] = word
        elif word in FILLS and word != "none":
            found["animation-fill-mode"] = word
        elif word in STATES:
            found["animation-play-state"] = word
        elif word in DIRECTIONS:
            found["animation-direction"] = word
        elif word == "infinite" or amount(word) is not None:
            found["animation-iteration-count"] = word
        elif word not in EASINGS and "(" not in word and word != "none":
            found["animation-name"] = word
    return found


def stroke(value: str) -> Longhands:
    found: Longhands = {}
    for word in words_of(value, " \t\n"):
        name = "-webkit-text-stroke-color" if parse_colour(word) else "-webkit-text-stroke-width"
        found[name] = word
    return found


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
    "-webkit-text-stroke": stroke,
    "grid-template": grid,
}
SETS: dict[str, tuple[str, ...]] = {
    name: tuple(expand("1px")) or () for name, expand in SHORTHANDS.items() if name not in {"font", "animation"}
} | {
    "font": ("font-size", "line-height"),
    "background": ("background-color", "background-image", "background-clip"),
    "animation": tuple(animation("x")),
    "-webkit-text-stroke": ("-webkit-text-stroke-width", "-webkit-text-stroke-color"),
}
"""Which longhands a shorthand sets."""

RELEVANT = KEYWORDS.keys() | LENGTHS | COLOURS | FUNCTIONS.keys() | FREE | {"display"}
"""Every longhand that is looked at."""
