"""
One document from bytes to Markdown: sniff, decode, pre-scan, read, bound.

This is the work of a worker process. Nothing here runs on an event loop or opens a socket.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from seekread.errors import ProviderError
from seekread.extraction.charset import decode
from seekread.extraction.data import in_a_block, read_json
from seekread.extraction.extracted import Extracted, page_from
from seekread.extraction.feeds import read_feed, read_xml
from seekread.extraction.office.legacy import refuse_storage
from seekread.extraction.options import ExtractOptions
from seekread.extraction.prescan import Tamed, tame
from seekread.extraction.signals import Tally
from seekread.extraction.sniff import BY_NAME, WHOLE, DocumentKind, file_name, named, sniff
from seekread.extraction.strip import strip_tags
from seekread.extraction.tables import read_table
from seekread.extraction.text import read_markdown, read_text
from seekread.models import Page, PageHtml, Signal
from seekread.outcomes import is_failure
from seekread.page.gate import cut_markdown, unspoken

MAX_LINKS = 2000
DEFAULTS = ExtractOptions()
SURROGATE = re.compile("[\ud800-\udfff]")


def read_document(body: bytes, content_type: str, url: str, options: ExtractOptions = DEFAULTS) -> Extracted:
    """Read a document of any kind; a document that cannot be read is an `Extracted` whose outcome says why."""
    try:
        kind = named(sniff(body, content_type), url)
        if options.shape.selects and kind != "html":
            return Extracted(outcome="unsupported_type", error="selectors choose parts of HTML, and this is none")
        if kind in WHOLE and options.plain:
            return Extracted(outcome="too_large", error=options.plain.replace("page", WHOLE[kind], 1))
        if kind in FILES and not options.plain:
            tally = Tally()
            return with_markup(bounded(counted(FILES[kind](body, options, tally), tally), options), url, options)
        decoded = decode(body, content_type)
    except ProviderError as error:
        return Extracted(outcome=error.outcome, error=str(error))
    extracted = read_decoded(kind, decoded.text, url, options)
    metadata = {**extracted.metadata, "charset": decoded.encoding}
    whole = replace(extracted, metadata=metadata, signals=(*decoded.signals, *extracted.signals))
    return with_markup(bounded(whole, options), url, options, source=decoded.text if kind == "html" else "")


def read_decoded(kind: DocumentKind, text: str, url: str, options: ExtractOptions) -> Extracted:
    """Read text of a known kind."""
    if kind == "html":
        return read_html(text, url, options)
    if not text.strip():
        return Extracted(outcome="empty")
    if options.plain and kind in {"xml", "feed"}:
        return plainly(strip_tags(text, limit=options.characters, reason=options.plain))
    if options.plain:
        signal = Signal(kind="plain-text", detail=f"{options.plain}; it is shown as it came")
        return plainly(Extracted(markdown=text[: options.characters], signals=(signal,)))
    tally = Tally()
    if kind == "code":
        extracted = Extracted(
            markdown=in_a_block(text, BY_NAME[file_name(url).lower().rpartition(".")[2]][1], options, tally)
        )
    else:
        extracted = READERS[kind](text[: options.characters + 1] if kind in CUT_FIRST else text, options, tally)
    if not extracted.title and kind in NAMED_BY_FILE:
        extracted = replace(extracted, title=file_name(url))
    return counted(extracted, tally)


def read_pdf(body: bytes, options: ExtractOptions, tally: Tally) -> Extracted:
    """A PDF."""
    from seekread.extraction.pdf import read_pdf

    return read_pdf(body, options, tally)


def read_package(body: bytes, options: ExtractOptions, tally: Tally) -> Extracted:
    """An office file or a book."""
    from seekread.extraction.office.reader import read_package

    return read_package(body, options, tally)


def read_mail(body: bytes, options: ExtractOptions, tally: Tally) -> Extracted:
    """A message or a mailbox."""
    from seekread.extraction.mail import read_mail

    return read_mail(body, options, tally)


def read_storage(body: bytes, _options: ExtractOptions, _tally: Tally) -> Extracted:
    """A file that cannot be read: say which."""
    raise refuse_storage(body)


FILES: dict[DocumentKind, Callable[[bytes, ExtractOptions, Tally], Extracted]] = {
    "pdf": read_pdf,
    "package": read_package,
    "storage": read_storage,
    "mail": read_mail,
}
"""Kinds that are more than one text."""
READERS: dict[DocumentKind, Callable[[str, ExtractOptions, Tally], Extracted]] = {
    "json": read_json,
    "xml": read_xml,
    "feed": read_feed,
    "markdown": read_markdown,
    "text": read_text,
    "table": read_table,
}
NAMED_BY_FILE: frozenset[DocumentKind] = frozenset({"markdown", "table", "code"})
"""Kinds that rarely have a title of their own: the name of the file is theirs."""
CUT_FIRST: frozenset[DocumentKind] = frozenset({"markdown", "text"})
"""Kinds of which a part is as good as the whole."""


def read_html(html: str, url: str | None, options: ExtractOptions = DEFAULTS) -> Extracted:
    """Read a page within the limits of the pre-scan; without its tags if a worker failed before."""
    if not html.strip():
        return Extracted(outcome="empty")
    if options.plain:
        return plainly(strip_tags(html, limit=options.characters, reason=options.plain))
    tamed = tame(html)
    from seekread.extraction.html import extract_html

    extracted = extract_html(
        tamed.html,
        url,
        images=options.images,
        rendered=options.rendered,
        sheets=options.sheets,
        every_link=options.every_link,
        shape=options.shape,
    )
    if not tamed.why:
        return extracted
    signal = Signal(kind="page-tamed", count=max(1, tamed.cut), detail=about_taming(tamed))
    return replace(extracted, signals=(signal, *extracted.signals))


def about_taming(tamed: Tamed) -> str:
    """What was done to a page that no parser may see as it is."""
    done = "what follows was left out" if tamed.cut else "it was read in a simpler form"
    return f"{tamed.why}; {done}"


def plainly(extracted: Extracted) -> Extracted:
    """What the reader of last resort found, as text that says nothing: in one linear pass, without a parser."""
    tally = Tally()
    return counted(replace(extracted, markdown=unspoken(tally.clean_characters(extracted.markdown))), tally)


def counted(extracted: Extracted, tally: Tally) -> Extracted:
    """What was found, with a title on one line and what was counted on the way."""
    title = " ".join(tally.clean_characters(extracted.title).split())
    return replace(extracted, title=title, signals=(*extracted.signals, *tally.signals()))


def bounded(extracted: Extracted, options: ExtractOptions) -> Extracted:
    """Cut to the limits of an answer, and say so."""
    signals = extracted.signals
    # Escapes in JSON can write halves of characters, which no encoding can.
    markdown = extracted.markdown if extracted.markdown.isascii() else SURROGATE.sub("\ufffd", extracted.markdown)
    if len(markdown) > options.characters:
        whole = len(markdown)
        markdown = cut_markdown(markdown, options.characters)
        left = whole - len(markdown)
        signals = (
            *signals,
            Signal(kind="text-cut", count=left, detail=f"only {options.characters:,} characters are kept"),
        )
    if len(extracted.links) > MAX_LINKS:
        signals = (*signals, Signal(kind="links-left-out", count=len(extracted.links) - MAX_LINKS))
    return replace(
        extracted, markdown=markdown, title=extracted.title[:500], links=extracted.links[:MAX_LINKS], signals=signals
    )


def with_markup(extracted: Extracted, url: str, options: ExtractOptions, source: str = "") -> Extracted:
    """What was read as HTML too, if that is wanted: what has no tree is written from its Markdown."""
    shape = options.shape
    if not (shape.html or shape.source):
        return extracted
    html = extracted.markup.html
    if shape.html and not html:
        from seekread.extraction.safe_html import html_of_markdown

        html = html_of_markdown(extracted.markdown, url)
    given = {"html": html if shape.html else "", "source": source if shape.source else ""}
    fits = {name: SURROGATE.sub("\ufffd", text) for name, text in given.items() if len(text) <= options.characters}
    left_out = [Signal(kind="markup-left-out", detail=f"its {name} is too long") for name in given if name not in fits]
    return replace(extracted, markup=PageHtml(**fits), signals=(*extracted.signals, *left_out))


def extract(html: str, url: str | None = None) -> Page:
    """
    Read HTML that is at hand, without the network and in this process.

    A page that cannot be read is a `Page` with `success=False`. HTML from strangers is better read by a worker:
    this function has no time limit, only the pre-scan.
    """
    extracted = bounded(read_html(html, url), DEFAULTS)
    page = page_from(extracted, url or "")
    if is_failure(extracted.outcome):
        return page.model_copy(update={"success": False, "error": extracted.error})
    return page
