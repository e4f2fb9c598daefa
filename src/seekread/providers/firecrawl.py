"""
Firecrawl: search, and pages rendered in a browser as Markdown.

Reference: https://docs.firecrawl.dev/api-reference/v2-introduction
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from seekread.provider import (
    Blocked,
    Call,
    Cost,
    Found,
    Keyless,
    KnownAnswer,
    Page,
    Plan,
    ProviderError,
    Query,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    Unreadable,
    Wish,
    setting,
    told_cost,
)
from seekread.providers.google import google_span
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.refusals import told_to_wait, without_key

MAX_QUERY = 500
PLANS = (
    # Search 2 credits per 10 results, scrape 1 a page; about $0.83 per 1,000 credits on the standard plan. The size of
    # the free plan is told differently (500 to 1,000): the smaller number. firecrawl.dev: pricing
    Plan("free", limit=500, unit="credits"),
    Plan("standard", unit="credits", price=0.00083),
)
CREDITS, RESULTS = 2, 10
"""A search costs so many credits for each so many results it asks for."""


@dataclass(frozen=True)
class Firecrawl:
    """Search and read with the Firecrawl API."""

    api_key: SecretStr | None = setting(env="FIRECRAWL_API_KEY", about="API key of firecrawl.dev.")
    base_url: str = setting(
        "https://api.firecrawl.dev",
        env="FIRECRAWL_API_URL",
        about="Where the API answers; a server of your own, for example.",
    )
    location: str | None = setting(None, about="Place that is searched from, such as Berlin,Germany.")
    highlights: bool = setting(True, about="Whether snippets are passages for the query or the engine's own.")

    name: ClassVar[str] = "firecrawl"
    label: ClassVar[str] = "Firecrawl"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    keyless: ClassVar[Keyless] = Keyless("api.firecrawl.dev")
    max_results: ClassVar[int] = 100
    max_query: ClassVar[int] = MAX_QUERY
    operators: ClassVar[bool] = True
    honours: ClassVar[frozenset[Wish]] = frozenset({
        "freshness", "dates", "news", "allowed_domains", "blocked_domains", "country", "safe_search",
    })  # fmt: skip

    def search(self, query: Query) -> Call[Found]:
        text = with_both_lists(query)
        body = {
            "query": text or query.text,
            "limit": query.limit,
            "sources": [{"type": "news"}] if query.news else None,
            "tbs": google_span(query),
            "includeDomains": list(query.allowed_domains) or None,
            # The two lists exclude each other; the second one goes into the words, where it fits.
            "excludeDomains": (not query.allowed_domains and list(query.blocked_domains)) or None,
            "country": query.country and query.country.upper(),
            "location": self.location,
            "highlights": None if self.highlights else False,
            "safe": query.safe_search and query.safe_search != "off",
        }
        unmet: frozenset[Wish] = frozenset() if text else frozenset({"blocked_domains"})
        parse, cost = partial(parse_results, unmet=unmet), Cost(CREDITS * -(-query.limit // RESULTS))
        explain = told_to_wait if self.api_key else without_key
        return Call(self._post("/v2/search", body), parse, explain, cost=cost)

    def read(self, url: str) -> Call[Page]:
        body = {"url": url, "formats": ["markdown"], "onlyMainContent": True}
        return Call(self._post("/v2/scrape", body), partial(parse_page, url=url), explain_read)

    def _post(self, path: str, body: Mapping[str, Any]) -> Request:
        headers = {"Authorization": f"Bearer {self.api_key.get_secret_value()}" if self.api_key else None}
        return Request("POST", self.base_url.rstrip("/") + path, headers=headers, json=body)


def with_both_lists(query: Query) -> str | None:
    """The words of a query, with what one of two domain lists cannot say; `None` where that is too long."""
    if not (query.allowed_domains and query.blocked_domains):
        return query.text
    text = " ".join([query.text, *(f"-site:{domain}" for domain in query.blocked_domains)])
    return text if len(text) <= MAX_QUERY else None


def parse_results(reply: Reply, *, unmet: frozenset[Wish] = frozenset()) -> Found:
    data = reply.json()
    match data:
        case {"data": {"web": [*rows]} | {"news": [*rows]} | [*rows]}:
            pass
        case {"success": True, "data": {}} if not {"web", "news"} & data["data"].keys():
            rows = []
        case _:
            raise ValueError("no list of results")
    results = [
        SearchResult(
            title=row["title"] or "",
            url=row["url"],
            snippet=row.get("description") or row.get("snippet") or "",
            age=row.get("date") or "",
        )
        for row in rows
    ]
    notes = (data["warning"],) if data.get("warning") else ()
    return Found(results, notes=notes, unmet=unmet, cost=told_cost(data.get("creditsUsed")))


def parse_page(reply: Reply, *, url: str) -> Page:
    data = reply.json()["data"]
    about = data["metadata"]
    cost = told_cost(about.get("creditsUsed"))
    if (status := about.get("statusCode") or 200) >= 400:
        # The page of an error is still a success to Firecrawl.
        raise Unreadable(
            "not_found" if status in {404, 410} else "unreachable" if status >= 500 else "blocked",
            f"the page answered with status {status}",
            status=status,
            cost=cost,
        )
    if not data["markdown"].strip():
        raise Unreadable("suspicious_empty", "Firecrawl found no text on the page", cost=cost)
    return Page(
        url=url,
        final_url=about.get("url") or "",
        title=about.get("title") or "",
        content=data["markdown"],
        status=status,
        content_type=about.get("contentType") or "",
        reader="firecrawl",
        notes=(data["warning"],) if data.get("warning") else (),
        cost=cost,
    )


def explain_read(reply: Reply) -> ProviderError | None:
    if reply.status == 403:
        return Blocked("Firecrawl does not read this site")
    if reply.status == 200 and reply.json().get("success") is False:
        return Unreadable("unreachable", f"Firecrawl could not read the page: {reply.json().get('error')}")
    return told_to_wait(reply)
