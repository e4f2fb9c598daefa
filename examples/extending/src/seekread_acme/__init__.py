"""
Acme Search: an example of a search service with a JSON API.

Reference: your service's API documentation
"""

from dataclasses import dataclass
from typing import ClassVar

from seekread.provider import (
    Call,
    KnownAnswer,
    ProviderError,
    Query,
    QuotaExhausted,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    Wish,
    setting,
)


@dataclass(frozen=True)
class Acme:
    """Search with the Acme API."""

    api_key: SecretStr = setting(env="ACME_API_KEY", about="Your key.")
    base_url: str = setting("https://api.acme.example/v1", about="Where the API answers.")

    name: ClassVar[str] = "acme"
    label: ClassVar[str] = "Acme Search"
    max_results: ClassVar[int] = 25
    honours: ClassVar[frozenset[Wish]] = frozenset({"freshness", "page"})
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = (KnownAnswer("Wikipedia", "wikipedia.org"),)

    def search(self, query: Query) -> Call[list[SearchResult]]:
        request = Request(
            "GET",
            f"{self.base_url}/search",
            # None means "not asked for" and is left out.
            params={"q": query.text, "size": query.limit, "since": query.freshness, "page": query.page},
            headers={"Authorization": f"Bearer {self.api_key.get_secret_value()}"},
        )
        return Call(request, parse_results, explain)


def parse_results(reply: Reply) -> list[SearchResult]:
    # Anything but a list of hits is a bad reply, never "no results"; so is a hit without a field that must be there.
    match reply.json():
        case {"hits": [*hits]}:
            return [
                SearchResult(
                    title=hit["title"],
                    url=hit["link"],
                    snippet=hit.get("text", ""),
                    published_date=hit.get("date"),
                )
                for hit in hits
            ]
    raise ValueError("no list of hits")


def explain(reply: Reply) -> ProviderError | None:
    """Acme says 418 when the plan is used up."""
    return QuotaExhausted("the plan is used up") if reply.status == 418 else None
