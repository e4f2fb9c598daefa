"""
Keenable: an index of its own that is searched by meaning; a key only lifts the cap.

Reference: https://docs.keenable.ai
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from seekread.provider import (
    Call,
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
    by_status,
    setting,
)
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.refusals import without_key

PLANS = (
    # About $1 per 1,000 searches, as a comparison lists it; without a key there is an hourly cap and no price.
    Plan("paid", price=0.001),
)


@dataclass(frozen=True)
class Keenable:
    """Search with the Keenable API."""

    api_key: SecretStr | None = setting(env="KEENABLE_API_KEY", about="API key of keenable.ai.")
    base_url: str = setting("https://api.keenable.ai", env="KEENABLE_API_URL", about="Where the API answers.")

    name: ClassVar[str] = "keenable"
    label: ClassVar[str] = "Keenable"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    keyless: ClassVar[Keyless] = Keyless("api.keenable.ai")
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "allowed_domains"})

    def search(self, query: Query) -> Call[Found]:
        body = {
            "query": query.text,
            # It takes one site; the engine filters by several.
            "site": query.allowed_domains[0] if len(query.allowed_domains) == 1 else None,
            "published_after": query.date_from,
            "published_before": query.date_to,
        }
        headers = {
            "X-Keenable-Title": "seekread",
            "X-API-Key": self.api_key.get_secret_value() if self.api_key else None,
        }
        path = "/v1/search" if self.api_key else "/v1/search/public"
        unmet: frozenset[Wish] = frozenset({"allowed_domains"}) if len(query.allowed_domains) > 1 else frozenset()
        request = Request("POST", self.base_url + path, headers=headers, json=body)
        explain = by_status if self.api_key else without_key
        return Call(request, partial(parse_results, unmet=unmet), explain)


def parse_results(reply: Reply, *, unmet: frozenset[Wish] = frozenset()) -> Found:
    results = [
        SearchResult(
            title=row["title"] or "",
            url=row["url"],
            snippet=row.get("snippet") or row.get("description") or "",
            published_date=row.get("published_at"),
        )
        for row in rows_at(reply.json(), "results")
    ]
    return Found(results, unmet=unmet)
