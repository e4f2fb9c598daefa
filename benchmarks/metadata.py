"""
Metadata side by side: the title, author and date that are found, beside trafilatura.

    python benchmarks/metadata.py DATA_DIR [--every N]

DATA_DIR holds public sets of pages as JSON lines (id, url, html), packed with xz: train, articles and segments.
Nobody labelled them, but many pages label themselves: JSON-LD names one headline, one person and one day. Each page is
read twice, as it came and without its JSON-LD and its meta tags, so that what is left is what a person sees. Both
readers get the same pages in one run. Exits with 1 when we find less than the peer.
"""

import argparse
import json
import logging
import lzma
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from benchmarks import peers
from benchmarks.promises import Promises
from seekread.extraction.html import prepare
from seekread.extraction.metadata import meta_tags, trimmed
from seekread.extraction.signals import Tally
from seekread.extraction.structured import ARTICLES, read_structured
from seekread.page.dates import day_in

SETS = ("train", "articles", "segments")
FIELDS = ("title", "author", "date")
DECLARATIONS = 'script[type="application/ld+json"], meta'
Found = dict[str, str]
Reader = Callable[[str, str], Found]


def ours(html: str, url: str) -> Found:
    metadata = prepare(html, url or None, Tally(), wash=True, rendered=False, sheets={}).metadata
    return {**{name: metadata.get(name, "") for name in FIELDS}, "date": metadata.get("date", "")[:10]}


def trafilatura() -> Reader:
    """The peer, from the environment of the peers."""
    peers.importable("peers")
    extract_metadata = import_module("trafilatura").extract_metadata
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    logging.getLogger("htmldate").setLevel(logging.CRITICAL)

    def run(html: str, url: str) -> Found:
        found = extract_metadata(html, default_url=url)
        return {name: (getattr(found, name, "") or "") for name in FIELDS} if found else dict.fromkeys(FIELDS, "")

    return run


def labels(html: str) -> Found:
    """What a page says about itself in JSON-LD, where that names one thing: a headline, a person, a day."""
    document = LexborHTMLParser(html)
    article = read_structured(document).first(ARTICLES)
    author = article.get("author")
    author = author[0] if isinstance(author, list) and len(author) == 1 else author
    person = author.get("name") if isinstance(author, dict) and author.get("@type") == "Person" else ""
    published = article.get("datePublished") or meta_tags(document).get("article:published_time")
    return {"title": text(article.get("headline")), "author": text(person), "date": day_in(text(published)) or ""}


def text(value: Any) -> str:
    return trimmed(unescape(unescape(value))) if isinstance(value, str) else ""


def undeclared(html: str) -> str:
    """A page without what it declares to programs."""
    document = LexborHTMLParser(html)
    for node in document.css(DECLARATIONS):
        node.decompose()
    return document.html or ""


def pages(folder: Path, every: int) -> Iterator[tuple[str, str, Found]]:
    """Every n-th page of the sets that labels itself."""
    for name in SETS:
        with lzma.open(folder / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                if number % every:
                    continue
                page = json.loads(line)
                known = labels(page["html"])
                if any(known.values()):
                    yield page["html"], page["url"] or "", known


def measure(
    folder: Path, every: int, readers: dict[str, Reader]
) -> dict[tuple[str, str, str], list[tuple[bool, bool]]]:
    """For each kind of page, field and reader: whether something was given, and whether it was exactly right."""
    scores: dict[tuple[str, str, str], list[tuple[bool, bool]]] = defaultdict(list)
    for html, url, known in pages(folder, every):
        for kind, shown in (("as it came", html), ("declares nothing", undeclared(html))):
            for reader, run in readers.items():
                found = run(shown, url)
                for name, label in known.items():
                    if label:
                        scores[kind, name, reader].append((bool(found[name]), found[name] == label))
    return scores


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--every", type=int, default=1, help="measure every n-th page only")
    arguments = parser.parse_args()
    missing = [name for name in SETS if not (arguments.data_dir / f"{name}.jsonl.xz").is_file()]
    if missing:
        raise SystemExit(f"{arguments.data_dir} lacks {', '.join(missing)}; see --help for the public sets")
    readers: dict[str, Reader] = {"seekread": ours, "trafilatura": trafilatura()}
    scores = measure(arguments.data_dir, arguments.every, readers)
    print("| page | field | pages | reader | given | exact |\n|---|---|---|---|---|---|")
    exact: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for (kind, name, reader), judged in scores.items():
        given = sum(is_given for is_given, _ in judged) / len(judged)
        exact[kind, name][reader] = sum(is_right for _, is_right in judged) / len(judged)
        print(f"| {kind} | {name} | {len(judged)} | {reader} | {given:.3f} | {exact[kind, name][reader]:.3f} |")
    promises = Promises("metadata")
    for row, shares in exact.items():
        promises.at_least(
            f"exact beyond trafilatura's, {', '.join(row)}", shares["seekread"] - shares["trafilatura"], 0
        )
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
