"""
Valyu: the web and licensed collections, each result with its price.

Reference: https://docs.valyu.ai/api-reference/endpoint/search
"""

import json
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
    RateLimited,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    Wish,
    setting,
    told_cost,
)
from seekread.providers.countries import listed_country
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB

PRICE = 0.0015
"""Dollars of a result of the web; the reply says what a search really cost."""
PLANS = (
    # $10 once for a new account, then about $1.50 per 1,000 results. valyu.ai: pricing
    Plan("credit", period="none", limit=10.0, unit="dollars", price=10 * PRICE),
    Plan("paid", price=10 * PRICE),
)


@dataclass(frozen=True)
class Valyu:
    """Search with the Valyu API."""

    api_key: SecretStr = setting(env="VALYU_API_KEY", about="API key of valyu.ai.")
    base_url: str = setting("https://api.valyu.ai/v1", about="Where the API answers.")
    collections: Literal["web", "all", "proprietary"] = setting(
        "web", about="What is searched: the web, licensed collections (proprietary, dearer) or all."
    )
    max_price: int | None = setting(None, about="Most dollars per 1,000 results that a source may cost.")

    name: ClassVar[str] = "valyu"
    label: ClassVar[str] = "Valyu"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    max_results: ClassVar[int] = 100
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "news", "allowed_domains", "blocked_domains", "country"})

    def search(self, query: Query) -> Call[Found]:
        country = listed_country(query.country)
        body = {
            "query": query.text,
            "search_type": "news" if query.news else self.collections,
            "max_num_results": query.limit,
            # At its own threshold results vanish without a word.
            "relevance_threshold": 0,
            "is_tool_call": True,
            "max_price": self.max_price,
            "included_sources": list(query.allowed_domains) or None,
            "excluded_sources": list(query.blocked_domains) or None,
            "country_code": country,
            "start_date": query.date_from,
            "end_date": query.date_to,
        }
        unmet: frozenset[Wish] = frozenset({"country"}) if query.country and not country else frozenset()
        headers = {"x-api-key": self.api_key.get_secret_value()}
        request = Request("POST", f"{self.base_url}/search", headers=headers, json=body)
        cost = Cost(dollars=PRICE * query.limit)
        return Call(request, partial(parse_results, unmet=unmet), explain, cost=cost)


def parse_results(reply: Reply, *, unmet: frozenset[Wish] = frozenset()) -> Found:
    data = reply.json()
    if data.get("success") is False:
        raise ValueError(f"the search failed: {data.get('error')}")
    results = [
        SearchResult(
            title=row["title"] or "",
            url=row["url"],
            snippet=words_of(row),
            score=row.get("relevance_score"),
            published_date=row.get("publication_date"),
        )
        for row in rows_at(data, "results")
    ]
    return Found(results, unmet=unmet, cost=told_cost(dollars=data.get("total_deduction_dollars")))


def words_of(row: Mapping[str, Any]) -> str:
    """The content of a result; that of a table or a series comes as data."""
    content = row.get("content") or row.get("description") or ""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


WAIT = re.compile(r'"retry_after"\s*:\s*(\d+)')


def explain(reply: Reply) -> ProviderError | None:
    """How long to wait may stand in the body."""
    wait = WAIT.search(reply.text()) if reply.status == 429 else None
    return RateLimited("status 429: too many requests", retry_after=float(wait[1])) if wait else None
