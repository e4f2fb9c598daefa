"""
Exa: search by meaning, with the passages that match.

Reference: https://docs.exa.ai/reference/search
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

from seekread.provider import (
    Call,
    Cost,
    Found,
    KnownAnswer,
    Plan,
    ProviderError,
    Query,
    QuotaExhausted,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    Wish,
    setting,
    told_cost,
)
from seekread.providers.known_answers import ON_THE_WEB

PRICE, INCLUDED, PRICE_OF_MORE = 0.007, 10, 0.001
"""Dollars of a search, how many results that brings, and dollars of each one more with its passages."""
PLANS = (
    # $7 per 1,000 searches with up to 10 results; $10 a month free; 10 searches a second. exa.ai: pricing
    Plan("free", limit=10.0, unit="dollars", price=PRICE, per_second=10),
    Plan("paid", price=PRICE, per_second=10),
)


@dataclass(frozen=True)
class Exa:
    """Search with the Exa API."""

    api_key: SecretStr = setting(env="EXA_API_KEY", about="API key of exa.ai.")
    base_url: str = setting("https://api.exa.ai", about="Where the API answers.")
    search_type: Literal["auto", "fast", "instant", "lite", "neural"] = setting(
        "auto", about="How Exa searches; those that are quicker find less."
    )

    name: ClassVar[str] = "exa"
    label: ClassVar[str] = "Exa"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    max_results: ClassVar[int] = 100
    # A recency word becomes a pair of dates, which is all Exa knows.
    honours: ClassVar[frozenset[Wish]] = frozenset({
        "dates", "news", "allowed_domains", "blocked_domains", "country", "safe_search",
    })  # fmt: skip

    def search(self, query: Query) -> Call[Found]:
        body = {
            "query": query.text,
            "numResults": query.limit,
            "type": None if self.search_type == "auto" else self.search_type,
            "category": "news" if query.news else None,
            "includeDomains": list(query.allowed_domains) or None,
            # The two lists exclude each other; the engine filters the results by both afterwards.
            "excludeDomains": (not query.allowed_domains and list(query.blocked_domains)) or None,
            "startPublishedDate": query.date_from and f"{query.date_from}T00:00:00.000Z",
            "endPublishedDate": query.date_to and f"{query.date_to}T23:59:59.999Z",
            "userLocation": query.country and query.country.upper(),
            "moderation": query.safe_search and query.safe_search != "off",
            # Without this a result has no text at all.
            "contents": {"highlights": True},
        }
        headers = {"x-api-key": self.api_key.get_secret_value()}
        request = Request("POST", f"{self.base_url}/search", headers=headers, json=body)
        cost = Cost(dollars=PRICE + PRICE_OF_MORE * max(0, query.limit - INCLUDED))
        return Call(request, partial(parse_results, query=query), explain, cost=cost)


def parse_results(reply: Reply, *, query: Query) -> Found:
    data = reply.json()
    match data:
        case {"results": [*rows]}:
            pass
        case _:
            raise ValueError("no list of results")
    results = [
        SearchResult(
            title=row["title"] or "",
            url=row["url"],
            snippet=next(iter(row.get("highlights") or ()), ""),
            extra_snippets=(row.get("highlights") or ())[1:],
            content=row.get("text"),
            score=row.get("score"),
            published_date=row.get("publishedDate"),
        )
        for row in rows
    ]
    dated = ("Exa drops pages without a date",) if query.date_from or query.date_to else ()
    return Found(
        results,
        notes=(*dated, *warnings(data)),
        unmet=frozenset({"blocked_domains"}) if query.allowed_domains and query.blocked_domains else frozenset(),
        cost=charged(data),
    )


def warnings(data: Mapping[str, Any]) -> tuple[str, ...]:
    """What Exa says about the request, such as a field that has no effect any more."""
    told = (item.get("message") for item in data.get("warnings") or () if isinstance(item, dict))
    return tuple(f"Exa: {words}" for words in told if words)


def charged(data: Mapping[str, Any]) -> Cost | None:
    match data:
        case {"costDollars": {"total": dollars}}:
            return told_cost(dollars=dollars)
    return None


USED_UP = re.compile(r'"tag"\s*:\s*"(NO_MORE_CREDITS|API_KEY_BUDGET_EXCEEDED)"')


def explain(reply: Reply) -> ProviderError | None:
    tag = USED_UP.search(reply.text()) if reply.status >= 400 else None
    return QuotaExhausted(tag[1]) if tag else None
