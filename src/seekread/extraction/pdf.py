"""PDF as Markdown. It runs in a worker process, is linear in its input and stops at the limits it is given."""

import re
import time
from dataclasses import replace
from typing import Any

from seekread.errors import Unreadable
from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.extraction.pdf_ink import SeenPage
from seekread.extraction.pdf_layout import PdfCell, PdfLine, heading_levels, lines_of, page_markdown
from seekread.extraction.signals import Tally
from seekread.models import Signal
from seekread.page.dates import moment_in
from seekread.page.invisible import one_line


def read_pdf(body: bytes, options: ExtractOptions, tally: Tally) -> Extracted:
    """The text of a PDF, page by page, until a limit is met."""
    try:
        import pypdfium2
    except ImportError:
        raise Unreadable(
            "unsupported_type", "this is a PDF and reading it needs a package: install seekread[pdf]"
        ) from None

    try:
        document: Any = pypdfium2.PdfDocument(body)  # type: ignore[no-untyped-call]
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        reason = "is protected with a password" if locked else "is damaged and cannot be opened"
        raise Unreadable("paywalled" if locked else "bad_reply", f"the PDF {reason}") from None
    try:
        return read_pages(document, options, tally)
    finally:
        document.close()


def read_pages(document: Any, options: ExtractOptions, tally: Tally) -> Extracted:
    started, total, size = time.process_time(), len(document), 0
    pages: list[list[PdfLine]] = []
    damaged = 0
    for index in range(min(total, options.pdf_pages)):
        lines = page_lines(document, index, tally, started + options.pdf_seconds)
        damaged += lines is None
        pages.append(lines or [])
        size += sum(len(line.text) for line in pages[-1])
        if size > options.characters or time.process_time() - started > options.pdf_seconds:
            break
    information = {
        key.lower(): one_line(value)[:200] for key, value in document.get_metadata_dict(skip_empty=True).items()
    }
    levels = heading_levels(line for lines in pages for line in lines)
    markdown = "\n\n".join(filter(None, (page_markdown(lines, levels, options) for lines in pages)))
    if not markdown:
        raise Unreadable("unsupported_type", f"the PDF holds no text on {len(pages)} pages; it may be scanned images")
    signals = []
    if len(pages) < total:
        signals.append(
            Signal(kind="pages-left-out", count=total - len(pages), detail=f"read {len(pages)} of {total} pages")
        )
    if damaged:
        signals.append(Signal(kind="damaged-pages", count=damaged))
    wanted = {"author": "author", "subject": "description", "creationdate": "created"}
    metadata = {name: information[key] for key, name in wanted.items() if information.get(key)}
    if "created" in metadata:
        metadata["created"] = moment_in(spaced(metadata["created"])) or metadata["created"]
    return Extracted(
        markdown=markdown,
        title=information.get("title", ""),
        metadata={**metadata, "pages": str(total)},
        signals=tuple(signals),
    )


def page_lines(document: Any, index: int, tally: Tally, deadline: float) -> list[PdfLine] | None:
    """The lines of one page that a person sees, or `None` when the page is damaged."""
    import pypdfium2

    try:
        page = document[index]
        SeenPage(page, tally, deadline).take_out_what_is_hidden()
        words = page.get_textpage()
    except pypdfium2.PdfiumError:
        return None
    try:
        lines = lines_of(words, page.get_bbox())
        if lines is None:
            lines = unplaced(str(words.get_text_bounded()))
        return [cleaned(line, tally) for line in lines]
    finally:
        words.close()
        page.close()


def unplaced(text: str) -> list[PdfLine]:
    """Lines of which only the words are known."""
    return [PdfLine((PdfCell(line, 0, 0),), 0, 0) for line in text.splitlines() if line.strip()]


def cleaned(line: PdfLine, tally: Tally) -> PdfLine:
    """A line without characters that nobody sees; the sign of a divided word is a hyphen."""
    cells = (replace(cell, text=clean_text(cell.text, tally)) for cell in line.cells)
    return replace(line, cells=tuple(cell for cell in cells if cell.text))


def clean_text(text: str, tally: Tally) -> str:
    return " ".join(tally.clean_characters(text.replace("\ufffe", "-").replace("\x02", "-")).split())


def spaced(created: str) -> str:
    """A date as PDF writes it, `D:20260304101112+01'00'`, as others write it."""
    match = re.fullmatch(r"D:(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z|[+-]\d\d)?(?:'(\d\d)'?)?.*", created)
    if match is None:
        return created
    year, month, day, hour, minute, second, zone, beyond = match.groups()
    zone = f"{zone}:{beyond or '00'}" if zone and zone != "Z" else zone or ""
    return f"{year}-{month}-{day}" + (f"T{hour}:{minute}:{second or '00'}{zone}" if hour else "")
