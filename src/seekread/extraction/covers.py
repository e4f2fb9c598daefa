"""
Text below something else: a box that is laid over all of its surroundings, or text that is put below its own ground.

Only what is certain without laying out the page: a box that fills what it is placed in, opaque, over text that is not
placed itself. Everything else that covers text is for a browser to see.
"""

from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from seekread.extraction.colours import Paint, parse_colour
from seekread.extraction.css_look import Look
from seekread.extraction.css_values import amount
from seekread.extraction.hiding import containing, display_of, opacity
from seekread.extraction.inks import GRIDS, OPAQUE, Inks, fills
from seekread.extraction.markup import Box

MOST_NEIGHBOURS = 20
"""Siblings among which something that covers a box is looked for."""
APART = (("isolation", "auto"), ("filter", "none"), ("mix-blend-mode", "normal"), ("clip-path", "none"),
         ("mask-image", "none"), ("perspective", "none"), ("contain", "none"))  # fmt: skip
"""Properties that keep what lies below inside of a box, with what they are if they do not."""
WHOLE_PAGE = frozenset({"html", "body"})


class Cover(NamedTuple):
    """What lies over all of something."""

    around: Box
    """What is covered."""
    own: Box | None = None
    """The element that covers, if it is one."""
    veil: str = ""
    """The filters that what lies below is seen through; none where nothing of it is seen."""


def covered_by(look: Look, inks: Inks, cover: Box) -> Cover | None:
    """What a box covers completely; `None` when it does not."""
    if look.value(cover, "position") != "absolute" or sinks(look, cover):
        return None
    if look.value(cover, "display") == "none" or look.value(cover, "visibility", "visible") != "visible":
        return None
    own = inks.background(cover)
    opaque = own is not None and own.alpha >= OPAQUE
    veil = "" if opaque else look.value(cover, "backdrop-filter", "none")
    if veil == "none" or opacity(look, cover) < OPAQUE:
        return None
    if not fills({name: look.value(cover, name) for name in ("left", "top", "right", "bottom", "width", "height")}):
        return None
    around = containing(look, cover)
    return None if around is None or around.tag in WHOLE_PAGE else Cover(around, cover, veil)


def covered_by_generated(look: Look, host: Box, values: Mapping[str, str]) -> Cover | None:
    """What a box that a style sheet generates in an element covers completely."""
    if values.get("content", "none") in {"none", "normal"} or values.get("position") != "absolute":
        return None
    colour = parse_colour(values.get("background-color", ""), Paint())
    opaque = colour is not None and colour.alpha >= OPAQUE
    veil = "" if opaque else values.get("backdrop-filter", "none")
    if veil == "none" or not fills(values) or (amount(values.get("z-index", "0")) or 0) < 0:
        return None
    if (amount(values.get("opacity", "1")) or 0.0) < OPAQUE:
        return None
    around = host if look.value(host, "position", "static") != "static" else containing(look, host)
    return None if around is None or around.tag in WHOLE_PAGE else Cover(around, veil=veil)


def shares_cell(look: Look, inks: Inks, box: Box) -> bool:
    """Say whether a later neighbour fills the same cell of a grid and covers a box."""
    area = look.value(box, "grid-area", "auto")
    if area == "auto" or box.parent is None or display_of(look, box.parent) not in GRIDS:
        return False
    level = amount(look.value(box, "z-index", "0")) or 0.0
    for other in islice(box.siblings_after(), MOST_NEIGHBOURS):
        if look.value(other, "grid-area").split() != area.split() or look.value(other, "display") == "none":
            continue
        own = inks.background(other)
        above = amount(look.value(other, "z-index", "0")) or 0.0
        if own is not None and own.alpha >= OPAQUE and above >= level and opacity(look, other) >= OPAQUE:
            return True
    return False


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
        if any(look.value(around, name, usual) != usual for name, usual in APART):
            return False
        own = inks.background(around)
        if own is not None and own.alpha >= OPAQUE:
            return True
    return False
