"""PDF as Markdown. It runs in a worker process, is linear in its input and stops at the limits it is given."""

import re
import time
from typing import Any

from seekread.errors import Unreadable
from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.extraction.pdf_ink import SeenPage
from seekread.extraction.signals import Tally
from seekread.models import Signal
from seekread.page.dates import moment_in
from seekread.page.gate import unspoken_paragraph
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
    pages: list[str] = []
    damaged = 0
    for index in range(min(total, options.pdf_pages)):
        text = page_text(document, index, tally, started + options.pdf_seconds)
        damaged += text is None
        pages.append(written(paragraphs(tally.clean_characters(text or ""))))
        size += len(pages[-1])
        if size > options.characters or time.process_time() - started > options.pdf_seconds:
            break
    information = {
        key.lower(): one_line(value)[:200] for key, value in document.get_metadata_dict(skip_empty=True).items()
    }
    markdown = "\n\n".join(page for page in pages if page)
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


def page_text(document: Any, index: int, tally: Tally, deadline: float) -> str | None:
    """The text of one page that a person sees, or `None` when the page is damaged."""
    import pypdfium2

    try:
        page = document[index]
        SeenPage(page, tally, deadline).take_out_what_is_hidden()
        words = page.get_textpage()
    except pypdfium2.PdfiumError:
        return None
    try:
        return str(words.get_text_bounded())
    finally:
        words.close()
        page.close()


def spaced(created: str) -> str:
    """A date as PDF writes it, `D:20260304101112+01'00'`, as others write it."""
    match = re.fullmatch(r"D:(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z|[+-]\d\d)?(?:'(\d\d)'?)?.*", created)
    if match is None:
        return created
    year, month, day, hour, minute, second, zone, beyond = match.groups()
    zone = f"{zone}:{beyond or '00'}" if zone and zone != "Z" else zone or ""
    return f"{year}-{month}-{day}" + (f"T{hour}:{minute}:{second or '00'}{zone}" if hour else "")


def written(paragraphs: list[str]) -> str:
    """Paragraphs as Markdown that says nothing of its own."""
    return "\n\n".join(map(unspoken_paragraph, paragraphs))


def paragraphs(text: str) -> list[str]:
    """Join the lines of a page that a typesetter broke, and the words he divided."""
    lines = [" ".join(line.split()) for line in text.replace("\r", "\n").replace("\ufffe", "-").split("\n")]
    filled = [line for line in lines if line]
    if not filled:
        return []
    full = 0.7 * max(len(line) for line in filled)
    joined: list[str] = []
    goes_on = False
    for line in filled:
        if not (goes_on and joined):
            joined.append(line)
        elif joined[-1].endswith("-") and line[:1].islower():
            joined[-1] = joined[-1][:-1] + line
        else:
            joined[-1] += " " + line
        # A line that fills the measure goes on in the next; a short one ends its paragraph.
        goes_on = len(line) >= full and not (line.endswith((".", "!", "?", ":")) and len(line) < full * 1.25)
    return joined
