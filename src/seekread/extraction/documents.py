"""
Documents that are not HTML, as Markdown: PDF, plain text, JSON, XML and feeds.

Everything here runs in a worker process. Each function is linear in its input and stops at the limits it is given.
"""

import html as entities
import json
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from seekread.errors import Unreadable
from seekread.extraction.extracted import Extracted
from seekread.models import Link, Signal

MAX_ITEMS = 500
"""Entries of a feed or addresses of a sitemap that are listed."""
SUMMARY = 500
MAX_JSON_DEPTH = 200
IMAGE = re.compile(r"!\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,2000}\)|\[[^\[\]\n]{0,100}\])")
HTML_IMAGE = re.compile(
    r"<(?:img|iframe|video|audio|embed|object|script|style|link|source)\s[^<>]{0,4000}>", re.IGNORECASE
)
UNSAFE_TARGET = re.compile(
    r"(\]\(\s{0,5}<?|^ {0,3}\[[^\[\]\n]{1,100}\]:\s{0,5}<?)(?:javascript|data|vbscript|blob|file):[^\s)>]{0,10000}",
    re.IGNORECASE | re.MULTILINE,
)
LINK = re.compile(r"(?<!!)\[([^\[\]\n]{1,300})\]\(<?(https?://[^\s()<>]{1,2000})")
TAG = re.compile(r"<[^<>]{0,10000}>")


@dataclass(frozen=True)
class ExtractOptions:
    """
    Limits of reading one document.

    `plain` asks for the reader of last resort, with the reason; it is set when the real one failed.
    `images` keeps images as Markdown images.
    """

    characters: int = 2_000_000
    pdf_pages: int = 1000
    pdf_seconds: float = 4.0
    plain: str = ""
    images: bool = False


def read_text(text: str) -> Extracted:
    """Plain text stands as it is; its first line serves as a title when it looks like one."""
    text = safe_markdown(text)
    first = text.partition("\n")[0].strip()
    return Extracted(markdown=text, title=first if 0 < len(first) <= 100 else "")


def read_markdown(text: str) -> Extracted:
    """Markdown passes through, made safe; its first heading is the title."""
    whole = len(text)
    text = without_comments(text)
    hidden = whole - len(text)
    text = safe_markdown(text)
    heading = re.search(r"^#{1,6}[^\S\n]+(.{1,300})$", text[:20_000], re.MULTILINE)
    signals = (Signal(kind="hidden-text", detail=f"comments, {hidden} characters"),) if hidden else ()
    links = tuple(Link(text=match[1], url=match[2]) for match in LINK.finditer(text))
    return Extracted(markdown=text, title=heading[1].strip(" #") if heading else "", links=links, signals=signals)


def without_comments(text: str) -> str:
    """Text without its HTML comments; one that never ends is text, as it is for Markdown."""
    pieces, position = [], 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces.append(text[position:start])
        position = end + 3
    return "".join((*pieces, text[position:]))


def safe_markdown(text: str) -> str:
    """
    Text whose images are named instead of loaded and whose links lead to the web or nowhere.

    Where it is shown, an image would send a request without anybody clicking.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    text = IMAGE.sub(lambda match: f"[image: {match[1]}]" if match[1] else "[image]", text)
    text = HTML_IMAGE.sub("[image]", text)
    return UNSAFE_TARGET.sub(lambda match: f"{match[1]}#", text)


def read_json(text: str, options: ExtractOptions) -> Extracted:
    """JSON, indented and fenced; what does not parse is fenced as it came, and flagged."""
    try:
        value = json.loads(text)
        shown = json.dumps(value, indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        signals = (Signal(kind="invalid-json", detail="the text does not parse as JSON and is shown as it came"),)
        return Extracted(markdown=fenced(text[: options.characters], "json"), signals=signals)
    title = value.get("title") or value.get("name") if isinstance(value, dict) else None
    return Extracted(
        markdown=fenced(shown[: options.characters], "json"), title=title[:200] if isinstance(title, str) else ""
    )


def fenced(text: str, language: str) -> str:
    """A code block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.strip()}\n{fence}"


def read_xml(text: str, options: ExtractOptions) -> Extracted:
    """A sitemap as a list of addresses; other XML fenced."""
    root = parsed(text)
    name = local(root.tag) if root is not None else ""
    if root is not None and name in {"urlset", "sitemapindex"}:
        return entry_list("Sitemap", "", sitemap_entries(root), len(root))
    return Extracted(markdown=fenced(text[: options.characters], "xml"))


def read_feed(text: str, options: ExtractOptions) -> Extracted:
    """RSS and Atom as a Markdown list: title with link, date, and the beginning of each entry."""
    root = parsed(text)
    if root is None:
        return read_xml(text, options)
    channel = next((child for child in root if local(child.tag) == "channel"), root)
    entries = [e for e in channel.iter() if local(e.tag) in {"item", "entry"}]
    # RSS 1.0 puts its items beside the channel.
    if not entries:
        entries = [e for e in root.iter() if local(e.tag) == "item"]
    found = (entry_of(element) for element in entries)
    about = first_text(channel, "description", "subtitle")
    extracted = entry_list(first_text(channel, "title") or "Feed", words_of_markup(about), found, len(entries))
    if not entries:
        return Extracted(markdown=extracted.markdown, title=extracted.title, outcome="empty")
    return extracted


