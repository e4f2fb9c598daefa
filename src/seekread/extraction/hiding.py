"""
Why a box hides everything in it: the reasons that nothing inside can undo.

Each check looks at the computed values of one element. What would need the page to be laid out is guessed only where
the guess cannot be wrong by much: text is taken for wider and higher than it is before it is called off the screen.
"""

import math
import re
from collections.abc import Callable, Iterator

from selectolax.lexbor import LexborNode

from seekread.extraction.colours import BLACK, parse_colour
from seekread.extraction.css_look import Look
from seekread.extraction.css_properties import IMAGES
from seekread.extraction.css_values import VIEWPORT_HEIGHT, Units, amount, amounts, functions, words_of
from seekread.extraction.markup import Box
from seekread.extraction.prescan import words
from seekread.extraction.transforms import Moved, individual, moved, parsed_steps

FAINT = 0.02
"""Opacity that no eye tells from none."""
NARROW = 2.0
"""Pixels of height or width in which no letter can be read."""
FAR = 900.0
"""Pixels beyond which a negative offset puts text off every screen, wherever its surroundings stand."""
FAR_RIGHT = 2500.0
"""A positive offset must be larger: pages with absolute layout place visible columns far right."""
FAR_UP = 3000.0
"""Text that is moved up may only have been further down."""
CLIPS = words("hidden clip auto scroll overlay")
NOT_DISPLAYED = words("none table-column table-column-group")
"""A column has no place for what stands in it: its cells stand in rows."""
INLINE = words(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike "
    "strong sub sup time tt u var wbr nobr output ruby rt bdo"
)
BLOCK_CONTEXTS = words("flex grid inline-flex inline-grid")
MOST_ITEMS = 20
"""Items of a flexible row whose widths are added up."""
FORMS = words("rect circle ellipse path polygon polyline line text")
NUMBER = re.compile(r"-?\d*\.?\d+")
REFERENCE = re.compile(r"""url\(\s*["']?#([^"')]+)["']?\s*\)""")
SMEARED = 60.0
"""Pixels by which letters are blurred so that nothing of them is left."""
THICK = 5.0
"""Pixels that no stroke of a letter is wide."""


def display_of(look: Look, box: Box) -> str:
    return look.value(box, "display") or ("inline" if box.tag in INLINE else "block")


def is_unboxed(look: Look, box: Box) -> bool:
    """Say whether an element has no box of its own: it paints, cuts and moves nothing."""
    return look.value(box, "display") == "contents" and box.parent is not None


def is_inline(look: Look, box: Box) -> bool:
    """Say whether a box has no width and height of its own."""
    if display_of(look, box) != "inline":
        return False
    if look.value(box, "position") in {"absolute", "fixed"} or look.value(box, "float") in {"left", "right"}:
        return False
    return box.parent is None or display_of(look, box.parent) not in BLOCK_CONTEXTS


def text_width(look: Look, box: Box) -> float:
    """How wide the text of a box is at most when it stands in one line."""
    return len(" ".join(box.node.text().split())) * look.font_size(box) * 0.7


def clips(look: Look, box: Box) -> tuple[bool, bool]:
    """Whether a box cuts off what is too wide, and what is too high."""
    if is_unboxed(look, box):
        return False, False
    wide, high = look.value(box, "overflow-x"), look.value(box, "overflow-y")
    contained = bool({"paint", "strict", "content"} & set(look.value(box, "contain").split()))
    scrolling = CLIPS - {"clip"}
    return (
        contained or wide in CLIPS or high in scrolling,
        contained or high in CLIPS or wide in scrolling,
    )


def no_display(look: Look, box: Box) -> bool:
    return look.value(box, "display") in NOT_DISPLAYED


def not_rendered(look: Look, box: Box) -> bool:
    return look.value(box, "content-visibility") == "hidden" and not is_inline(look, box)


