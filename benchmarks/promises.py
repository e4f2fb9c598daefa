"""
What benchmarks promise, and the misses that are known.

A benchmark tells each figure that is required of it, and ends with the exit code that follows:

    promises = Promises("mcp_start")
    promises.at_most("list of tools beside a bare server", 1.02, 1.05)
    sys.exit(promises.told())

A miss that stands in `known_misses.toml` and is no worse than it says there is printed as known. Every other one makes
the exit code 1.
"""

import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Literal

FILE = Path(__file__).with_name("known_misses.toml")
Bound = Literal["at most", "at least"]
Verdict = Literal["kept", "known", "MISSED"]


@dataclass(frozen=True)
class KnownMiss:
    """A required figure that is not reached, and how far from it we may be before that is a step back."""

    benchmark: str
    figure: str
    required: float
    measured: float
    worst: float
    date: date
    why: str


@dataclass(frozen=True)
class Judged:
    """A required figure and what was measured."""

    figure: str
    measured: float
    bound: Bound
    required: float
    miss: KnownMiss | None

    def within(self, bound: float) -> bool:
        """Whether the figure is on the right side of a bound."""
        return self.measured <= bound if self.bound == "at most" else self.measured >= bound

    @property
    def verdict(self) -> Verdict:
        """A miss is known if it is listed for this very requirement and is no worse than listed."""
        if self.within(self.required):
            return "kept"
        return (
            "known" if self.miss and self.miss.required == self.required and self.within(self.miss.worst) else "MISSED"
        )

    def __str__(self) -> str:
        said = f"{self.verdict:<7} {self.figure}: {shown(self.measured)}, {self.bound} {shown(self.required)} required"
        if self.miss is None:
            return said
        if self.verdict == "kept":
            return f"{said}; take it out of {FILE.name} if that lasts"
        if self.miss.required != self.required:
            return f"{said}; {FILE.name} knows a miss of {shown(self.miss.required)}, which is another requirement"
        last = f"{shown(self.miss.measured)} on {self.miss.date}"
        return f"{said}; a known miss, {last}, and worse beyond {shown(self.miss.worst)}"


class Promises:
    """The required figures of one benchmark."""

    def __init__(self, benchmark: str, file: Path = FILE) -> None:
        self._known = {miss.figure: miss for miss in known_misses(file) if miss.benchmark == benchmark}
        self._judged: list[Judged] = []

    def at_most(self, figure: str, measured: float, required: float) -> None:
        """A figure that may not be above a bound."""
        self._judged.append(Judged(figure, measured, "at most", required, self._known.get(figure)))

    def at_least(self, figure: str, measured: float, required: float) -> None:
        """A figure that may not be below a bound."""
        self._judged.append(Judged(figure, measured, "at least", required, self._known.get(figure)))

    def told(self) -> int:
        """Print a line for each figure; 1 if one misses that is not known to, or by more than is known."""
        for judged in self._judged:
            print(judged)
        return int(any(judged.verdict == "MISSED" for judged in self._judged))


@cache
def known_misses(file: Path = FILE) -> tuple[KnownMiss, ...]:
    """What is listed."""
    rows: list[dict[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8")).get("miss", [])
    return tuple(KnownMiss(**row) for row in rows)


def shown(value: float) -> str:
    """A figure as people read it."""
    digits = 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    written = f"{value:,.{digits}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written
