"""
Conditions of style sheets: `@media`, `@container` and `@supports`.

A page is looked at in three widths, and a condition is the set of those at which it holds, one bit for each.
Everything else is an ordinary screen on a desk: light, with a mouse, colours and no wish for less motion.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from seekread.extraction.css_properties import ALIASES, RELEVANT, SHORTHANDS, is_valid, longhands
from seekread.extraction.css_select import BadSelector, OutOfBudget, parse
from seekread.extraction.css_values import VIEWPORT_HEIGHT, amount
from seekread.extraction.prescan import words

WIDTHS = (1280, 390, 768)
"""Pixels: a desk, a telephone, a tablet. The first one decides; text that another one shows is kept and flagged."""
EVERYWHERE = (1 << len(WIDTHS)) - 1
LONGEST = 5000
DEEPEST = 40

TYPES = {"all": True, "screen": True, "only screen": True, "only all": True}
FIXED: dict[str, frozenset[str]] = {
    "prefers-color-scheme": words("light"),
    "prefers-reduced-motion": words("no-preference"),
    "prefers-reduced-transparency": words("no-preference"),
    "prefers-reduced-data": words("no-preference"),
    "prefers-contrast": words("no-preference"),
    "forced-colors": words("none"),
    "inverted-colors": words("none"),
    "hover": words("hover"),
    "any-hover": words("hover"),
    "pointer": words("fine"),
    "any-pointer": words("fine"),
    "scripting": words("enabled"),
    "update": words("fast"),
    "display-mode": words("browser"),
    "dynamic-range": words("standard"),
    "video-dynamic-range": words("standard"),
    "color-gamut": words("srgb"),
    "overflow-block": words("scroll"),
    "overflow-inline": words("scroll"),
    "scan": words("progressive"),
    "grid": words("0"),
    "monochrome": words("0"),
    "-webkit-transform-3d": words("1"),
    "transform-3d": words("1"),
}
"""Features with one answer."""
NUMBERS = {"color": 8.0, "color-index": 0.0, "monochrome": 0.0, "resolution": 1.0, "device-pixel-ratio": 1.0,
           "-webkit-device-pixel-ratio": 1.0}  # fmt: skip
PLAIN_PROPERTIES = words(
    "gap row-gap column-gap grid flex-wrap flex-direction justify-content align-items object-fit aspect-ratio "
    "backdrop-filter -webkit-backdrop-filter mask scroll-behavior scroll-snap-type accent-color user-select "
    "-webkit-user-select -webkit-appearance appearance cursor border-radius columns column-count hyphens "
    "font-variation-settings font-feature-settings font-variant text-decoration text-align text-overflow text-wrap "
    "overscroll-behavior container touch-action list-style border outline pointer-events vertical-align "
    "shape-outside text-underline-offset tab-size isolation inset anchor-name position-anchor view-transition-name "
    "animation-timeline scroll-timeline transition-behavior interpolate-size field-sizing -webkit-line-clamp "
    "-webkit-box-orient -webkit-overflow-scrolling -webkit-touch-callout padding margin background font transition"
)
"""Properties that browsers know beside those that decide visibility."""
RANGE = re.compile(r"(.+?)\s*(<=|>=|<|>|=)\s*([^<>=]+?)(?:\s*(<=|>=|<|>)\s*(.+))?")
COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
    "=": lambda one, other: one == other,
}


@lru_cache(maxsize=1000)
def media(condition: str) -> int:
    """The widths at which one of several media queries holds."""
    if len(condition) > LONGEST:
        return EVERYWHERE
    found = 0
    for query in split(condition, ","):
        for bit, width in enumerate(WIDTHS):
            if weigh(query, lambda feature, width=width: feature_holds(feature, width)):  # type: ignore[misc]
                found |= 1 << bit
    return found


NAMED_CONTAINER = re.compile(r"(?!not\b|style\(|scroll-state\()([^\s()]+)\s*(.*)", re.DOTALL)


def container(condition: str) -> tuple[str, str]:
    """The name a query gives its container, if any, and what it asks of it."""
    named = NAMED_CONTAINER.fullmatch(condition.strip())
    return (named[1], named[2]) if named else ("", condition.strip())


def contained(condition: str, width: float, style: Callable[[str], bool | None]) -> bool:
    """Say whether a query holds in a container of a width; `style` answers what it asks of the container's style."""
    if len(condition) > LONGEST:
        return True

    def holds(feature: str) -> bool | None:
        if feature.startswith("style:"):
            return bool(weigh(feature[6:], style)) if feature[6:7] == "(" else style(feature[6:])
        named = feature.lower().replace("inline-size", "width").replace("block-size", "height")
        return feature_holds(named, width)

    return not condition or bool(weigh(condition, holds))


def supports(condition: str) -> bool:
    """Say whether a browser supports what is asked for."""
    return bool(weigh(condition, supported))


