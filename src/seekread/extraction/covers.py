"""
Text below something else: a box that is laid over all of its surroundings, or text that is put below its own ground.

Only what is certain without laying out the page: a box that fills what it is placed in, opaque, over text that is not
placed itself. Everything else that covers text is for a browser to see.
"""

from collections.abc import Mapping

from seekread.extraction.colours import Paint, parse_colour
from seekread.extraction.css_cascade import Look
from seekread.extraction.css_sheet import Declarations
from seekread.extraction.css_values import amount
from seekread.extraction.hiding import containing, opacity
from seekread.extraction.inks import OPAQUE, Inks
from seekread.extraction.markup import Box

EDGE = 2.0
"""Pixels by which a cover may miss an edge."""
WHOLE_PAGE = frozenset({"html", "body"})


def may_cover(declared: Declarations) -> bool:
    """Say whether declarations lay a box over others."""
    position = declared.get("position")
    painted = "background-color" in declared or "background-image" in declared
    return position is not None and position.value == "absolute" and painted


def covered_by(look: Look, inks: Inks, cover: Box) -> Box | None:
    """What a box covers completely; `None` when it does not."""
    if look.value(cover, "position") != "absolute" or sinks(look, cover):
        return None
    if look.value(cover, "display") == "none" or look.value(cover, "visibility", "visible") != "visible":
        return None
    own = inks.background(cover)
    if own is None or own.alpha < OPAQUE or opacity(look, cover) < OPAQUE:
        return None
    if not fills({name: look.value(cover, name) for name in ("left", "top", "right", "bottom", "width", "height")}):
        return None
    around = containing(look, cover)
    return None if around is None or around.tag in WHOLE_PAGE else around


def covered_by_generated(look: Look, host: Box, declared: Declarations) -> Box | None:
    """What a box that a style sheet generates in an element covers completely."""
    values = {name: one.value for name, one in declared.items()}
    if values.get("content", "none") in {"none", "normal"} or values.get("position") != "absolute":
        return None
    colour = parse_colour(values.get("background-color", ""), Paint())
    if colour is None or colour.alpha < OPAQUE or not fills(values) or (amount(values.get("z-index", "0")) or 0) < 0:
        return None
    if (amount(values.get("opacity", "1")) or 0.0) < OPAQUE:
        return None
    around = host if look.value(host, "position", "static") != "static" else containing(look, host)
    return None if around is None or around.tag in WHOLE_PAGE else around


def fills(values: Mapping[str, str]) -> bool:
    """Say whether a box reaches from edge to edge."""
    for start, end, size in (("left", "right", "width"), ("top", "bottom", "height")):
        if not is_at_edge(values.get(start, "")):
            return False
        if not is_at_edge(values.get(end, "")) and values.get(size, "") != "100%":
            return False
    return True


def is_at_edge(value: str) -> bool:
    number = amount(value) if value else None
    return number is not None and number <= EDGE


def is_raised(look: Look, box: Box, around: Box) -> bool:
    """Say whether a text is placed itself, and so may lie above a cover."""
    for one in (box, *box.ancestors()):
        if one is around:
            return False
        if look.value(one, "position", "static") != "static" or look.value(one, "transform", "none") != "none":
            return True
    return True


def sinks(look: Look, box: Box) -> bool:
    level = amount(look.value(box, "z-index", "0"))
    return level is not None and level < 0


def is_sunk(look: Look, inks: Inks, box: Box) -> bool:
    """Say whether an element lies below the background of something around it."""
    if not sinks(look, box) or look.value(box, "position", "static") == "static":
        return False
    for around in box.ancestors():
        if look.value(around, "position", "static") != "static" and look.value(around, "z-index", "auto") != "auto":
            return False
        if look.value(around, "transform", "none") != "none" or opacity(look, around) < 1 or around.tag in WHOLE_PAGE:
            return False
        own = inks.background(around)
        if own is not None and own.alpha >= OPAQUE:
            return True
    return False
