"""
A case is a file: what is played, how the vendors behave, at which widths and latencies, and what is promised.

A case is run in cells, one for each combination of route, width, latency and store. A promise is a sentence such as
`lost <= 0`: the name of a figure, how it compares, and a number.
"""

import operator
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.faults.kinds import KINDS, VENDORS, Behaviour, Behaviours

CASES = Path(__file__).with_name("cases")
Figures = dict[str, Any]

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {"<=": operator.le, ">=": operator.ge, "==": operator.eq}
SMALL = 0.5
"""Below this scale only a diagonal of widths and latencies is run, not every pair, unless cells are asked for."""


@dataclass(frozen=True)
class Promise:
    """What a figure may be."""

    figure: str
    comparison: str
    bound: float

    @classmethod
    def read(cls, sentence: str) -> "Promise":
        """`lost <= 0`"""
        for comparison in COMPARISONS:
            figure, found, bound = sentence.partition(f" {comparison} ")
            if found:
                return cls(figure, comparison, float(bound))
        raise ValueError(f"a promise reads like `lost <= 0`, not {sentence!r}")

    def kept(self, figures: Figures) -> bool:
        """Whether it holds; what was not measured, such as Redis where there is none, is not judged."""
        value = figures.get(self.figure)
        return value is None or COMPARISONS[self.comparison](value, self.bound)

    def __str__(self) -> str:
        """As it was written."""
        return f"{self.figure} {self.comparison} {self.bound:g}"


@dataclass(frozen=True)
class Cell:
    """One run of a case: everything a play needs to know."""

    case: str
    play: str
    route: str
    width: int
    latency: float
    store: str
    size: int
    providers: tuple[str, ...]
    faults: Behaviours
    settings: Mapping[str, Any]
    options: Mapping[str, Any]
    promises: tuple[Promise, ...]

    @property
    def behaviours(self) -> Behaviours:
        """How each vendor of the chain behaves, in its order."""
        return {name: replace(self.faults[name], latency=self.latency) for name in self.providers}

    @property
    def healthy(self) -> Behaviours:
        """The same vendors without faults."""
        return {name: Behaviour(latency=self.latency) for name in self.providers}

    @property
    def quick(self) -> Behaviours:
        """The same vendors, healthy and quick."""
        return {name: Behaviour(latency=0.03) for name in self.providers}

    @property
    def place(self) -> str:
        """What tells this cell from the others of its case."""
        return f"{self.route:<5} {self.width:>4} {self.latency:>4g}s {self.store:<6}"


@dataclass(frozen=True)
class Case:
    """
    A case as its file describes it.

    `rounds` is how many searches each caller makes (in an open loop: for how many seconds); with few callers or in a
    small run there are still the `fewest` searches that say something.
    `faults` says of vendors which share of their calls goes wrong and in which `kinds`, or all `without` some, or the
    `script` of their first calls. `settings` are the engine's, `options` the play's own.
    """

    name: str
    about: str
    play: str
    promises: tuple[Promise, ...]
    routes: tuple[str, ...] = ("first",)
    widths: tuple[int, ...] = (6, 24, 64, 256)
    latencies: tuple[float, ...] = (0.0, 0.3, 1.0)
    stores: tuple[str, ...] = ("memory",)
    rounds: float = 8
    fewest: int = 1
    providers: tuple[str, ...] = VENDORS
    faults: Behaviours = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Case":
        """Read a case from its file."""
        written: dict[str, Any] = tomllib.loads(path.read_text())
        promises, faults = written.pop("promises"), written.pop("faults", [])
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in written.items()
        }
        return cls(path.stem, promises=tuple(map(Promise.read, promises)), faults=behaviours(faults), **given)

    def cells(self, scale: float, *, every: bool) -> Iterator[Cell]:
        """Every combination, or some of them in a small run."""
        pairs = self._pairs(every=every or scale >= SMALL)
        for route, store, (width, latency) in product(self.routes, self.stores, pairs):
            yield Cell(
                self.name, self.play, route, width, latency, store,
                size=max(self.fewest, width, round(self.rounds * scale * width)),
                providers=self.providers,
                faults={name: self.faults.get(name, Behaviour()) for name in self.providers},
                settings={"route": route, **self.settings},
                options={"scale": scale, **self.options},
                promises=self.promises,
            )  # fmt: skip

    def _pairs(self, *, every: bool) -> list[tuple[int, float]]:
        if every or len(self.widths) == 1:
            return list(product(self.widths, self.latencies))
        last = len(self.latencies) - 1
        return [(width, self.latencies[min(place, last)]) for place, width in enumerate(self.widths)]


def behaviours(faults: list[dict[str, Any]]) -> Behaviours:
    """How vendors misbehave: each entry is for the vendors it names, or for all."""
    return {
        vendor: Behaviour(entry.get("share", 0.0), chosen(entry), script=tuple(entry.get("script", ())))
        for entry in faults
        for vendor in entry.get("vendors", VENDORS)
    }


def chosen(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds named, or all of them without those left out."""
    kinds = tuple(entry.get("kinds", [kind for kind in KINDS if kind not in entry.get("without", ())]))
    if unknown := {*kinds, *entry.get("script", ())} - {*KINDS, "ok"}:
        raise ValueError(f"there is no kind of fault {', '.join(sorted(unknown))}")
    return kinds


def cases_in(folder: Path = CASES) -> dict[str, Case]:
    """Every case of a folder by name."""
    return {path.stem: Case.read(path) for path in sorted(folder.glob("*.toml"))}
