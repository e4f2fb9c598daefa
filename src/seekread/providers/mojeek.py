"""
Mojeek: an index of its own, kept in Britain.

Reference: https://www.mojeek.com/support/api/
"""

import re
from dataclasses import dataclass
from typing import ClassVar

from seekread.provider import (
    BadReply,
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
    SearchResult,
    SecretStr,
    Unauthorized,
    Wish,
    setting,
)
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB

PLANS = (
    # One to three pounds per 1,000 searches; the dearest counts. mojeek.com: services
    Plan("paid", price=0.004),
)
MEANINGS: dict[str, type[ProviderError]] = {"limit": QuotaExhausted, "key|denied|forbidden": Unauthorized}
"""What the words of a status mean that is not OK."""


@dataclass(frozen=True)
class Mojeek:
    """Search with the Mojeek API."""

    api_key: SecretStr = setting(env="MOJEEK_API_KEY", about="API key of mojeek.com.")
    base_url: str = setting("https://www.mojeek.com", about="Where the API answers.")

    name: ClassVar[str] = "mojeek"
    label: ClassVar[str] = "Mojeek"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    operators: ClassVar[bool] = True
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "page"})

    def search(self, query: Query) -> Call[Found]:
        params: Params = {
            "q": query.text,
            "fmt": "json",
            "t": query.limit,
            # The first result of a page, counted from 1.
            "s": (query.page - 1) * query.limit + 1 if query.page > 1 else None,
            "since": query.date_from and query.date_from.replace("-", ""),
            "before": query.date_to and query.date_to.replace("-", ""),
            "api_key": self.api_key,
        }
        return Call(Request("GET", f"{self.base_url}/search", params=params), parse_results)


def parse_results(reply: Reply) -> Found:
    data = reply.json()["response"]
    if (status := data["status"]) != "OK":
        raise refused(str(status))
    rows = rows_at(data, "results")
    return Found([SearchResult(title=row["title"], url=row["url"], snippet=row.get("desc") or "") for row in rows])


def refused(status: str) -> ProviderError:
    """A refusal comes with status 200 and a sentence."""
    kinds = [error for pattern, error in MEANINGS.items() if re.search(pattern, status, re.IGNORECASE)]
    return (kinds or [BadReply])[0](status[:200])
