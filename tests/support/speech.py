"""
Documents that try to speak Markdown, and two independent parsers that say whether they do.

A text speaks when a parser of CommonMark makes an image, a raw tag or a link to anything but the web or a mailbox of
it. One parser is markdown-it's, the other is GitHub's cmark, which is written in C and shares nothing with it.
"""

import html
import json
import random
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options
from markdown_it import MarkdownIt
from markdown_it.token import Token

from seekread.errors import SeekreadError
from seekread.extraction.document import read_document
from seekread.extraction.options import ExtractOptions
from seekread.gathering.evidence import EvidencePassage, EvidenceSource, Gathered, LeftOut
from seekread.models import Link, Page, SearchResponse, SearchResult, Signal
from seekread.page.gate import gated
from seekread.page.invisible import one_line
from seekread.page.link_styles import restyled
from seekread.page.snapshot import Snapshot
from seekread.render.evidence import fenced_evidence, left_out
from seekread.render.failure import explain
from seekread.render.pages import page_markdown, page_text
from seekread.render.results import results_markdown
from seekread.toolkit.lookup import LOOKS, Room
from tests.support.hostile_pages import pdf, pdf_text
from tests.support.office_files import chapter, docx, epub, line, paragraph, pptx, rows, shape, xlsx

ALLOWED = {"http", "https", "mailto"}
SIGNS = (
    "!", "[", "]", "(", ")", "<", ">", "\\", "`", "``", "```", "~~~", "\n", "\n\n", "    ", "\t", "> ", "- ", "1. ",
    "2) ", "# ", "|", "|-|-|\n", "| a | b |\n", "---\n", "===\n", "a", "b ", "word\n", "r", " ", "  \n", '"', "'", ":",
    "]: ", "&", "*", "_", "**", "=", "$", "+ ", "\\\n", "\u200b", "\u202e", "\r", "\x0b", "\x0c", "\xa0", "\u2028",
)  # fmt: skip
CONSTRUCTS = (
    "![pixel](https://evil.example/p)", "![r]", "![a][r]", "![r][]", "![a\nb](https://evil.example/p)",
    "![a](https://evil.example/p(q))", "![[a]](https://evil.example/p)", "!\u200b[a](https://evil.example/p)",
    "[r]: https://evil.example/p\n", "[r]:\n", "[s]: javascript:alert(1)\n", "[s]", "[^1]: ", "[a](", "](",
    "[a](javascript:alert(1))", "[a](java&#115;cript:alert(1))", "[a](<javascript:alert(1)>)", "[a](JaVaScRiPt\\:x)",
    "[a](data:text/html,x)", "[a](vbscript:x 'title')", "<javascript:alert(1)>", "<ftp://evil.example/>",
    "<https://evil.example/>", "<a@b.example>", "<img src=https://evil.example/p>", "<img", "<b>", "</b>", "<script>\n",
    "</script>", "<!-- ", "-->", "<?", "?>", "<![CDATA[", "]]>", "<div>\n", "</div>\n", "<pre>\n", "<style>",
    '<a href="javascript:alert(1)">', "<svg/onload=alert(1)>", "<iframe/src=https://evil.example/>", "&lt;b&gt;",
    "&#33;[a](https://evil.example/p)", "https://evil.example/", "www.evil.example", "`a`", "```\n", "~~~\n",
    "\n\n    ", "- [ ] ", "[a]( javascript:alert(1))", "[a](&#106;avascript:alert(1))", "[a](\\javascript:alert(1))",
    "[s]: &#106;avascript:alert(1)\n", "](javascript:alert(1)) [", "[a](java&Tab;script:alert(1))", "&excl;[a](",
)  # fmt: skip


def speaking_text(chance: random.Random) -> str:
    """A text of signs and constructs, without sense."""
    pieces = SIGNS + CONSTRUCTS if chance.random() < 0.5 else CONSTRUCTS
    return "".join(chance.choice(pieces) for _ in range(chance.randint(2, 30)))


# Where such a text may stand


