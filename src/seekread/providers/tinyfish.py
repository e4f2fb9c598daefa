"""
TinyFish: search that costs nothing by the call, ten results a page.

Reference: https://docs.tinyfish.ai
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from seekread.provider import (
    Call,
    Found,
    KnownAnswer,
    Query,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    Wish,
    setting,
)
from seekread.providers.countries import NAMES
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB

MINUTES = {"day": 1_440, "week": 10_080, "month": 43_200, "year": 525_600}


@dataclass(frozen=True)
class TinyFish:
    """Search with the TinyFish API."""

    api_key: SecretStr = setting(env="TINYFISH_API_KEY", about="API key of tinyfish.ai.")
    base_url: str = setting("https://api.search.tinyfish.ai", about="Where the API answers.")

    name: ClassVar[str] = "tinyfish"
    label: ClassVar[str] = "TinyFish"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    # There is no count: a page has ten, and the engine pages on.
    max_results: ClassVar[int] = 50
    page_size: ClassVar[int | None] = 10
    honours: ClassVar[frozenset[Wish]] = frozenset({
        "freshness", "dates", "news", "allowed_domains", "blocked_domains", "country", "language", "page",
    })  # fmt: skip

    def search(self, query: Query) -> Call[Found]:
        country = NAMES.get(query.country.upper()) if query.country else None
        dated = query.date_from or query.date_to
        params = {
            "query": query.text,
            "location": country and country.title(),
            "language": query.language and query.language.lower().split("-")[0],
            "include_domains": ",".join(query.allowed_domains) or None,
            "exclude_domains": ",".join(query.blocked_domains) or None,
            "after_date": query.date_from,
            "before_date": query.date_to,
            # The two ways to say it exclude each other.
            "recency_minutes": MINUTES[query.freshness] if query.freshness and not dated else None,
            "domain_type": "news" if query.news else None,
            # Pages count from 0.
            "page": query.page - 1 or None,
        }
        unmet: frozenset[Wish] = frozenset({"country"}) if query.country and not country else frozenset()
        headers = {"X-API-Key": self.api_key.get_secret_value()}
        return Call(Request("GET", self.base_url, params=params, headers=headers), partial(parse_results, unmet=unmet))


def parse_results(reply: Reply, *, unmet: frozenset[Wish] = frozenset()) -> Found:
    results = [
        SearchResult(
            title=row["title"] or "",
            url=row["url"],
            snippet=row.get("snippet") or "",
            published_date=row.get("date"),
        )
        for row in rows_at(reply.json(), "results")
    ]
    return Found(results, unmet=unmet)
