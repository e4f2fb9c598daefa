"""
OpenAlex: the open catalogue of scholarly works.

Reference: https://developers.openalex.org
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from seekread.provider import (
    Call,
    Cost,
    Found,
    KnownAnswer,
    Params,
    Plan,
    ProviderError,
    Query,
    QuotaExhausted,
    RateLimited,
    Reply,
    Request,
    Scope,
    SearchResult,
    SecretStr,
    Wish,
    setting,
)
from seekread.providers.json_paths import rows_at

FIELDS = "id,doi,display_name,publication_date,relevance_score,cited_by_count,abstract_inverted_index,primary_location"
LONGEST_ABSTRACT = 5_000
"""Words; a place beyond them is nonsense."""
PLANS = (
    # $0.001 a search; a key has $1 a day free, nobody without one pays. developers.openalex.org: authentication
    Plan("free", period="day", limit=1.0, unit="dollars", price=0.001),
    Plan("paid", price=0.001),
)


@dataclass(frozen=True)
class OpenAlex:
    """Search the works that OpenAlex lists."""

    api_key: SecretStr | None = setting(None, env="OPENALEX_API_KEY", about="API key of openalex.org, for more a day.")
    base_url: str = setting("https://api.openalex.org", about="Where the API answers.")
    contact: str | None = setting(None, env="OPENALEX_EMAIL", about="Mail of yours, as OpenAlex likes it.")

    name: ClassVar[str] = "openalex"
    label: ClassVar[str] = "OpenAlex"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = (KnownAnswer("deep learning"),)
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    scope: ClassVar[Scope] = "corpus"
    by_name: ClassVar[bool] = True
    max_results: ClassVar[int] = 100
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "language", "page"})
    caveat: ClassVar[str] = "scholarly works, not the web"

    def search(self, query: Query) -> Call[Found]:
        language = (query.language or "").lower().split("-")[0]
        filters = {
            "from_publication_date": query.date_from,
            "to_publication_date": query.date_to,
            "language": language if len(language) == 2 else None,
        }
        wanted = ",".join(f"{name}:{value}" for name, value in filters.items() if value)
        params: Params = {
            "search": query.text,
            "per_page": query.limit,
            "page": query.page if query.page > 1 else None,
            "filter": wanted or None,
            "select": FIELDS,
            "mailto": self.contact,
            "api_key": self.api_key,
        }
        unmet: frozenset[Wish] = frozenset({"language"}) if query.language and not filters["language"] else frozenset()
        request = Request("GET", f"{self.base_url}/works", params=params)
        cost = Cost() if self.api_key else Cost(dollars=0.0)
        return Call(request, partial(parse_results, unmet=unmet), explain, cost=cost)


def parse_results(reply: Reply, *, unmet: frozenset[Wish] = frozenset()) -> Found:
    return Found([result(row) for row in rows_at(reply.json(), "results")], unmet=unmet)


def result(row: Mapping[str, Any]) -> SearchResult:
    place = row.get("primary_location") or {}
    journal = (place.get("source") or {}).get("display_name")
    cited = row.get("cited_by_count")
    return SearchResult(
        title=row["display_name"] or "",
        url=row.get("doi") or place.get("landing_page_url") or row["id"],
        snippet=in_order(row.get("abstract_inverted_index") or {}) or journal or "no abstract",
        score=row.get("relevance_score"),
        published_date=row.get("publication_date"),
        flags=(f"cited by {cited}",) if cited else (),
    )


def in_order(index: Mapping[str, list[int]]) -> str:
    """An abstract is told as the places of its words."""
    places = sorted((place, word) for word, found in index.items() for place in found if place < LONGEST_ABSTRACT)
    return " ".join(word for _, word in places)


def explain(reply: Reply) -> ProviderError | None:
    """Too fast is a 403 here, and a used-up day the 429."""
    refusals = {
        403: RateLimited("status 403: too fast"),
        429: QuotaExhausted("status 429: the day's allowance is used"),
    }
    return refusals.get(reply.status)
