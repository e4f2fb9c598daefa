"""
A washed tree as HTML that does nothing: no script, style or handler, nothing that loads, no link but to the web.

What may stay is listed, tags and attributes alike; whatever is not on the list leaves its text behind. A picture keeps
its words and loses its address, because an address in an image is a request that nobody asked for.
"""

from copy import deepcopy

from lxml.etree import HTMLParser, fromstring, strip_tags, tostring

from seekread.extraction.links import safe_link
from seekread.extraction.signals import Tally
from seekread.extraction.tree import Element, body_of, elements

KEPT_TAGS = frozenset(
    {
        "a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code",
        "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "footer",
        "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i", "img", "ins", "kbd", "li", "main", "mark",
        "nav", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp", "section", "small", "span", "strong", "sub",
        "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "u", "ul", "var", "wbr",
    }
)  # fmt: skip
EVERYWHERE = ("id", "class", "lang", "dir")
KEPT_ATTRIBUTES = {
    "a": ("href",),
    "img": ("alt",),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan", "scope"),
    "col": ("span",),
    "colgroup": ("span",),
    "ol": ("start", "reversed"),
    "time": ("datetime",),
}
LONGEST_VALUE = 200
GOES = "removed"
"""A tag that is no element of HTML: it goes when the tree is written, and what it holds stays."""


def safe_html(body: Element, base: str | None, tally: Tally) -> str:
    """What a body holds, as HTML; the tree stays as it is."""
    body = deepcopy(body)
    for element in elements(body):
        if element is not body:
            make_safe(element, base, tally)
    strip_tags(body, GOES)
    body.tag = "body"
    body.attrib.clear()
    written = str(tostring(body, encoding="unicode", method="html", with_tail=False))
    return written.removeprefix("<body>").removesuffix("</body>").strip()


def make_safe(element: Element, base: str | None, tally: Tally) -> None:
    """Leave of an element what is on the lists."""
    tag = str(element.tag)
    if tag not in KEPT_TAGS:
        tag = element.tag = GOES
    kept = {name: element.get(name) or "" for name in (*EVERYWHERE, *KEPT_ATTRIBUTES.get(tag, ())) if element.get(name)}
    element.attrib.clear()
    if "href" in kept:
        kept["href"] = safe_link(kept["href"], base, tally)
    for name, value in kept.items():
        if value and (name == "href" or len(value) <= LONGEST_VALUE):
            element.set(name, value)


def html_of_markdown(markdown: str, base: str | None) -> str:
    """Our own Markdown as HTML, for documents that have no tree: written by a parser, then made safe like a page."""
    from markdown_it import MarkdownIt

    written = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    if not written.strip():
        return ""
    tree = fromstring(
        f"<html><body>{written}</body></html>".encode("utf-8", "replace"),
        parser=HTMLParser(huge_tree=True, remove_pis=True, remove_comments=True, encoding="utf-8"),
    )
    return safe_html(body_of(tree), base, Tally())
