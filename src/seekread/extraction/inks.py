"""
The colour of text and of what lies below it, put together as a browser would: backgrounds, filters, blending.

A ground that cannot be known (a picture, a style sheet that nobody looked at) is not guessed: the text is not judged.
"""

from collections.abc import Callable, Iterator, Mapping

from seekread.extraction.colours import BLACK, CLEAR, DARK_CANVAS, NAMED, WHITE, Colour, Paint, alike, parse_colour
from seekread.extraction.css_look import Look
from seekread.extraction.css_values import amount, amounts, functions, words_of
from seekread.extraction.hiding import is_unboxed
from seekread.extraction.markup import Box
from seekread.late import dataclass

OPAQUE = 0.98
EDGE = 2.0
"""Pixels by which a cover may miss an edge."""
BROAD = 0.3
"""A stroke of so much of the size of letters covers all of them."""
MEDIA = "img, video, picture, canvas, iframe, svg, object, embed"
FILLING = 400.0
"""Pixels a shadow reaches inwards from each edge when it fills any box that text stands in."""
NEAR = 400
"""Elements around a text that are searched for what may lie below it."""
ASKED = frozenset({"position"})
"""Properties whose declarations are not weighed beforehand."""
GRIDS = frozenset({"grid", "inline-grid"})
"""Layouts in which things may lie on one another."""


@dataclass(frozen=True)
class Ground:
    """What lies below a text, and who paints it; `None` when that cannot be known."""

    colour: Colour | None
    painter: Box | None = None


