"""
Perplexity Search API: ranked results with long extracts, without a language model's answer.

Reference: https://docs.perplexity.ai/api-reference/search-post
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, ClassVar

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
from seekread.providers.known_answers import ON_THE_WEB

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
        body = {
            "query": query.text,
            "max_results": query.limit,
            "max_tokens": self.max_tokens,
            "max_tokens_per_page": self.max_tokens_per_page,
            "search_domain_filter": domain_filter(query) or None,
            "search_recency_filter": query.freshness,
            "search_after_date_filter": us_date(query.date_from),
            "search_before_date_filter": us_date(query.date_to),
            "search_language_filter": [query.language.lower().split("-")[0]] if query.language else None,
            "country": query.country and query.country.upper(),
        }
        headers = {"Authorization": f"Bearer {self.api_key.get_secret_value()}"}
        request = Request("POST", f"{self.base_url}/search", headers=headers, json=body)
        return Call(request, partial(parse_results, query=query), explain)


def domain_filter(query: Query) -> list[str]:
    """Either domains to allow or domains to deny; the engine filters the results by both afterwards."""
    return list(query.allowed_domains) or [f"-{domain}" for domain in query.blocked_domains]


def us_date(day: str | None) -> str | None:
    """Dates go in as MM/DD/YYYY, though they come out as YYYY-MM-DD."""
    return date.fromisoformat(day).strftime("%m/%d/%Y") if day else None


def parse_results(reply: Reply, *, query: Query) -> Found:
    match reply.json():
        case {"results": [*rows]}:
            pass
        case _:
            raise ValueError("no list of results")
    results = [
        SearchResult(
            title=row["title"] or "",
            url=row["url"],
            snippet=row.get("snippet") or "",
            published_date=row.get("date"),
            flags=updated(row),
        )
        for row in rows
    ]
    both = query.allowed_domains and query.blocked_domains
    return Found(results, unmet=frozenset({"blocked_domains"}) if both else frozenset())


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
