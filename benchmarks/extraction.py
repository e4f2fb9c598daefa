"""
Extraction side by side: how much of the main content is found, what structure survives, and how fast.

    python -m benchmarks.extraction DATA_DIR [--every N] [--peers PYTHON] [--recall] [--wash] [--parts] [--growth]

DATA_DIR holds two public sets as JSON lines (id, url, html, gold, type), packed with xz, and the measure they share:

    articles.jsonl.xz   181 news pages of the article extraction benchmark (MIT)
    mixed.jsonl.xz      pages of seven types of the web content extraction benchmark (CC-BY-4.0); most of them are
                        among those the block model was trained on, so its figure there is no promise
    score.py            plain(), TOKEN, shingles(), overlap(), f1()

The peers (trafilatura, rs-trafilatura, readability-lxml, resiliparse, html-to-markdown) run in an environment of their
own, `.venvs/peers` or that of the interpreter named by `--peers` (rs-trafilatura has wheels for one Python only), in a
process that is asked page by page in turns with ours; all times are CPU times. Ours is what a worker does for
`open_page`, in a process set up like one: bytes in, pre-scan, wash, choice, Markdown out. `--recall` also says how much
visible text the wash costs; `--wash` says how long finding hidden text takes, `--parts` what each part of reading a
page takes, and `--growth` what a longer page takes; these measure nothing else. Exits with 1 when a required figure is
missed and is no known miss.
"""

import argparse
import importlib.util
import json
import lzma
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.promises import Promises
from seekread.extraction.document import read_document
from seekread.extraction.html import extract_html
from seekread.models import PageShape
from seekread.readers.builtin.child import collect_rarely, load_extractor
from tests.support.environments import Unavailable, made

Extractor = Callable[[str, str], tuple[str, float]]
"""From HTML and address to Markdown and the CPU seconds it took."""
MUCH_CSS = 2048
"""Characters of embedded style sheets beyond which a page counts as one with much CSS."""
RECALL = 0.997
"""The share of visible words that the wash keeps at least, on each set."""
ENTIRE = PageShape(whole=True)
"""All text of a page: what the wash costs is asked without the choice of blocks, which sees another page without it."""
PROMISED_WASH = {"all pages": 3.0, "pages with much CSS": 10.0}
"""Milliseconds of CPU that finding hidden text takes at the median, on a quiet machine."""
SETS = {"articles": "shingle-F1", "mixed": "word-F1"}
PROMISED_F1 = {"articles": 0.965}
"""Shingle-F1 on the set that nothing was trained on."""
PROMISED_SPEED = {"articles": 2.0, "mixed": 3.0}
"""How much faster than trafilatura, in CPU."""
PEERS = ("trafilatura", "rs-trafilatura", "readability-lxml", "resiliparse", "html-to-markdown")
PROMISED_MEGABYTE = 100.0
"""Milliseconds of CPU for a megabyte of a page."""
SIZES = (10_000, 100_000, 1_000_000, 3_000_000)
"""Bytes of a page that grows; a longer one of this kind has more tags than are read."""
FIXTURE = Path(__file__).parents[1] / "tests" / "data" / "pages" / "guide.html"
STRUCTURE = {
    "h1": r"^# Measuring river levels",
    "h2": r"^## What you need",
    "h3": r"^### Stations",
    "code": r"^```.*\n(?:.*\n)*?def mean\(levels\):\n    total",
    "code language": r"^```python\n",
    "language of a highlighter": r"^```shell\n",
    "table": r"^\| ?Upper weir ?\| ?112\.4 m ?\| ?1\.32 m ?\|",
    "table header": r"^\| ?Station ?\|.*\n\| ?-",
    "block quote": r"^> The tape does not lie",
    "nested list": r"^[-*+] A stilling well\n+(?: {2,4}|\t)[-*+] a pipe",
    "list in three levels": r"^(?: {4,8}|\t\t)1\. cut to length",
    "definition list": r"Stage\n+.*The height of the water",
    "price": r"\$\*{0,2}24\*{0,2}\.?99",
    "power": r"10\^3|10<sup>3|10\u00b3",
    "formula": r"Q = c \(h - h_0\)\^",
    "link": r"\[levels above datum\]\(",
}
"""What Markdown of the fixture page shows when its structure has survived."""


