"""
Brave's context for language models: the passages of pages instead of a list of results.

Reference: https://api-dashboard.search.brave.com/documentation/services/llm-context
"""

from collections.abc import Mapping
from typing import Any

from seekread.provider import Found, Query, Reply, SearchResult, Wish

TOKENS = 8_192
TAKEN = frozenset({"freshness", "goggles", "country", "search_lang"})
"""What it takes of the parameters of a search."""


def context_params(query: Query, wishes: Mapping[str, str | int | None], tokens: int) -> dict[str, str | int | None]:
    """What is sent for a query."""
    return {
        "q": query.text,
        "count": query.limit,
        "maximum_number_of_urls": query.limit,
        "maximum_number_of_tokens": tokens,
        **{name: value for name, value in wishes.items() if name in TAKEN},
    }


def parse_context(reply: Reply, *, notes: tuple[str, ...] = (), missing: frozenset[Wish] = frozenset()) -> Found:
    """The passages of each page, the first as its snippet."""
    data = reply.json()
    match data:
        case {"grounding": {"generic": [*rows]}}:
            pass
        case {"grounding": {"generic": None}}:
            rows = []
        case _:
            raise ValueError("no passages")
    sources = data.get("sources") or {}
    results = [
        SearchResult(
            title=row.get("title") or "",
            url=row["url"],
            snippet=next(iter(row["snippets"]), ""),
            extra_snippets=row["snippets"][1:],
            published_date=published(sources.get(row["url"]) or {}),
        )
        for row in rows
    ]
    return Found(results, notes=notes, unmet=missing)


def published(source: Mapping[str, Any]) -> str | None:
    """The day of a page; it is told in three ways, of which the second is the date."""
    match source.get("age"):
        case [_, str(day), *_]:
            return day
    return None
