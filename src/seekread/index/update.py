"""
Bring the index up to date with its sources: read what is new or has changed, drop what is gone, leave the rest alone.
"""

import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from urllib.parse import unquote_to_bytes
from urllib.request import url2pathname

from seekread.index.document import Document
from seekread.index.sources import Skipped, digest_of, document_of, document_of_page, files_in, read_bytes
from seekread.index.store import IndexStore
from seekread.late import dataclass
from seekread.models import Page

PageOpener = Callable[[str], Awaitable[Page]]
"""Reads a page; whoever calls brings it, so that the index opens no connection."""


@dataclass
class UpdateReport:
    """What an update did, counted in documents; `skipped` says why for each that could not be read."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: list[str] = field(default_factory=list)

    def __add__(self, other: "UpdateReport") -> "UpdateReport":
        return UpdateReport(
            self.added + other.added,
            self.updated + other.updated,
            self.unchanged + other.unchanged,
            self.removed + other.removed,
            self.skipped + other.skipped,
        )


def add_files(
    store: IndexStore, paths: Sequence[Path], *, on_file: Callable[[Path], None] = lambda _: None
) -> UpdateReport:
    """Index files and folders. What has vanished from a folder since it was added vanishes from the index too."""
    paths = [path.resolve() for path in paths]
    known = store.digests()
    report = UpdateReport()
    store.add(_changed(dict.fromkeys(file for path in paths for file in files_in(path)), known, report, on_file))
    report.removed = store.remove(_vanished(known, [path for path in paths if path.is_dir()]))
    return report


async def add_pages(
    store: IndexStore, urls: Iterable[str], open_page: PageOpener, *, on_page: Callable[[str], None] = lambda _: None
) -> UpdateReport:
    """Read pages and index them."""
    known = store.digests()
    report = UpdateReport()
    for url in dict.fromkeys(urls):
        on_page(url)
        _take(store, await open_page(url), known, report)
    return report


def take_pages(store: IndexStore, pages: Iterable[Page]) -> UpdateReport:
    """Index pages that were read already."""
    known = store.digests()
    report = UpdateReport()
    for page in pages:
        _take(store, page, known, report)
    return report


def _take(store: IndexStore, page: Page, known: dict[str, str], report: UpdateReport) -> None:
    try:
        document = document_of_page(page)
    except Skipped as reason:
        report.skipped.append(str(reason))
        return
    if _is_news(document.url, document.digest, known, report):
        store.add([document])


def _changed(
    files: Iterable[Path], known: dict[str, str], report: UpdateReport, on_file: Callable[[Path], None]
) -> Iterator[Document]:
    for file in files:
        on_file(file)
        try:
            content = read_bytes(file)
            if _is_news(file.as_uri(), digest_of(content), known, report):
                yield document_of(file, content)
        except Skipped as reason:
            report.skipped.append(str(reason))


def _is_news(url: str, digest: str, known: dict[str, str], report: UpdateReport) -> bool:
    before = known.get(url)
    if before == digest:
        report.unchanged += 1
        return False
    if before is None:
        report.added += 1
    else:
        report.updated += 1
    return True


def _vanished(known: Iterable[str], folders: Sequence[Path]) -> list[str]:
    below = tuple(f"{folder.as_uri().rstrip('/')}/" for folder in folders)
    return [url for url in known if below and url.startswith(below) and not path_of(url).exists()]


def path_of(url: str) -> Path:
    """The path a `file://` URL stands for, byte for byte where names are bytes."""
    path = url.removeprefix("file://")
    return Path(url2pathname(path) if os.name == "nt" else os.fsdecode(unquote_to_bytes(path)))