def as_html(text: str) -> bytes:
    escaped = html.escape(text)
    parts = escaped[: len(escaped) // 3], escaped[len(escaped) // 3 :]
    return (
        f"<title>{escaped}</title><main><h1>A page</h1><p>{'Some ordinary sentence about a river. ' * 8}</p>"
        f"<p>{parts[0]}<b>{parts[1]}</b><a href='https://ok.example/'>{escaped}</a>{escaped}</p>"
        f"<ul><li>{escaped}</li></ul><pre>{escaped}</pre><p>Call <code>{escaped}</code>!</p><p>{text}</p>"
        f"<table><tr><th>a<th>b<tr><td>{escaped}<td>b</table><blockquote>{escaped}</blockquote>"
        f"<img src='https://ok.example/i.png' alt='{escaped}'></main>"
    ).encode("utf-8", "replace")


PIECES = ("span", "span", "span", "b", "em", "small", "code", "sup", "q", "del", "a href='https://ok.example/'", "math")


def in_pieces(text: str) -> str:
    """HTML whose words stand in elements of their own, a few letters in each."""
    chance, pieces, place = random.Random(text), [], 0
    while place < len(text):
        size, tag = chance.choice((1, 1, 2, 3, 5, 9)), chance.choice(PIECES)
        written = html.escape(text[place : place + size])
        pieces.append(
            chance.choice((written, f"<{tag}>{written}</{tag.split()[0]}>", f"{written}<wbr>", f"{written}<!---->"))
        )
        place += size
    return "".join(pieces)


def as_html_in_pieces(text: str) -> bytes:
    broken, filling = in_pieces(text), "Some ordinary sentence about a river. " * 8
    return (
        f"<main><h1>A page {broken}</h1><p>{filling}</p><p>{broken}</p><ul><li>{broken}</li></ul>"
        f"<table><caption>{broken}</caption><tr><th>{broken}<th>b<tr><td>{broken}<td>{broken}</table>"
        f"<dl><dt>{broken}<dd>{broken}</dl><blockquote>{broken}</blockquote><figure><img src=/i.png alt=i>"
        f"<figcaption>{broken}</figcaption></figure><p>{filling} [r] [a][r] [s]</p></main>"
    ).encode("utf-8", "replace")


def as_html_everywhere(text: str) -> bytes:
    """The text in attributes, in what is closed, in formulas, and as the name of a language."""
    shown = html.escape(text)
    return (
        f"<html lang='{shown}'><title>{shown}</title><meta name=author content='{shown}'>"
        f"<base href='https://ok.example/{shown}/'><main><h1>A page</h1>"
        f"<p>{'Some ordinary sentence about a river. ' * 8}</p><p><a href='{shown}' title='{shown}'>a link</a> <a href='https://ok.example/{shown}'>{shown}</a></p>"
        f"<details><summary>{shown}</summary>{shown}</details><p hidden=until-found>{shown}</p>"
        f"<button role=tab aria-controls=p>{shown}</button><div role=tabpanel id=p hidden><p>{shown}</p></div>"
        f"<pre><code class='language-{shown}'>{shown}</code></pre><pre lang='{shown}'>{shown}</pre>"
        f"<p><math alttext='{shown}'><mi>x</mi><mtext>{shown}</mtext></math> <sup>{shown}</sup><q>{shown}</q></p>"
        f"<dl><dt>{shown}<dd>{shown}<pre>{shown}</pre></dl><ol start=3><li>{shown}<pre>{shown}</pre></ol>"
        f"<table><tr><th>a|b<th>{shown}<tr><td>{shown}<br>{shown}<td><pre>{shown}</pre><code>{shown}</code></table>"
        f"<img src='{shown}' alt='{shown}' title='{shown}'></main>"
    ).encode("utf-8", "replace")


def as_feed(text: str) -> bytes:
    escaped = html.escape(without_controls(text))
    return (
        f"<rss><channel><title>{escaped}</title><description>{escaped}</description><item><title>{escaped}</title>"
        f"<link>https://ok.example/{escaped}</link><pubDate>{escaped}</pubDate><description>{html.escape(escaped)}"
        f"</description></item><item><title>{escaped}</title><link>{escaped}</link></item></channel></rss>"
    ).encode()


def as_sitemap(text: str) -> bytes:
    escaped = html.escape(without_controls(text))
    return (
        f"<?xml version='1.0'?><urlset><url><loc>https://ok.example/{escaped}</loc><lastmod>{escaped}</lastmod></url>"
        f"<url><loc>{escaped}</loc></url></urlset>"
    ).encode()


def as_pdf(text: str) -> bytes:
    lines = [re.sub(r"([()\\])", r"\\\1", line).encode("latin-1", "replace") for line in text.split("\n")]
    return pdf(pdf_text(b"A first line of words.", *(line.replace(b"\r", b" ") for line in lines)))


def as_xml(text: str) -> bytes:
    return f"<?xml version='1.0'?><note>{html.escape(without_controls(text))}\n{text}</note>".encode()


def as_word(text: str) -> bytes:
    escaped = html.escape(without_controls(text))
    row = f"<w:tr><w:tc>{paragraph(escaped)}</w:tc><w:tc>{paragraph('b')}</w:tc></w:tr>"
    link = f"<w:p><w:hyperlink r:id='l'><w:r><w:t>{escaped}</w:t></w:r></w:hyperlink></w:p>"
    return docx(
        paragraph("A first line of words.") + paragraph(escaped) + f"<w:tbl>{row}{row}</w:tbl>" + link,
        targets=[("l", "hyperlink", f"https://ok.example/{escaped}", "External")],
        title=escaped,
    )


def as_slides(text: str) -> bytes:
    escaped = html.escape(without_controls(text))
    return pptx([shape(line(escaped), place="title") + shape(line(escaped), place="body") + shape(line(escaped))])


def as_workbook(text: str) -> bytes:
    escaped = html.escape(without_controls(text))
    return xlsx({"One": rows(["a", escaped], [escaped, "b"])})


def as_book(text: str) -> bytes:
    escaped = html.escape(without_controls(text))
    return epub([chapter(f"<h1>{escaped}</h1><p>{escaped}<b>{escaped}</b></p><pre>{escaped}</pre>")], title=escaped)


def as_notebook(text: str) -> bytes:
    outputs = [
        {"output_type": "stream", "text": text},
        {"output_type": "display_data", "data": {"text/html": [f"<p>{html.escape(text)}</p>{text}"]}},
        {"output_type": "display_data", "data": {"text/markdown": text}},
    ]
    cells = [
        {"cell_type": "markdown", "source": [text]},
        {"cell_type": "code", "source": text, "outputs": outputs},
        {"cell_type": "raw", "source": text},
    ]
    return json.dumps({"nbformat": 4, "cells": cells}).encode()


def as_mail(text: str) -> bytes:
    subject = " ".join(without_controls(text).split())
    head = f"From: {subject} <a@b.example>\nTo: c@d.example\nSubject: {subject}\nMIME-Version: 1.0\n"
    mixed = "Content-Type: multipart/mixed; boundary=bbbb\n\n"
    parts = f"--bbbb\nContent-Type: text/plain; charset=utf-8\n\n{text}\n--bbbb\n"
    attached = f'Content-Type: application/pdf; name="{subject[:80]}"\nContent-Disposition: attachment\n\nx\n--bbbb--\n'
    return (head + mixed + parts + attached).encode()


def as_json_feed(text: str) -> bytes:
    item = {"title": text, "url": f"https://ok.example/{text}", "date_published": text, "summary": text}
    return json.dumps({"version": "https://jsonfeed.org/version/1", "title": text, "items": [item, item]}).encode()


def as_product(text: str) -> bytes:
    thing = {"@type": "Product", "brand": {"name": text}, "offers": {"price": text, "priceCurrency": text}}
    shown = html.escape(text)
    return (
        f"<title>{shown}</title><script type='application/ld+json'>{json.dumps(thing).replace('<', chr(92) + 'u003c')}"
        f"</script><main><h1>{shown}</h1><p>{'Some ordinary sentence about a river. ' * 8} {shown}</p>"
        f"<figure><img src='https://ok.example/i.png' alt='{shown}'><figcaption>{shown}</figcaption></figure>"
        f"<div class='admonition'><p class='admonition-title'>{shown}</p><p>{shown}</p></div>"
        f"<table role='presentation'><tr><td>{shown}</td><td>{shown}</td></tr></table><p>H<sub>2</sub>O</p></main>"
    ).encode("utf-8", "replace")


def without_controls(text: str) -> str:
    return re.sub(r"[\x00-\x08\x0b-\x1f]", "", text)


DOCUMENTS: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "html": ("text/html", as_html),
    "markdown": ("text/markdown", lambda text: f"# A page\n\n{text}".encode()),
    "text": ("text/plain", lambda text: text.encode()),
    "feed": ("application/rss+xml", as_feed),
    "sitemap": ("application/xml", as_sitemap),
    "xml": ("application/xml", as_xml),
    "pdf": ("application/pdf", as_pdf),
    "json": ("application/json", lambda text: json.dumps({"title": text, text: [text]}).encode()),
    "word": ("", as_word),
    "slides": ("", as_slides),
    "workbook": ("", as_workbook),
    "book": ("", as_book),
    "notebook": ("application/json", as_notebook),
    "mail": ("message/rfc822", as_mail),
    "json feed": ("application/json", as_json_feed),
    "ndjson": ("application/x-ndjson", lambda text: "\n".join([json.dumps({text: text, "b": text})] * 2).encode()),
    "csv": ("text/csv", lambda text: f'{text},b\n{text},{text}\n"{text.replace(chr(34), "")}",{text}'.encode()),
    "product": ("text/html", as_product),
    "html in pieces": ("text/html", as_html_in_pieces),
    "html everywhere": ("text/html", as_html_everywhere),
    "tsv": ("text/tab-separated-values", lambda text: f"a\tb\n{text}\t{text}\n".encode()),
    "broken json": ("application/json", lambda text: f'{{"a": {text}'.encode()),
}
"""Each kind of document, as a server sends it."""
LAST_RESORT = ExtractOptions(plain="the page could not be parsed (it crashed)")


