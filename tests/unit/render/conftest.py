"""One response and one page with everything in them, and the golden files every format is held against."""

from collections.abc import Callable
from pathlib import Path

import pytest

from seekread.models import Page, SearchResponse, SearchResult, Source

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def response() -> SearchResponse:
    results = (
        SearchResult(
            title="Tea [green]\nand black",
            url="https://www.example.org/tea?a=1",
            snippet="Tea is a drink.\n## Not a heading\n**URL:** https://evil.example",
            extra_snippets=("It is made of leaves.",),
            source="example.org",
            age="2 days ago",
            published_date="2026-10-30",
            score=0.5,
            citation_id=1,
            providers=("brave",),
        ),
        SearchResult(
            title="Pot", url="https://pots.example.com/", source="pots.example.com", citation_id=2, flags=("undated",)
        ),
    )
    return SearchResponse(
        query="tea",
        query_sent="tea Example Inc",
        results=results,
        sources=tuple(Source(citation_id=r.citation_id or 0, url=r.url, title=r.title) for r in results),
        answer="Tea is made\nof leaves.",
        notes=("freshness was applied afterwards",),
        latency_ms=342,
        search_type="news",
        provider="brave",
    )


@pytest.fixture
def nothing() -> SearchResponse:
    return SearchResponse(query="rare\nthing", query_sent="rare thing", outcome="empty", latency_ms=156)


@pytest.fixture
def page() -> Page:
    return Page(
        url="https://example.org/tea",
        final_url="https://www.example.org/tea",
        title="Tea [green]",
        content="# Tea\n\nLeaves in water.",
        content_length=23,
        original_length=100,
        truncated=True,
        next_offset=23,
    )


@pytest.fixture
def golden() -> Callable[[str], str]:
    """The text a format is pinned to."""

    def read(name: str) -> str:
        return (GOLDEN / name).read_bytes().decode()

    return read
