"""
Hidden text side by side: how many tricks that hide text from eyes reach a model, and what legitimate text is lost.

    python -m benchmarks.hidden [--set known|fresh|blind|later|drawn|second] [--believe] [--names]

The tricks and the controls lie in `benchmarks/hidden_text` as pieces of HTML; `fresh.toml`, in the same format, holds
tricks that were written after the code by somebody else, most of them mended since (`--set fresh`), `blind.toml`
those written by others again after that, without a look at code or tricks, and run once (`--set blind`), `later.toml`
those of one more such attempt, mended since (`--set later`), `drawn.toml` those that only a picture tells, which are
the browser reader's (`--set drawn`), and `second.toml` those of a second blind set, by one who had seen none of it,
run once before it was mended (`--set second`). Nothing is believed about them: each page is rendered twice in Chromium
with its words in another order, and if no pixel changes, the text is hidden. A trick that shows its words does not
count, nor does a control that hides them. `--believe` leaves Chromium out, and with it the browser reader.

Peers are measured when their environment can be made, as in `extraction.py`. Exits with 1 when a promise is missed: see
`PROMISES`.
"""

import argparse
import asyncio
import re
import statistics
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.extraction import peers
from benchmarks.promises import Promises
from seekread.extraction.document import read_html
from seekread.extraction.options import ExtractOptions
from seekread.extraction.wash import CLOSED_MARK

DATA = Path(__file__).parent / "hidden_text"
WORDS = ("marigold quarries tunnelling", "tunnelling quarries marigold")
"""The words of a trick, in two orders: as wide, and another picture."""
TOLD = re.compile(r"marigold|quarries|tunnelling", re.IGNORECASE)
SENTENCES = (
    "The reservoir stood at sixty per cent this spring, and the repairs of the northern wall went on steadily.",
    "A second gauge was set up below the weir, where the water is calm enough to be read by eye on most days.",
    "The figures of both are published every month, and anybody may ask for those of the years before.",
)
TEXT = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
PAGE = (
    "<!doctype html><html><head><title>Basin</title></head><body><main><article><h1>Basin</h1>"
    "{text}{piece}{text}</article></main></body></html>"
)
REPEATED = re.compile(r"\{\{(\d+) (.*?)\}\}")
FIRST = 120
NO_PROMISE = sys.maxsize
PROMISES = {"known": (5, 3), "fresh": (10, 3), "blind": (6, 3), "drawn": (NO_PROMISE, 0), "later": (0, 0),
            "second": (6, 3)}  # fmt: skip
"""Leaks allowed in the static and in the browser reader: of the first 120 known tricks, and of the others all."""
FILES = {"known": "tricks.toml", "fresh": "fresh.toml", "blind": "blind.toml", "drawn": "drawn.toml",
         "later": "later.toml", "second": "second.toml"}  # fmt: skip
LOST = 0
"""Controls that may be lost, in either reader."""
SETTLE = 0.15
"""Seconds a page gets for its animations and scripts."""


@dataclass(frozen=True)
class Case:
    """A trick or a control."""

    name: str
    piece: str

    def page(self, words: str) -> str:
        """The whole page with these words in it."""
        piece = REPEATED.sub(lambda found: repeated(int(found[1]), found[2]), self.piece).replace("WORDS", words)
        if piece.lower().startswith(("<html", "<!doctype")):
            return piece.replace("TEXT", TEXT)
        return PAGE.format(text=TEXT, piece=piece)


@dataclass(frozen=True)
class Seen:
    """What Chromium showed of a case, and what the browser reader was given."""

    visible: bool
    copied: str
    pictures: int
    seconds: float
    """What it took to look at the page, pictures included, and to copy it."""


def repeated(count: int, piece: str) -> str:
    return " ".join(piece.replace("#", str(number)) for number in range(count))


def cases(path: Path) -> list[Case]:
    """The cases of a file, in its order."""
    groups = tomllib.loads(path.read_text("utf-8"))
    return [Case(f"{group}: {name}", piece) for group, named in groups.items() for name, piece in named.items()]


def static(html: str, url: str) -> str:
    return read_html(html, url).markdown


def rendered(copied: str) -> str:
    return read_html(copied, "https://basin.example/", ExtractOptions(rendered=True)).markdown


async def look(all_cases: list[Case]) -> dict[str, Seen]:
    """Render every case twice."""
    from seekread.readers.browser.chromium import NOWHERE
    from seekread.readers.browser.process import BrowserProcess

    process = BrowserProcess()
    seen: dict[str, Seen] = {}
    try:
        async with process.context(NOWHERE) as context:
            for case in all_cases:
                seen[case.name] = await look_at_case(context, case)
    finally:
        await process.close()
    return seen


