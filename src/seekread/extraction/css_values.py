"""
Numbers as CSS writes them: dimensions, percentages, and every mathematical function.

An expression that is nested or long beyond reason counts as zero, never as unreadable: whoever writes one wants
something not to be understood, and zero is what hides text.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

LONGEST = 5000
"""Characters of a value that is looked at."""
DEEPEST = 60
"""Functions and parentheses inside one another."""
ABSURD = 0.0
ANY_SIZE = 200.0
"""What a size that is not known is tried with."""

VIEWPORT_HEIGHT = 720.0
ABSOLUTE = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "in": 96.0,
    "deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0, "s": 1.0, "ms": 0.001, "dppx": 1.0, "x": 1.0,
}  # fmt: skip
BY_FONT = {"em": 1.0, "ex": 0.5, "ch": 0.5, "cap": 0.7, "ic": 1.0, "lh": 1.2}
WIDE = frozenset({"vw", "vi", "cqw", "cqi"})
HIGH = frozenset({"vh", "vb", "cqh", "cqb"})
KINDS: dict[str, str] = {
    "": "number",
    "%": "percentage",
    **dict.fromkeys(("deg", "grad", "rad", "turn"), "angle"),
    **dict.fromkeys(("s", "ms"), "time"),
    **dict.fromkeys(("dpi", "dpcm", "dppx", "x"), "resolution"),
}
"""What a unit measures; all others are units of length."""
KIND_OF_FUNCTION = {
    **dict.fromkeys(("sign", "progress", "sin", "cos", "tan", "sqrt", "pow", "exp", "log"), "number"),
    **dict.fromkeys(("asin", "acos", "atan", "atan2"), "angle"),
}
TOKEN = re.compile(
    r"\s*(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?P<unit>%|[a-z]+)?"
    r"|(?P<function>-?[a-z][a-z0-9-]*)?(?P<open>\()|(?P<name>-?[a-z]+(?:-[a-z]+)*)|(?P<sign>[-+*/,)]))"
)
CONSTANTS = {"pi": math.pi, "e": math.e, "infinity": math.inf, "-infinity": -math.inf, "nan": math.nan}
ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(\n)|(.))", re.DOTALL)


NO_NAMES: Mapping[str, float] = {}


class Units(NamedTuple):
    """What relative units are relative to."""

    font: float = 16.0
    root: float = 16.0
    width: float = 1280.0
    percent: float = 1.0
    """What one hundred per cent are."""
    container: tuple[float, float] | None = None
    """Width and height of the container around, where it is asked for."""
    names: Mapping[str, float] = NO_NAMES
    """Words that stand for numbers: the channels of a colour."""

    def factor(self, unit: str) -> float | None:
        """What one of a unit is in pixels, degrees or seconds."""
        if not unit:
            return 1.0
        if unit == "%":
            return self.percent / 100
        if unit in ABSOLUTE:
            return ABSOLUTE[unit]
        if unit in BY_FONT:
            return BY_FONT[unit] * self.font
        if unit[0] == "r" and unit[1:] in BY_FONT:
            return BY_FONT[unit[1:]] * self.root
        bare = unit[1:] if unit[0] in "sld" else unit
        if self.container is not None and bare.startswith("cq"):
            return self.of_container(bare)
        if bare in WIDE:
            return self.width / 100
        if bare in HIGH:
            return VIEWPORT_HEIGHT / 100
        smaller = {"vmin": True, "cqmin": True, "vmax": False, "cqmax": False}.get(bare)
        if smaller is None:
            return None
        return (min if smaller else max)(self.width, VIEWPORT_HEIGHT) / 100

    def of_container(self, unit: str) -> float:
        wide, high = self.container or (self.width, VIEWPORT_HEIGHT)
        sides = {"cqmin": min(wide, high), "cqmax": max(wide, high)}
        return sides.get(unit, wide if unit in WIDE else high) / 100


PLAIN = Units()


def unescape(text: str) -> str:
    """Text of a style sheet without its escapes."""
    if "\\" not in text:
        return text
    return ESCAPE.sub(unescaped, text)


def unescaped(match: re.Match[str]) -> str:
    if match[1]:
        code = int(match[1], 16)
        return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    return match[3] or ""


def amount(value: str, units: Units = PLAIN) -> float | None:
    """A number, dimension or mathematical expression, in pixels, degrees, seconds or plain; `None` if it is none."""
    if len(value) > LONGEST:
        return ABSURD
    found = TOKEN.fullmatch(value)
    if found and found["number"]:
        factor = units.factor(found["unit"] or "")
        return None if factor is None else float(found["number"]) * factor
    if "(" not in value:
        return None
    if value.startswith("calc-size("):
        return of_unknown_size(value, units)
    try:
        return Calculation(value, units).value()
    except ValueError:
        return None
    except (OverflowError, ZeroDivisionError, RecursionError):
        return ABSURD


def of_unknown_size(value: str, units: Units) -> float | None:
    """What is left of a size that only a layout knows, where that is next to nothing."""
    expression = value.partition(",")[2].strip().removesuffix(")")
    left = amount(f"calc({expression})", units._replace(names={**units.names, "size": ANY_SIZE}))
    return left if left is not None and left <= ANY_SIZE / 100 else None


def kind_of(value: str) -> str:
    """What a number, dimension or expression measures: a number, percentage, length, angle, time; empty if none."""
    found = TOKEN.fullmatch(value)
    if found and found["number"]:
        unit = found["unit"] or ""
        return KINDS.get(unit) or ("length" if PLAIN.factor(unit) is not None else "")
    if "(" not in value or amount(value) is None:
        return ""
    name = value.partition("(")[0].strip()
    if name in KIND_OF_FUNCTION:
        return KIND_OF_FUNCTION[name]
    units = {token["unit"] or "" for token in tokens_of(value) if token["number"]} if len(value) <= LONGEST else set()
    kinds = {KINDS.get(unit, "length") for unit in units} - {"number"}
    if "length" in kinds:
        kinds.discard("percentage")
    if "/" in value and kinds:
        # A length divided by a length is a number.
        return "any"
    return kinds.pop() if len(kinds) == 1 else "any" if kinds else "number"


def amounts(value: str, units: Units = PLAIN) -> list[float]:
    """Every amount among the words of a value; words that are none are left out."""
    return [number for word in words_of(value) if (number := amount(word, units)) is not None]


def words_of(value: str, separators: str = " \t\n,/") -> list[str]:
    """A value cut at white space, commas and slashes, but not inside parentheses."""
    if "(" not in value and '"' not in value and "'" not in value:
        return re.split(f"[{separators}]+", value.strip(separators)) if value.strip(separators) else []
    found: list[str] = []
    depth, start = 0, 0
    for index, character in enumerate(value):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        elif depth <= 0 and character in separators:
            if index > start:
                found.append(value[start:index])
            start = index + 1
    return [*found, value[start:]] if start < len(value) else found


def functions(value: str) -> list[tuple[str, list[str]]]:
    """The functions of a value with their arguments, such as those of `transform` and `filter`."""
    found: list[tuple[str, list[str]]] = []
    for word in words_of(value, " \t\n"):
        name, opened, rest = word.partition("(")
        if opened and rest.endswith(")"):
            found.append((name, words_of(rest[:-1])))
    return found


class Calculation:
    """One mathematical expression, read from left to right."""

    def __init__(self, text: str, units: Units) -> None:
        self.units = units
        self.tokens = tokens_of(text)
        self.position = 0
        self.depth = 0

    def value(self) -> float:
        number = self.term()
        if self.position != len(self.tokens):
            raise ValueError("more than one expression")
        return 0.0 if math.isnan(number) else number

    def peek(self) -> str:
        return self.tokens[self.position]["sign"] or "" if self.position < len(self.tokens) else ""

    def next(self) -> re.Match[str]:
        if self.position >= len(self.tokens):
            raise ValueError("the expression breaks off")
        self.position += 1
        return self.tokens[self.position - 1]

    def sum(self) -> float:
        total = self.product()
        while self.position < len(self.tokens):
            sign = self.peek()
            if sign in {"+", "-"}:
                self.position += 1
                part = self.product()
                total += part if sign == "+" else -part
            elif self.tokens[self.position]["number"]:
                # "1px -2px": the sign belongs to the number.
                total += self.product()
            else:
                break
        return total

    def product(self) -> float:
        total = self.term()
        while (sign := self.peek()) in {"*", "/"}:
            self.position += 1
            part = self.term()
            total = total * part if sign == "*" else divided(total, part)
        return total

    def term(self) -> float:
        token = self.next()
        if token["number"]:
            factor = self.units.factor(token["unit"] or "")
            if factor is None:
                raise ValueError("an unknown unit")
            return float(token["number"]) * factor
        if token["name"]:
            return self.named(token["name"])
        if token["sign"] in {"-", "+"}:
            return -self.term() if token["sign"] == "-" else self.term()
        if token["open"]:
            return self.call(token["function"] or "")
        raise ValueError("no number")

    def named(self, name: str) -> float:
        found = self.units.names.get(name, CONSTANTS.get(name))
        if found is None:
            raise ValueError("an unknown word")
        return found

    def call(self, name: str) -> float:
        self.depth += 1
        if self.depth > DEEPEST:
            raise OverflowError
        start = self.position
        strategy, arguments = self.arguments()
        self.depth -= 1
        if name in TURNING:
            units = (token["unit"] for token in self.tokens[start : self.position] if token["number"])
            arguments = arguments if any(KINDS.get(unit or "") == "angle" for unit in units) else in_degrees(arguments)
        function = FUNCTIONS.get(name)
        if function is None or (strategy and name != "round"):
            raise ValueError("an unknown function")
        try:
            return rounded(strategy, *arguments) if name == "round" else function(*arguments)
        except TypeError:
            raise ValueError("too many or too few arguments") from None

    def arguments(self) -> tuple[str, list[float]]:
        """The numbers between the parentheses, and the strategy that `round` names."""
        found: list[float] = []
        strategy = ""
        while True:
            if self.position < len(self.tokens) and self.tokens[self.position]["name"] in STRATEGIES.keys() | {"none"}:
                name = self.next()["name"]
                if name == "none":
                    # A missing bound of `clamp`.
                    found.append(math.nan)
                else:
                    strategy = name
            else:
                found.append(self.sum())
            token = self.next()
            if token["sign"] == ")":
                return strategy, found
            if token["sign"] != ",":
                raise ValueError("no list")


STRATEGIES: dict[str, Callable[[float], float]] = {
    "nearest": lambda number: math.floor(number + 0.5),
    "up": math.ceil,
    "down": math.floor,
    "to-zero": math.trunc,
}
TURNING = frozenset({"sin", "cos", "tan"})


def in_degrees(numbers: list[float]) -> list[float]:
    """Plain numbers are radians."""
    return [math.degrees(number) for number in numbers]


def tokens_of(text: str) -> list[re.Match[str]]:
    """The tokens of an expression, or an error where it holds something else."""
    found: list[re.Match[str]] = []
    position, text = 0, text.strip()
    while position < len(text):
        token = TOKEN.match(text, position)
        if token is None:
            raise ValueError("not an expression")
        found.append(token)
        position = token.end()
    return found


def divided(number: float, by: float) -> float:
    if by:
        return number / by
    return math.nan if not number else math.copysign(math.inf, number)


def clamp(low: float, middle: float, high: float) -> float:
    middle = middle if math.isnan(high) else min(middle, high)
    return middle if math.isnan(low) else max(low, middle)


def rounded(strategy: str, number: float, step: float = 1.0) -> float:
    """A number brought to a multiple of a step."""
    if not step or not math.isfinite(step):
        return ABSURD
    return STRATEGIES[strategy or "nearest"](number / step) * step


def angle(function: Callable[[float], float]) -> Callable[[float], float]:
    """A trigonometric function of degrees."""
    return lambda degrees: function(math.radians(degrees))


def same(number: float, *_: float) -> float:
    return number


FUNCTIONS: dict[str, Callable[..., float]] = {
    "": same,
    "calc": same,
    "-webkit-calc": same,
    "min": lambda *numbers: min(numbers),
    "max": lambda *numbers: max(numbers),
    "clamp": clamp,
    "abs": abs,
    "sign": lambda number: math.copysign(1, number) if number else 0.0,
    "round": same,
    "mod": lambda number, by: number % by if by else math.nan,
    "rem": math.fmod,
    "sin": angle(math.sin),
    "cos": angle(math.cos),
    "tan": angle(math.tan),
    "asin": lambda number: math.degrees(math.asin(number)),
    "acos": lambda number: math.degrees(math.acos(number)),
    "atan": lambda number: math.degrees(math.atan(number)),
    "atan2": lambda high, wide: math.degrees(math.atan2(high, wide)),
    "sqrt": math.sqrt,
    "pow": math.pow,
    "exp": math.exp,
    "log": math.log,
    "hypot": math.hypot,
    "progress": lambda number, start, end: divided(number - start, end - start),
}