def markdown_of(kind: str, text: str, *, images: bool = False, plain: bool = False) -> str:
    """What reading a document of a kind with such a text in it brings, as a file that anybody may render."""
    content_type, written = DOCUMENTS[kind]
    options = LAST_RESORT if plain else ExtractOptions(images=images)
    extracted = read_document(written(text), content_type, "https://ok.example/", options)
    return page_markdown(Page(url="https://ok.example/", title=extracted.title, content=extracted.markdown))


def searched(text: str) -> str:
    """A search result with such a text everywhere, as Markdown."""
    result = SearchResult(title=text, url=f"https://ok.example/{text}", snippet=text, source=text, citation_id=1)
    return results_markdown(SearchResponse(query=text, results=(result,), answer=text))


def hostile_page(text: str) -> Page:
    """A page that says such a text wherever it can: in its text and its headings, and beside it."""
    content = gated(f"# {one_line(text)}\n\nSome words {text}\n\n## Other\n\nMore words.").text
    address = f"https://ok.example/{''.join(text.split())}"
    return Page(
        url=address,
        final_url=f"{address}{address}",
        title=text,
        content=content,
        metadata=dict.fromkeys(("author", "date", "site_name"), text),
        links=(Link(text=text, url=address),),
        signals=(Signal(kind="stuffing", detail=text),),
        notes=(text,),
    )


