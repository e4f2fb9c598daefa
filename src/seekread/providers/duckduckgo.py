"""
DuckDuckGo through `ddgs`, a library that reads the pages people see. No key, and no promise that it works tomorrow.

A status or a challenge page that says no is told as what it is (`duckduckgo_engine.py`). A page without results is not
believed all the same, and neither is a function of the host's own, which says "No results found." to everything. The
library blocks its thread, so it runs on a few threads of its own; a stuck one cannot be stopped, only outnumbered, and
left behind when the process ends.

Reference: https://github.com/deedy5/ddgs
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, ClassVar

from seekread.provider import (
    BadReply,
    Blocked,
    Found,
    Job,
    KnownAnswer,
    ProviderError,
    Query,
    RateLimited,
    SearchResult,
    SecretStr,
    SuspiciousEmpty,
    TimedOut,
    Unreachable,
    Wish,
    setting,
)
from seekread.providers.daemon_threads import DaemonThreads
from seekread.providers.known_answers import ON_THE_WEB

Rows = Sequence[Mapping[str, Any]]
TextSearch = Callable[..., Rows]
"""The signature of `DDGS().text`: the query, then keywords."""
InThread = Callable[[Callable[[], Rows]], Awaitable[Rows]]
"""Runs blocking work on a thread, as `asyncio.to_thread` does."""

TIME_LIMIT = {"day": "d", "week": "w", "month": "m", "year": "y"}
SAFE_SEARCH = {"off": "off", "moderate": "moderate", "strict": "on"}
REGIONS = (
    "us-en", "ar-es", "au-en", "at-de", "be-fr", "be-nl", "br-pt", "bg-bg", "ca-en", "ca-fr", "cl-es", "cn-zh", "co-es",
    "hr-hr", "cz-cs", "dk-da", "ee-et", "fi-fi", "fr-fr", "de-de", "gr-el", "hk-tzh", "hu-hu", "in-en", "id-id",
    "ie-en", "il-he", "it-it", "jp-jp", "kr-kr", "lv-lv", "lt-lt", "my-ms", "mx-es", "nl-nl", "nz-en", "no-no", "pe-es",
    "ph-en", "pl-pl", "pt-pt", "ro-ro", "ru-ru", "sg-en", "sk-sk", "sl-sl", "za-en", "es-es", "se-sv", "ch-de", "ch-fr",
    "ch-it", "tw-tzh", "th-th", "tr-tr", "ua-uk", "uk-en", "us-es", "ve-es", "vn-vi",
)  # fmt: skip
ODD_CODES = {"gb": "uk", "si": "sl", "ja": "jp", "ko": "kr", "nb": "no"}
"""Codes of DuckDuckGo's own where everybody else writes ISO."""