def opacity(look: Look, box: Box) -> float:
    """How much of one element comes through."""
    if is_unboxed(look, box):
        return 1.0
    written = look.value(box, "opacity")
    share = amount(written) if written else 1.0
    share = 1.0 if share is None else min(1.0, max(0.0, share))
    for name, arguments in functions(look.value(box, "filter")):
        if name == "opacity" and arguments:
            part = amount(arguments[0])
            share *= 1.0 if part is None else min(1.0, max(0.0, part))
    return share


def see_through(look: Look, box: Box) -> bool:
    share = opacity(look, box)
    if share >= 1:
        return False
    for around in box.ancestors():
        share *= opacity(look, around)
    return share <= FAINT


def clipped(look: Look, box: Box) -> bool:
    rectangle = re.match(r"rect\((.*)\)", look.value(box, "clip"))
    if rectangle and look.value(box, "position") in {"absolute", "fixed"}:
        edges = [amount(word, units(look, box)) for word in words_of(rectangle[1])]
        if len(edges) == 4:
            top, right, bottom, left = edges
            high = math.inf if bottom is None else bottom - (top or 0.0)
            wide = math.inf if right is None else right - (left or 0.0)
            if high <= NARROW or wide <= NARROW or (bottom or 1) <= 0 or (right or 1) <= 0:
                return True
    return any(no_shape(look, box, name, part) for name, part in shapes(look.value(box, "clip-path")))


def shapes(value: str) -> list[tuple[str, str]]:
    return [(name, rest[:-1]) for word in words_of(value, " \t\n") for name, _, rest in (word.partition("("),) if rest]


def no_shape(look: Look, box: Box, name: str, text: str) -> bool:
    """Say whether a shape of a clip path lets nothing through."""
    wide = Units(font=look.font_size(box), width=look.width, percent=100)
    text = text.partition(" at ")[0].partition(" round ")[0]
    if name == "inset":
        return no_inset(text, wide)
    if name == "polygon":
        return no_area(text, wide)
    if name == "url":
        return empty_reference(box, text)
    numbers = amounts(text, wide)
    match name:
        case "circle" | "ellipse":
            return bool(numbers) and min(numbers) <= 1
        case "xywh":
            return len(numbers) >= 4 and (min(numbers[2:4]) <= NARROW or lies_beside(words_of(text), numbers))
        case "rect":
            return len(numbers) == 4 and (numbers[2] - numbers[0] <= NARROW or numbers[1] - numbers[3] <= NARROW)
        case "path" | "shape":
            return path_area(text) <= NARROW
    return False


def lies_beside(written: list[str], numbers: list[float]) -> bool:
    """Say whether a rectangle, written as its place and its size, lies before or behind a box."""
    places = zip(written[:2], numbers[:2], numbers[2:4], strict=True)
    return any(start + size <= 0 or ("%" in word and start >= 100) for word, start, size in places)


def no_inset(text: str, wide: Units) -> bool:
    sides = words_of(text)
    if not 1 <= len(sides) <= 4:
        return False
    top, right, bottom, left = (sides * 4)[:4] if len(sides) < 3 else (*sides, sides[1])[:4]
    pairs = ((top, bottom), (left, right))
    for pair in pairs:
        numbers = [amount(side, wide) or 0.0 for side in pair]
        shares = [number for side, number in zip(pair, numbers, strict=True) if "%" in side]
        if sum(shares) >= 100 or max(numbers) >= FAR:
            return True
    return False


def no_area(text: str, wide: Units) -> bool:
    """Say whether a polygon has no area, or none on the box."""
    points = [amounts(part, wide) for part in text.split(",")]
    places = [(point[0], point[1]) for point in points if len(point) == 2]
    if not places:
        return False
    ahead = [*places[1:], places[0]]
    area = abs(sum(x * v - u * y for (x, y), (u, v) in zip(places, ahead, strict=True))) / 2
    outside = max(x for x, _ in places) <= 0 or max(y for _, y in places) <= 0
    beyond = (
        "%" in text
        and "px" not in text
        and min(max(place) for place in places) >= 100
        and (min(x for x, _ in places) >= 100 or min(y for _, y in places) >= 100)
    )
    return area <= NARROW or outside or beyond


