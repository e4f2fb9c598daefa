"""
Data that pages carry beside their text: JSON-LD and the state a script would draw the page from.

It is read as data. It becomes text only when the page itself shows none: an article body in JSON-LD, or the prose
inside `__NEXT_DATA__` and its relatives.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import field
from html import unescape
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from seekread.late import dataclass

ARTICLES = frozenset(
    {
        "Article", "NewsArticle", "BlogPosting", "ReportageNewsArticle", "TechArticle", "ScholarlyArticle",
        "LiveBlogPosting", "AnalysisNewsArticle", "OpinionNewsArticle", "ReviewNewsArticle",
        "BackgroundNewsArticle", "AdvertiserContentArticle",
    }
)  # fmt: skip
COLLECTIONS = frozenset(
    {"Product", "ProductGroup", "ItemList", "CollectionPage", "DiscussionForumPosting", "QAPage", "SearchResultsPage"}
)
STATES = 'script#__NEXT_DATA__, script#__NUXT_DATA__, script[type="application/json"], [data-preloaded], [data-page]'
LARGEST = 4_000_000
PROSE = 80
"""Strings shorter than this, or without sentences, are labels and settings, not prose."""
DEEPEST = 40
CODE = re.compile(r"[{}]|=>|function\s*\(|\bvar\s|https?://\S+$|^[\w./:#?&=%-]+$")
TAG = re.compile(r"<[a-z/!][^>]*>", re.IGNORECASE)


@dataclass(frozen=True)
class Structured:
    """JSON-LD objects of a page, flat."""

    objects: list[dict[str, Any]] = field(default_factory=list)

    @property
    def types(self) -> frozenset[str]:
        """Every type that is declared."""
        return frozenset(name for thing in self.objects for name in types_of(thing))

    def first(self, names: frozenset[str]) -> dict[str, Any]:
        """The first object of one of these types, or an empty one."""
        return next((thing for thing in self.objects if names & set(types_of(thing))), {})

    @property
    def article_body(self) -> str:
        """The longest article body, as plain text."""
        bodies = (thing.get("articleBody") or thing.get("text") or "" for thing in self.objects)
        return max((as_text(body) for body in bodies if isinstance(body, str)), key=len, default="")


def types_of(thing: dict[str, Any]) -> list[str]:
    kind = thing.get("@type")
    return (
        [kind]
        if isinstance(kind, str)
        else [name for name in kind if isinstance(name, str)]
        if isinstance(kind, list)
        else []
    )


def read_structured(document: LexborHTMLParser) -> Structured:
    """Read the JSON-LD of a page; what cannot be parsed is skipped."""
    objects: list[dict[str, Any]] = []
    for node in document.css('script[type="application/ld+json"]'):
        for thing in flat(parsed(node.text()), 0):
            objects.append(thing)
            if len(objects) >= 500:
                return Structured(objects)
    return Structured(objects)


def parsed(text: str | None) -> Any:
    """JSON, or `None`; line breaks inside strings are common and forgiven."""
    if not text or len(text) > LARGEST:
        return None
    try:
        return json.loads(text.strip().removesuffix(";"), strict=False)
    except (ValueError, RecursionError):
        return None


def flat(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Every typed object inside JSON-LD, outermost first."""
    if depth > DEEPEST:
        return
    if isinstance(value, dict):
        if "@type" in value:
            yield value
        for name in ("@graph", "mainEntity", "mainEntityOfPage", "hasPart", "itemListElement", "item"):
            yield from flat(value.get(name), depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from flat(item, depth + 1)


def as_text(value: str) -> str:
    """HTML inside a string as plain text with its paragraphs."""
    if "<" in value:
        value = re.sub(r"</(?:p|div|li|h\d|blockquote|tr)>|<br\s*/?>", "\n\n", value, flags=re.IGNORECASE)
        value = TAG.sub("", value)
    lines = (" ".join(line.split()) for line in unescape(value).splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def state_html(document: LexborHTMLParser) -> str:
    """The prose inside the state a script would draw the page from, as HTML paragraphs in their order."""
    pieces: dict[str, None] = {}
    for node in document.css(STATES):
        attributes = node.attributes
        raw = node.text() if node.tag == "script" else attributes.get("data-preloaded") or attributes.get("data-page")
        for piece in prose(parsed(raw), 0):
            pieces.setdefault(piece)
    return "\n".join(piece if TAG.search(piece) else f"<p>{piece.replace('<', '&lt;')}</p>" for piece in pieces)


def prose(value: Any, depth: int) -> Iterator[str]:
    """The strings inside JSON that are prose or HTML; strings that are JSON themselves are opened."""
    if depth > DEEPEST:
        return
    if isinstance(value, dict):
        for item in value.values():
            yield from prose(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from prose(item, depth + 1)
    elif isinstance(value, str) and len(value) >= PROSE:
        if value[0] in "{[":
            yield from prose(parsed(value), depth + 1)
        elif is_prose(value):
            yield value.strip()


def is_prose(value: str) -> bool:
    """Say whether a string reads like sentences."""
    text = as_text(value)
    words = text.split()
    if len(words) < 10 or CODE.search(text[:400]):
        return False
    return len(text) / len(words) < 12 and any(mark in text for mark in ".!?。!?")