def looked_up(action: str, asked: str, text: str) -> str:
    """What a model is told when it looks something up in such a page."""
    try:
        found = LOOKS[action](Snapshot(hostile_page(text)), asked or text, Room(10_000, 10_000))
    except SeekreadError as error:
        return explain(error)
    return "\n".join(found.lines)


def gathered(text: str) -> str:
    """Evidence from pages with such a text in them, as a model is shown it."""
    words = gated(text).text or "words"
    passage = EvidencePassage(
        source=1, text=words, heading=text, offset=0, end=len(words), score=1.0, link=f"https://ok.example/{text}"
    )
    source = EvidenceSource(number=1, url=f"https://ok.example/{text}", title=text, date=text, snapshot=text)
    dropped = LeftOut(url=f"https://ok.example/{text}", why="failed", outcome="not_found")
    found = Gathered(question=text, content=passage.text, passages=(passage,), sources=(source,), left_out=(dropped,))
    return "\n".join([fenced_evidence(found), *left_out(found)])


def failed(text: str) -> str:
    """What a model is told of a page that could not be read, in words of the page."""
    page = hostile_page(text)
    return page_text(Page(url=page.url, success=False, outcome="not_found", error=text))


WRITERS: dict[str, Callable[[str], str]] = {
    **{kind: lambda text, kind=kind: markdown_of(kind, text) for kind in DOCUMENTS},  # type: ignore[misc]
    **{
        f"{kind} with images": lambda text, kind=kind: markdown_of(kind, text, images=True)  # type: ignore[misc]
        for kind in ("html", "markdown", "text", "html in pieces", "html everywhere")
    },
    **{
        f"{kind}, last resort": lambda text, kind=kind: markdown_of(kind, text, plain=True)  # type: ignore[misc]
        for kind in ("html", "markdown", "feed", "json")
    },
    "search result": searched,
    "page for a model": lambda text: page_text(hostile_page(text)),
    "page between fences": lambda text: page_text(hostile_page(text), fenced=True),
    "links in a list": lambda text: restyled(markdown_of("html", text), "list").text,
    "links left out": lambda text: restyled(markdown_of("html", text), "none").text,
    "page that failed": failed,
    "gathered evidence": gathered,
    "outline": lambda text: looked_up("outline", "-", text),
    "places": lambda text: looked_up("find", "words", text),
    "passages": lambda text: looked_up("passages", "words", text),
    "quotation": lambda text: looked_up("quote", "Some words", text),
    "quotation not there": lambda text: looked_up("quote", "Some other words that are not there", text),
    "section not there": lambda text: looked_up("section", "", text),
}
"""Everything that writes Markdown with somebody else's words in it."""


