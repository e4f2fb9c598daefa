"""
Brave Search: an independent web index with a JSON API.

Reference: https://api-dashboard.search.brave.com/documentation
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import ClassVar, Literal

from seekread.provider import (
    BadReply,
    Call,
    Found,
    KnownAnswer,
    Limits,
    Plan,
    ProviderError,
    Query,
    QuotaExhausted,
    RateLimited,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    Unauthorized,
    Unreadable,
    Wish,
    setting,
)
from seekread.providers.brave_context import TOKENS, context_params, parse_context
from seekread.providers.countries import listed_country
from seekread.providers.known_answers import ON_THE_WEB
from seekread.providers.languages import listed_language
from seekread.providers.rate_limits import windows
from seekread.providers.spans import both_ends

Preset = Literal["native", "complete", "bare"]

PRESETS: dict[Preset, Mapping[str, str | int]] = {
    "native": {"extra_snippets": "true", "text_decorations": "false", "result_filter": "web"},
    "complete": {
        "offset": 0,
        "extra_snippets": "true",
        "text_decorations": "false",
        "search_lang": "en",
        "country": "US",
        "safesearch": "moderate",
    },
    "bare": {},
}
"""What is sent with every query; what the query itself asks for comes on top and wins."""

WEB_ONLY = frozenset({"text_decorations", "result_filter"})
FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
LAST_PAGE = 10
HOST = re.compile(r"[\w.-]+", re.ASCII)
"""What a rule may name: anything else could be read as a rule of its own."""
ODD_LANGUAGES = {"ja": "jp"}
"""Codes of Brave's own."""
PLANS = (
    # About $5 per 1,000, 50 requests a second, a credit of $5 a month. api-dashboard.search.brave.com
    Plan("search", price=0.005, per_second=50),
    Plan("credit", limit=5.0, unit="dollars", price=0.005, per_second=50),
    # The plans of 2025, kept for earlier accounts; free is held to one request a second.
    Plan("free", limit=2_000, per_second=1),
    Plan("basic", limit=15_000),
    Plan("pro", limit=100_000),
)


@dataclass(frozen=True)
class Brave:
    """Search with the Brave Search API: `native` asks for all it can use, `bare` sends nothing but query and count."""

    api_key: SecretStr = setting(
        env=("BRAVE_SEARCH_API_KEY", "BRAVE_API_KEY"), about="Subscription token of the Brave Search API."
    )
    base_url: str = setting("https://api.search.brave.com/res/v1", about="Where the API answers.")
    preset: Preset = setting("native", about="What is sent with every query: native, complete or bare.")
    mode: Literal["web", "context"] = setting(
        "web", about="What is asked for: web (results) or context (passages of their pages, at the same price)."
    )
    context_tokens: int = setting(TOKENS, about="About how many tokens of passages one answer in mode context holds.")

    name: ClassVar[str] = "brave"
    label: ClassVar[str] = "Brave Search"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    limits: ClassVar[Limits] = staticmethod(windows)
    max_results: ClassVar[int] = 20
    max_news: ClassVar[int] = 50
    max_query: ClassVar[int] = 400
    max_words: ClassVar[int] = 50
    operators: ClassVar[bool] = True
    # The terms allow results to be kept only in passing.
    cache_seconds: ClassVar[int] = 600
    honours: ClassVar[frozenset[Wish]] = frozenset({
        "freshness", "dates", "news", "allowed_domains", "blocked_domains",
        "country", "language", "safe_search", "page",
    })  # fmt: skip

    def search(self, query: Query) -> Call[Found]:
        if query.page > LAST_PAGE:
            raise Unreadable("not_found", f"brave has no page {query.page}; its last one is {LAST_PAGE}")
        country, language = country_code(query.country), language_code(query.language)
        wishes = {
            "freshness": freshness(query),
            "goggles": goggle(query),
            "country": country,
            "search_lang": language,
            "safesearch": query.safe_search,
            # The offset counts pages, not results.
            "offset": query.page - 1 or None,
        }
        params = {**PRESETS[self.preset], **{name: value for name, value in wishes.items() if value is not None}}
        if self.mode == "context" and not query.news:
            return self._context(query, wishes)
        if query.news:
            params = {name: value for name, value in params.items() if name not in WEB_ONLY}
        path = f"{'news' if query.news else 'web'}/search"
        request = self._get(path, {"q": query.text, "count": query.limit, **params})
        missing = unmet(query)
        return Call(request, partial(parse_results, notes=left_out(query, missing), missing=missing), explain)

    def _context(self, query: Query, wishes: Mapping[str, str | int | None]) -> Call[Found]:
        """The passages of the pages it would list, where that is what somebody wants."""
        missing = unmet(query) | later_and_safe(query)
        parse = partial(parse_context, notes=left_out(query, missing), missing=missing)
        return Call(self._get("llm/context", context_params(query, wishes, self.context_tokens)), parse, explain)

    def _get(self, path: str, params: Mapping[str, str | int | None]) -> Request:
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "X-Subscription-Token": self.api_key.get_secret_value(),
        }
        return Request("GET", f"{self.base_url}/{path}", params=params, headers=headers)


