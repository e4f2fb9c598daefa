"""
The one place that knows the inside of `ddgs`: its two engines for DuckDuckGo, with the status in sight.

`DDGS().text` makes "No results found." of every reply whose status is not 200 and re-ranks what is left. Its engine
classes build the same requests and read the same pages, so they are asked directly, in DuckDuckGo's own order, through
a client that lets no refusal pass for an answer. `tests/unit/providers/test_duckduckgo_engine.py` pins what is used.
"""

from collections.abc import Mapping
from time import time
from typing import Any

from ddgs.base import BaseSearchEngine
from ddgs.ddgs import DDGS
from ddgs.engines.duckduckgo import Duckduckgo
from ddgs.engines.duckduckgo_news import DuckduckgoNews
from ddgs.http_client import HttpClient, Response

from seekread.provider import (
    BadReply,
    Blocked,
    ProviderError,
    RateLimited,
    SuspiciousEmpty,
    TimedOut,
    Unreachable,
    retry_after,
)

CHALLENGE = ("challenge-form", "anomaly-modal")
"""Marks of the page that asks for ducks among nine pictures; it comes with status 202, or 200."""


class WatchedClient:
    """The library's client; a status other than 200 is the failure it stands for."""

    def __init__(self, client: HttpClient) -> None:
        self.client = client
        self.page = ""

    def request(self, *arguments: Any, **options: Any) -> Response:
        reply = self.client.request(*arguments, **options)
        if reply.status_code != 200:
            # Only the reply inside carries headers.
            wait = retry_after(reply._resp.headers.get("retry-after", ""), time())  # noqa: SLF001
            raise refusal(reply.status_code, wait)
        self.page = reply.text
        return reply


def refusal(status: int, wait: float | None = None) -> ProviderError:
    """What a status of DuckDuckGo's stands for; a 202 is its challenge."""
    match status:
        case 202 | 401 | 403:
            return Blocked(f"status {status}: DuckDuckGo turned us away", status=status)
        case 408:
            return TimedOut(f"status {status}", status=status)
        case 429:
            return RateLimited(f"status {status}: DuckDuckGo asked to slow down", status=status, retry_after=wait)
        case _ if status >= 500:
            return Unreachable(f"status {status}", status=status, retry_after=wait)
        case _:
            return BadReply(f"status {status}", status=status)


def ask(
    query: str, *, news: bool, proxy: str | None, timeout: int, verify: bool | str, options: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """The rows of one page of results, as `DDGS().text` and `.news` give them."""
    # The library knows a variable and a short name of its own for the proxy.
    meant = DDGS(proxy)._proxy  # noqa: SLF001
    kind: type[BaseSearchEngine[Any]] = DuckduckgoNews if news else Duckduckgo
    made = object.__new__(kind)
    # Versions 9.14.4 and 9.15 give one of the two a client of its own, which drops the headers of a reply.
    BaseSearchEngine.__init__(made, meant, timeout, verify=verify)
    watched = WatchedClient(made.http_client)
    made.http_client = watched  # type: ignore[assignment]  # all the engines ask of a client is `request`
    wanted = {name: value for name, value in options.items() if name != "max_results"}
    rows = [vars(row) for row in made.search(query, **wanted) or ()]
    if rows:
        return rows[: options.get("max_results")]
    if any(mark in watched.page for mark in CHALLENGE):
        raise Blocked("DuckDuckGo asked us to prove that we are human")
    raise SuspiciousEmpty("DuckDuckGo gave no results, which is also how it blocks")
