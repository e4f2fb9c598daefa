"""
Jina: a reader that turns pages into Markdown, without a key if need be, and a search that wants one.

Reference: https://jina.ai/reader
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

from seekread.provider import (
    BadReply,
    Blocked,
    Call,
    Cost,
    Found,
    KnownAnswer,
    NotConfigured,
    Page,
    Plan,
    ProviderError,
    Query,
    QuotaExhausted,
    Reply,
    Request,
    SearchResult,
    SecretStr,
    SuspiciousEmpty,
    Unreadable,
    Wish,
    setting,
    told_cost,
)
from seekread.providers.known_answers import ON_THE_WEB

LANGUAGES = {
    "ach", "af", "ak", "am", "ar", "az", "be", "bem", "bg", "bh", "bn", "br", "bs", "ca", "chr", "ckb", "co", "crs",
    "cs", "cy", "da", "de", "ee", "el", "en", "eo", "es", "es-419", "et", "eu", "fa", "fi", "fo", "fr", "fy", "ga",
    "gaa", "gd", "gl", "gn", "gu", "ha", "haw", "hi", "hr", "ht", "hu", "hy", "ia", "id", "ig", "is", "it", "iw",
    "ja", "jw", "ka", "kg", "kk", "km", "kn", "ko", "kri", "ku", "ky", "la", "lg", "ln", "lo", "loz", "lt", "lua",
    "lv", "mfe", "mg", "mi", "mk", "ml", "mn", "mo", "mr", "ms", "mt", "ne", "nl", "nn", "no", "nso", "ny", "nyn",
    "oc", "om", "or", "pa", "pcm", "pl", "ps", "pt", "pt-br", "pt-pt", "qu", "rm", "rn", "ro", "ru", "rw", "sd", "sh",
    "si", "sk", "sl", "sn", "so", "sq", "sr", "sr-ME", "st", "su", "sv", "sw", "ta", "te", "tg", "th", "ti", "tk",
    "tl", "tn", "to", "tr", "tt", "tum", "tw", "ug", "uk", "ur", "uz", "vi", "wo", "xh", "yi", "yo", "zh-cn", "zh-tw",
    "zu",
}  # fmt: skip
"""What `hl` may be, in Google's older spelling; anything else makes Jina refuse the whole request."""
ODD_LANGUAGES = {
    "he": "iw", "jv": "jw", "fil": "tl", "nb": "no", "sr-me": "sr-ME",
    "zh": "zh-cn", "zh-hans": "zh-cn", "zh-sg": "zh-cn", "zh-hant": "zh-tw", "zh-hk": "zh-tw", "zh-mo": "zh-tw",
}  # fmt: skip
PLANS = (
    # Requests a minute, reading: 20 without a key, 500 with one, 5,000 premium; searching: 100, premium 1,000.
    # The cost is output tokens, about $50 per billion. jina.ai: pricing
    Plan("keyless", period="none", unit="requests", per_second=20 / 60),
    Plan("key", period="none", unit="tokens", price=5e-8, per_second=100 / 60),
    Plan("premium", period="none", unit="tokens", price=5e-8, per_second=1_000 / 60),
)
TOKENS = 10_000
"""Tokens the smallest search costs, news five times as many; and more than most pages have."""
NEWS, BING = 5, 3


@dataclass(frozen=True)
class Jina:
    """Read with Jina Reader, search with Jina Search."""

    api_key: SecretStr | None = setting(None, env="JINA_API_KEY", about="API key of jina.ai; reading works without.")
    base_url: str = setting("https://r.jina.ai", about="Where the reader answers.")
    search_url: str = setting("https://s.jina.ai", about="Where the search answers.")
    engine: Literal["google", "bing"] = setting("google", about="Whose results are searched; bing costs three times.")

    name: ClassVar[str] = "jina"
    label: ClassVar[str] = "Jina"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    plans: ClassVar[tuple[Plan, ...]] = PLANS
    max_results: ClassVar[int] = 20
    operators: ClassVar[bool] = True
    honours: ClassVar[frozenset[Wish]] = frozenset({"news", "allowed_domains", "country", "language", "page"})
    caveat: ClassVar[str] = "the reader sees every address it is given; without a key many sites are closed to it"

    def read(self, url: str) -> Call[Page]:
        # As a body the address keeps its fragment and its query.
        request = Request("POST", f"{self.base_url}/", headers=self._headers(), json={"url": url})
        # Without a key nobody is charged, so requests are counted.
        keyless = None if self.api_key else Cost(dollars=0.0)
        parse = partial(parse_page, url=url, keyless=keyless)
        return Call(request, parse, explain_read, cost=keyless or Cost(TOKENS))

    def search(self, query: Query) -> Call[Found]:
        if self.api_key is None:
            raise NotConfigured("jina needs api_key to search: set JINA_API_KEY")
        language = language_code(query.language)
        request = Request(
            "GET",
            f"{self.search_url}/",
            params={
                "q": query.text,
                "num": query.limit,
                "type": "news" if query.news else None,
                "engine": None if self.engine == "google" else self.engine,
                "site": query.allowed_domains or None,
                "gl": query.country and query.country.upper(),
                "hl": language,
                "page": query.page if query.page > 1 else None,
            },
            headers={**self._headers(), "X-Respond-With": "no-content"},
        )
        # Nothing found comes with status 422, and says so in words.
        parse = partial(parse_results, unknown=query.language if not language else None)
        cost = Cost(TOKENS * (NEWS if query.news else 1) * (BING if self.engine == "bing" else 1))
        return Call(request, parse, explain_search, answers=frozenset({422}), cost=cost)

    def _headers(self) -> dict[str, str | None]:
        # Anything else accepted beside JSON makes Jina answer in plain text.
        bearer = self.api_key and f"Bearer {self.api_key.get_secret_value()}"
        return {"Accept": "application/json", "Authorization": bearer or None}


