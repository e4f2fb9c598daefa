"""
One page, parsed once: lexbor reads the HTML as browsers do, lxml carries the tree that is washed, chosen from and
rendered.

Lexbor is the only parser that meets the raw page. What it serialises is well formed, so lxml sees the same tree;
libxml2 alone would read broken HTML differently from a browser, and hidden text lives in that difference.
"""

import re
from collections.abc import Iterator
from typing import cast

from lxml.etree import HTMLParser, fromstring
from lxml.etree import _Element as Element
from selectolax.lexbor import LexborHTMLParser, LexborNode

from seekread.reader.signals import Tally

__all__ = [
    "BACKSLASH",
    "Element",
    "body_of",
    "drop",
    "elements",
    "from_lexbor",
    "replace_with_text",
    "settle_noscript",
    "text_of",
]

UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML, and so lxml, cannot hold."""
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
NOSCRIPT_SHELL = 300
"""A noscript element with less text only asks for JavaScript."""


def elements(root: Element) -> Iterator[Element]:
    """The elements of a tree in document order, without comments."""
    return root.iter("*")


def text_of(element: Element) -> str:
    """The text of an element with white space collapsed."""
    return " ".join("".join(cast("Iterator[str]", element.itertext())).split())


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


def from_lexbor(document: LexborHTMLParser, tally: Tally) -> Element | None:
    """Drop what is never text, and hand the rest over as an lxml tree; `None` when nothing is left."""
    for node in document.css(NEVER_TEXT):
        label = LABELS.get(node.tag or "")
        if label:
            tally.removed(label, hidden_in(node).strip())
        node.decompose()
    html = UNWRITABLE.sub(" ", tally.clean_characters(document.html or ""))
    if not html.strip():
        return None
    # A tree deeper than 256 levels or a text node above 10 MB is cut off silently without huge_tree.
    parser = HTMLParser(huge_tree=True, remove_pis=True, encoding="utf-8")
    return fromstring(html.encode("utf-8", "replace"), parser=parser)
