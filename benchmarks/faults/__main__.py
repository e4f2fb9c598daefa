"""
What happens when providers fail, hang, lie and vanish, and when many ask at once: the engine's promises, on loopback.

    python -m benchmarks.faults                          every case at full size: about an hour
    python -m benchmarks.faults --scale 0.1              small, and only a diagonal of widths and latencies
    python -m benchmarks.faults mixed --route first      one case, some of its cells
    python -m benchmarks.faults --list                   the cases and what each promises

A server process of its own plays four vendors; which call goes wrong, and how, follows from a hash of vendor and query.
Cases are the files in `cases/`. Every figure that breaks a promise is marked with `!`, and then the exit code is 1.
Counts must hold anywhere. Deadlines are judged without the time in which the event loop could serve nobody, which is
printed as `loop ms`, so that a slow machine is seen.
"""

import argparse
import json
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.faults.case import CASES, Case, Cell, Figures, cases_in
from benchmarks.faults.plays import PLAYS, missing
from benchmarks.faults.stores import STORE_PLAYS
from benchmarks.promises import Promises

AXES: dict[str, type] = {"route": str, "width": int, "latency": float, "store": str}


def run(cell: Cell) -> Figures:
    """The figures of a cell, or why there are none."""
    if reason := missing(cell):
        return {"skipped": reason}
    return {**PLAYS, **STORE_PLAYS}[cell.play](cell)


def broken(cell: Cell, figures: Figures) -> list[str]:
    """The promises that were not kept."""
    return [str(promise) for promise in cell.promises if not promise.kept(figures)]


def row(cell: Cell, figures: Figures, missed: Sequence[str]) -> str:
    """One line of the table; what breaks a promise is marked."""
    marked = {sentence.rsplit(" ", 2)[0] for sentence in missed}
    values = (f"{value}{'!' if name in marked else ''}".rjust(space(name)) for name, value in figures.items())
    return f"  {cell.place}  {'  '.join(values)}"


def heading(figures: Figures) -> str:
    return f"  {'route width wait store':<23}  {'  '.join(name.rjust(space(name)) for name in figures)}"


def space(name: str) -> int:
    """Characters a column takes; calls are given for each vendor."""
    return 19 if name == "calls" else max(len(name), 7)


def chosen(case: Case, wanted: argparse.Namespace) -> Iterator[Cell]:
    """The cells of a case that were asked for."""
    asked = {axis: values for axis in AXES if (values := getattr(wanted, axis))}
    for cell in case.cells(wanted.scale, every=bool(asked)):
        if all(getattr(cell, axis) in values for axis, values in asked.items()):
            yield cell


def listing(cases: Sequence[Case]) -> str:
    return "\n".join(
        f"{case.name:<16} {case.about}\n{'':<16} promised: {', '.join(map(str, case.promises))}" for case in cases
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases to run (default: all)")
    parser.add_argument("--list", action="store_true", help="say which cases there are")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the run; 1 is the full size")
    parser.add_argument("--json", action="store_true", help="one JSON object per cell")
    for axis, kind in AXES.items():
        parser.add_argument(f"--{axis}", action="append", type=kind, help=f"only cells of this {axis}; may be repeated")
    parser.add_argument("--cases", type=Path, default=CASES, help="a folder of cases instead of our own")
    wanted = parser.parse_args()
    cases = cases_in(wanted.cases)
    if unknown := set(wanted.names) - cases.keys():
        parser.error(f"there is no case {', '.join(sorted(unknown))}; there are {', '.join(cases)}")
    picked = [cases[name] for name in wanted.names or cases]
    if wanted.list:
        print(listing(picked))
        return 0
    # That the store fails is what is measured here, not news.
    logging.getLogger("seekread").setLevel(logging.CRITICAL)
    begun, missed = time.monotonic(), 0
    for case in picked:
        missed += report(case, wanted)
    if wanted.json:
        return int(missed > 0)
    print(f"\n{time.monotonic() - begun:.0f} s")
    promises = Promises("faults")
    promises.at_most("cells that break a promise", missed, 0)
    return promises.told()


def report(case: Case, wanted: argparse.Namespace) -> int:
    """Run a case and print its table; how many of its cells broke a promise."""
    if not wanted.json:
        print(f"\n{case.name}: {case.about}\n  promised: {', '.join(map(str, case.promises))}", flush=True)
    count, shown = 0, None
    for cell in chosen(case, wanted):
        started = time.monotonic()
        figures = run(cell)
        missed = broken(cell, figures)
        count += bool(missed)
        if wanted.json:
            told = {"case": case.name, "route": cell.route, "width": cell.width, "latency": cell.latency}
            print(json.dumps({**told, "store": cell.store, **figures, "missed": missed}), flush=True)
            continue
        if shown != list(figures):
            print(heading(figures))
            shown = list(figures)
        print(f"{row(cell, figures, missed)}  {time.monotonic() - started:.0f} s", flush=True)
    return count


if __name__ == "__main__":
    sys.exit(main())
