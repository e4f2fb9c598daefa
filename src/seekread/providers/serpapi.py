"""
SerpApi: Google's results as JSON.

Reference: https://serpapi.com/search-api
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from seekread.provider import (
    Call,
    Found,
    KnownAnswer,
    Params,
    Plan,
    ProviderError,
    Query,
    QuotaExhausted,
    Reply,
    Request,
    SecretStr,
    Wish,
    setting,
)
from seekread.providers.google import answer_box, google_span, results_of, where_and_how
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.refusals import worded

PAGE = 10
LISTS = ("organic_results", "news_results")
NOTHING = "hasn't returned any results"
"""Said in a field called `error` of a reply that is a success."""
PLANS = (
    # 100 searches a month are free at least; $75 for 5,000. Only successes count. serpapi.com: pricing
    Plan("free", limit=100),
    Plan("paid", price=0.015),
)


@dataclass(frozen=True)
class SerpApi:
    """Search Google through SerpApi."""

    api_key: SecretStr = setting(env=("SERPAPI_KEY", "SERPAPI_API_KEY"), about="API key of serpapi.com.")
    base_url: str = setting("https://serpapi.com", about="Where the API answers.")

    name: ClassVar[str] = "serpapi"
    label: ClassVar[str] = "SerpApi (Google)"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    max_results: ClassVar[int] = PAGE
    operators: ClassVar[bool] = True
    honours: ClassVar[frozenset[Wish]] = frozenset({
        "freshness", "dates", "news", "country", "language", "safe_search", "page",
    })  # fmt: skip

    def search(self, query: Query) -> Call[Found]:
        params: Params = {
            "engine": "google",
            "q": query.text,
            "num": query.limit,
            "start": (query.page - 1) * query.limit or None,
            "tbs": google_span(query),
            "tbm": "nws" if query.news else None,
            **where_and_how(query),
            "api_key": self.api_key,
        }
        return Call(Request("GET", f"{self.base_url}/search.json", params=params), parse_results, explain)


def parse_results(reply: Reply) -> Found:
    data = reply.json()
    return Found(results_of(rows_of(data)), answer=answer_box(data.get("answer_box"), data.get("knowledge_graph")))


def rows_of(data: Any) -> list[Any]:
    """The list that came; none at all is an answer where the search itself is called a success."""
    named = [name for name in LISTS if name in data]
    if named:
        return rows_at(data, named[0])
    match data:
        case {"search_metadata": {"status": "Success"}} if NOTHING in data.get("error", NOTHING):
            return []
    raise ValueError(f"neither results nor a success: {data.get('error')}")


def explain(reply: Reply) -> ProviderError | None:
    """One status stands for a pace and for a plan that is used up."""
    return worded(reply, {"run out of searches": QuotaExhausted})