@dataclass(frozen=True)
class DuckDuckGo:
    """
    Search DuckDuckGo without a key.

    `text` and `news` replace the library's functions of that name, `in_thread` our own threads.
    """

    delay_seconds: float = setting(1.0, about="Least seconds between two searches.")
    # A proxy's address may hold its password.
    proxy: SecretStr | None = setting(None, env="DDGS_PROXY", about="Proxy for these searches: http, https or socks5.")
    verify: bool = setting(True, about="Whether to check certificates.")
    ca_file: str | None = setting(None, about="File with the certificate authority to trust.")
    timeout: int = setting(8, about="Seconds the library waits for a page.")
    text: TextSearch | None = field(default=None, repr=False)
    news: TextSearch | None = field(default=None, repr=False)
    in_thread: InThread | None = field(default=None, repr=False)
    threads: DaemonThreads = field(
        default_factory=lambda: DaemonThreads("duckduckgo"), init=False, repr=False, compare=False
    )

    name: ClassVar[str] = "duckduckgo"
    label: ClassVar[str] = "DuckDuckGo"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = ON_THE_WEB
    max_results: ClassVar[int] = 50
    page_size: ClassVar[int | None] = 10
    max_query: ClassVar[int] = 500
    operators: ClassVar[bool] = True
    honours: ClassVar[frozenset[Wish]] = frozenset({"freshness", "news", "country", "page"})
    caveat: ClassVar[str] = (
        "unofficial: it may break or be blocked at any time; a fallback, not the only provider in production"
    )

    def search(self, query: Query) -> Job[Found]:
        options = {
            "max_results": query.limit,
            "region": region(query),
            "safesearch": query.safe_search and SAFE_SEARCH[query.safe_search],
            "timelimit": query.freshness and TIME_LIMIT[query.freshness],
            "page": query.page if query.page > 1 else None,
        }
        given = {name: value for name, value in options.items() if value is not None}
        return Job(partial(self._run, query, given))

    async def _run(self, query: Query, options: Mapping[str, Any]) -> Found:
        work = partial(self._ask, query, options)
        rows = await (self.in_thread(work) if self.in_thread else asyncio.wrap_future(self.threads.submit(work)))
        unknown = bool(query.country and "region" not in options)
        return Found(
            [result(row) for row in rows],
            notes=(f"DuckDuckGo knows no region for {query.country!r}; it was left out",) if unknown else (),
            unmet=frozenset({"country"}) if unknown else frozenset(),
        )

    def _ask(self, query: Query, options: Mapping[str, Any]) -> Rows:
        from ddgs.exceptions import DDGSException

        search = (self.news if query.news else self.text) or partial(self._pages, news=query.news)
        started = monotonic()
        try:
            return search(query.text, **options)
        except DDGSException as error:
            raise explain(error, late=monotonic() - started >= self.timeout) from error

    def _pages(self, text: str, *, news: bool, **options: Any) -> Rows:
        from seekread.providers.duckduckgo_engine import ask

        proxy = self.proxy and self.proxy.get_secret_value()
        verify = self.ca_file or self.verify
        return ask(text, news=news, proxy=proxy or None, timeout=self.timeout, verify=verify, options=options)


def region(query: Query) -> str | None:
    """The region of a country, in the language asked for where there is one of that kind."""
    if not query.country:
        return None
    country, language = query.country.lower(), (query.language or "").lower().split("-")[0]
    country, language = ODD_CODES.get(country, country), ODD_CODES.get(language, language)
    known = [code for code in REGIONS if code.startswith(f"{country}-")]
    return f"{country}-{language}" if f"{country}-{language}" in known else next(iter(known), None)


def result(row: Mapping[str, Any]) -> SearchResult:
    return SearchResult(
        title=row["title"] or "",
        url=row["href"] if "href" in row else row["url"],
        snippet=row.get("body") or "",
        published_date=row.get("date"),
    )


def explain(error: Exception, *, late: bool) -> ProviderError:
    """What an exception of the library stands for."""
    message, kind = str(error), type(error).__name__
    if kind == "TimeoutException" or (late and "No results" in message):
        return TimedOut("DuckDuckGo did not answer in time")
    if kind == "RatelimitException":
        return RateLimited("DuckDuckGo asked to slow down")
    if "No results" in message:
        return SuspiciousEmpty("DuckDuckGo gave no results, which is also how it blocks")
    if "vqd" in message:
        return Blocked("DuckDuckGo gave no token for a news search, which is how it blocks")
    if error.args and isinstance(error.args[0], ValueError | LookupError | TypeError | AttributeError):
        return BadReply(f"DuckDuckGo's answer could not be read: {message}")
    return Unreachable(f"DuckDuckGo could not be reached: {plain_reason(message)}")


REASONS = {
    r"dns|resolv": "its name cannot be looked up (DNS)",
    r"certificate|tls|ssl": "its certificate is not trusted",
    r"proxy|tunnel": "the proxy (DDGS_PROXY) does not let us through",
    r"refused": "the connection was refused",
    r"timed? ?out|timeout": "it did not answer in time",
    r"reset|closed|eof|broken pipe": "the connection broke off",
    r"connect": "no connection",
}
"""What a person is told instead of the library's structures, by the first of these patterns that is found in them."""


def plain_reason(message: str) -> str:
    """Why the library could not reach anybody, in words."""
    found = (words for pattern, words in REASONS.items() if re.search(pattern, message, re.IGNORECASE))
    return next(found, message.partition("(")[0].strip()[:80])
