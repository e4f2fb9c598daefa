"""
Parallel: search for agents, with the excerpts that matter as Markdown.

Reference: https://docs.parallel.ai/api-reference/search
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

from seekread.provider import (
    Call,
    Cost,
    Found,
    Keyless,
    KnownAnswer,
    Plan,
    Query,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    Wish,
    given,
    setting,
)
from seekread.providers.domain_lists import either_list
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.mcp_answers import data_of, text_results
from seekread.providers.mcp_calls import McpCall

PRICES = {"advanced": 0.009}
"""Dollars of a search by mode; of the others each counts as basic."""
BASIC = 0.004
PLANS = (
    # About $4 per 1,000 searches, $9 in the advanced mode, as gateways list them.
    Plan("paid", price=BASIC),
)


@dataclass(frozen=True)
class Parallel:
    """Search with the Parallel API."""

    api_key: SecretStr | None = setting(env="PARALLEL_API_KEY", about="API key of parallel.ai.")
    base_url: str = setting("https://api.parallel.ai", about="Where the API answers.")
    keyless_url: str = setting("https://search.parallel.ai/mcp", about="Where its tools answer without a key.")
    mode: Literal["turbo", "fast", "basic", "advanced"] = setting(
        "basic", about="How hard to search, from the fastest to the dearest."
    )
    installation: Callable[[], str] | None = setting(None, kind="resource")

    name: ClassVar[str] = "parallel"
    label: ClassVar[str] = "Parallel"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    keyless: ClassVar[Keyless] = Keyless("search.parallel.ai", honours=frozenset(), operators=True)
    max_results: ClassVar[int] = 20
    max_allowed: ClassVar[int] = 200
    max_blocked: ClassVar[int] = 200
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "allowed_domains", "blocked_domains", "country"})

    def search(self, query: Query) -> Call[Found]:
        if self.api_key is None:
            # Those without a key are counted by this name.
            session = self.installation() if self.installation else None
            asked = given({"objective": query.text, "search_queries": [query.text], "session_id": session})
            return McpCall(self.keyless_url, {}, "web_search", asked, told_results).at_once()
        domains = either_list(query)
        policy = {
            "include_domains": domains.allowed,
            "exclude_domains": domains.blocked,
            "after_date": query.date_from,
        }
        body = {
            "objective": query.text,
            "search_queries": [query.text],
            "mode": self.mode,
            "advanced_settings": {
                "max_results": query.limit,
                "location": query.country and query.country.upper(),
                "source_policy": policy,
            },
        }
        # There is a first day, but no last one.
        unmet = domains.unmet | (frozenset[Wish]({"dates"}) if query.date_to else frozenset())
        headers = {"x-api-key": self.api_key.get_secret_value()}
        request = Request("POST", f"{self.base_url}/v1/search", headers=headers, json=body)
        return Call(request, partial(parse_results, unmet=unmet), cost=Cost(dollars=PRICES.get(self.mode, BASIC)))


def told_results(answer: Mapping[str, Any]) -> Found:
    """What the tool tells those without a key: the same rows, or results written for people."""
    data = data_of(answer)
    return Found(text_results(data)) if isinstance(data, str) else found_in(data)


def parse_results(reply: Reply, *, unmet: frozenset[Wish] = frozenset()) -> Found:
    return replace(found_in(reply.json()), unmet=unmet)


def found_in(data: Any) -> Found:
    results = [
        SearchResult(
            title=row.get("title") or "",
            url=row["url"],
            snippet=next(iter(row["excerpts"]), ""),
            extra_snippets=row["excerpts"][1:],
            published_date=row.get("publish_date"),
        )
        for row in rows_at(data, "results")
    ]
    notes = tuple(warning["message"] for warning in data.get("warnings") or ())
    return Found(results, notes=notes)
