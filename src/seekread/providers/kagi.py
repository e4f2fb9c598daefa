"""
Kagi: a search engine without advertisements, paid for by its users.

Reference: https://help.kagi.com/kagi/api/search.html
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from seekread.provider import (
    Call,
    Found,
    KnownAnswer,
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
)
from seekread.providers.google import answer_box
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.refusals import worded

LAST_PAGE = 10
PLANS = (
    # $25 per 1,000 searches, the price of the interface before this one. help.kagi.com
    Plan("paid", price=0.025),
)


@dataclass(frozen=True)
class Kagi:
    """Search with the Kagi API."""

    api_key: SecretStr = setting(env="KAGI_API_KEY", about="API key of kagi.com.")
    base_url: str = setting("https://kagi.com/api/v1", about="Where the API answers.")

    name: ClassVar[str] = "kagi"
    label: ClassVar[str] = "Kagi"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    max_results: ClassVar[int] = 100
    operators: ClassVar[bool] = True
    # A recency word becomes a pair of dates, which Kagi takes for every span.
    honours: ClassVar[frozenset[Wish]] = frozenset({
        "dates", "news", "allowed_domains", "blocked_domains", "country", "page",
    })  # fmt: skip

    def search(self, query: Query) -> Call[Found]:
        if query.page > LAST_PAGE:
            raise Unreadable("not_found", f"kagi has no page {query.page}; its last one is {LAST_PAGE}")
        body = {
            "query": query.text,
            "workflow": "news" if query.news else None,
            "limit": query.limit,
            "page": query.page if query.page > 1 else None,
            "filters": {
                "region": query.country and query.country.upper(),
                "after": query.date_from,
                "before": query.date_to,
            },
            "lens": {
                "sites_included": list(query.allowed_domains) or None,
                "sites_excluded": list(query.blocked_domains) or None,
            },
        }
        headers = {"Authorization": f"Bearer {self.api_key.get_secret_value()}"}
        request = Request("POST", f"{self.base_url}/search", headers=headers, json=body)
        return Call(request, partial(parse_results, section="news" if query.news else "search"), explain)


def parse_results(reply: Reply, *, section: str = "search") -> Found:
    sections = reply.json()["data"]
    # A section without hits may be left out.
    rows = rows_at(sections, section) if sections and section in sections else []
    if not rows and not isinstance(sections, dict):
        raise ValueError("no sections")
    results = [
        SearchResult(
            title=row["title"] or "", url=row["url"], snippet=row.get("snippet") or "", published_date=row.get("time")
        )
        for row in rows
    ]
    return Found(results, answer=answer_box(*(sections.get("direct_answer") or ())))


def explain(reply: Reply) -> ProviderError | None:
    """One status stands for a pace and for an account that is used up."""
    return worded(reply, {"balance|credit|insufficient|exhausted": QuotaExhausted}) if reply.status == 429 else None
