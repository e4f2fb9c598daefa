"""
Where documents come from: files, folders, pages that were read, and the documentation that ships with the package.

Only files that look like text, and PDFs, are taken from a folder; hidden folders, installed packages and links are left
alone. A file that is named by itself is taken whatever its name is, as long as it is text or of a kind we can read.
"""

import hashlib
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from seekread.errors import Misconfigured, SeekreadError
from seekread.extraction.charset import decode
from seekread.extraction.document import read_document, read_html
from seekread.index.document import Document, DocumentSection, take_apart, writable
from seekread.models import Page
from seekread.outcomes import is_failure
from seekread.page.dates import day_in

EDITION = b"3"
"""Part of every digest: raise it when reading improves, and files are read again although they did not change."""
LARGEST_FILE = 5_000_000
"""Bytes. Longer texts are logs and dumps more often than something to read."""

HTML = frozenset({".html", ".htm", ".xhtml"})
OTHERS = {
    ".pdf": "application/pdf",
    ".json": "application/json",
    ".xml": "application/xml",
    ".rss": "application/rss+xml",
    ".atom": "application/atom+xml",
}
"""Other kinds that can be read. Only PDFs are taken from a folder: the others are settings more often than texts."""
PDF = ".pdf"
TEXT = frozenset({".md", ".markdown", ".mdown", ".txt", ".text", ".rst"})
IGNORED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages", "venv"})
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""Of UTF-16, the one kind of text that is full of zero bytes."""


class Skipped(SeekreadError):
    """A source cannot be indexed; the message says why. The others can."""


def files_in(path: Path) -> Iterator[Path]:
    """The files to index below a folder, in a stable order, or the file itself."""
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in IGNORED_FOLDERS)
        for name in sorted(names):
            file = Path(folder, name)
            if not name.startswith(".") and file.suffix.lower() in HTML | TEXT | {PDF} and not file.is_symlink():
                yield file


def digest_of(content: bytes) -> str:
    """What tells one state of a source from another."""
    return hashlib.sha256(EDITION + content).hexdigest()


def read_bytes(path: Path) -> bytes:
    """The content of a file that is worth reading, or `Skipped`."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise Skipped(f"{path} is larger than {LARGEST_FILE // 1_000_000} MB")
        content = path.read_bytes()
    except OSError as error:
        raise Skipped(f"{path} cannot be read: {error.strerror or error}") from error
    if path.suffix.lower() not in OTHERS and b"\0" in content[:8192] and not content.startswith(BYTE_ORDER_MARKS):
        raise Skipped(f"{path} is not text")
    return content


def document_of(path: Path, content: bytes) -> Document:
    """Make a document of a file, or `Skipped` when nothing can be read from it."""
    kind = path.suffix.lower()
    markdown, title, date = "", "", None
    if kind not in HTML and kind not in OTHERS:
        markdown = decode(content).text
    else:
        # The name of a folder says nothing about a page, and nobody follows its links.
        extracted = (
            read_html(decode(content).text, None)
            if kind in HTML
            else read_document(content, OTHERS[kind], path.as_uri())
        )
        if is_failure(extracted.outcome):
            raise Skipped(f"{path} cannot be read: {extracted.error or extracted.outcome}")
        markdown, title, date = extracted.markdown, extracted.title, day_in(extracted.metadata.get("date", ""))
    text = take_apart(markdown)
    return Document(
        url=path.as_uri(),
        title=writable(title or text.title or path.stem),
        sections=_named(text.sections, title),
        digest=digest_of(content),
        date=date or text.date or _changed_on(path),
    )


def document_of_page(page: Page) -> Document:
    """Make a document of a page that was read, or `Skipped` when it was not."""
    if not page.success:
        raise Skipped(f"{page.url} could not be read: {page.error or page.outcome}")
    url = page.final_url or page.url
    text = take_apart(page.content)
    return Document(
        url=url,
        title=writable(page.title or text.title or url),
        sections=_named(text.sections, page.title),
        digest=digest_of(page.content.encode("utf-8", "replace")),
        date=day_in(page.metadata.get("date", "")),
    )


def shipped_docs() -> Path:
    """The folder with the documentation of seekread: inside an installed package, beside the source otherwise."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_docs", package.parent.parent / "docs"):
        if folder.is_dir():
            return folder
    raise Misconfigured(f"the documentation is not part of this installation: {package / '_docs'} is missing")


def _named(sections: tuple[DocumentSection, ...], title: str) -> tuple[DocumentSection, ...]:
    return tuple(
        DocumentSection("" if section.heading == title else section.heading, section.text) for section in sections
    )


def _changed_on(path: Path) -> str | None:
    # Files of a package carry the date of its installation, which says nothing about the text.
    if path.is_relative_to(shipped_docs()):
        return None
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
