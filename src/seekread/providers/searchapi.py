"""
SearchApi: Google's results as JSON.

Reference: https://www.searchapi.io/docs/google
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
from seekread.providers.google import answer_box, results_of, where_and_how
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.refusals import worded
from seekread.providers.spans import both_ends

PLANS = (
    # 100 searches once; about $4 per 1,000. searchapi.io: pricing
    Plan("trial", period="none", limit=100),
    Plan("paid", price=0.004),
)


@dataclass(frozen=True)
class SearchApi:
    """Search Google through SearchApi."""

    api_key: SecretStr = setting(env="SEARCHAPI_API_KEY", about="API key of searchapi.io.")
    base_url: str = setting("https://www.searchapi.io/api/v1", about="Where the API answers.")

    name: ClassVar[str] = "searchapi"
    label: ClassVar[str] = "SearchApi (Google)"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    operators: ClassVar[bool] = True
    honours: ClassVar[frozenset[Wish]] = frozenset({
        "freshness", "dates", "news", "country", "language", "safe_search", "page",
    })  # fmt: skip

    def search(self, query: Query) -> Call[Found]:
        ends = both_ends(query)
        params: Params = {
            "engine": "google_news" if query.news else "google",
            "q": query.text,
            "page": query.page if query.page > 1 else None,
            "time_period": f"last_{query.freshness}" if query.freshness and not ends else None,
            "time_period_min": f"{ends[0]:%m/%d/%Y}" if ends else None,
            "time_period_max": f"{ends[1]:%m/%d/%Y}" if ends else None,
            **where_and_how(query),
            "api_key": self.api_key,
        }
        return Call(Request("GET", f"{self.base_url}/search", params=params), parse_results, explain)


def parse_results(reply: Reply) -> Found:
    data = reply.json()
    return Found(results_of(rows_of(data)), answer=answer_box(data.get("answer_box"), data.get("knowledge_graph")))


def rows_of(data: Any) -> list[Any]:
    """The rows; a list without hits is left out of a search that is called a success."""
    match data:
        # A list of another name would be results that nobody reads.
        case {"search_metadata": {"status": "Success"}} if not any(name.endswith("_results") for name in data):
            return []
    return rows_at(data, "organic_results")


def explain(reply: Reply) -> ProviderError | None:
    """One status stands for a pace and for a plan that is used up."""
    used_up = "all of the searches|out of searches|credits|upgrade your plan"
    return worded(reply, {used_up: QuotaExhausted}) if reply.status == 429 else None
