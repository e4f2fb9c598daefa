"""
Parts of a page by selectors: only what some match, and nothing of what others do.

Selectors are matched in lexbor's document, where a page has the tree that browsers give it, and after what is hidden
was taken out of it. The marks they leave are read in the tree that is rendered.
"""

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from seekread.errors import InvalidQuery
from seekread.extraction.tree import Element, body_of, drop, elements
from seekread.models import PageShape

ONLY = "data-seekread-only"
WITHOUT = "data-seekread-without"
MOST = 50
LONGEST = 500


def check_selectors(shape: PageShape) -> None:
    """Refuse what is no selector, before a page is fetched for it."""
    selectors = (*shape.only, *shape.without)
    if len(selectors) > MOST:
        raise InvalidQuery(f"send at most {MOST} selectors, not {len(selectors)}")
    nothing = LexborHTMLParser("<p>")
    for selector in selectors:
        try:
            if len(selector) > LONGEST:
                raise InvalidQuery(f"a selector may have {LONGEST} characters, not {len(selector)}")
            nothing.css(selector)
        except (SelectolaxError, ValueError):
            raise InvalidQuery(f"{selector[:50]!r} is not a CSS selector") from None


def mark_selected(document: LexborHTMLParser, shape: PageShape) -> None:
    """Mark what the selectors match; a page cannot bring marks of its own."""
    for mark in (ONLY, WITHOUT):
        for node in document.css(f"[{mark}]"):
            del node.attrs[mark]
    for mark, selectors in ((ONLY, shape.only), (WITHOUT, shape.without)):
        for selector in selectors:
            for node in document.css(selector):
                node.attrs[mark] = ""


def keep_selected(tree: Element, shape: PageShape) -> None:
    """Take out what is not wanted, and everything beside what is."""
    body = body_of(tree)
    if WITHOUT in body.attrib or WITHOUT in tree.attrib:
        empty(body)
    for element in [element for element in elements(body) if WITHOUT in element.attrib]:
        drop(element)
    if shape.only and ONLY not in body.attrib and ONLY not in tree.attrib:
        chosen = [element for element in elements(body) if ONLY in element.attrib and not is_inside(element)]
        empty(body)
        for element in chosen:
            element.tail = None
            body.append(element)


def is_inside(element: Element) -> bool:
    """Say whether an element stands in one that is wanted anyway."""
    return any(ONLY in above.attrib for above in element.iterancestors())


def empty(element: Element) -> None:
    """Take everything out of an element."""
    element.text = None
    for child in list(element):
        element.remove(child)
