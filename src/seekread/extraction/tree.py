"""
One page, parsed once: lexbor reads the HTML as browsers do, lxml carries the tree that is washed, chosen from and
rendered.

Lexbor is the only parser that meets the raw page. What it serialises is well formed, so lxml sees the same tree;
libxml2 alone would read broken HTML differently from a browser, and hidden text lives in that difference.
"""

import re
from collections.abc import Iterator

from lxml.etree import HTMLParser, fromstring, tostring
from lxml.etree import _Element as Element
from selectolax.lexbor import LexborHTMLParser, LexborNode

from seekread.extraction.signals import Tally

__all__ = [
    "BACKSLASH",
    "Element",
    "body_of",
    "drop",
    "drop_furniture",
    "drop_never_text",
    "elements",
    "from_lexbor",
    "parse_page",
    "replace_with_text",
    "settle_noscript",
    "text_of",
]

UNWRITABLE = bytes.maketrans(bytes((*range(9), 11, 12, *range(14, 32), 127)), b" " * 30)
"""Bytes that XML, and so lxml, cannot hold, each mapped to a space."""
NONCHARACTERS = re.compile(b"\xef\xbf[\xbe\xbf]")
"""The two characters above ASCII that XML cannot hold, in UTF-8."""
BACKSLASH = "\U0010fffd"
"""Stands for a backslash that the renderer must not escape again; no page can bring this character along."""
NEVER_TEXT = (
    "script, style, link, meta, base, svg, iframe, frame, object, embed, applet, canvas, audio, video, map, "
    "source, track, param, "
    "template, input, textarea, select, datalist, progress, meter"
)
"""Elements whose content is not text of the page: code, pictures, other documents and form fields."""
LABELS = {
    "template": "template",
    "iframe": "embedded frame",
    "svg": "text in a drawing",
    "input": "value of a hidden field",
    "textarea": "text in a form field",
    "object": "fallback content",
    "canvas": "fallback content",
}
FURNITURE = "nav, footer, menu, [role=navigation], [role=contentinfo]"
ENOUGH = 3000
"""So many characters beside navigation and footers make a page that can do without them."""
NOSCRIPT_SHELL = 300
"""A noscript element with less text only asks for JavaScript."""


def elements(root: Element) -> Iterator[Element]:
    """The elements of a tree in document order, without comments."""
    return root.iter("*")


def text_of(element: Element) -> str:
    """The text of an element with white space collapsed."""
    return " ".join(words_of(element).split())


def words_of(element: Element) -> str:
    """The text of an element as it stands, without comments."""
    return str(tostring(element, encoding="unicode", method="text", with_tail=False))


def body_of(tree: Element) -> Element:
    """The body of a document, or the document itself."""
    body = tree.find("body")
    return tree if body is None else body


def drop(element: Element) -> None:
    """Take an element out and leave the text that follows it where it is."""
    replace_with_text(element, "")


def replace_with_text(element: Element, text: str) -> None:
    """Put plain text in the place of an element."""
    parent = element.getparent()
    if parent is None:
        return
    tail = text + (element.tail or "")
    previous = element.getprevious()
    if tail and previous is not None:
        previous.tail = (previous.tail or "") + tail
    elif tail:
        parent.text = (parent.text or "") + tail
    parent.remove(element)


def parse_page(html: str) -> LexborHTMLParser:
    """The document that browsers make of a page."""
    return LexborHTMLParser(with_frames_closed(html))


def with_frames_closed(html: str) -> str:
    """
    A page whose frames end with the noscript they stand in.

    Browsers run scripts and do not look into noscript; our parser does, and a frame there that nobody closed would
    swallow the page.
    """
    closed: list[str] = []
    begun = position = 0
    while (start := html.find("<noscript", position)) >= 0 and (end := html.find("</noscript", start)) >= 0:
        frame = html.rfind("<iframe", start, end)
        if frame >= 0 and html.find("</iframe", frame, end) < 0:
            closed += (html[begun:end], "</iframe>")
            begun = end
        position = end
    return "".join((*closed, html[begun:])) if closed else html


def settle_noscript(document: LexborHTMLParser, tally: Tally) -> None:
    """Show what stands in noscript when the page is a shell without it, drop it otherwise."""
    fallbacks = document.css("noscript")
    if not fallbacks or document.body is None:
        return
    inside = sum(len(node.text(strip=True)) for node in fallbacks)
    if inside > NOSCRIPT_SHELL and inside > 0.6 * (len(document.body.text(strip=True)) - inside):
        for node in fallbacks:
            node.unwrap()
        return
    for node in fallbacks:
        tally.removed("noscript", node.text(strip=True))
        node.decompose()


def drop_furniture(document: LexborHTMLParser) -> None:
    """Take out navigation and footers, which are never content, when there is enough text beside them."""
    furniture = document.css(FURNITURE)
    if not furniture or document.body is None:
        return
    beside = len(document.body.text()) - sum(len(node.text()) for node in furniture)
    if beside > ENOUGH:
        for node in furniture:
            node.decompose()


def hidden_in(node: LexborNode) -> str:
    """The text that an element which is never text carries along."""
    match node.tag:
        case "iframe":
            return node.attributes.get("srcdoc") or ""
        case "input":
            return (node.attributes.get("value") or "") if node.attributes.get("type") == "hidden" else ""
        case "template":
            return node.html or ""
    return node.text()


def drop_never_text(document: LexborHTMLParser, tally: Tally) -> None:
    """Drop what is never text, and count what was hidden in it."""
    for node in document.css(NEVER_TEXT):
        label = LABELS.get(node.tag or "")
        if label:
            tally.removed(label, hidden_in(node).strip())
        node.decompose()


def from_lexbor(document: LexborHTMLParser, tally: Tally) -> tuple[Element | None, bytes]:
    """
    Hand a document over as an lxml tree, with the text between the two; `None` when nothing is left of it.

    In the text every attribute is written alike, so that what is not in it need not be looked for in the tree.
    """
    html = tally.clean_characters(document.html or "").encode("utf-8", "replace")
    html = NONCHARACTERS.sub(b" ", html.translate(UNWRITABLE))
    if not html.strip():
        return None, html
    # A tree deeper than 256 levels or a text node above 10 MB is cut off silently without huge_tree.
    parser = HTMLParser(huge_tree=True, remove_pis=True, collect_ids=False, encoding="utf-8")
    return fromstring(html, parser=parser), html
