"""
The page about all benchmarks, `docs/benchmarks.md`: one section for each, renewed when it is run, kept when it is not.

The page is what is kept: a section says when and where it was measured, and the lists at its top are made from the
sections.
"""

import os
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.catalogue import BENCHMARKS, Benchmark
from benchmarks.promises import known_misses

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
KEPT = re.compile(r"<!-- (\w+), exit code (\d+) -->\n(.*?)<!-- end -->", re.DOTALL)
JUDGED = re.compile(r"^ *(kept|known|MISSED):? +(.+)$", re.MULTILINE)
HEAD = """\
# Benchmarks

What seekread costs and what it finds, measured beside other packages in the same run.
`make bench` in a checkout measures it on your machine and writes this page; `make bench ARGS=mcp_start` renews a part.
Times move with the machine and with what else it does, so what is required is a count or a ratio of CPU, in turns.
A figure that is required and missed fails the run, unless it is a known miss that is no worse than before.
"""


@dataclass(frozen=True)
class Section:
    """What one benchmark printed, and how it ended."""

    text: str
    code: int

    @property
    def judged(self) -> list[tuple[str, str]]:
        """The required figures that it told: the verdict, and the rest of the line."""
        return JUDGED.findall(self.text)


def machine() -> str:
    """The machine in half a sentence."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores of {processor()}, {memory:.0f} GB, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}"
    )


def processor() -> str:
    """Its name, where the system tells."""
    told = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.+)$", told.read_text(), re.MULTILINE) if told.is_file() else []
    return " ".join(names[0].split()) if names else platform.machine()


def section(benchmark: Benchmark, command: list[str], printed: str, code: int, loads: tuple[float, float]) -> Section:
    """A section of the page from what a run printed."""
    shown = printed.replace(f"{ROOT}/", "").strip()
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    text = (
        f"## {benchmark.title}\n\n{benchmark.about}\n\n"
        f"{when}, {machine()}, load {loads[0]:.1f} before and {loads[1]:.1f} after; `python {' '.join(command)}`"
        f"{', which failed' if code else ''}.\n\n```text\n{shown}\n```\n"
    )
    return Section(text, code)


def sections() -> dict[str, Section]:
    """Those of the page as it is."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
    return {name: Section(text, int(code)) for name, code, text in KEPT.findall(page)}


def write(renewed: Mapping[str, Section]) -> None:
    """Put sections in place of what the page had of them."""
    known = {**sections(), **renewed}
    parts = [HEAD, *summary(known)]
    parts += [
        f"<!-- {name}, exit code {known[name].code} -->\n{known[name].text}<!-- end -->\n"
        for name in BENCHMARKS
        if name in known
    ]
    PAGE.write_text("\n".join(parts), encoding="utf-8")


def summary(known: Mapping[str, Section]) -> Iterator[str]:
    """What is required and how it stands, what is missed and why, and what is not here."""
    rows = ["| benchmark | required figures | kept | known misses | missed |", "|---|---|---|---|---|"]
    misses = []
    for name, benchmark in BENCHMARKS.items():
        if name not in known:
            continue
        verdicts = [verdict for verdict, _ in known[name].judged]
        counts = [len(verdicts), *(verdicts.count(verdict) for verdict in ("kept", "known", "MISSED"))]
        # Some only print, or tell what they require in a table of their own.
        cells = map(str, counts) if verdicts else ["in its table" if known[name].code else "none", "", "", ""]
        rows.append(f"| {benchmark.title} | {' | '.join(cells)} |")
        misses += [
            f"- {benchmark.title}: {line}{why(name, line)}" for verdict, line in known[name].judged if verdict != "kept"
        ]
        if known[name].code and "MISSED" not in verdicts:
            misses.append(f"- {benchmark.title}: the run failed; its section says at what.")
    yield "\n".join(rows) + "\n"
    yield "## What is missed\n\n" + ("\n".join(misses) if misses else "Nothing that was measured here.") + "\n"
    absent = [f"`{name}` ({bench.title.lower()})" for name, bench in BENCHMARKS.items() if name not in known]
    if absent:
        yield (
            f"Not measured here yet: {', '.join(absent)}. Some of them need public sets of pages and questions, in a "
            "folder that `--data` names; `benchmarks/README.md` has figures of earlier runs.\n"
        )


def why(name: str, line: str) -> str:
    """The reason of a known miss."""
    module = BENCHMARKS[name].module
    return next(
        (f"; {miss.why}" for miss in known_misses() if miss.benchmark == module and line.startswith(miss.figure)), ""
    )
