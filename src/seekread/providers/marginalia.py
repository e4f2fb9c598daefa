"""
Marginalia: the small web of texts that others bury.

Reference: https://about.marginalia-search.com/article/api/
"""

from dataclasses import dataclass
from typing import ClassVar

from seekread.provider import (
    Call,
    Found,
    KnownAnswer,
    Params,
    ProviderError,
    Query,
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

SHARED_KEY = "public"


@dataclass(frozen=True)
class Marginalia:
    """Search with the API of Marginalia, with a key of your own or the one that all share."""

    api_key: SecretStr | None = setting(
        None, env="MARGINALIA_API_KEY", about="A key of your own; without it the one is used that all share."
    )
    base_url: str = setting("https://api2.marginalia-search.com", about="Where the API answers.")

    name: ClassVar[str] = "marginalia"
    label: ClassVar[str] = "Marginalia"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = (KnownAnswer("linux"),)
    scope: ClassVar[Scope] = "corpus"
    by_name: ClassVar[bool] = True
    max_results: ClassVar[int] = 100
    honours: ClassVar[frozenset[Wish]] = frozenset({"page"})
    caveat: ClassVar[str] = "the small web, not all of it; results are CC BY-NC-SA, and the shared key is often busy"

    def search(self, query: Query) -> Call[Found]:
        params: Params = {"query": query.text, "count": query.limit, "page": query.page if query.page > 1 else None}
        headers = {"API-Key": self.api_key.get_secret_value() if self.api_key else SHARED_KEY}
        return Call(Request("GET", f"{self.base_url}/search", params=params, headers=headers), parse_results, explain)


def parse_results(reply: Reply) -> Found:
    results = [
        SearchResult(title=row["title"], url=row["url"], snippet=row.get("description") or "", score=row.get("quality"))
        for row in rows_at(reply.json(), "results")
    ]
    return Found(results)


def explain(reply: Reply) -> ProviderError | None:
    """Too many at once is a 503 here."""
    return RateLimited("status 503: too many searches with this key") if reply.status == 503 else None