@dataclass(frozen=True)
class JinaSearch(Jina):
    """The same with its key, without which Jina does not search."""

    api_key: SecretStr = setting(env="JINA_API_KEY", about="API key of jina.ai.")


def language_code(language: str | None) -> str | None:
    """The code Jina takes for a language: the one asked for, or that of its family."""
    wanted = (language or "").lower()
    spellings = (ODD_LANGUAGES.get(code, code) for code in (wanted, wanted.split("-")[0]))
    return next((code for code in spellings if code in LANGUAGES), None)


def parse_page(reply: Reply, *, url: str, keyless: Cost | None = None) -> Page:
    data = reply.json()
    page, cost = data["data"], keyless or spent(data)
    content, warning = page["content"], page.get("warning") or ""
    if status := re.search(r"returned error (\d{3})", warning):
        code = int(status[1])
        raise Unreadable(
            "not_found" if code in {404, 410} else "unreachable" if code >= 500 else "blocked",
            f"the page answered with status {code}",
            status=code,
            cost=cost,
        )
    if "captcha" in warning.lower():
        raise Unreadable("blocked", f"Jina met a challenge: {warning}", cost=cost)
    if not content.strip():
        raise Unreadable("suspicious_empty", "Jina found no text on the page", cost=cost)
    return Page(
        url=url,
        title=page.get("title") or "",
        content=content,
        metadata={"published_time": page["publishedTime"]} if page.get("publishedTime") else {},
        reader="jina",
        notes=(warning,) if warning else (),
        cost=cost,
    )


def spent(data: Mapping[str, Any]) -> Cost | None:
    """The tokens a reply tells: of the whole, or of the page in it."""
    match data:
        case {"meta": {"usage": {"tokens": tokens}}} | {"data": {"usage": {"tokens": tokens}}}:
            return told_cost(tokens)
    return None


def parse_results(reply: Reply, *, unknown: str | None = None) -> Found:
    data = reply.json()
    match data:
        case {"data": [*rows]}:
            pass
        case {"message": str(message)} if NOTHING.search(message):
            rows = []
        case _:
            raise ValueError("no list of results")
    results = [
        SearchResult(
            title=row["title"] or "",
            url=row["url"],
            snippet=row.get("description") or "",
            content=row.get("content") or None,
            published_date=row.get("date"),
        )
        for row in rows
    ]
    return Found(
        results,
        notes=(f"Jina knows no language {unknown!r}; it was left out",) if unknown else (),
        unmet=frozenset({"language"}) if unknown else frozenset(),
        cost=spent(data),
    )


NOTHING = re.compile(r"No search results", re.IGNORECASE)
CODE = re.compile(r'"status"\s*:\s*(\d{5})')


def explain(reply: Reply) -> ProviderError | None:
    """Jina numbers its errors more finely than the status does."""
    match code_of(reply):
        case 40201 | 40202 | 40203:
            return QuotaExhausted("the balance of tokens is used up")
        case 45102:
            return Blocked("Jina does not read this site for us; a key may open it")
    return Blocked("status 451: Jina does not read this site for us") if reply.status == 451 else None


def explain_read(reply: Reply) -> ProviderError | None:
    match code_of(reply):
        case 40904 | 41302:
            return Unreadable("too_large", "the page is too large for Jina")
        case 42206:
            return Unreadable("unreachable", "Jina could not load the page")
    return explain(reply)


def explain_search(reply: Reply) -> ProviderError | None:
    """A failed assertion is "nothing found" only where it says so; otherwise there is room for doubt."""
    if code_of(reply) == 42206 and not NOTHING.search(reply.text()):
        return SuspiciousEmpty("Jina found nothing, or could not search")
    if reply.status == 422 and code_of(reply) != 42206:
        return explain(reply) or BadReply("status 422: Jina did not understand the request")
    return explain(reply)


def code_of(reply: Reply) -> int | None:
    code = CODE.search(reply.text()) if reply.status >= 400 else None
    return int(code[1]) if code else None
