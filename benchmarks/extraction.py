"""
Extraction side by side: how much of the main content is found, what structure survives, and how fast.

    python benchmarks/extraction.py DATA_DIR [--every N] [--recall] [--wash]

DATA_DIR holds two public sets as JSON lines (id, url, html, gold, type), packed with xz, and the measure they share:

    articles.jsonl.xz   181 news pages of the article extraction benchmark (MIT)
    mixed.jsonl.xz      pages of seven types of the web content extraction benchmark (CC-BY-4.0)
    score.py            plain(), TOKEN, shingles(), overlap(), f1()

Peers are measured when they are installed: trafilatura, readability-lxml, resiliparse. All run in this process, one
page after the other, and their times are CPU times of the same run. `--recall` also says how much visible text the
wash costs, and exits with 1 when that is more than promised; `--wash` says how long finding hidden text takes, and
measures nothing else.
"""

import argparse
import importlib.util
import json
import lzma
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from seekread.extraction.html import extract_html

Extractor = Callable[[str, str], str]
MUCH_CSS = 2048
"""Characters of embedded style sheets beyond which a page counts as one with much CSS."""
RECALL = 0.997
"""The share of visible words that the wash keeps at least, on each set."""
SETS = {"articles": "shingle-F1", "mixed": "word-F1"}
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


def ours(html: str, url: str) -> str:
    return extract_html(html, url).markdown


def peers() -> Iterator[tuple[str, Extractor | None]]:
    """The peers by name; `None` when one is not installed."""
    yield "trafilatura", trafilatura()
    yield "readability-lxml", readability()
    yield "resiliparse", resiliparse()


def installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def trafilatura() -> Extractor | None:
    if not installed("trafilatura"):
        return None
    from trafilatura import extract

    return lambda html, url: (
        extract(html, url=url, output_format="markdown", include_links=True, include_comments=False) or ""
    )


def readability() -> Extractor | None:
    if not installed("readability"):
        return None
    from html_to_markdown import convert
    from readability import Document

    return lambda html, url: convert(Document(html, url=url).summary()).content or ""


def resiliparse() -> Extractor | None:
    if not installed("resiliparse"):
        return None
    from html_to_markdown import convert
    from resiliparse.extract.html2text import extract_plain_text

    def run(html: str, _url: str) -> str:
        return (
            convert(extract_plain_text(html, main_content=True, preserve_formatting="minimal_html", links=True)).content
            or ""
        )

    return run


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
    started = time.process_time()
    try:
        markdown = extract(page["html"], page["url"] or "")
    except Exception as error:  # noqa: BLE001 - a peer that fails on a page has extracted nothing
        print(f"    {page['id']}: {type(error).__name__}")
        markdown = ""
    score.seconds.append(time.process_time() - started)
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


def compare(folder: Path, every: int, extractors: dict[str, Extractor], measure: ModuleType) -> None:
    """Print one table for each set."""
    for name, main_figure in SETS.items():
        scores = {extractor: Score() for extractor in extractors}
        for page in pages(folder / f"{name}.jsonl.xz", every):
            for extractor, run in extractors.items():
                judge(scores[extractor], page, run, measure)
        print(f"\n{name} ({len(scores['seekread'].words)} pages, {main_figure} counts)\n")
        print("| extractor | shingle-F1 | word-F1 | empty | pages/s | p50 / p95 ms |\n|---|---|---|---|---|---|")
        for extractor, score in scores.items():
            print(row(extractor, score, measure))


def structure(extractors: dict[str, Extractor]) -> None:
    """Print which parts of the fixture page survive."""
    html = FIXTURE.read_text("utf-8")
    print("\nstructure kept on one page\n\n| extractor | kept | lost |\n|---|---|---|")
    for name, run in extractors.items():
        markdown = run(html, "https://basin.example/guides/float-gauge")
        lost = [part for part, pattern in STRUCTURE.items() if not re.search(pattern, markdown, re.MULTILINE)]
        print(f"| {name} | {len(STRUCTURE) - len(lost)} of {len(STRUCTURE)} | {', '.join(lost) or 'nothing'} |")


def wash_recall(folder: Path, every: int, measure: ModuleType) -> bool:
    """Print how much of the gold text is still found after the wash, against no wash; say whether it is enough."""
    kept_enough = True
    print("\nvisible text kept by the wash\n\n| set | all words | mean of pages |\n|---|---|---|")
    for name in SETS:
        washed = unwashed = 0
        shares: list[float] = []
        for page in pages(folder / f"{name}.jsonl.xz", every):
            gold = words(measure, page["gold"])
            kept = (gold & words(measure, extract_html(page["html"], page["url"]).markdown)).total()
            there = (gold & words(measure, extract_html(page["html"], page["url"], wash=False).markdown)).total()
            washed, unwashed = washed + kept, unwashed + there
            shares.append(min(1.0, kept / there) if there else 1.0)
        kept_enough &= washed / unwashed >= RECALL
        print(f"| {name} | {washed / unwashed:.4f} | {statistics.mean(shares):.4f} |")
    return kept_enough


def wash_cost(folder: Path, every: int) -> None:
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
        print(f"| {label} | {len(ordered)} | {statistics.median(ordered) * 1000:.1f} | {late * 1000:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--every", type=int, default=1, help="measure every n-th page only")
    parser.add_argument("--recall", action="store_true", help="also measure what the wash costs")
    parser.add_argument("--wash", action="store_true", help="measure only how long finding hidden text takes")
    arguments = parser.parse_args()
    missing = [
        name
        for name in (*(f"{name}.jsonl.xz" for name in SETS), "score.py")
        if not (arguments.data_dir / name).is_file()
    ]
    if missing:
        raise SystemExit(f"{arguments.data_dir} lacks {', '.join(missing)}; see --help for the public sets")
    if arguments.wash:
        wash_cost(arguments.data_dir, arguments.every)
        return
    extractors: dict[str, Extractor] = {"seekread": ours}
    for name, run in peers():
        if run is None:
            print(f"{name} is not installed and left out")
        else:
            extractors[name] = run
    measure = load_measure(arguments.data_dir)
    structure(extractors)
    compare(arguments.data_dir, arguments.every, extractors, measure)
    if arguments.recall and not wash_recall(arguments.data_dir, arguments.every, measure):
        raise SystemExit("MISSED: the wash keeps less of the visible words than promised")


if __name__ == "__main__":
    main()