class Inks:
    """Colours of the texts of a page at one width."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.colours: dict[int, Colour] = {}
        self.backgrounds: dict[int, Colour | None] = {}
        self.grounds: dict[int, Ground] = {}
        self.clippers: dict[int, Box | None] = {}

    def is_dark(self, box: Box) -> bool:
        """Say whether the colour scheme is the dark one."""
        scheme = self.look.value(box, "color-scheme").split()
        return "dark" in scheme and "light" not in scheme

    def paint(self, box: Box, current: Colour = BLACK) -> Paint:
        return Paint(current, self.is_dark(box))

    def colour(self, box: Box) -> Colour:
        """The value of `color`."""
        path: list[Box] = []
        current: Box | None = box
        found: Colour | None = None
        while current is not None:
            found = self.colours.get(current.key)
            if found is not None:
                break
            path.append(current)
            written = self.look.own(current, "color")
            if written is not None and written in NAMED:
                # What is around does not matter any more.
                break
            current = current.parent
        around = found or (WHITE if self.is_dark(box) else BLACK)
        for one in reversed(path):
            around = self.colours[one.key] = self.own_colour(one, around)
        return around

    def own_colour(self, box: Box, around: Colour) -> Colour:
        written = self.look.own(box, "color")
        if written is None or written in {"inherit", "unset", "currentcolor"}:
            return around
        return parse_colour(written, self.paint(box, around)) or (WHITE if self.is_dark(box) else BLACK)

    def ink(self, box: Box) -> Colour:
        """The colour letters are filled with."""
        colour = self.colour(box)
        fill = self.look.value(box, "-webkit-text-fill-color")
        filled = parse_colour(fill, self.paint(box, colour)) if fill else None
        return filled or colour

    def background(self, box: Box) -> Colour | None:
        """The background a box paints; `None` when that is a picture or something else we cannot judge."""
        if box.key not in self.backgrounds:
            self.backgrounds[box.key] = self.own_background(box)
        return self.backgrounds[box.key]

    def own_background(self, box: Box) -> Colour | None:
        if is_unboxed(self.look, box):
            return CLEAR
        shade = self.inner_shadow(box)
        if shade is None or shade.alpha >= OPAQUE:
            return shade
        below = self.fill(box)
        return below if below is None or not shade.alpha else mix(shade, below)

    def inner_shadow(self, box: Box) -> Colour | None:
        """The colour of a shadow that fills a box from its edges; `None` when it is not known."""
        if "box-shadow" not in self.look.cascade.properties:
            return CLEAR
        for layer in words_of(self.look.value(box, "box-shadow", "none"), ","):
            parts = words_of(layer, " \t\n")
            lengths = [number for part in parts if (number := amount(part)) is not None]
            if "inset" in parts and len(lengths) == 4 and lengths[3] >= FILLING:
                return next(iter(shadow_colours(layer, self.paint(box, self.colour(box)))), None)
        return CLEAR

    def fill(self, box: Box) -> Colour | None:
        """What the background of a box fills it with; `None` when that cannot be judged."""
        if "background" in box.attributes:
            return None
        if self.look.own(box, "background-color") is None and self.look.own(box, "background-image") is None:
            return CLEAR
        if "text" in self.look.value(box, "background-clip"):
            return CLEAR
        written = self.look.value(box, "background-color")
        below = parse_colour(written, self.paint(box, self.colour(box))) if written else CLEAR
        below = CLEAR if below is None else below
        image = self.look.value(box, "background-image", "none")
        if image == "none" or 0.0 in amounts(self.look.value(box, "background-size")):
            return below
        painted = flat_gradient(image, self.paint(box, self.colour(box)))
        if painted is None:
            return None
        return painted if painted.alpha >= OPAQUE else mix(painted, below)

    def ground(self, box: Box) -> Ground:
        """What a text of a box stands on."""
        path: list[Box] = []
        current: Box | None = box
        found: Ground | None = None
        while current is not None:
            found = self.grounds.get(current.key)
            if found is not None:
                break
            path.append(current)
            own = self.background(current)
            if own is None or own.alpha >= OPAQUE:
                # Nobody sees what lies below that.
                break
            current = current.parent
        if found is None:
            found = Ground(DARK_CANVAS if self.is_dark(path[-1]) else WHITE)
        for one in reversed(path):
            found = self.grounds[one.key] = self.painted(one, found)
        return found

    def painted(self, box: Box, below: Ground) -> Ground:
        """What a box makes of the ground below it."""
        own = self.background(box)
        if own is None:
            return Ground(None, box)
        if not own.alpha:
            return below
        own = filtered(own, self.look.value(box, "filter"))
        if own.alpha >= OPAQUE:
            return Ground(own, box)
        return Ground(None if below.colour is None else own.over(below.colour), box)

    def unseen(self, box: Box) -> str:
        """The reason why the colour of a text hides it, or an empty string."""
        look = self.look
        ink = self.ink(box)
        clipped = self.clipper(box)
        if clipped is not None and ink.alpha < 1:
            painted = self.clipped_background(clipped)
            if painted is None:
                return ""
            ink = mix(ink, painted)
        for one in self.around(box, "filter"):
            ink = filtered(ink, look.value(one, "filter"))
        reason = "transparent colour" if ink.alpha <= 0.05 else self.lost_on_ground(box, ink)
        return "" if reason and self.is_outlined(box) else reason

    def is_lost_behind(self, box: Box, veil: str) -> bool:
        """Say whether a text is not told from its ground any more through the filters of what lies over it."""
        ground = self.ground(box).colour
        if ground is None:
            return False
        return alike(filtered(self.ink(box).over(ground), veil), filtered(ground, veil))

    def lost_on_ground(self, box: Box, ink: Colour) -> str:
        """The reason why what a text stands on hides it, or an empty string."""
        ground = self.ground(box)
        if ground.colour is None:
            return ""
        if self.is_stroked_out(box, ground.colour):
            return "colour of the background"
        for one in self.around(box, "mix-blend-mode"):
            ink = blended(ink, ground.colour, self.look.value(one, "mix-blend-mode"))
        if not alike(ink.over(ground.colour), ground.colour):
            return ""
        return "" if self.lies_on_something(box, ground.painter) else "colour of the background"

    def around(self, box: Box, name: str) -> Iterator[Box]:
        """An element and those around it, if any of the page declares a property in a way that matters."""
        if name in self.look.cascade.remarkable or (name in ASKED and name in self.look.cascade.properties):
            yield from (one for one in (box, *box.ancestors()) if not is_unboxed(self.look, one))

    def clipper(self, box: Box) -> Box | None:
        """The nearest element around a text whose background is cut out by its letters."""
        if "background-clip" not in self.look.cascade.remarkable:
            return None
        path: list[int] = []
        found: Box | None = None
        current: Box | None = box
        while current is not None:
            if current.key in self.clippers:
                found = self.clippers[current.key]
                break
            path.append(current.key)
            if "text" in self.look.value(current, "background-clip") and not is_unboxed(self.look, current):
                found = current
                break
            current = current.parent
        self.clippers.update(dict.fromkeys(path, found))
        return found

    def clipped_background(self, box: Box) -> Colour | None:
        """What shows through letters that cut out a background."""
        look = self.look
        image = look.value(box, "background-image", "none")
        paint = self.paint(box, self.colour(box))
        if image != "none":
            return flat_gradient(image, paint)
        return parse_colour(look.value(box, "background-color", "transparent"), paint)

    def is_outlined(self, box: Box) -> bool:
        """Say whether a shadow or a stroke shows the letters."""
        look = self.look
        ground = self.ground(box).colour or WHITE
        paint = self.paint(box, self.colour(box))
        stroke = look.length(box, "-webkit-text-stroke-width") or 0.0
        line = parse_colour(look.value(box, "-webkit-text-stroke-color", "currentcolor"), paint)
        if stroke > 0 and line is not None and line.alpha > 0.1 and not alike(line.over(ground), ground):
            return True
        return any(
            known.alpha > 0.1 and not alike(known.over(ground), ground)
            for part in words_of(look.value(box, "text-shadow"), ",")
            for known in shadow_colours(part, paint)
        )

    def is_stroked_out(self, box: Box, ground: Colour) -> bool:
        """Say whether letters are drawn over with a broad stroke in the colour of what lies below them."""
        look = self.look
        if "-webkit-text-stroke-width" not in look.cascade.properties:
            return False
        stroke = look.length(box, "-webkit-text-stroke-width") or 0.0
        if stroke < BROAD * look.font_size(box) or look.value(box, "paint-order").startswith("stroke"):
            return False
        written = look.value(box, "-webkit-text-stroke-color", "currentcolor")
        line = parse_colour(written, self.paint(box, self.colour(box)))
        return line is not None and line.alpha >= OPAQUE and alike(line, ground)

    def lies_on_something(self, box: Box, painter: Box | None) -> bool:
        """Say whether something that is placed freely, or a picture, may lie between a text and its ground."""
        look = self.look
        for one in self.around(box, "position"):
            if one is painter or one.tag in {"body", "html"}:
                return False
            if look.value(one, "position", "static") == "static" and look.value(one, "display") not in GRIDS:
                continue
            if one.node.css_first(MEDIA) is not None:
                return True
            if any(self.is_generated_ground(one, name, box) for name in ("before", "after")):
                return True
            around = one.parent if look.value(one, "position") in {"absolute", "fixed"} else one
            if around is not None and around is not painter and self.has_painted_neighbour(around, box):
                return True
            if around is not None and around.tag not in {"body", "html"} and around.node.css_first(MEDIA) is not None:
                return True
        return False

    def is_generated_ground(self, around: Box, name: str, box: Box) -> bool:
        """Say whether a box that a style sheet makes in an element fills it in another colour than that of a text."""
        if self.look.cascade.odd is None or name not in self.look.cascade.parts:
            return False
        values = self.look.part(around, name)
        if values.get("content", "none") in {"none", "normal"} or values.get("position") not in {"absolute", "fixed"}:
            return False
        if not fills(values):
            return False
        colour = parse_colour(values.get("background-color", ""), self.paint(around))
        if values.get("background-image", "none") != "none" or colour is None:
            return values.get("background-image", "none") != "none"
        ground = colour.over(self.ground(around).colour or WHITE)
        return not alike(self.ink(box).over(ground), ground)

    def has_painted_neighbour(self, around: Box, box: Box) -> bool:
        for number, one in enumerate(around.below()):
            if number > NEAR:
                return True
            if one is box or box.is_inside(one):
                continue
            if self.look.value(one, "position") in {"absolute", "fixed"} and self.background(one) != CLEAR:
                return True
        return False


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


def shadow_colours(part: str, paint: Paint) -> list[Colour]:
    """The colours of one shadow that falls somewhere."""
    words = words_of(part, " \t\n")
    colours = [known for word in words if (known := parse_colour(word, paint)) is not None]
    lengths = [number for word in words if (number := amount(word)) is not None]
    if not lengths:
        return []
    return colours or [paint.current]


def mix(top: Colour, below: Colour) -> Colour:
    """One see-through colour over another."""
    alpha = top.alpha + below.alpha * (1 - top.alpha)
    if not alpha:
        return CLEAR
    red, green, blue = (
        (one * top.alpha + other * below.alpha * (1 - top.alpha)) / alpha
        for one, other in zip(top[:3], below[:3], strict=True)
    )
    return Colour(red, green, blue, alpha)


def flat_gradient(image: str, paint: Paint) -> Colour | None:
    """The colour of gradients that have only one; `None` for pictures and for real gradients."""
    found: list[Colour] = []
    for layer in words_of(image, ","):
        if layer.strip() == "none":
            continue
        if "gradient(" not in layer:
            return None
        for part in words_of(layer.partition("(")[2][:-1], ","):
            found.extend(known for word in words_of(part, " \t\n") if (known := parse_colour(word, paint)) is not None)
    if not found:
        return None
    first = found[0]
    same = all(alike(first, other) and abs(first.alpha - other.alpha) < 0.1 for other in found)
    return first if same else None


def clamped(*parts: float) -> tuple[float, float, float]:
    red, green, blue = (min(255.0, max(0.0, part)) for part in parts)
    return red, green, blue


def weighted(colour: Colour, share: float, weights: tuple[float, float, float]) -> Colour:
    """A colour drawn towards its grey."""
    grey = sum(part * weight for part, weight in zip(colour[:3], weights, strict=True))
    return Colour(*clamped(*(part * (1 - share) + grey * share for part in colour[:3])), colour.alpha)


GREY = (0.2126, 0.7152, 0.0722)
FILTERS: dict[str, Callable[[Colour, float], Colour]] = {
    "brightness": lambda colour, share: Colour(*clamped(*(part * share for part in colour[:3])), colour.alpha),
    "contrast": lambda colour, share: Colour(
        *clamped(*((part - 127.5) * share + 127.5 for part in colour[:3])), colour.alpha
    ),
    "invert": lambda colour, share: Colour(
        *clamped(*(part * (1 - share) + (255 - part) * share for part in colour[:3])), colour.alpha
    ),
    "grayscale": lambda colour, share: weighted(colour, min(1.0, share), GREY),
    "saturate": lambda colour, share: weighted(colour, 1 - share, GREY),
}


def filtered(colour: Colour, value: str) -> Colour:
    """A colour seen through filters."""
    if not value or value == "none":
        return colour
    for name, arguments in functions(value):
        change = FILTERS.get(name)
        share = amount(arguments[0]) if arguments else 1.0
        if change is not None and share is not None:
            colour = change(colour, max(0.0, share))
    return colour


Blend = Callable[[float, float], float]
BLENDS: dict[str, Blend] = {
    "multiply": lambda below, top: below * top,
    "screen": lambda below, top: below + top - below * top,
    "darken": min,
    "lighten": max,
    "difference": lambda below, top: abs(below - top),
    "exclusion": lambda below, top: below + top - 2 * below * top,
    "color-dodge": lambda below, top: 0.0 if not below else min(1.0, below / max(1e-6, 1 - top)),
    "color-burn": lambda below, top: 1.0 if below >= 1 else 1 - min(1.0, (1 - below) / max(1e-6, top)),
    "hard-light": lambda below, top: 2 * below * top if top <= 0.5 else 1 - 2 * (1 - below) * (1 - top),
    "overlay": lambda below, top: 2 * below * top if below <= 0.5 else 1 - 2 * (1 - below) * (1 - top),
    "soft-light": lambda below, top: below + (2 * top - 1) * (below - below * below),
    "plus-lighter": lambda below, top: min(1.0, below + top),
}


def blended(ink: Colour, ground: Colour, mode: str) -> Colour:
    """The colour of letters that are blended with their ground."""
    blend = BLENDS.get(mode)
    if blend is None:
        return ink
    parts = (255 * blend(below / 255, top / 255) for below, top in zip(ground[:3], ink[:3], strict=True))
    return Colour(*clamped(*parts), ink.alpha)
