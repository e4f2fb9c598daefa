"""
Colours as CSS writes them, reduced to red, green, blue and opacity: enough to tell text from its background.

Every function of CSS Color 4 and 5 is read, because each can write white. Colours outside of sRGB are clipped, which
moves them by less than an eye needs to read one on the other.
"""

import colorsys
import math
import re
from collections.abc import Callable
from typing import NamedTuple

from seekread.extraction.css_values import Units, amount, words_of
from seekread.late import dataclass


class Colour(NamedTuple):
    """A colour with parts from 0 to 255 and opacity from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def over(self, ground: "Colour") -> "Colour":
        """The colour one sees when this one lies on an opaque ground."""
        mixed = (top * self.alpha + below * (1 - self.alpha) for top, below in zip(self[:3], ground[:3], strict=True))
        return Colour(*mixed)


WHITE = Colour(255, 255, 255)
BLACK = Colour(0, 0, 0)
CLEAR = Colour(0, 0, 0, 0)
DARK_CANVAS = Colour(18, 18, 18)
"""What Chromium paints below a page with a dark colour scheme."""
SAME = 30.0
"""Distance in RGB below which an eye does not read one colour on the other."""
LARGEST = 12
"""Colours inside one another that are looked at."""

NAMES = re.findall(
    r"(\w+) #(\w+)",
    "aliceblue #f0f8ff antiquewhite #faebd7 aqua #00ffff aquamarine #7fffd4 azure #f0ffff beige #f5f5dc "
    "bisque #ffe4c4 black #000000 blanchedalmond #ffebcd blue #0000ff blueviolet #8a2be2 brown #a52a2a "
    "burlywood #deb887 cadetblue #5f9ea0 chartreuse #7fff00 chocolate #d2691e coral #ff7f50 "
    "cornflowerblue #6495ed cornsilk #fff8dc crimson #dc143c cyan #00ffff darkblue #00008b darkcyan #008b8b "
    "darkgoldenrod #b8860b darkgray #a9a9a9 darkgreen #006400 darkgrey #a9a9a9 darkkhaki #bdb76b "
    "darkmagenta #8b008b darkolivegreen #556b2f darkorange #ff8c00 darkorchid #9932cc darkred #8b0000 "
    "darksalmon #e9967a darkseagreen #8fbc8f darkslateblue #483d8b darkslategray #2f4f4f darkslategrey #2f4f4f "
    "darkturquoise #00ced1 darkviolet #9400d3 deeppink #ff1493 deepskyblue #00bfff dimgray #696969 "
    "dimgrey #696969 dodgerblue #1e90ff firebrick #b22222 floralwhite #fffaf0 forestgreen #228b22 "
    "fuchsia #ff00ff gainsboro #dcdcdc ghostwhite #f8f8ff gold #ffd700 goldenrod #daa520 gray #808080 "
    "green #008000 greenyellow #adff2f grey #808080 honeydew #f0fff0 hotpink #ff69b4 indianred #cd5c5c "
    "indigo #4b0082 ivory #fffff0 khaki #f0e68c lavender #e6e6fa lavenderblush #fff0f5 lawngreen #7cfc00 "
    "lemonchiffon #fffacd lightblue #add8e6 lightcoral #f08080 lightcyan #e0ffff lightgoldenrodyellow #fafad2 "
    "lightgray #d3d3d3 lightgreen #90ee90 lightgrey #d3d3d3 lightpink #ffb6c1 lightsalmon #ffa07a "
    "lightseagreen #20b2aa lightskyblue #87cefa lightslategray #778899 lightslategrey #778899 "
    "lightsteelblue #b0c4de lightyellow #ffffe0 lime #00ff00 limegreen #32cd32 linen #faf0e6 magenta #ff00ff "
    "maroon #800000 mediumaquamarine #66cdaa mediumblue #0000cd mediumorchid #ba55d3 mediumpurple #9370db "
    "mediumseagreen #3cb371 mediumslateblue #7b68ee mediumspringgreen #00fa9a mediumturquoise #48d1cc "
    "mediumvioletred #c71585 midnightblue #191970 mintcream #f5fffa mistyrose #ffe4e1 moccasin #ffe4b5 "
    "navajowhite #ffdead navy #000080 oldlace #fdf5e6 olive #808000 olivedrab #6b8e23 orange #ffa500 "
    "orangered #ff4500 orchid #da70d6 palegoldenrod #eee8aa palegreen #98fb98 paleturquoise #afeeee "
    "palevioletred #db7093 papayawhip #ffefd5 peachpuff #ffdab9 peru #cd853f pink #ffc0cb plum #dda0dd "
    "powderblue #b0e0e6 purple #800080 rebeccapurple #663399 red #ff0000 rosybrown #bc8f8f royalblue #4169e1 "
    "saddlebrown #8b4513 salmon #fa8072 sandybrown #f4a460 seagreen #2e8b57 seashell #fff5ee sienna #a0522d "
    "silver #c0c0c0 skyblue #87ceeb slateblue #6a5acd slategray #708090 slategrey #708090 snow #fffafa "
    "springgreen #00ff7f steelblue #4682b4 tan #d2b48c teal #008080 thistle #d8bfd8 tomato #ff6347 "
    "turquoise #40e0d0 violet #ee82ee wheat #f5deb3 white #ffffff whitesmoke #f5f5f5 yellow #ffff00 "
    "yellowgreen #9acd32 ",
)
SYSTEM = {
    "canvas": (WHITE, DARK_CANVAS),
    "field": (WHITE, Colour(59, 59, 59)),
    "canvastext": (BLACK, WHITE),
    "fieldtext": (BLACK, WHITE),
    "buttontext": (BLACK, WHITE),
    "linktext": (Colour(0, 0, 238), Colour(158, 158, 255)),
    "buttonface": (Colour(239, 239, 239), Colour(107, 107, 107)),
    "graytext": (Colour(128, 128, 128), Colour(128, 128, 128)),
    "mark": (Colour(255, 255, 0), Colour(255, 255, 0)),
    "marktext": (BLACK, BLACK),
    "highlighttext": (BLACK, WHITE),
    "selecteditemtext": (WHITE, WHITE),
}
"""Colours of the system, on a light and on a dark page."""
HEX = re.compile(r"#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})")
Channels = tuple[float, float, float]


@dataclass(frozen=True)
class Paint:
    """What a colour may be relative to: the colour of the text, and the scheme of the page."""

    current: Colour = BLACK
    dark: bool = False


DAY = Paint()


def from_hex(digits: str) -> Colour:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue, *alpha = (int(digits[i : i + 2], 16) for i in range(0, len(digits), 2))
    return Colour(red, green, blue, alpha[0] / 255 if alpha else 1.0)


NAMED = {name: from_hex(digits) for name, digits in NAMES} | {"transparent": CLEAR}


def parse_colour(value: str, paint: Paint = DAY, depth: int = 0) -> Colour | None:
    """A colour in lower case, or `None` when the value is none."""
    value = value.strip()
    if value in NAMED:
        return NAMED[value]
    if HEX.fullmatch(value):
        return from_hex(value[1:])
    if value == "currentcolor":
        return paint.current
    if value in SYSTEM:
        return SYSTEM[value][paint.dark]
    name, opened, rest = value.partition("(")
    if not opened or not rest.endswith(")") or depth > LARGEST:
        return None
    try:
        return from_function(name, rest[:-1], paint, depth)
    except (ValueError, OverflowError):
        return None


def legacy_colour(text: str) -> str:
    """A colour as attributes write it: whatever stands there is a colour, if need be by the digits among it."""
    text = text.strip().lower()
    if text in NAMED or (len(text) in {4, 7} and HEX.fullmatch(text)):
        return text if text != "transparent" else ""
    digits = re.sub(r"[^0-9a-f]", "0", text.removeprefix("#")[:128]) or "0"
    length = -(-len(digits) // 3)
    parts = [digits[start : start + length].ljust(length, "0") for start in range(0, 3 * length, length)]
    parts = [part[-8:] for part in parts]
    while len(parts[0]) > 2 and all(part[0] == "0" for part in parts):
        parts = [part[1:] for part in parts]
    return "#" + "".join(part[:2].rjust(2, "0") for part in parts)


def from_function(name: str, text: str, paint: Paint, depth: int) -> Colour | None:
    if name == "light-dark":
        parts = words_of(text, ",")
        return parse_colour(parts[paint.dark], paint, depth + 1) if len(parts) == 2 else None
    if name == "color-mix":
        return mixed(words_of(text, ","), paint, depth)
    if name == "contrast-color":
        base = parse_colour(words_of(text)[0], paint, depth + 1) if text else None
        return None if base is None else (BLACK if sum(base[:3]) > 384 else WHITE)
    words = words_of(text)
    origin: Colour | None = None
    if words and words[0] == "from":
        origin = parse_colour(words[1], paint, depth + 1) if len(words) > 1 else None
        if origin is None:
            return None
        words = words[2:]
    space = name.removesuffix("a") if name in {"rgba", "hsla"} else name
    if name == "color" and words:
        space, words = words[0], words[1:]
    return in_space(SPACES.get(space), words, origin)


@dataclass(frozen=True)
class Space:
    """A way to write colours: the names of its channels, what their percentages mean, and the way to sRGB and back."""

    channels: str
    percent: Channels
    to_rgb: Callable[[float, float, float], Channels]
    """To linear light or not, but to parts of 0 to 1."""
    from_rgb: Callable[[float, float, float], Channels]


def in_space(space: Space | None, words: list[str], origin: Colour | None) -> Colour | None:
    if space is None or len(words) not in {3, 4}:
        return None
    names: dict[str, float] = {}
    if origin is not None:
        channels = space.from_rgb(*(part / 255 for part in origin[:3]))
        names = {**dict(zip(space.channels, channels, strict=True)), "alpha": origin.alpha}
    numbers: list[float] = []
    for word, percent in zip(words, (*space.percent, 1.0), strict=False):
        number = 0.0 if word == "none" else names.get(word, amount(word, Units(percent=percent, names=names)))
        if number is None:
            return None
        numbers.append(number)
    red, green, blue = space.to_rgb(numbers[0], numbers[1], numbers[2])
    alpha = numbers[3] if len(numbers) > 3 else names.get("alpha", 1.0)
    red, green, blue = (255 * min(1.0, max(0.0, part)) for part in (red, green, blue))
    return Colour(red, green, blue, min(1.0, max(0.0, alpha)))


def mixed(parts: list[str], paint: Paint, depth: int) -> Colour | None:
    """Two colours mixed. In whichever space, a mixture of alikes is alike, which is what counts here."""
    if len(parts) != 3:
        return None
    colours: list[Colour] = []
    shares: list[float | None] = []
    for part in parts[1:]:
        words = words_of(part, " \t\n")
        share = next((word for word in words if word.endswith("%") or word.startswith("calc(")), None)
        known = parse_colour(" ".join(word for word in words if word != share), paint, depth + 1)
        if known is None:
            return None
        colours.append(known)
        shares.append(None if share is None else amount(share))
    first, second = shares
    if first is None:
        first = 0.5 if second is None else 1 - second
    second = 1 - first if second is None else second
    total = first + second
    if not total:
        return None
    one, other = colours
    first, second = first / total, second / total
    alpha = one.alpha * first + other.alpha * second
    weights = (first * one.alpha, second * other.alpha)
    whole = sum(weights) or 1.0
    red, green, blue = ((a * weights[0] + b * weights[1]) / whole for a, b in zip(one[:3], other[:3], strict=True))
    return Colour(red, green, blue, alpha * min(1.0, total))


def linear(part: float) -> float:
    sign, part = (-1, -part) if part < 0 else (1, part)
    return sign * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)


def gamma(part: float) -> float:
    sign, part = (-1, -part) if part < 0 else (1, part)
    return sign * (part * 12.92 if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055)


ColourMatrix = tuple[Channels, Channels, Channels]
OKLAB_TO_LMS: ColourMatrix = (
    (1, 0.3963377774, 0.2158037573),
    (1, -0.1055613458, -0.0638541728),
    (1, -0.0894841775, -1.291485548),
)
LMS_TO_OKLAB: ColourMatrix = (
    (0.2104542553, 0.793617785, -0.0040720468),
    (1.9779984951, -2.428592205, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.808675766),
)
LMS_TO_RGB: ColourMatrix = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.707614701),
)
RGB_TO_LMS: ColourMatrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
XYZ_TO_RGB: ColourMatrix = (
    (3.2409699419, -1.5373831776, -0.4986107603),
    (-0.9692436363, 1.8759675015, 0.0415550574),
    (0.0556300797, -0.2039769589, 1.0569715142),
)
RGB_TO_XYZ: ColourMatrix = (
    (0.4123907993, 0.3575843394, 0.1804807884),
    (0.2126390059, 0.7151686788, 0.0721923154),
    (0.0193308187, 0.1191947798, 0.9505321522),
)
WHITE_POINT: Channels = (0.9504559271, 1.0, 1.0890577508)


def times(matrix: ColourMatrix, vector: Channels) -> Channels:
    first, second, third = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return first, second, third


def shone(red: float, green: float, blue: float) -> Channels:
    """Linear light as parts of sRGB."""
    return gamma(red), gamma(green), gamma(blue)


def from_oklab(lightness: float, a: float, b: float) -> Channels:
    first, second, third = times(OKLAB_TO_LMS, (lightness, a, b))
    return shone(*times(LMS_TO_RGB, (first**3, second**3, third**3)))


def to_oklab(red: float, green: float, blue: float) -> Channels:
    first, second, third = times(RGB_TO_LMS, (linear(red), linear(green), linear(blue)))
    return times(LMS_TO_OKLAB, (math.cbrt(first), math.cbrt(second), math.cbrt(third)))


def from_lab(lightness: float, a: float, b: float) -> Channels:
    middle = (lightness + 16) / 116

    def inverse(part: float) -> float:
        return part**3 if part > 6 / 29 else (part - 4 / 29) * 3 * (6 / 29) ** 2

    xyz = (inverse(middle + a / 500), inverse(middle), inverse(middle - b / 200))
    first, second, third = (part * white for part, white in zip(xyz, WHITE_POINT, strict=True))
    return shone(*times(XYZ_TO_RGB, (first, second, third)))


def to_lab(red: float, green: float, blue: float) -> Channels:
    xyz = times(RGB_TO_XYZ, (linear(red), linear(green), linear(blue)))

    def forward(part: float) -> float:
        return math.cbrt(part) if part > (6 / 29) ** 3 else part / (3 * (6 / 29) ** 2) + 4 / 29

    x, y, z = (forward(part / white) for part, white in zip(xyz, WHITE_POINT, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def polar(rectangular: Callable[[float, float, float], Channels]) -> Callable[[float, float, float], Channels]:
    """A space with hue and chroma, read through the one with two axes."""
    return lambda lightness, chroma, hue: rectangular(
        lightness, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    )


def to_polar(rectangular: Callable[[float, float, float], Channels]) -> Callable[[float, float, float], Channels]:
    def run(red: float, green: float, blue: float) -> Channels:
        lightness, a, b = rectangular(red, green, blue)
        return lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360

    return run


def from_hsl(hue: float, saturation: float, lightness: float) -> Channels:
    return colorsys.hls_to_rgb(hue % 360 / 360, lightness / 100, min(1.0, max(0.0, saturation / 100)))


def to_hsl(red: float, green: float, blue: float) -> Channels:
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    return hue * 360, saturation * 100, lightness * 100


def from_hwb(hue: float, white: float, black: float) -> Channels:
    white, black = white / 100, black / 100
    if white + black >= 1:
        return (white / (white + black),) * 3
    red, green, blue = (part * (1 - white - black) + white for part in colorsys.hls_to_rgb(hue % 360 / 360, 0.5, 1))
    return red, green, blue


def to_hwb(red: float, green: float, blue: float) -> Channels:
    return to_hsl(red, green, blue)[0], 100 * min(red, green, blue), 100 - 100 * max(red, green, blue)


def same(red: float, green: float, blue: float) -> Channels:
    return red, green, blue


def darkened(red: float, green: float, blue: float) -> Channels:
    return linear(red), linear(green), linear(blue)


HUNDRED: Channels = (100, 100, 100)
ONE: Channels = (1, 1, 1)
SPACES: dict[str, Space] = {
    "rgb": Space(
        "rgb",
        (255, 255, 255),
        lambda red, green, blue: (red / 255, green / 255, blue / 255),
        lambda red, green, blue: (red * 255, green * 255, blue * 255),
    ),
    "hsl": Space("hsl", HUNDRED, from_hsl, to_hsl),
    "hwb": Space("hwb", HUNDRED, from_hwb, to_hwb),
    "lab": Space("lab", (100, 125, 125), from_lab, to_lab),
    "lch": Space("lch", (100, 150, 100), polar(from_lab), to_polar(to_lab)),
    "oklab": Space("lab", (1, 0.4, 0.4), from_oklab, to_oklab),
    "oklch": Space("lch", (1, 0.4, 100), polar(from_oklab), to_polar(to_oklab)),
    **dict.fromkeys(("srgb", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020"), Space("rgb", ONE, same, same)),
    "srgb-linear": Space("rgb", ONE, shone, darkened),
    **dict.fromkeys(
        ("xyz", "xyz-d50", "xyz-d65"),
        Space(
            "xyz",
            ONE,
            lambda x, y, z: shone(*times(XYZ_TO_RGB, (x, y, z))),
            lambda red, green, blue: times(RGB_TO_XYZ, darkened(red, green, blue)),
        ),
    ),
}
"""Every space by name; the wide gamuts are read as sRGB, whose white and black they share."""


def alike(one: Colour, other: Colour) -> bool:
    """Say whether text of one colour cannot be seen on the other."""
    return math.dist(one[:3], other[:3]) < SAME
