"""Where a transformation takes a box, as far as it can be told without laying out the page."""

import math
from collections.abc import Callable, Sequence

from seekread.extraction.css_values import Units, amount, functions, words_of
from seekread.late import dataclass

Matrix = tuple[tuple[float, ...], ...]
IDENTITY: Matrix = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
FLAT = 0.02
"""A side or an area that shrinks to less of itself is gone."""


FLUNG = 1000.0
"""A box drawn out to so many times itself is a line across the page, or beyond it."""


@dataclass(frozen=True)
class Moved:
    """What is left of a box: how long its sides are, how much area, and how far it went."""

    wide: float = 1.0
    high: float = 1.0
    area: float = 1.0
    right: float = 0.0
    down: float = 0.0
    turned: bool = False
    """Whether its back is to the reader."""

    @property
    def vanished(self) -> bool:
        return min(self.wide, self.high) < FLAT or self.area < FLAT * FLAT


def multiply(one: Matrix, other: Matrix) -> Matrix:
    if one is IDENTITY:
        return other
    return tuple(
        tuple(sum(one[row][index] * other[index][column] for index in range(4)) for column in range(4))
        for row in range(4)
    )


def shift(x: float = 0, y: float = 0, z: float = 0) -> Matrix:
    return ((1, 0, 0, x), (0, 1, 0, y), (0, 0, 1, z), (0, 0, 0, 1))


def stretch(x: float = 1, y: float = 1, z: float = 1) -> Matrix:
    return ((x, 0, 0, 0), (0, y, 0, 0), (0, 0, z, 0), (0, 0, 0, 1))


def turn(x: float, y: float, z: float, degrees: float) -> Matrix:
    length = math.sqrt(x * x + y * y + z * z)
    if not length:
        return IDENTITY
    x, y, z = x / length, y / length, z / length
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    rest = 1 - cosine
    return (
        (cosine + x * x * rest, x * y * rest - z * sine, x * z * rest + y * sine, 0),
        (y * x * rest + z * sine, cosine + y * y * rest, y * z * rest - x * sine, 0),
        (z * x * rest - y * sine, z * y * rest + x * sine, cosine + z * z * rest, 0),
        (0, 0, 0, 1),
    )


def skew(x: float = 0, y: float = 0) -> Matrix:
    return ((1, math.tan(math.radians(x)), 0, 0), (math.tan(math.radians(y)), 1, 0, 0), *IDENTITY[2:])


def distance(depth: float = 0) -> Matrix:
    return (*IDENTITY[:3], (0, 0, -1 / max(depth, 1.0), 1)) if depth or depth == 0 else IDENTITY


def flat(*numbers: float) -> Matrix:
    a, b, c, d, x, y = (*numbers, 0, 0, 0, 0, 0, 0)[:6]
    return ((a, c, 0, x), (b, d, 0, y), *IDENTITY[2:])


def deep(*numbers: float) -> Matrix:
    cells = (*numbers, *(0,) * 16)[:16]
    return tuple(tuple(cells[row + 4 * column] for column in range(4)) for row in range(4))


MADE: dict[str, Callable[..., Matrix]] = {
    "translate": shift,
    "translate3d": shift,
    "translatex": shift,
    "translatey": lambda y=0: shift(0, y),
    "translatez": lambda z=0: shift(0, 0, z),
    "scale": lambda x=1, y=None: stretch(x, x if y is None else y),
    "scale3d": stretch,
    "scalex": stretch,
    "scaley": lambda y=1: stretch(1, y),
    "scalez": lambda z=1: stretch(1, 1, z),
    "rotate": lambda degrees=0: turn(0, 0, 1, degrees),
    "rotatez": lambda degrees=0: turn(0, 0, 1, degrees),
    "rotatex": lambda degrees=0: turn(1, 0, 0, degrees),
    "rotatey": lambda degrees=0: turn(0, 1, 0, degrees),
    "rotate3d": turn,
    "skew": skew,
    "skewx": skew,
    "skewy": lambda y=0: skew(0, y),
    "matrix": flat,
    "matrix3d": deep,
    "perspective": distance,
}


PERCENT_WIDE, PERCENT_HIGH = 600.0, 24.0
"""What a box is taken to measure where a transformation moves it by parts of itself: a column, and a line."""


def numbers_of(name: str, arguments: Sequence[str], units: Units) -> list[float | None]:
    """The arguments of a function; per cent of a shift are parts of the box, all others are parts of one."""
    shifts = name.startswith("translate")
    wide, high = (PERCENT_WIDE, PERCENT_HIGH) if shifts else (1.0, 1.0)
    bases = (high,) if name == "translatey" else (wide, high, 1.0, 1.0)
    return [
        amount(one, units._replace(percent=bases[min(index, len(bases) - 1)]))
        for index, one in enumerate(arguments)
        if one != "none"
    ]


def transformation(steps: Sequence[tuple[str, list[str]]], units: Units) -> Matrix | None:
    """All functions of a transformation as one matrix; `None` when one of them is not understood."""
    whole = IDENTITY
    for name, arguments in steps:
        make = MADE.get(name)
        numbers = numbers_of(name, arguments, units)
        if make is None or any(number is None for number in numbers):
            return None
        try:
            whole = multiply(whole, make(*numbers))
        except TypeError:
            return None
    return whole


def individual(translate: str, rotate: str, scale: str) -> list[tuple[str, list[str]]]:
    """The properties `translate`, `rotate` and `scale` as functions."""
    steps: list[tuple[str, list[str]]] = []
    if translate not in {"", "none"}:
        steps.append(("translate3d", words_of(translate)))
    if rotate not in {"", "none"}:
        parts = words_of(rotate)
        axis = next((part for part in parts if part in {"x", "y", "z"}), "")
        if axis:
            steps.append((f"rotate{axis}", [part for part in parts if part != axis]))
        else:
            steps.append(("rotate3d", parts) if len(parts) == 4 else ("rotate", parts))
    if scale not in {"", "none"}:
        parts = words_of(scale)
        steps.append(("scale", parts[:2]))
    return steps


def moved(steps: list[tuple[str, list[str]]], units: Units, origin: tuple[float, float] = (0.0, 0.0)) -> Moved | None:
    """What a transformation makes of a box, about a point measured from the middle of the box."""
    matrix = transformation(steps, units)
    if matrix is None:
        return None
    if any(origin):
        matrix = multiply(shift(*origin), multiply(matrix, shift(-origin[0], -origin[1])))
    depth = matrix[3][3]
    if depth <= 0 or not all(math.isfinite(cell) for row in matrix for cell in row):
        # Behind the eye, or nowhere.
        return Moved(0, 0, 0)
    if max(abs(cell) for row in matrix[:2] for cell in row[:2]) > FLUNG:
        return Moved(0, 0, 0)
    wide = math.hypot(matrix[0][0], matrix[1][0]) / depth
    high = math.hypot(matrix[0][1], matrix[1][1]) / depth
    area = (matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0]) / (depth * depth)
    return Moved(wide, high, abs(area), matrix[0][3] / depth, matrix[1][3] / depth, turned=matrix[2][2] < 0)


def parsed_steps(transform: str) -> list[tuple[str, list[str]]]:
    """The functions of a `transform`."""
    return [] if transform in {"", "none"} else functions(transform)
