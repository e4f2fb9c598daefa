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
from seekread.providers.known_answers import ON_THE_WEB
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
COUNTRIES = {
    "AR", "AU", "AT", "BE", "BR", "CA", "CL", "DK", "FI", "FR", "DE", "GR", "HK", "IN", "ID", "IT", "JP", "KR", "MY",
    "MX", "NL", "NZ", "NO", "CN", "PL", "PT", "PH", "RU", "SA", "ZA", "ES", "SE", "CH", "TW", "TR", "GB", "US",
}  # fmt: skip
LANGUAGES = {
    "ar", "eu", "bn", "bg", "ca", "zh-hans", "zh-hant", "hr", "cs", "da", "nl", "en", "en-gb", "et", "fi", "fr", "gl",
    "de", "el", "gu", "he", "hi", "hu", "is", "it", "jp", "kn", "ko", "lv", "lt", "ms", "ml", "mr", "nb", "pl", "pt-br",
    "pt-pt", "pa", "ro", "ru", "sr", "sk", "sl", "es", "sv", "ta", "te", "th", "tr", "uk", "vi",
}  # fmt: skip
LAST_PAGE = 10
HOST = re.compile(r"[\w.-]+", re.ASCII)
"""What a rule may name: anything else could be read as a rule of its own."""
ODD_LANGUAGES = {
    "ja": "jp", "no": "nb", "nn": "nb", "pt": "pt-pt",
    "zh": "zh-hans", "zh-cn": "zh-hans", "zh-sg": "zh-hans", "zh-tw": "zh-hant", "zh-hk": "zh-hant",
}  # fmt: skip
"""Codes of Brave's own where everybody else writes ISO 639."""
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
        if query.news:
            params = {name: value for name, value in params.items() if name not in WEB_ONLY}
        request = Request(
            "GET",
            f"{self.base_url}/{'news' if query.news else 'web'}/search",
            params={"q": query.text, "count": query.limit, **params},
            headers={
                "Accept": "application/json",
                "Accept-Encoding": "gzip",
                "X-Subscription-Token": self.api_key.get_secret_value(),
            },
        )
        missing = unmet(query)
        notes = [
            f"Brave knows no {wish} {asked!r}; it was left out"
            for wish, asked in (("country", query.country), ("language", query.language))
            if wish in missing
        ]
        return Call(request, partial(parse_results, notes=tuple(notes), missing=missing), explain)


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
    # One value outside the list makes Brave refuse the whole request.
    return country.upper() if country and country.upper() in COUNTRIES else None


def language_code(language: str | None) -> str | None:
    wanted = (language or "").lower()
    spellings = (ODD_LANGUAGES.get(wanted, wanted), ODD_LANGUAGES.get(wanted[:2], wanted.split("-")[0]))
    return next((code for code in spellings if code in LANGUAGES), None)


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
