"""Colours as CSS writes them, reduced to red, green, blue and opacity: enough to tell text from its background."""

import colorsys
import math
import re
from typing import NamedTuple


class Colour(NamedTuple):
    """A colour with parts from 0 to 255 and opacity from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0


WHITE = Colour(255, 255, 255)
NAMED = {
    "white": WHITE,
    "black": Colour(0, 0, 0),
    "snow": Colour(255, 250, 250),
    "ivory": Colour(255, 255, 240),
    "whitesmoke": Colour(245, 245, 245),
    "ghostwhite": Colour(248, 248, 255),
    "floralwhite": Colour(255, 250, 240),
    "azure": Colour(240, 255, 255),
    "mintcream": Colour(245, 255, 250),
    "red": Colour(255, 0, 0),
    "green": Colour(0, 128, 0),
    "lime": Colour(0, 255, 0),
    "blue": Colour(0, 0, 255),
    "navy": Colour(0, 0, 128),
    "yellow": Colour(255, 255, 0),
    "orange": Colour(255, 165, 0),
    "purple": Colour(128, 0, 128),
    "maroon": Colour(128, 0, 0),
    "teal": Colour(0, 128, 128),
    "gray": Colour(128, 128, 128),
    "grey": Colour(128, 128, 128),
    "silver": Colour(192, 192, 192),
    "lightgray": Colour(211, 211, 211),
    "lightgrey": Colour(211, 211, 211),
    "transparent": Colour(0, 0, 0, 0),
}
HEX = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b")
FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]*)\)")
NUMBER = re.compile(r"(-?\d*\.?\d+)(%|deg)?")
SAME = 30.0
"""Distance in RGB below which an eye does not read one colour on the other."""


def colour(value: str) -> Colour | None:
    """The first colour in a CSS value in lower case, or `None` when it names none that we know."""
    if match := HEX.search(value):
        return from_hex(match[1])
    if match := FUNCTION.search(value):
        return from_function(match[1], match[2])
    return next((NAMED[word] for word in re.findall(r"[a-z]+", value) if word in NAMED), None)


def from_hex(digits: str) -> Colour:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue, *alpha = (int(digits[i : i + 2], 16) for i in range(0, len(digits), 2))
    return Colour(red, green, blue, alpha[0] / 255 if alpha else 1.0)


def from_function(name: str, arguments: str) -> Colour | None:
    parts = [(float(number), unit) for number, unit in NUMBER.findall(arguments)]
    if len(parts) < 3:
        return None
    alpha = parts[3][0] / (100 if parts[3][1] == "%" else 1) if len(parts) > 3 else 1.0
    if name == "hsl":
        red, green, blue = colorsys.hls_to_rgb(parts[0][0] % 360 / 360, parts[2][0] / 100, parts[1][0] / 100)
        return Colour(red * 255, green * 255, blue * 255, alpha)
    red, green, blue = (number * 2.55 if unit == "%" else number for number, unit in parts[:3])
    return Colour(red, green, blue, alpha)


def alike(one: Colour, other: Colour) -> bool:
    """Say whether text of one colour cannot be seen on the other."""
    return math.dist(one[:3], other[:3]) < SAME
