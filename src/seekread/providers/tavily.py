"""
Tavily: search and page extraction made for agents.

Reference: https://docs.tavily.com/documentation/api-reference
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

from seekread.provider import (
    Call,
    Cost,
    Found,
    Keyless,
    KnownAnswer,
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
from seekread.providers.countries import NAMES
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.refusals import without_key

DEFAULT_RESULTS = 5
PLANS = (
    # 1,000 credits a month are free; $0.008 a credit beyond; 100 requests a minute with a development key, 1,000 with a
    # production key. docs.tavily.com: rate-limits, api-credits
    Plan("free", limit=1_000, unit="credits", per_second=100 / 60),
    Plan("paygo", unit="credits", price=0.008, per_second=1_000 / 60),
)
CREDITS = {"advanced": 2}
"""Credits of a search, and of every five pages that could be read; of the other depths each costs one."""
PAGES_FOR_A_CREDIT = 5


@dataclass(frozen=True)
class Tavily:
    """Search and read with the Tavily API. Only what differs from the API's own defaults is sent."""

    api_key: SecretStr | None = setting(env="TAVILY_API_KEY", about="API key of tavily.com.")
    base_url: str = setting("https://api.tavily.com", about="Where the API answers.")
    auth: Literal["bearer", "body"] = setting(
        "bearer", about="How the key travels: bearer (header) or body (old form)."
    )
    search_depth: Literal["basic", "advanced", "fast", "ultra-fast"] = setting(
        "basic", about="How hard to search; advanced costs two credits."
    )
    extract_depth: Literal["basic", "advanced"] = setting("basic", about="How hard to read; advanced runs JavaScript.")
    include_answer: bool = setting(False, about="Whether Tavily writes an answer of its own.")
    topic: Literal["general", "finance"] = setting("general", about="What a search is about unless it asks for news.")
    exact_match: bool = setting(False, about="Whether phrases in quotation marks have to occur.")
    max_age_hours: int | None = setting(None, about="Most hours that a page in Tavily's cache may be old.")
    counted: bool = setting(False, kind="resource")

    name: ClassVar[str] = "tavily"
    label: ClassVar[str] = "Tavily"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    keyless: ClassVar[Keyless] = Keyless("api.tavily.com")
    max_results: ClassVar[int] = 20
    max_query: ClassVar[int] = 400
    max_allowed: ClassVar[int] = 300
    max_blocked: ClassVar[int] = 150
    honours: ClassVar[frozenset[Wish]] = frozenset({
        "freshness", "dates", "news", "allowed_domains", "blocked_domains", "country", "language", "safe_search",
    })  # fmt: skip

    def search(self, query: Query) -> Call[Found]:
        general = not query.news and self.topic == "general"
        country = NAMES.get(query.country.upper()) if query.country and general else None
        body = {
            "query": query.text,
            "max_results": None if query.limit == DEFAULT_RESULTS else query.limit,
            "search_depth": None if self.search_depth == "basic" else self.search_depth,
            "include_answer": self.include_answer or None,
            "topic": "news" if query.news else None if self.topic == "general" else self.topic,
            "exact_match": self.exact_match or None,
            "max_age_hours": self.max_age_hours,
            "time_range": query.freshness,
            "start_date": query.date_from,
            "end_date": query.date_to,
            # News carry their date anyway.
            "include_published_date": True if dated(query) and not query.news else None,
            "include_domains": list(query.allowed_domains) or None,
            "exclude_domains": list(query.blocked_domains) or None,
            "country": country,
            "language": query.language,
            "filter_by_language": True if query.language else None,
            "safe_search": (query.safe_search and query.safe_search != "off") if self.searches_safely else None,
        }
        left_out = query.country if not country else None
        unsafe = bool(query.safe_search) and not self.searches_safely
        parse = partial(parse_results, left_out=left_out, unsafe=unsafe)
        cost = Cost(CREDITS.get(self.search_depth, 1))
        return Call(self._post("/search", body), parse, self._explain, cost=cost)

    @property
    def searches_safely(self) -> bool:
        """Whether there is a safe search at this depth; asking for one at the others is a bad request."""
        return self.search_depth not in {"fast", "ultra-fast"}

    def read(self, url: str) -> Call[Page]:
        body = {"urls": [url], "extract_depth": None if self.extract_depth == "basic" else self.extract_depth}
        # Every fifth page costs it all, the others nothing.
        cost = Cost(CREDITS.get(self.extract_depth, 1))
        share = Cost(cost.units / PAGES_FOR_A_CREDIT)
        return Call(self._post("/extract", body), partial(parse_page, url=url, share=share), self._explain, cost=cost)

    @property
    def _explain(self) -> Callable[[Reply], ProviderError | None]:
        return explain if self.api_key else without_key

    def _post(self, path: str, wanted: Mapping[str, Any]) -> Request:
        body = {**wanted, "include_usage": self.counted or None}
        if self.api_key is None:
            return Request("POST", self.base_url + path, headers={"X-Tavily-Access-Mode": "keyless"}, json=body)
        key = self.api_key.get_secret_value()
        if self.auth == "body":
            return Request("POST", self.base_url + path, json={"api_key": key, **body})
        return Request("POST", self.base_url + path, headers={"Authorization": f"Bearer {key}"}, json=body)


def dated(query: Query) -> bool:
    return bool(query.freshness or query.date_from or query.date_to)


def parse_results(reply: Reply, *, left_out: str | None = None, unsafe: bool = False) -> Found:
    data = reply.json()
    match data:
        case {"results": [*rows]}:
            pass
        case {"query": str()} if data.get("results") is None:
            rows = []
        case _:
            raise ValueError("no list of results")
    results = [
        SearchResult(
            title=row["title"] or "",
            url=row["url"],
            snippet=row.get("content") or "",
            content=row.get("raw_content"),
            score=row.get("score"),
            published_date=row.get("published_date"),
        )
        for row in rows
    ]
    missing: dict[Wish, str] = {
        "country": f"Tavily cannot prefer country {left_out!r} here" if left_out else "",
        "safe_search": "Tavily has no safe search at this depth" if unsafe else "",
    }
    return Found(
        results,
        answer=data.get("answer") or None,
        notes=tuple(filter(None, missing.values())),
        query=data.get("query"),
        unmet=frozenset(wish for wish, note in missing.items() if note),
        cost=used(data),
    )


def used(data: Mapping[str, Any]) -> Cost | None:
    match data:
        case {"usage": {"credits": credits}}:
            return told_cost(credits)
    return None


def parse_page(reply: Reply, *, url: str, share: Cost | None = None) -> Page:
    data = reply.json()
    match data:
        case {"results": [{"raw_content": str(content)} as page, *_]} if content.strip():
            cost = used(data) or share
            return Page(url=url, title=page.get("title") or "", content=content, reader="tavily", cost=cost)
        case {"results": [{"raw_content": str() | None}, *_]}:
            raise Unreadable("suspicious_empty", "Tavily found no text on the page; extract_depth=advanced may")
        case {"failed_results": [{"error": str(error)}, *_]}:
            # The reply has status 200 even when nothing could be read, which is free.
            raise Unreadable("unreachable", f"Tavily could not read the page: {error}", cost=used(data) or Cost(0))
    raise ValueError("neither results nor failed results")


def explain(reply: Reply) -> ProviderError | None:
    """Tavily has two status codes of its own for a plan that is used up."""
    used_up = {432: "the plan's or key's limit is reached", 433: "the pay-as-you-go limit is reached"}
    return QuotaExhausted(used_up[reply.status]) if reply.status in used_up else None
