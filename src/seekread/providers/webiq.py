"""
Microsoft Web IQ: passages from the index behind Bing, whose own API it follows.

Reference: https://learn.microsoft.com/web-iq/
"""

import re
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
    RateLimited,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    Wish,
    setting,
)
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB

SAFE = {"off": "off", "strict": "strict"}
"""There is no moderate."""
PLANS = (
    # The price list cannot be read without signing in: counted as grounding with Bing was, $35 per 1,000.
    Plan("paid", price=0.035),
)


@dataclass(frozen=True)
class WebIQ:
    """Search with Microsoft Web IQ."""

    api_key: SecretStr = setting(env="WEBIQ_API_KEY", about="API key of Microsoft Web IQ.")
    base_url: str = setting("https://api.microsoft.ai/v3", about="Where the API answers.")

    name: ClassVar[str] = "webiq"
    label: ClassVar[str] = "Microsoft Web IQ"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    max_results: ClassVar[int] = 50
    max_news: ClassVar[int] = 20
    max_query: ClassVar[int] = 1000
    operators: ClassVar[bool] = True
    honours: ClassVar[frozenset[Wish]] = frozenset({"news", "country", "language", "safe_search"})

    def search(self, query: Query) -> Call[Found]:
        language = (query.language or "").split("-")[0].lower()
        safe = SAFE.get(query.safe_search or "") if not query.news else None
        # A field that is not listed is refused.
        body = {
            "query": query.text,
            "maxResults": query.limit,
            "language": language if len(language) == 2 else None,
            "region": query.country and query.country.upper(),
            "safeSearch": safe,
        }
        left_out: dict[Wish, object] = {
            "language": query.language and len(language) != 2,
            "safe_search": query.safe_search and not safe,
        }
        unmet = frozenset(wish for wish, left in left_out.items() if left)
        path, section = ("news", "newsResults") if query.news else ("web", "webResults")
        headers = {"x-apikey": self.api_key.get_secret_value()}
        request = Request("POST", f"{self.base_url}/search/{path}", headers=headers, json=body)
        return Call(request, partial(parse_results, section=section, unmet=unmet), explain)


def parse_results(reply: Reply, *, section: str = "webResults", unmet: frozenset[Wish] = frozenset()) -> Found:
    results = [
        SearchResult(
            title=row["title"] or "",
            url=row["url"],
            snippet=row.get("content") or "",
            published_date=row.get("lastUpdatedAt"),
        )
        for row in rows_at(reply.json(), section)
    ]
    return Found(results, unmet=unmet)


WAIT = re.compile(r'"retryAfter"\s*:\s*"?(\d+(?:\.\d+)?)\b(?![-:])')


def explain(reply: Reply) -> ProviderError | None:
    """The body says how long to wait, and there is a second status for it."""
    if reply.status not in {429, 430}:
        return None
    wait = WAIT.search(reply.text())
    return RateLimited(f"status {reply.status}: a limit is reached", retry_after=float(wait[1]) if wait else None)