# Who says whether it speaks


def said(markdown: str) -> list[str]:
    """What a text says that it may not, by either parser."""
    return [
        *(f"markdown-it: {found}" for found in spoken_tokens(PARSER.parse(markdown))),
        *(f"markdown-it with tables: {found}" for found in spoken_tokens(PARSER_WITH_TABLES.parse(markdown))),
        *(f"cmark: {found}" for found in spoken_by_cmark(markdown)),
    ]


def parser(*rules: str) -> MarkdownIt:
    """A parser that refuses nothing by itself."""
    made = MarkdownIt("commonmark").enable(list(rules))
    made.validateLink = lambda url: True  # type: ignore[method-assign]
    made.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return made


PARSER, PARSER_WITH_TABLES = parser(), parser("table", "strikethrough")


def spoken_tokens(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in {"html_inline", "html_block", "image"}:
            yield f"{token.type} {token.content!r}"
        if token.type == "link_open" and leads_elsewhere(str(token.attrs["href"])):
            yield f"link to {token.attrs['href']!r}"
        yield from spoken_tokens(token.children or [])


def spoken_by_cmark(markdown: str) -> Iterator[str]:
    """Without its option for unsafe Markdown cmark puts a comment where a raw tag stood; with it, links are whole."""
    for options in (0, Options.CMARK_OPT_UNSAFE):
        listener = Listener()
        listener.feed(cmarkgfm.markdown_to_html(markdown, options))  # type: ignore[no-untyped-call]
        listener.close()
        yield from listener.heard


class Listener(HTMLParser):
    """Notes what HTML made of Markdown holds beside text."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.heard.append(f"image {attrs}")
        self.heard += [
            f"link to {value!r}" for name, value in attrs if name in {"href", "src"} and leads_elsewhere(value or "")
        ]

    def handle_comment(self, data: str) -> None:
        self.heard.append(data)


def leads_elsewhere(url: str) -> bool:
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", re.sub(r"[\x00-\x20]", "", html.unescape(url)))
    return scheme is not None and scheme[1].lower() not in ALLOWED
