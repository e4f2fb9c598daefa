"""
Stack Exchange: questions with answers that people voted on; Stack Overflow unless another site is named.

Reference: https://api.stackexchange.com/docs/advanced-search
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

from seekread.provider import (
    Call,
    Found,
    KnownAnswer,
    Params,
    ProviderError,
    Query,
    QuotaExhausted,
    RateLimited,
    Reply,
    Request,
    Scope,
    SearchResult,
    SecretStr,
    Unauthorized,
    Wish,
    setting,
)
from seekread.providers.json_paths import rows_at
from seekread.providers.refusals import worded
from seekread.providers.spans import epochs

MEANINGS = {
    "throttle_violation.*more requests available": QuotaExhausted,
    "throttle_violation|temporarily_unavailable": RateLimited,
    "`key`|access_denied|access_token": Unauthorized,
}
"""What the name of an error means; sources disagree about its status."""


@dataclass(frozen=True)
class StackExchange:
    """Search the questions of a site of Stack Exchange."""

    api_key: SecretStr | None = setting(
        None,
        env="STACKEXCHANGE_API_KEY",
        about="Key of a registered application: 10,000 searches a day instead of 300.",
    )
    base_url: str = setting("https://api.stackexchange.com/2.3", about="Where the API answers.")
    site: str = setting("stackoverflow", about="The site that is searched, such as serverfault or math.")

    name: ClassVar[str] = "stackexchange"
    label: ClassVar[str] = "Stack Exchange"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = (KnownAnswer("python"),)
    scope: ClassVar[Scope] = "corpus"
    by_name: ClassVar[bool] = True
    max_results: ClassVar[int] = 100
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "page"})
    caveat: ClassVar[str] = "questions of one site, not the web; texts are CC BY-SA"

    def search(self, query: Query) -> Call[Found]:
        span = epochs(query)
        params: Params = {
            "site": self.site,
            "q": query.text,
            "sort": "relevance",
            "order": "desc",
            "pagesize": query.limit,
            "page": query.page if query.page > 1 else None,
            "fromdate": span and span[0],
            "todate": span and span[1],
            "filter": "withbody",
            "key": self.api_key,
        }
        request = Request("GET", f"{self.base_url}/search/advanced", params=params)
        return Call(request, parse_results, explain)


def parse_results(reply: Reply) -> Found:
    data = reply.json()
    wait = data.get("backoff")
    notes = (f"Stack Exchange asks to wait {wait} s before the next search",) if wait else ()
    return Found([result(row) for row in rows_at(data, "items")], notes=notes)


def result(row: Mapping[str, Any]) -> SearchResult:
    answered = "answered" if row.get("is_answered") else "not answered"
    return SearchResult(
        title=row["title"],
        url=row["link"],
        snippet=row.get("body") or answered,
        score=row.get("score"),
        published_date=datetime.fromtimestamp(row["creation_date"], UTC).date().isoformat(),
        flags=(f"{row.get('answer_count') or 0} answers, {answered}",),
    )


def explain(reply: Reply) -> ProviderError | None:
    return worded(reply, MEANINGS)