def left_out(query: Query, missing: frozenset[Wish]) -> tuple[str, ...]:
    """A sentence for each code that Brave does not know."""
    asked: dict[Wish, str | None] = {"country": query.country, "language": query.language}
    return tuple(f"Brave knows no {wish} {code!r}; it was left out" for wish, code in asked.items() if wish in missing)


def later_and_safe(query: Query) -> frozenset[Wish]:
    """The wishes that only a search for results takes."""
    wished: dict[Wish, object] = {"page": query.page > 1, "safe_search": query.safe_search}
    return frozenset(wish for wish, set_here in wished.items() if set_here)


def freshness(query: Query) -> str | None:
    """The span Brave understands: a word, or two dates, of which neither may be missing."""
    if ends := both_ends(query):
        return f"{ends[0]}to{ends[1]}"
    return query.freshness and FRESHNESS[query.freshness]


def goggle(query: Query) -> str | None:
    """Domain wishes as re-ranking rules, which cost nothing of the query's length."""
    # Rules for some of the allowed domains would throw the pages of the others away.
    allowed = query.allowed_domains if all(map(HOST.fullmatch, query.allowed_domains)) else ()
    rules = ["$discard", *(f"$site={domain}" for domain in allowed)] if allowed else []
    rules += [f"$discard,site={domain}" for domain in query.blocked_domains if HOST.fullmatch(domain)]
    return "\n".join(rules) or None


def unmet(query: Query) -> frozenset[Wish]:
    """The wishes Brave has no words for."""
    left_out: dict[Wish, object] = {
        "country": query.country and not country_code(query.country),
        "language": query.language and not language_code(query.language),
        "allowed_domains": not all(map(HOST.fullmatch, query.allowed_domains)),
        "blocked_domains": not all(map(HOST.fullmatch, query.blocked_domains)),
    }
    return frozenset(wish for wish, left in left_out.items() if left)


def country_code(country: str | None) -> str | None:
    return listed_country(country, "GR")


def language_code(language: str | None) -> str | None:
    code = listed_language(language)
    return code and ODD_LANGUAGES.get(code, code)


def parse_results(reply: Reply, *, notes: tuple[str, ...] = (), missing: frozenset[Wish] = frozenset()) -> Found:
    match reply.json():
        # A section without hits is left out as a whole, and null stands for a list that is not there.
        case {"web": {"results": [*rows]}} | {"news": {"results": [*rows]}} | {"results": [*rows]}:
            pass
        case {"web": {"results": None} | None} | {"news": {"results": None} | None} | {"results": None}:
            rows = []
        case {"query": {}, **sections} if not {"web", "news", "results"} & sections.keys():
            rows = []
        case _:
            raise ValueError("neither results nor a query")
    return Found([result(row) for row in rows], notes=notes + spelling(reply.json().get("query")), unmet=missing)


def result(row: Mapping[str, str | None]) -> SearchResult:
    return SearchResult(
        title=row.get("title") or "",
        url=row.get("url") or "",
        snippet=row.get("description") or "",
        extra_snippets=row.get("extra_snippets") or (),  # type: ignore[arg-type]  # a list, checked by the model
        age=row.get("age") or "",
        published_date=row.get("page_age"),
    )


def spelling(query: object) -> tuple[str, ...]:
    match query:
        case {"altered": str(altered)} if altered:
            return (f"Brave searched for {altered!r}",)
    return ()


CODE = re.compile(r'"code"\s*:\s*"([A-Z_]+)"')
DETAIL = re.compile(r'"detail"\s*:\s*"([^"]{1,200})"')
A_YEAR = 366 * 86_400
QUOTA = re.compile(r'"quota_limit"\s*:\s*(\d+)')


def explain(reply: Reply) -> ProviderError | None:
    """Brave's own code says more than the status: a wrong key is a 422, a used-up plan a 429."""
    if reply.status < 400 or not (code := CODE.search(text := reply.text())):
        return None
    detail = DETAIL.search(text)
    message = f"{code[1]}: {detail[1]}" if detail else code[1]
    match code[1]:
        case "SUBSCRIPTION_TOKEN_INVALID" | "SUBSCRIPTION_NOT_FOUND" | "OPTION_NOT_IN_PLAN":
            return Unauthorized(message)
        case "VALIDATION" if "x-subscription-token" in text.lower():
            return Unauthorized(message)
        case "RATE_LIMITED":
            return RateLimited(message, retry_after=min(used_up(reply), default=1.0))
        case "QUOTA_LIMITED":
            seconds, limit = max(used_up(reply), default=None), QUOTA.search(text)
            return QuotaExhausted(
                message,
                retry_after=seconds,
                limit=int(limit[1]) if limit else None,
                resets_on=(datetime.now(UTC) + timedelta(seconds=seconds)).date().isoformat() if seconds else None,
            )
        case "VALIDATION":
            return BadReply(message)
    return None


def used_up(reply: Reply) -> list[float]:
    """Seconds until each used-up window opens again. A window whose limit is 0 has no limit."""
    limits, remaining, resets = (
        [int(number) for number in re.findall(r"-?\d+", reply.headers.get(f"x-ratelimit-{part}", ""))]
        for part in ("limit", "remaining", "reset")
    )
    windows = zip(limits, remaining, resets, strict=False)
    return [float(min(reset, A_YEAR)) for limit, left, reset in windows if limit and left <= 0]
