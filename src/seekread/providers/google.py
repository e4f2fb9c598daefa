"""Google's own ways of writing, which the services in front of it pass on."""

from collections.abc import Iterable, Mapping
from typing import Any

from seekread.provider import Query, SearchResult
from seekread.providers.spans import both_ends

SPANS = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}
SAFE = {"off": "off", "moderate": "active", "strict": "active"}
"""There is no middle way."""


def google_span(query: Query) -> str | None:
    """A span of time as Google writes it into an address."""
    if ends := both_ends(query):
        return f"cdr:1,cd_min:{ends[0]:%m/%d/%Y},cd_max:{ends[1]:%m/%d/%Y}"
    return query.freshness and SPANS[query.freshness]


def where_and_how(query: Query) -> dict[str, str | None]:
    """The country, the language and the safe search that are asked for."""
    return {
        "gl": query.country and query.country.lower(),
        "hl": query.language and query.language.lower(),
        "safe": query.safe_search and SAFE[query.safe_search],
    }


def results_of(rows: Iterable[Any]) -> list[SearchResult]:
    """Results as Google shows them."""
    return [
        SearchResult(
            title=row["title"] or "", url=row["link"], snippet=row.get("snippet") or "", age=row.get("date") or ""
        )
        for row in rows
    ]


def answer_box(*boxes: Any) -> str | None:
    """The first answer in words among what stands above or beside the results."""
    texts = [
        box.get(name) for box in boxes if isinstance(box, Mapping) for name in ("answer", "snippet", "description")
    ]
    return next((text for text in texts if isinstance(text, str) and text), None)