def path_area(text: str) -> float:
    numbers = [float(number) for number in NUMBER.findall(text)]
    wide, high = numbers[::2], numbers[1::2]
    return (max(wide) - min(wide)) * (max(high) - min(high)) if wide and high else 0.0


def empty_reference(box: Box, text: str) -> bool:
    """Say whether a clip path points to a shape of the page that is empty."""
    path = referred(box, f"url({text})")
    if path is None or (path.tag or "").lower() != "clippath":
        return False
    shape = next(elements_in(path), None)
    if shape is None:
        return True
    sizes = [amount(shape.attributes.get(name) or "1") for name in ("width", "height", "r", "rx", "ry")]
    return any(size is not None and size <= 0 for size in sizes)


def masked(look: Look, box: Box) -> bool:
    size = amounts(look.value(box, "mask-size"), units(look, box, percent=look.width))
    image = look.value(box, "mask-image", "none")
    if image == "none":
        return False
    if size and min(size) <= 0:
        return True
    place = amounts(look.value(box, "mask-position"), units(look, box))
    if "no-repeat" in look.value(box, "mask-repeat"):
        if any(abs(number) >= FAR for number in place) or (size and max(size[:2]) <= NARROW):
            return True
        if any(start + side <= 0 for start, side in zip(place, (size * 2)[:2], strict=False)):
            return True
    layers = words_of(image, ",")
    return all(gradient_is_clear(layer) or is_empty_mask(box, layer) for layer in layers)


def is_empty_mask(box: Box, layer: str) -> bool:
    """Say whether a mask of the page has nothing in it, or nothing but black, which lets nothing through."""
    mask = referred(box, layer)
    if mask is None or (mask.tag or "").lower() != "mask" or not {"style", "mask-type"}.isdisjoint(mask.attributes):
        return False
    return all(is_black(shape) for shape in elements_in(mask))


def is_black(shape: LexborNode) -> bool:
    """Say whether a shape is drawn in black and nothing else; that is what a shape is drawn in that names no colour."""
    attributes = shape.attributes
    if (shape.tag or "").lower() not in FORMS or not {"style", "class", "stroke", "id"}.isdisjoint(attributes):
        return False
    return parse_colour((attributes.get("fill") or "black").lower()) == BLACK


def referred(box: Box, text: str) -> LexborNode | None:
    """The element of the page that `url(#name)` points to."""
    found = REFERENCE.search(text)
    nodes = box.markup.by_id.get(box.markup.fold(found[1]), []) if found else []
    return nodes[0] if nodes else None