@dataclass
class Score:
    """What one extractor reached on one set."""

    precision: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    words: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    empty: int = 0


def ours(html: str, url: str) -> tuple[str, float]:
    body = html.encode("utf-8", "surrogatepass")
    started = time.process_time()
    markdown = read_document(body, "text/html; charset=utf-8", url).markdown
    return markdown, time.process_time() - started


class Peers:
    """A process in the environment of the peers, which extracts one page after the other."""

    def __init__(self, python: Path | None) -> None:
        script = Path(__file__).with_name("extraction_peers.py")
        self.process = subprocess.Popen(
            [python or made("peers") / "bin" / "python", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.names = tuple(self.told())

    def told(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def extractor(self, name: str) -> Extractor:
        def run(html: str, url: str) -> tuple[str, float]:
            assert self.process.stdin is not None
            self.process.stdin.write(json.dumps([name, html, url]) + "\n")
            self.process.stdin.flush()
            markdown, seconds = self.told()
            return str(markdown), float(seconds)

        return run

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


@contextmanager
def peers(python: Path | None = None) -> Iterator[dict[str, Extractor]]:
    """The peers by name, as far as there is an environment for them."""
    try:
        running = Peers(python)
    except Unavailable as error:
        print(f"the peers are left out: {error}")
        yield {}
        return
    try:
        for name in PEERS:
            if name not in running.names:
                print(f"{name} is not installed and left out")
        yield {name: running.extractor(name) for name in PEERS if name in running.names}
    finally:
        running.close()


def load_measure(folder: Path) -> ModuleType:
    """The measure that lies beside the sets."""
    spec = importlib.util.spec_from_file_location("score", folder / "score.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{folder} has no score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pages(path: Path, every: int) -> Iterator[dict[str, Any]]:
    """Every n-th page of a set that has a gold text."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        yield from (page for number, page in enumerate(map(json.loads, lines)) if number % every == 0 and page["gold"])


def words(measure: ModuleType, text: str) -> Counter[str]:
    return Counter(token.lower() for token in measure.TOKEN.findall(measure.plain(text)))


def judge(score: Score, page: dict[str, Any], extract: Extractor, measure: ModuleType) -> None:
    """Run one extractor on one page and add how well it did."""
    markdown, seconds = extract(page["html"], page["url"] or "")
    score.seconds.append(seconds)
    gold, found = measure.TOKEN.findall(page["gold"]), measure.TOKEN.findall(measure.plain(markdown))
    precision, recall = measure.overlap(measure.shingles(gold), measure.shingles(found)) if found else (0.0, 0.0)
    score.precision.append(precision)
    score.recall.append(recall)
    score.words.append(
        measure.f1(*measure.overlap(words(measure, page["gold"]), words(measure, markdown))) if found else 0.0
    )
    score.empty += len(found) < 5


def row(name: str, score: Score, measure: ModuleType) -> str:
    """One line of the table."""
    shingle = measure.f1(statistics.mean(score.precision), statistics.mean(score.recall))
    ordered = sorted(score.seconds)
    middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    return (
        f"| {name} | {shingle:.3f} | {statistics.mean(score.words):.3f} | {score.empty} "
        f"| {len(ordered) / sum(ordered):.1f} | {middle * 1000:.0f} / {late * 1000:.0f} |"
    )


def compare(
    folder: Path, every: int, extractors: dict[str, Extractor], measure: ModuleType, promises: Promises
) -> None:
    """Print one table for each set, and tell what is promised of it."""
    for name, main_figure in SETS.items():
        scores = {extractor: Score() for extractor in extractors}
        for page in pages(folder / f"{name}.jsonl.xz", every):
            for extractor, run in extractors.items():
                judge(scores[extractor], page, run, measure)
        print(f"\n{name} ({len(scores['seekread'].words)} pages, {main_figure} counts)\n")
        print("| extractor | shingle-F1 | word-F1 | empty | pages/s | p50 / p95 ms |\n|---|---|---|---|---|---|")
        for extractor, score in scores.items():
            print(row(extractor, score, measure))
        own = scores["seekread"]
        if name in PROMISED_F1:
            shingle = measure.f1(statistics.mean(own.precision), statistics.mean(own.recall))
            promises.at_least(f"{name}: shingle-F1", shingle, PROMISED_F1[name])
        if "trafilatura" in scores:
            faster = sum(scores["trafilatura"].seconds) / sum(own.seconds)
            promises.at_least(f"{name}: CPU of trafilatura beside ours", faster, PROMISED_SPEED[name])


def structure(extractors: dict[str, Extractor]) -> None:
    """Print which parts of the fixture page survive."""
    html = FIXTURE.read_text("utf-8")
    print("\nstructure kept on one page\n\n| extractor | kept | lost |\n|---|---|---|")
    for name, run in extractors.items():
        markdown, _ = run(html, "https://basin.example/guides/float-gauge")
        lost = [part for part, pattern in STRUCTURE.items() if not re.search(pattern, markdown, re.MULTILINE)]
        print(f"| {name} | {len(STRUCTURE) - len(lost)} of {len(STRUCTURE)} | {', '.join(lost) or 'nothing'} |")


def wash_recall(folder: Path, every: int, measure: ModuleType, promises: Promises) -> None:
    """Print how much of the gold text is still on the whole page after the wash, against no wash."""
    print("\nvisible text kept by the wash\n\n| set | all words | mean of pages |\n|---|---|---|")
    for name in SETS:
        washed = unwashed = 0
        shares: list[float] = []
        for page in pages(folder / f"{name}.jsonl.xz", every):
            gold = words(measure, page["gold"])
            kept, there = (
                (
                    gold & words(measure, extract_html(page["html"], page["url"], wash=wash, shape=ENTIRE).markdown)
                ).total()
                for wash in (True, False)
            )
            washed, unwashed = washed + kept, unwashed + there
            shares.append(min(1.0, kept / there) if there else 1.0)
        promises.at_least(f"{name}: visible words kept by the wash", washed / unwashed, RECALL)
        print(f"| {name} | {washed / unwashed:.4f} | {statistics.mean(shares):.4f} |")


def wash_cost(folder: Path, every: int, promises: Promises) -> None:
    """Print the CPU that finding and removing hidden text takes, beside that of parsing the page."""
    from selectolax.lexbor import LexborHTMLParser

    from seekread.extraction.signals import Tally
    from seekread.extraction.wash import remove_hidden

    parsing: list[float] = []
    washing: list[float] = []
    styled: list[float] = []
    for name in SETS:
        for page in pages(folder / f"{name}.jsonl.xz", every):
            started = time.process_time()
            document = LexborHTMLParser(page["html"])
            parsed = time.process_time()
            css = sum(len(node.text()) for node in document.css("style"))
            counted = time.process_time()
            remove_hidden(document, page["html"], Tally())
            washing.append(time.process_time() - counted)
            parsing.append(parsed - started)
            if css > MUCH_CSS:
                styled.append(washing[-1])
    print("\nhidden text, CPU\n\n| | pages | median ms | p95 ms |\n|---|---|---|---|")
    for label, seconds in (("parsing alone", parsing), ("all pages", washing), ("pages with much CSS", styled)):
        ordered = sorted(seconds)
        late = ordered[int(len(ordered) * 0.95)] if ordered else 0.0
        middle = statistics.median(ordered) * 1000
        print(f"| {label} | {len(ordered)} | {middle:.1f} | {late * 1000:.0f} |")
        if label in PROMISED_WASH:
            promises.at_most(f"{label}: ms for hidden text at the median", middle, PROMISED_WASH[label])


def part_costs(folder: Path, every: int) -> None:
    """Print the CPU that each part of reading a page takes, in the order of `read_document`."""
    from seekread.extraction import document
    from seekread.extraction import html as steps

    watched = {
        "pre-scan": (document, "tame"),
        "tree": (steps, "parse_page"),
        "metadata": (steps, "read_metadata"),
        "visibility": (steps, "remove_hidden"),
        "second tree": (steps, "from_lexbor"),
        "wash": (steps, "wash_tree"),
        "model": (steps, "choose"),
        "Markdown": (steps, "render"),
    }
    print("\nCPU by part, mean ms\n\n| set | all | " + " | ".join(watched) + " |\n|" + "---|" * (len(watched) + 2))
    for name in SETS:
        spent: Counter[str] = Counter()
        with ExitStack() as undo:
            for part, (module, function) in watched.items():
                undo.enter_context(clocked(module, function, part, spent))
            every_page = list(pages(folder / f"{name}.jsonl.xz", every))
            whole = sum(ours(page["html"], page["url"] or "")[1] for page in every_page)
        cells = " | ".join(f"{spent[part] / len(every_page) * 1000:.1f}" for part in watched)
        print(f"| {name} | {whole / len(every_page) * 1000:.1f} | {cells} |")


def growth(promises: Promises) -> None:
    """Print the CPU that a page takes whose body is written again and again, each time with other words."""
    before, body, after = re.split(r"(?s)(?<=<body>)(.*)(?=</body>)", FIXTURE.read_text("utf-8"))
    print("\none page, longer and longer, CPU\n\n| bytes | Markdown | ms | ms a MB |\n|---|---|---|---|")
    for size in SIZES:
        copies = (re.sub(r"\b(?=[a-z]{4,} )", f"{number} ", body) for number in range(max(1, size // len(body))))
        html = before + "".join(copies) + after
        markdown, seconds = ours(html, "https://basin.example/guides/float-gauge")
        a_megabyte = seconds * 1e9 / len(html)
        print(f"| {len(html):,} | {len(markdown):,} | {seconds * 1000:.0f} | {a_megabyte:.0f} |")
    promises.at_most("ms of CPU for a megabyte of a long page", a_megabyte, PROMISED_MEGABYTE)


@contextmanager
def clocked(module: ModuleType, function: str, part: str, spent: Counter[str]) -> Iterator[None]:
    """Count the CPU that a function of a module takes."""
    real = getattr(module, function)

    def run(*arguments: Any, **options: Any) -> Any:
        started = time.process_time()
        try:
            return real(*arguments, **options)
        finally:
            spent[part] += time.process_time() - started  # type: ignore[assignment]

    setattr(module, function, run)
    try:
        yield
    finally:
        setattr(module, function, real)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--every", type=int, default=1, help="measure every n-th page only")
    parser.add_argument("--peers", type=Path, help="an interpreter that has the peers")
    parser.add_argument("--recall", action="store_true", help="also measure what the wash costs")
    parser.add_argument("--wash", action="store_true", help="measure only how long finding hidden text takes")
    parser.add_argument("--parts", action="store_true", help="measure only what each part of reading takes")
    parser.add_argument("--growth", action="store_true", help="measure only what a longer page takes")
    arguments = parser.parse_args()
    missing = [
        name
        for name in (*(f"{name}.jsonl.xz" for name in SETS), "score.py")
        if not (arguments.data_dir / name).is_file()
    ]
    if missing:
        raise SystemExit(f"{arguments.data_dir} lacks {', '.join(missing)}; see --help for the public sets")
    load_extractor()
    collect_rarely()
    promises = Promises("extraction")
    if arguments.wash:
        wash_cost(arguments.data_dir, arguments.every, promises)
        sys.exit(promises.told())
    if arguments.growth:
        growth(promises)
        sys.exit(promises.told())
    if arguments.parts:
        part_costs(arguments.data_dir, arguments.every)
        return
    measure = load_measure(arguments.data_dir)
    with peers(arguments.peers) as others:
        extractors = {"seekread": ours, **others}
        structure(extractors)
        compare(arguments.data_dir, arguments.every, extractors, measure, promises)
    if arguments.recall:
        wash_recall(arguments.data_dir, arguments.every, measure, promises)
    sys.exit(promises.told())


if __name__ == "__main__":
    main()
