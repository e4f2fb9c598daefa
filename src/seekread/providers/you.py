"""
You.com: a web index for agents, with several passages of each page.

Reference: https://documentation.you.com/api-reference/search
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

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
    Unreadable,
    Wish,
    by_status,
    setting,
)
from seekread.providers.countries import listed_country
from seekread.providers.domain_lists import either_list
from seekread.providers.json_paths import rows_at
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.languages import listed_language
from seekread.providers.refusals import without_key
from seekread.providers.spans import both_ends

LAST_PAGE = 10
PLANS = (
    # $5 per 1,000 searches; a new account has $100 to spend. you.com: pricing
    Plan("credit", period="none", limit=100.0, unit="dollars", price=0.005),
    Plan("paid", price=0.005),
)


@dataclass(frozen=True)
class You:
    """Search with the You.com API."""

    api_key: SecretStr | None = setting(env=("YDC_API_KEY", "YOU_API_KEY"), about="API key of you.com.")
    base_url: str = setting("https://ydc-index.io", about="Where the API answers.")
    keyless_url: str = setting("https://api.you.com", about="Where it answers without a key.")

    name: ClassVar[str] = "you"
    label: ClassVar[str] = "You.com"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    keyless: ClassVar[Keyless] = Keyless("api.you.com")
    max_results: ClassVar[int] = 100
    max_allowed: ClassVar[int] = 500
    max_blocked: ClassVar[int] = 500
    honours: ClassVar[frozenset[Wish]] = frozenset({
        "freshness", "dates", "allowed_domains", "blocked_domains", "country", "language", "safe_search", "page",
    })  # fmt: skip

    def search(self, query: Query) -> Call[Found]:
        if query.page > LAST_PAGE:
            raise Unreadable("not_found", f"you.com has no page {query.page}; its last one is {LAST_PAGE}")
        domains, ends = either_list(query), both_ends(query)
        country, language = listed_country(query.country), listed_language(query.language)
        body = {
            "query": query.text,
            "count": query.limit,
            # The offset counts pages, not results.
            "offset": query.page - 1 or None,
            "freshness": f"{ends[0]}to{ends[1]}" if ends else query.freshness,
            "country": country,
            "language": language and language.upper(),
            "safesearch": query.safe_search,
            "include_domains": domains.allowed,
            "exclude_domains": domains.blocked,
        }
        left_out: dict[Wish, object] = {
            "country": query.country and not country,
            "language": query.language and not language,
        }
        unmet = domains.unmet | {wish for wish, left in left_out.items() if left}
        return Call(self._post(body), partial(parse_results, unmet=unmet), by_status if self.api_key else without_key)

    def _post(self, body: Mapping[str, Any]) -> Request:
        if self.api_key:
            headers = {"X-API-Key": self.api_key.get_secret_value()}
            return Request("POST", f"{self.base_url}/v1/search", headers=headers, json=body)
        # What this host compresses was reported to be broken.
        headers = {"Accept-Encoding": "identity"}
        return Request("POST", f"{self.keyless_url}/v1/agents/search", headers=headers, json=body)


def parse_results(reply: Reply, *, unmet: frozenset[Wish] = frozenset()) -> Found:
    results = [
        SearchResult(
            title=row["title"] or "",
            url=row["url"],
            snippet=row.get("description") or next(iter(row.get("snippets") or ()), ""),
            extra_snippets=row.get("snippets") or (),
            published_date=row.get("page_age"),
        )
        for row in web_rows(reply.json())
    ]
    return Found(results, unmet=unmet)


def web_rows(data: Any) -> list[Any]:
    """The rows of the web; a section without hits is null or left out."""
    match data:
        case {"results": {**sections}, "metadata": {}} if sections.get("web") is None:
            return []
    return rows_at(data, "results", "web")