def elements_in(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        if child.is_element_node:
            yield child
        child = child.next


def filtered_away(look: Look, box: Box) -> bool:
    """Say whether a filter of the page makes something else of a box."""
    for name, arguments in functions(look.value(box, "filter")):
        if name == "blur" and arguments and (amount(arguments[0], units(look, box)) or 0.0) >= SMEARED:
            return True
        node = referred(box, f"url({arguments[0]})") if name == "url" and arguments else None
        if node is not None and (node.tag or "").lower() == "filter" and not lets_through(node):
            return True
    return False


def lets_through(node: LexborNode) -> bool:
    """Say whether the outcome of a filter's steps has anything of what was filtered."""
    if any(amount(node.attributes.get(side) or "1") == 0 for side in ("width", "height")):
        return False
    results: dict[str, bool] = {"SourceGraphic": True, "SourceAlpha": True}
    previous = True
    for step in elements_in(node):
        kind = (step.tag or "").lower()
        if not kind.startswith("fe"):
            continue
        sources = list(elements_in(step)) if kind == "femerge" else [step]
        named = [one.attributes.get(name) for one in sources for name in ("in", "in2")]
        inputs = [results.get(name, previous) for name in named if name]
        if not step.attributes.get("in") and kind != "femerge":
            inputs.append(previous)
        previous = any(inputs) and not blots_out(kind, step)
        results[step.attributes.get("result") or ""] = previous
    return previous


def blots_out(kind: str, step: LexborNode) -> bool:
    """Say whether a step of a filter leaves nothing of what it gets."""
    attributes = step.attributes
    match kind:
        case "feflood" | "feturbulence" | "feimage":
            return True
        case "fecolormatrix":
            numbers = amounts(attributes.get("values") or "")
            return len(numbers) == 20 and not any(numbers[15:])
        case "fecomponenttransfer":
            alpha = next((one for one in elements_in(step) if (one.tag or "").lower() == "fefunca"), None)
            names = ("slope", "intercept", "tableValues", "tablevalues")
            written = [alpha.attributes.get(name) for name in names] if alpha is not None else []
            values = [number for text in written if text for number in amounts(text)]
            return bool(values) and not any(values)
        case "feoffset":
            return any(abs(amount(attributes.get(name) or "0") or 0.0) >= FAR for name in ("dx", "dy"))
        case "femorphology":
            radius = amounts(attributes.get("radius") or "0")
            return attributes.get("operator") != "dilate" and bool(radius) and min(radius) >= THICK
        case "fecomposite":
            weights = [amount(attributes.get(f"k{number}") or "0") for number in range(1, 5)]
            return attributes.get("operator") == "arithmetic" and not any(weights)
    return False


def gradient_is_clear(layer: str) -> bool:
    """Say whether a gradient is see-through everywhere."""
    if "gradient(" not in layer:
        return False
    stops = [parse_colour(word) for part in words_of(layer.partition("(")[2][:-1], ",") for word in words_of(part, " ")]
    known = [stop for stop in stops if stop is not None]
    return bool(known) and all(stop.alpha <= FAINT for stop in known)


def box_size(look: Look, box: Box) -> tuple[float | None, float | None]:
    """Width and height of a box as far as they are declared, with what padding adds at their end."""
    found: list[float | None] = []
    for name, end in (("width", "right"), ("height", "bottom")):
        percent = look.width if name == "width" else None
        own = None if name == "width" and widens(look, box) else look.length(box, name, percent)
        sides = [own, look.length(box, f"max-{name}", percent), basis(look, box, name)]
        known = [side for side in sides if side is not None]
        least = look.length(box, f"min-{name}", percent) or 0.0
        padding = look.length(box, f"padding-{end}", look.width) or 0.0
        if look.value(box, "box-sizing") == "border-box" and known and min(known) > padding:
            padding = 0.0
        found.append(max(min(known), least) + padding if known else None)
    ratio = next(iter(ratios(look.value(box, "aspect-ratio"))), None)
    if ratio is not None:
        wide, high = found
        if high is None:
            high = (look.room(box) if wide is None else wide) / ratio
        elif wide is None:
            wide = high * ratio
        return wide, high
    return found[0], found[1]


def basis(look: Look, box: Box, name: str) -> float | None:
    """The width or height that an item of a flexible box starts from, and does not grow beyond."""
    if box.parent is None or display_of(look, box.parent) not in {"flex", "inline-flex"}:
        return None
    upright = look.value(box.parent, "flex-direction", "row").startswith("column")
    if upright is (name == "width") or amount(look.value(box, "flex-grow", "0")):
        return None
    return look.length(box, "flex-basis", look.width if name == "width" else None)


def widens(look: Look, box: Box) -> bool:
    """Say whether an item of a flexible row takes what room there is, however narrow it starts."""
    around = box.parent
    if around is None or display_of(look, around) not in {"flex", "inline-flex"}:
        return False
    if look.value(around, "flex-direction", "row").startswith("column"):
        return False
    if not amount(look.value(box, "flex-grow", "0")):
        return False
    others = (one for one in around.children[:MOST_ITEMS] if one is not box)
    return look.room(around) - sum(rigid_width(look, one) for one in others) > NARROW


def rigid_width(look: Look, box: Box) -> float:
    """How wide an item of a flexible row stays however little room there is."""
    sides = [look.length(box, "min-width", look.room(box))]
    if amount(look.value(box, "flex-shrink", "1")) == 0:
        sides += [look.length(box, name, look.room(box)) for name in ("width", "flex-basis")]
    return max((side for side in sides if side is not None), default=0.0)


def ratios(value: str) -> list[float]:
    """The ratio of the sides of a box."""
    numbers = amounts(value)
    return [numbers[0] / (numbers[1] if len(numbers) > 1 else 1.0)] if numbers and all(numbers) else []


def padded_out(look: Look, box: Box, across: bool, along: bool) -> bool:
    """Say whether padding leaves what is in a box no place but beyond its edge."""
    wide, high = look.length(box, "width", look.width), look.length(box, "height")
    if look.value(box, "box-sizing") == "border-box":
        if along and high is not None and (look.length(box, "padding-bottom", look.width) or 0.0) <= NARROW:
            return (look.length(box, "padding-top", look.width) or 0.0) >= max(high, 1.0)
    elif wide is not None:
        return False
    room = look.room(box) if wide is None else wide
    return across and (look.length(box, "padding-left", look.room(box.parent or box)) or 0.0) >= max(room, 1.0)


def no_size(look: Look, box: Box) -> bool:
    if is_inline(look, box):
        return False
    across, along = clips(look, box)
    if not across and not along:
        return False
    wide, high = box_size(look, box)
    if {"strict", "size"} & set(look.value(box, "contain").split()) and high is None:
        # A box that does not look at what is in it has the height it is given.
        high = look.length(box, "min-height") or 0.0
    if (across and wide is not None and wide <= NARROW) or (along and high is not None and high <= NARROW):
        return True
    if padded_out(look, box, across, along):
        return True
    return along and (no_line(look, box, high) or in_empty_track(look, box))


def no_line(look: Look, box: Box, high: float | None) -> bool:
    """Say whether lines have no height, and so the box has none."""
    written = look.own(box, "line-height")
    if high is not None or written is None or look.length(box, "min-height"):
        return False
    line = amount(written, units(look, box, look.font_size(box)))
    bare = line is not None and (line if re.search(r"[a-z%]", written) else line * look.font_size(box)) <= NARROW
    padding = (look.length(box, f"padding-{side}", look.width) or 0.0 for side in ("top", "bottom"))
    return bare and sum(padding) <= NARROW


def in_empty_track(look: Look, box: Box) -> bool:
    """Say whether a box stands in a row of a grid that has no height."""
    if box.parent is None or display_of(look, box.parent) not in {"grid", "inline-grid"}:
        return False
    rows = look.value(box.parent, "grid-template-rows")
    return re.fullmatch(r"0(?:fr|px|%)?|minmax\(0(?:px)?,\s*0(?:fr|px)?\)", rows) is not None


def units(look: Look, box: Box, percent: float = 0.0) -> Units:
    return Units(font=look.font_size(box), root=look.root, width=look.width, percent=percent)


def movement(look: Look, box: Box) -> Moved | None:
    steps = individual(look.value(box, "translate"), look.value(box, "rotate"), look.value(box, "scale"))
    steps += parsed_steps(look.value(box, "transform"))
    if not steps or is_inline(look, box):
        return None
    steps = seen_from(look, box) + steps
    origin = [amount(word, units(look, box)) or 0.0 for word in words_of(look.value(box, "transform-origin"))[:2]]
    return moved(steps, units(look, box), (origin[0], origin[1]) if len(origin) == 2 else (0.0, 0.0))


def seen_from(look: Look, box: Box) -> list[tuple[str, list[str]]]:
    """What the elements around do to a box in space: how far the eye is, and how they are turned themselves."""
    steps: list[tuple[str, list[str]]] = []
    for around in box.ancestors():
        far = look.length(around, "perspective")
        if far is not None:
            steps.insert(0, ("perspective", [f"{far}px"]))
        if look.value(around, "transform-style") != "preserve-3d":
            break
        turned = individual(look.value(around, "translate"), look.value(around, "rotate"), look.value(around, "scale"))
        steps = turned + parsed_steps(look.value(around, "transform")) + steps
    return steps


def scaled_away(look: Look, box: Box) -> bool:
    change = movement(look, box)
    if change is None:
        return False
    return change.vanished or (change.turned and look.value(box, "backface-visibility") == "hidden")


def moved_away(look: Look, box: Box) -> bool:
    if on_no_path(look, box):
        return True
    change = movement(look, box)
    if change is None:
        return False
    carousel = "%" in look.value(box, "transform") and box.parent is not None and any(clips(look, box.parent))
    if carousel or returns(look, box, change):
        return False
    return change.right <= -FAR or change.right >= max(look.width, FAR) or change.down <= -FAR_UP


def returns(look: Look, box: Box, change: Moved | None) -> bool:
    """Say whether an offset and a transformation take a box to opposite sides, and so about where it was."""
    left = look.length(box, "left", look.width)
    if change is None or left is None or look.value(box, "position", "static") == "static":
        return False
    return abs(left) >= FAR and abs(left + change.right) < FAR


def on_no_path(look: Look, box: Box) -> bool:
    numbers = [float(number) for number in NUMBER.findall(look.value(box, "offset-path"))]
    return bool(numbers) and min(numbers) <= -FAR


def containing(look: Look, box: Box) -> Box | None:
    """What an absolute position is measured from; `None` is the page."""
    for around in box.ancestors():
        if around.tag == "html":
            break
        if look.value(around, "position", "static") != "static" or look.value(around, "transform", "none") != "none":
            return around
    return None


def off_screen(look: Look, box: Box) -> bool:
    position = look.value(box, "position")
    if returns(look, box, movement(look, box)):
        return False
    if position == "relative":
        return shifted(look, box)
    if position not in {"absolute", "fixed"}:
        return False
    around = containing(look, box) if position == "absolute" else None
    if around is None or around.tag in {"html", "body"}:
        return off_page(look, box, fixed=position == "fixed")
    return shifted(look, box) or cut_off(look, box, around)


def shifted(look: Look, box: Box) -> bool:
    """Say whether offsets are large enough to leave the page from wherever the box was."""
    left, right = look.length(box, "left", look.width), look.length(box, "right", look.width)
    top, bottom = look.length(box, "top", VIEWPORT_HEIGHT), look.length(box, "bottom", VIEWPORT_HEIGHT)
    up = FAR_UP if look.value(box, "position") == "relative" else FAR
    return (
        (left is not None and (left <= -FAR or left >= FAR_RIGHT))
        or (left is None and right is not None and (right >= FAR or right <= -FAR_RIGHT))
        or (top is not None and top <= -up)
        or (top is None and bottom is not None and bottom >= up)
    )


def extent(look: Look, box: Box) -> tuple[float, float]:
    """How wide and how high a box with this text is at most."""
    wide, high = box_size(look, box)
    line = text_width(look, box)
    known = wide or min(line, look.width)
    rows = math.ceil(line / max(known, 1.0)) if known else 1
    return known, high or rows * look.font_size(box) * 1.8 + 2 * look.font_size(box)


def off_page(look: Look, box: Box, *, fixed: bool) -> bool:
    """Say whether a box that is placed on the page itself lies beyond its edges."""
    left, right = look.length(box, "left", look.width), look.length(box, "right", look.width)
    top, bottom = look.length(box, "top", VIEWPORT_HEIGHT), look.length(box, "bottom", VIEWPORT_HEIGHT)
    wide, high = extent(look, box)
    if left is not None:
        if left + wide <= 0 or left >= look.width:
            return True
    elif right is not None and (right >= look.width or right <= -wide):
        return True
    if top is not None:
        return top + high <= 0 or (fixed and top >= VIEWPORT_HEIGHT)
    return bottom is not None and (bottom >= VIEWPORT_HEIGHT or (fixed and bottom <= -high))


def cut_off(look: Look, box: Box, around: Box) -> bool:
    """Say whether a box lies beyond the edges of another that cuts off what overflows."""
    across, along = clips(look, around)
    if "scroll" in {look.value(around, f"overflow-{axis}") for axis in "xy"} or not (across and along):
        return False
    if "auto" in {look.value(around, f"overflow-{axis}") for axis in "xy"}:
        return False
    wide, high = box_size(look, around)
    left, top = look.length(box, "left", wide or look.width), look.length(box, "top", high or VIEWPORT_HEIGHT)
    own_wide, own_high = extent(look, box)
    if left is not None and (left >= (wide or look.width) or left + own_wide <= 0):
        return True
    if top is not None and (top >= (math.inf if high is None else high) or top + own_high <= 0):
        return True
    whole = (look.value(box, side) for side in ("left", "top", "right", "bottom"))
    return any(value == "100%" for value in whole)


def pushed_away(look: Look, box: Box) -> bool:
    """Say whether a margin pushes a box off the page."""
    left, top = look.length(box, "margin-left", look.width), look.length(box, "margin-top", look.width)
    right = look.length(box, "margin-right", look.width)
    if is_inline(look, box):
        top = None
    return (
        (left is not None and (left <= -FAR or left >= FAR_RIGHT))
        or (top is not None and top <= -FAR_UP)
        or (right is not None and right >= FAR_RIGHT)
    )


def lowered_away(look: Look, box: Box) -> bool:
    """Say whether words are put so far below their line that the box around them cuts them off."""
    down = -(look.length(box, "vertical-align", look.font_size(box)) or 0.0)
    block = box.parent
    while block is not None and is_inline(look, block):
        block = block.parent
    if down <= NARROW or block is None or not is_inline(look, box) or not clips(look, block)[1]:
        return False
    high = box_size(look, block)[1]
    return high is not None and down >= high


def replaced(look: Look, box: Box) -> bool:
    """Say whether a picture stands in the place of what an element holds."""
    return look.value(box, "content").partition("(")[0] in IMAGES


def outlined_over(look: Look, box: Box) -> bool:
    """Say whether an outline is drawn inwards over all of a box."""
    depth = -(look.length(box, "outline-offset") or 0.0)
    wide = look.length(box, "outline-width") or 0.0
    if look.value(box, "outline-style", "none") == "none" or depth <= 0 or wide < depth or is_inline(look, box):
        return False
    colour = parse_colour(look.value(box, "outline-color", "currentcolor"))
    return colour is not None and colour.alpha > 1 - FAINT and extent(look, box)[1] <= 2 * depth


def is_closed_part(box: Box) -> bool:
    """Say whether a closed part of the page holds a box: `details` that are not open."""
    parent = box.parent
    if parent is None or parent.tag != "details" or "open" in parent.attributes:
        return False
    summary = next((one for one in parent.children if one.tag == "summary"), None)
    return box is not summary


Check = Callable[[Look, Box], bool]

REASONS: tuple[tuple[str, Check, frozenset[str]], ...] = (
    ("display none", no_display, words("display")),
    ("not rendered", not_rendered, words("content-visibility")),
    ("transparent", see_through, words("opacity filter")),
    ("filtered", filtered_away, words("filter")),
    ("replaced", replaced, words("content")),
    ("clipped", clipped, words("clip clip-path")),
    ("masked", masked, words("mask-image")),
    ("no size", no_size, words("overflow-x overflow-y contain")),
    ("scaled away", scaled_away, words("transform scale rotate translate")),
    ("off screen", moved_away, words("transform translate rotate offset-path")),
    ("off screen", off_screen, words("position")),
    ("off screen", pushed_away, words("margin-left margin-top margin-right")),
    ("off screen", lowered_away, words("vertical-align")),
    ("covered", outlined_over, words("outline-offset")),
)
"""Each reason, its check, and the properties without which the check has nothing to say."""


def box_reason(look: Look, box: Box) -> str:
    """The reason why nothing in a box is seen, or an empty string."""
    names = look.specified(box).keys()
    for reason, check, needed in REASONS:
        if not needed.isdisjoint(names) and check(look, box):
            return "" if is_unboxed(look, box) else reason
    return ""