def supported(feature: str) -> bool | None:
    if feature.startswith("selector:"):
        return is_selector(feature.removeprefix("selector:"))
    if feature.startswith(("font-tech:", "font-format:")):
        return True
    name, colon, value = (part.strip() for part in feature.partition(":"))
    if not colon:
        return None
    name = ALIASES.get(name, name)
    if name.startswith("--"):
        return True
    if name in SHORTHANDS:
        return bool(longhands(name, value))
    if name in RELEVANT:
        return is_valid(name, value)
    return name in PLAIN_PROPERTIES or (name.startswith("-webkit-") and "touch" not in name) or "-" not in name


def is_selector(text: str) -> bool:
    """Say whether a browser knows a selector."""
    try:
        return bool(parse(text))
    except (BadSelector, OutOfBudget):
        return False


def split(text: str, separator: str) -> list[str]:
    """A text cut at a separator outside of parentheses."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        elif character == separator and depth <= 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


PARENTHESIS = re.compile(r"[()]")
WORD = re.compile(r"\s*(?:(not|and|or)\b|([\w-]+)\((?=)|(\()|([\w-]+))")


def weigh(query: str, holds: Callable[[str], bool | None], depth: int = 0) -> bool | None:
    """Weigh one query: types, features in parentheses, `not`, `and`, `or`. `None` is neither true nor false."""
    if depth > DEEPEST:
        return True
    position, negated, joiner = 0, False, "and"
    result: bool | None = True
    empty = True
    query = query.strip()
    while position < len(query):
        word = WORD.match(query, position)
        if word is None:
            return None
        position = word.end()
        if word[1]:
            if word[1] == "not":
                negated = not negated
            else:
                joiner = word[1]
            continue
        if word[4]:
            if word[4] == "only":
                continue
            value: bool | None = TYPES.get(word[4], False)
            # "not screen and (…)" negates the whole query.
            if negated:
                rest = weigh(query[position:].strip().removeprefix("and"), holds, depth + 1)
                inner = both(value, rest)
                return None if inner is None else not inner
        else:
            inside, position = group(query, position)
            prefix = f"{word[2]}:" if word[2] else ""
            nested = not prefix and (
                inside.lstrip().startswith("(") or re.match(r"\s*(?:not\b|style\(|selector\()", inside)
            )
            value = weigh(inside, holds, depth + 1) if nested else holds(prefix + inside.strip())
        if negated:
            value, negated = None if value is None else not value, False
        if empty:
            result, empty = value, False
        else:
            result = both(result, value) if joiner == "and" else either(result, value)
    return result


def both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def either(one: bool | None, other: bool | None) -> bool | None:
    if one or other:
        return True
    return None if one is None or other is None else False


def group(text: str, position: int) -> tuple[str, int]:
    """What stands between a parenthesis that was opened and its end, and the place after it."""
    depth = 1
    for mark in PARENTHESIS.finditer(text, position):
        depth += 1 if mark[0] == "(" else -1
        if not depth:
            return text[position : mark.start()], mark.end()
    return text[position:], len(text)


def feature_holds(feature: str, width: float) -> bool | None:
    """Say whether a feature of the screen is given."""
    if ranged := RANGE.fullmatch(feature):
        return range_holds(ranged, width)
    name, colon, value = (part.strip() for part in feature.partition(":"))
    if name in FIXED:
        return value in FIXED[name] if colon else FIXED[name] != {"none"} and name not in {"grid", "monochrome"}
    if name == "orientation":
        return value == ("landscape" if width > VIEWPORT_HEIGHT else "portrait")
    for prefix, compare in (("min-", COMPARE[">="]), ("max-", COMPARE["<="]), ("", COMPARE["="])):
        if prefix not in name:
            continue
        measured, asked = measure(name.replace(prefix, "", 1), width), quantity(value)
        if measured is None:
            return None
        if not colon:
            return bool(measured)
        return None if asked is None else compare(measured, asked)
    return None


def range_holds(ranged: re.Match[str], width: float) -> bool | None:
    first, sign, second, other, third = ranged.groups()
    sides = [measured_or_asked(part, width) for part in (first, second, third) if part is not None]
    if any(side is None for side in sides):
        return None
    holds = COMPARE[sign](sides[0] or 0.0, sides[1] or 0.0)
    return holds and (other is None or COMPARE[other](sides[1] or 0.0, sides[2] or 0.0))


def measured_or_asked(text: str, width: float) -> float | None:
    measured = measure(text.strip(), width)
    return quantity(text.strip()) if measured is None else measured


def measure(name: str, width: float) -> float | None:
    """What a feature of the screen measures."""
    match name:
        case "width" | "device-width":
            return float(width)
        case "height" | "device-height":
            return VIEWPORT_HEIGHT
        case "aspect-ratio" | "device-aspect-ratio":
            return width / VIEWPORT_HEIGHT
    return NUMBERS.get(name)


def quantity(text: str) -> float | None:
    """A length, a number, a ratio or a resolution."""
    if "/" in text and "(" not in text:
        above, _, below = text.partition("/")
        numbers = amount(above.strip()), amount(below.strip())
        return numbers[0] / numbers[1] if numbers[0] is not None and numbers[1] else None
    dots = amount(text.removesuffix("dpi")) if text.endswith("dpi") else None
    return amount(text) if dots is None else dots / 96
