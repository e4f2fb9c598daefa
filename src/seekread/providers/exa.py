"""
Exa: search by meaning, with the passages that match, and pages as text.

Reference: https://docs.exa.ai/reference/search
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

from seekread.outcomes import Outcome
from seekread.provider import (
    Call,
    Cost,
    Found,
    Keyless,
    KnownAnswer,
    NotConfigured,
    Page,
    Plan,
    ProviderError,
    Query,
    QuotaExhausted,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    Unreadable,
    Wish,
    setting,
    told_cost,
)
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.mcp_answers import data_of, text_results
from seekread.providers.mcp_calls import McpCall

PRICE, INCLUDED, PRICE_OF_MORE = 0.007, 10, 0.001
"""Dollars of a search, how many results that brings, and dollars of each one more with its passages."""
PRICE_OF_PAGE = 0.001
"""Dollars of a page that was read."""
PLANS = (
    # $7 per 1,000 searches with up to 10 results; $10 a month free; 10 searches a second. exa.ai: pricing
    Plan("free", limit=10.0, unit="dollars", price=PRICE, per_second=10),
    Plan("paid", price=PRICE, per_second=10),
)


@dataclass(frozen=True)
class Exa:
    """Search and read with the Exa API."""

    api_key: SecretStr | None = setting(env="EXA_API_KEY", about="API key of exa.ai.")
    base_url: str = setting("https://api.exa.ai", about="Where the API answers.")
    keyless_url: str = setting("https://mcp.exa.ai/mcp", about="Where its tools answer without a key.")
    search_type: Literal["auto", "fast", "instant", "lite", "neural"] = setting(
        "auto", about="How Exa searches; those that are quicker find less."
    )

    name: ClassVar[str] = "exa"
    label: ClassVar[str] = "Exa"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    keyless: ClassVar[Keyless] = Keyless("mcp.exa.ai", honours=frozenset(), max_results=25)
    max_results: ClassVar[int] = 100
    # A recency word becomes a pair of dates, which is all Exa knows.
    honours: ClassVar[frozenset[Wish]] = frozenset({
        "dates", "news", "allowed_domains", "blocked_domains", "country", "safe_search",
    })  # fmt: skip

    def search(self, query: Query) -> Call[Found]:
        if self.api_key is None:
            asked = {"query": query.text, "numResults": query.limit}
            return McpCall(self.keyless_url, {}, "web_search_exa", asked, told_results).at_once()
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
        request = self._post("/search", body, self.api_key)
        cost = Cost(dollars=PRICE + PRICE_OF_MORE * max(0, query.limit - INCLUDED))
        return Call(request, partial(parse_results, query=query), explain, cost=cost)

    def read(self, url: str) -> Call[Page]:
        if self.api_key is None:
            raise NotConfigured("exa needs api_key to read a page: set EXA_API_KEY")
        request = self._post("/contents", {"urls": [url], "text": True}, self.api_key)
        return Call(request, partial(parse_page, url=url), explain, cost=Cost(dollars=PRICE_OF_PAGE))

    def _post(self, path: str, body: Mapping[str, Any], key: SecretStr) -> Request:
        headers = {"x-api-key": key.get_secret_value()}
        return Request("POST", self.base_url + path, headers=headers, json=body)


def told_results(answer: Mapping[str, Any]) -> Found:
    """What the tool tells those without a key: results written for people."""
    data = data_of(answer)
    if not isinstance(data, str):
        raise TypeError("the tool answered with data instead of text")
    return Found(text_results(data))


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


CRAWLS: dict[str, tuple[Outcome, str]] = {
    "CRAWL_NOT_FOUND": ("not_found", "found no such page"),
    "CRAWL_TIMEOUT": ("timeout", "waited too long for the page"),
    "CRAWL_LIVECRAWL_TIMEOUT": ("timeout", "waited too long for the page"),
    "SOURCE_NOT_AVAILABLE": ("blocked", "may not read the page"),
}
"""What Exa says of a page it could not read, in a reply of status 200."""


def parse_page(reply: Reply, *, url: str) -> Page:
    data = reply.json()
    match data:
        case {"results": [{"text": str(content)} as page, *_]} if content.strip():
            title, final = page.get("title") or "", page.get("url") or ""
            return Page(url=url, final_url=final, title=title, content=content, reader="exa", cost=charged(data))
        case {"results": [{}, *_]}:
            raise Unreadable("suspicious_empty", "Exa found no text on the page")
        case {"statuses": [{"status": "error", "error": {"tag": str(tag)}}, *_]}:
            outcome, what = CRAWLS.get(tag, ("unreachable", "could not read the page"))
            raise Unreadable(outcome, f"Exa {what}", cost=charged(data) or Cost(dollars=0))
    raise ValueError("neither results nor statuses")


def charged(data: Mapping[str, Any]) -> Cost | None:
    match data:
        case {"costDollars": {"total": dollars}}:
            return told_cost(dollars=dollars)
    return None


USED_UP = re.compile(r'"tag"\s*:\s*"(NO_MORE_CREDITS|API_KEY_BUDGET_EXCEEDED)"')


def explain(reply: Reply) -> ProviderError | None:
    tag = USED_UP.search(reply.text()) if reply.status >= 400 else None
    return QuotaExhausted(tag[1]) if tag else None