async def look_at_case(context: object, case: Case) -> Seen:
    from seekread.readers.browser.rendered import copy_document

    pictures: list[bytes] = []
    copied, taken, seconds = "", 0, 0.0
    for words in WORDS:
        page = await context.new_page()  # type: ignore[attr-defined]
        await page.set_content(case.page(words), wait_until="load")
        await asyncio.sleep(SETTLE)
        if not copied:
            session = await context.new_cdp_session(page)  # type: ignore[attr-defined]
            started = time.perf_counter()
            document = await copy_document(session)
            copied, taken, seconds = document.html, document.sight.pictures, time.perf_counter() - started
        pictures.append(await page.screenshot(full_page=True, animations="allow"))
        await page.close()
    return Seen(pictures[0] != pictures[1], copied, taken, seconds)


@dataclass(frozen=True)
class Count:
    """What one reader let through of the tricks, and lost of the controls."""

    reader: str
    leaked: tuple[str, ...]
    lost: tuple[str, ...]
    marked: int
    """How many of the leaks are marked as what a reader of the page must open first."""


def count(reader: str, read: Callable[[Case], str], tricks: list[Case], controls: list[Case]) -> Count:
    leaked = {case.name: text for case in tricks if TOLD.search(text := read(case))}
    lost = tuple(case.name for case in controls if not TOLD.search(read(case)))
    return Count(reader, tuple(leaked), lost, sum(CLOSED_MARK in text for text in leaked.values()))


def readers(seen: dict[str, Seen]) -> Iterator[tuple[str, Callable[[Case], str]]]:
    """Everybody who is measured, ours first."""

    def by(extract: Callable[[str, str], str]) -> Callable[[Case], str]:
        return lambda case: extract(case.page(WORDS[0]), "https://basin.example/")

    yield "seekread", by(static)
    if seen:
        yield "seekread, browser reader", lambda case: rendered(seen[case.name].copied)
    with peers() as extractors:
        for name, extract in extractors.items():
            yield name, by(lambda html, url, extract=extract: extract(html, url)[0])  # type: ignore[misc]


def print_cost(seen: list[Seen]) -> None:
    """What looking at a page costs the browser reader."""
    if seen:
        times = sorted(one.seconds * 1000 for one in seen)
        pictures = statistics.mean(one.pictures for one in seen)
        print(
            f"the browser reader looks at a page and copies it in {statistics.median(times):.0f} ms (median), "
            f"{times[int(len(times) * 0.95)]:.0f} ms (p95), with {pictures:.1f} pictures on average"
        )


def judged(counts: list[Count], names: list[str], kind: str) -> Promises:
    """What was promised of both our readers."""
    promises = Promises("hidden")
    for counted, allowed in zip(counts[:2], PROMISES[kind], strict=False):
        if not counted.reader.startswith("seekread"):
            continue
        if allowed != NO_PROMISE:
            leaked = [name for name in counted.leaked if name in names]
            promises.at_most(f"{counted.reader}: tricks of {len(names)} that are read", len(leaked), allowed)
        promises.at_most(f"{counted.reader}: controls lost", len(counted.lost), LOST)
    return promises


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=list(PROMISES), default="known", help="which tricks; fresh ones are run once")
    parser.add_argument("--believe", action="store_true", help="believe the data, without Chromium")
    parser.add_argument("--names", action="store_true", help="name what leaked and what was lost")
    arguments = parser.parse_args()
    path = DATA / FILES[arguments.set]
    if not path.is_file():
        raise SystemExit(f"there is no {path.name} yet: write tricks into it in the format of tricks.toml")
    tricks, controls = cases(path), cases(DATA / "controls.toml")
    seen = {} if arguments.believe else asyncio.run(look([*tricks, *controls]))
    if seen:
        visible = [case.name for case in tricks if seen[case.name].visible]
        unseen = [case.name for case in controls if not seen[case.name].visible]
        print(f"{len(tricks) - len(visible)} of {len(tricks)} tricks hide their words in Chromium")
        print(*(f"  shows its words: {name}" for name in visible), sep="\n")
        print(*(f"  control that hides its words: {name}" for name in unseen), sep="\n")
        tricks = [case for case in tricks if case.name not in visible]
        controls = [case for case in controls if case.name not in unseen]
    counts = [count(reader, read, tricks, controls) for reader, read in readers(seen)]
    print(f"\n| reader | leaks of {len(tricks)} tricks | of them marked | lost of {len(controls)} controls |")
    print("|---|---|---|---|")
    for counted in counts:
        print(f"| {counted.reader} | {len(counted.leaked)} | {counted.marked} | {len(counted.lost)} |")
    print_cost([*seen.values()])
    if arguments.names:
        for counted in counts[: 1 + bool(seen)]:
            print(*(f"{counted.reader} leaks: {name}" for name in counted.leaked), sep="\n")
            print(*(f"{counted.reader} loses: {name}" for name in counted.lost), sep="\n")
    first = tricks[:FIRST] if arguments.set == "known" else tricks
    return judged(counts, [case.name for case in first], arguments.set).told()


if __name__ == "__main__":
    sys.exit(main())