@dataclass(frozen=True)
class FeedEntry:
    """One entry of a feed or sitemap."""

    title: str
    url: str
    date: str = ""
    summary: str = ""


def entry_list(title: str, about: str, entries: Iterable[FeedEntry], total: int) -> Extracted:
    """Write entries as a list, at most `MAX_ITEMS`, and say when there are more."""
    lines, links = [], []
    for entry in islice(entries, MAX_ITEMS):
        name = entry.title.replace("[", "(").replace("]", ")") or entry.url
        web = entry.url.startswith(("https://", "http://"))
        # Angle brackets keep an address with spaces or parentheses from ending early.
        shown = f"[{name}](<{entry.url.replace('<', '%3C').replace('>', '%3E')}>)" if web else name
        date = f" ({entry.date})" if entry.date else ""
        summary = f"\n  {entry.summary}" if entry.summary else ""
        lines.append(f"- {shown}{date}{summary}")
        if web:
            links.append(Link(text=name, url=entry.url))
    more = (Signal(kind="entries-left-out", count=total - MAX_ITEMS),) if total > MAX_ITEMS else ()
    parts = [f"# {title}", about, "\n".join(lines)]
    markdown = "\n\n".join(part for part in parts if part)
    return Extracted(markdown=markdown, title=title, links=tuple(links), signals=more)


def parsed(text: str) -> Any:
    """
    The root element of XML, or `None`.

    Entities are not resolved, no file and no address is loaded, and libxml2's own limits stay on.
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=False)
    try:
        # The declaration names an encoding that no longer applies to decoded text.
        return etree.fromstring(text.lstrip("\ufeff \t\r\n").encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def local(tag: Any) -> str:
    """The name of an element without its namespace; comments and instructions have none."""
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def first_text(element: Any, *names: str) -> str:
    """The text of the first child with one of the names, in the order of the names."""
    for name in names:
        for child in element:
            if local(child.tag) == name:
                text = " ".join("".join(child.itertext()).split())
                if text:
                    return text
    return ""


def entry_of(element: Any) -> FeedEntry:
    """Read an RSS item or an Atom entry."""
    return FeedEntry(
        title=words_of_markup(first_text(element, "title"))[:300],
        url=address_of(element),
        date=first_text(element, "pubdate", "published", "updated", "date")[:40],
        summary=words_of_markup(first_text(element, "description", "summary", "encoded", "content"))[:SUMMARY],
    )


def address_of(element: Any) -> str:
    """The address of an entry: Atom's alternate link, RSS's link, or a guid that is one."""
    for child in element:
        if local(child.tag) == "link" and child.get("href") and child.get("rel", "alternate") == "alternate":
            return str(child.get("href")).strip()[:2000]
    return first_text(element, "link", "guid")[:2000]


def sitemap_entries(root: Any) -> Iterator[FeedEntry]:
    for element in root:
        address = first_text(element, "loc")[:2000]
        if address:
            yield FeedEntry(title="", url=address, date=first_text(element, "lastmod")[:40])


def words_of_markup(markup: str) -> str:
    """Words of a snippet of HTML, on one line."""
    return " ".join(entities.unescape(TAG.sub(" ", entities.unescape(markup[:20_000]))).split())


def read_pdf(body: bytes, options: ExtractOptions) -> Extracted:
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
        return read_pages(document, options)
    finally:
        document.close()


def read_pages(document: Any, options: ExtractOptions) -> Extracted:
    started, total, size = time.process_time(), len(document), 0
    pages: list[str] = []
    damaged = 0
    for index in range(min(total, options.pdf_pages)):
        text = page_text(document, index)
        damaged += text is None
        pages.append(paragraphs(text or ""))
        size += len(pages[-1])
        if size > options.characters or time.process_time() - started > options.pdf_seconds:
            break
    information = {
        key.lower(): value.strip()[:200] for key, value in document.get_metadata_dict(skip_empty=True).items()
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
    return Extracted(
        markdown=markdown,
        title=information.get("title", ""),
        metadata={**metadata, "pages": str(total)},
        signals=tuple(signals),
    )


def page_text(document: Any, index: int) -> str | None:
    """The text of one page, or `None` when the page is damaged."""
    import pypdfium2

    try:
        page = document[index]
        words = page.get_textpage()
    except pypdfium2.PdfiumError:
        return None
    try:
        return str(words.get_text_bounded())
    finally:
        words.close()
        page.close()


def paragraphs(text: str) -> str:
    """Join the lines of a page that a typesetter broke, and the words he divided."""
    lines = [" ".join(line.split()) for line in text.replace("\r", "\n").replace("\ufffe", "-").split("\n")]
    filled = [line for line in lines if line]
    if not filled:
        return ""
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
    return "\n\n".join(joined)
