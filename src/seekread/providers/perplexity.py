"""
Perplexity Search API: ranked results with long extracts, without a language model's answer.

Reference: https://docs.perplexity.ai/api-reference/search-post
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import chain
from typing import Any, ClassVar, Literal

from seekread.provider import (
    Call,
    Found,
    KnownAnswer,
    Plan,
    ProviderError,
    Query,
    RateLimited,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    Wish,
    setting,
)
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB

MOST_QUERIES = 5
PLANS = (
    # About $5 per 1,000 requests, no charge for tokens, 50 requests a second. docs.perplexity.ai: search
    Plan("search", unit="requests", price=0.005, per_second=50),
)


@dataclass(frozen=True)
class Perplexity:
    """Search with the Perplexity Search API."""

    api_key: SecretStr = setting(env=("PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY"), about="API key of Perplexity.")
    base_url: str = setting("https://api.perplexity.ai", about="Where the API answers.")
    # The documentation disagrees with itself about the defaults, so both are always sent.
    max_tokens: int = setting(10_000, about="Most tokens of extracts in one answer.")
    max_tokens_per_page: int = setting(1_024, about="Most tokens of extract per result.")
    search_mode: Literal["web", "academic", "sec"] = setting(
        "web", about="What is searched: the web, papers or filings with the SEC."
    )
    recency: Literal["hour", "day", "week", "month", "year"] | None = setting(
        None, about="How old results are at most where a query does not say."
    )
    separator: str = setting(
        "", about="Text that parts a query into several of one paid call, such as ||; five at most."
    )

    name: ClassVar[str] = "perplexity"
    label: ClassVar[str] = "Perplexity Search"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    max_results: ClassVar[int] = 20
    max_allowed: ClassVar[int] = 20
    max_blocked: ClassVar[int] = 20
    honours: ClassVar[frozenset[Wish]] = frozenset({
        "freshness", "dates", "allowed_domains", "blocked_domains", "country", "language",
    })  # fmt: skip

    def search(self, query: Query) -> Call[Found]:
        language = (query.language or "").lower().split("-")[0]
        dated = query.date_from or query.date_to
        body = {
            "query": self._queries(query.text),
            "max_results": query.limit,
            "max_tokens": self.max_tokens,
            "max_tokens_per_page": self.max_tokens_per_page,
            "search_domain_filter": domain_filter(query) or None,
            "search_mode": None if self.search_mode == "web" else self.search_mode,
            "search_recency_filter": query.freshness or (None if dated else self.recency),
            "search_after_date_filter": us_date(query.date_from),
            "search_before_date_filter": us_date(query.date_to),
            "search_language_filter": [language] if len(language) == 2 else None,
            "country": query.country and query.country.upper(),
        }
        headers = {"Authorization": f"Bearer {self.api_key.get_secret_value()}"}
        request = Request("POST", f"{self.base_url}/search", headers=headers, json=body)
        return Call(request, partial(parse_results, query=query), explain)

    def _queries(self, text: str) -> str | list[str]:
        """One query, or the several that its text is parted into."""
        parts = [part.strip() for part in text.split(self.separator)] if self.separator else [text]
        several = [part for part in parts if part][:MOST_QUERIES]
        return several if len(several) > 1 else text


def domain_filter(query: Query) -> list[str]:
    """Either domains to allow or domains to deny; the engine filters the results by both afterwards."""
    return list(query.allowed_domains) or [f"-{domain}" for domain in query.blocked_domains]


def us_date(day: str | None) -> str | None:
    """Dates go in as MM/DD/YYYY, though they come out as YYYY-MM-DD."""
    return date.fromisoformat(day).strftime("%m/%d/%Y") if day else None


def parse_results(reply: Reply, *, query: Query) -> Found:
    rows = rows_at(reply.json(), "results")
    results = [
        SearchResult(
            title=row["title"] or "",
            url=row["url"],
            snippet=row.get("snippet") or "",
            published_date=row.get("date"),
            flags=updated(row),
        )
        # To several queries there is one list of rows, or one for each of them.
        for row in chain.from_iterable(row if isinstance(row, list) else [row] for row in rows)
    ]
    left_out: dict[Wish, object] = {
        "blocked_domains": query.allowed_domains and query.blocked_domains,
        "language": query.language and len(query.language.split("-")[0]) != 2,
    }
    return Found(results, unmet=frozenset(wish for wish, left in left_out.items() if left))


def updated(row: Mapping[str, Any]) -> tuple[str, ...]:
    """A flag for a page that changed after it was published; the change is no publication."""
    day = row.get("last_updated")
    return (f"last updated {day[:10]}",) if day and day != row.get("date") else ()


def explain(reply: Reply) -> ProviderError | None:
    """Perplexity may say in milliseconds how long to wait."""
    wait = reply.headers.get("retry-after-ms", "")
    if reply.status == 429 and wait.isdecimal():
        return RateLimited("status 429: too many requests", retry_after=float(wait) / 1000)
    return None
