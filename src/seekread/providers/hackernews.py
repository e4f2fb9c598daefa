"""
Hacker News: what programmers link to and discuss, through Algolia's search. No key.

Reference: https://hn.algolia.com/api
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from seekread.provider import (
    Call,
    Found,
    KnownAnswer,
    Params,
    Query,
    Reply,
    Request,
    Scope,
    SearchResult,
    Wish,
    setting,
)
from seekread.providers.json_paths import rows_at
from seekread.providers.spans import epochs

ITEM = "https://news.ycombinator.com/item?id="


@dataclass(frozen=True)
class HackerNews:
    """Search the stories of Hacker News."""

    base_url: str = setting("https://hn.algolia.com/api/v1", about="Where the API answers.")
    tags: str = setting("story", about="What is searched: story, comment, ask_hn, show_hn or other tags of the API.")

    name: ClassVar[str] = "hackernews"
    label: ClassVar[str] = "Hacker News"
    # No site: stories lead everywhere.
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = (KnownAnswer("linux"),)
    scope: ClassVar[Scope] = "corpus"
    by_name: ClassVar[bool] = True
    max_results: ClassVar[int] = 100
    max_query: ClassVar[int] = 500
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "page"})
    caveat: ClassVar[str] = "one site's stories, not the web"

    def search(self, query: Query) -> Call[Found]:
        span = epochs(query)
        params: Params = {
            "query": query.text,
            "tags": self.tags,
            "hitsPerPage": query.limit,
            # Pages count from 0.
            "page": query.page - 1 or None,
            "numericFilters": f"created_at_i>={span[0]},created_at_i<={span[1]}" if span else None,
        }
        return Call(Request("GET", f"{self.base_url}/search", params=params), parse_results)


def parse_results(reply: Reply) -> Found:
    return Found([result(row) for row in rows_at(reply.json(), "hits")])


def result(row: Mapping[str, Any]) -> SearchResult:
    here = f"{ITEM}{row['objectID']}"
    talk = f"{row.get('points') or 0} points, {row.get('num_comments') or 0} comments: {here}"
    text = row.get("story_text") or row.get("comment_text")
    return SearchResult(
        title=row.get("title") or row.get("story_title") or "",
        # A question or a comment has no address of its own.
        url=row.get("url") or here,
        snippet=text or talk,
        extra_snippets=(talk,) if text else (),
        score=row.get("points"),
        published_date=row.get("created_at"),
    )
