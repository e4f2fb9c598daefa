"""
Linkup: search for agents, with a long extract of each page.

Reference: https://docs.linkup.so/pages/documentation/api-reference/endpoint/post-search
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seekread.provider import (
    BadReply,
    Call,
    Cost,
    Found,
    KnownAnswer,
    Plan,
    ProviderError,
    Query,
    QuotaExhausted,
    RateLimited,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    TimedOut,
    Wish,
    setting,
)
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.refusals import worded

NOTHING = "SEARCH_QUERY_NO_RESULT"
"""The code of a bad request that is none: nothing was found."""
PRICES = {"deep": 0.0587}
"""Dollars of a search by depth; of the others each counts as standard."""
STANDARD = 0.00587
PLANS = (
    # About 5 euros per 1,000 searches, 50 where they go deep. linkup.so: pricing
    Plan("paid", price=STANDARD),
)
MEANINGS = {
    "INSUFFICIENT_FUNDS_CREDITS|EXCEED_BUDGET_LIMIT": QuotaExhausted,
    "TOO_MANY_REQUESTS": RateLimited,
    "REQUEST_DEADLINE_EXCEEDED": TimedOut,
}


@dataclass(frozen=True)
class Linkup:
    """Search with the Linkup API."""

    api_key: SecretStr = setting(env="LINKUP_API_KEY", about="API key of linkup.so.")
    base_url: str = setting("https://api.linkup.so/v1", about="Where the API answers.")
    depth: Literal["flash", "fast", "standard", "deep"] = setting(
        "fast", about="How hard to search; deep costs ten times as much."
    )

    name: ClassVar[str] = "linkup"
    label: ClassVar[str] = "Linkup"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    max_results: ClassVar[int] = 50
    max_allowed: ClassVar[int] = 100
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "allowed_domains", "blocked_domains"})

    def search(self, query: Query) -> Call[Found]:
        body = {
            "q": query.text,
            "depth": self.depth,
            "outputType": "searchResults",
            "maxResults": query.limit,
            "includeDomains": list(query.allowed_domains) or None,
            "excludeDomains": list(query.blocked_domains) or None,
            "fromDate": query.date_from,
            "toDate": query.date_to,
        }
        headers = {"Authorization": f"Bearer {self.api_key.get_secret_value()}"}
        request = Request("POST", f"{self.base_url}/search", headers=headers, json=body)
        cost = Cost(dollars=PRICES.get(self.depth, STANDARD))
        return Call(request, parse_results, explain, answers=frozenset({400}), cost=cost)


def parse_results(reply: Reply) -> Found:
    if reply.status == 400:
        return Found(())
    rows = rows_at(reply.json(), "results")
    texts = [row for row in rows if row.get("type") != "image"]
    return Found([SearchResult(title=row["name"] or "", url=row["url"], snippet=row["content"] or "") for row in texts])


def explain(reply: Reply) -> ProviderError | None:
    """The code decides: one status means too fast or used up, another wrong or nothing found."""
    if reply.status == 400 and NOTHING not in reply.text():
        return BadReply("status 400")
    return worded(reply, MEANINGS)
