"""
Robots.txt, for operators who want it honoured (extra `robots`).

A page that a person names is read like a browser reads it; crawling is another matter, and this is for that.
As RFC 9309 asks: a site without the file allows everything, a site whose file cannot be had allows nothing
for as long as that lasts, which is the site's failure and no rule of it.
The file is kept in the store, so that a site is asked for it once an hour, however many machines read its pages.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from seekread.errors import ProviderError, Refused, Unreachable
from seekread.http.target import Target
from seekread.ports import Store

Fetch = Callable[[str], Awaitable[tuple[int, bytes]]]
"""Gets the status and the text of a robots.txt."""

LIFETIME = 3600.0
MAX_SITES = 1000
MAX_BYTES = 512_000
"""What RFC 9309 asks a reader to take in at least."""


class Robots:
    """The rules of the sites seen in the last hour."""

    def __init__(self, user_agent: str, fetch: Fetch, now: Callable[[], float], *, store: Store | None = None) -> None:
        self._product = user_agent.partition("/")[0]
        self._fetch = fetch
        self._now = now
        self._store = store
        self._rules: dict[str, tuple[float, Any]] = {}

    async def check(self, target: Target) -> None:
        """Raise `Refused` when the site's rules exclude the page, `Unreachable` when they cannot be had for now."""
        rules = await self._rules_of(target)
        if not rules.can_fetch(target.url, self._product):
            raise Refused(
                "robots",
                f"The robots.txt of {target.host} asks programs not to read this page. "
                "The setting respect_robots decides whether that is honoured.",
            )

    async def delay(self, target: Target) -> float:
        """Seconds between two requests that a site asks for; 0 where it does not."""
        return float((await self._rules_of(target)).crawl_delay(self._product) or 0.0)

    async def sitemaps(self, target: Target) -> list[str]:
        """The sitemaps that a site names."""
        return list((await self._rules_of(target)).sitemaps)

    async def _rules_of(self, target: Target) -> Any:
        site = f"{target.scheme}://{target.authority}"
        kept = self._rules.get(site)
        if kept is not None and self._now() < kept[0]:
            return kept[1]
        rules = await parsed(await self._kept_text(site))
        # Another event loop, in a thread of its own, may do the same at the same time.
        for oldest in list(self._rules)[: max(0, len(self._rules) + 1 - MAX_SITES)]:
            self._rules.pop(oldest, None)
        self._rules[site] = (self._now() + LIFETIME, rules)
        return rules

    async def _kept_text(self, site: str) -> bytes:
        """The file as somebody got it within the last hour, or as it is now."""
        entry = await self._store.get(f"robots/{site}") if self._store else None
        if entry:
            return entry.value
        text = await self._text(f"{site}/robots.txt")
        if self._store:
            await self._store.put(f"robots/{site}", text, lifetime=LIFETIME)
        return text

    async def _text(self, url: str) -> bytes:
        try:
            status, text = await self._fetch(url)
        except ProviderError as error:
            raise Unreachable(
                f"nothing of the site is read, because its robots.txt could not be had: {error}",
                status=error.status,
                retry_after=error.retry_after,
            ) from error
        return text[:MAX_BYTES] if status == 200 else b""


async def parsed(text: bytes) -> Any:
    """Parse rules off the event loop: half a megabyte of them takes a while."""
    import anyio.to_thread

    try:
        from protego import Protego
    except ImportError:
        from seekread.errors import Misconfigured

        raise Misconfigured("respect_robots needs a package: install seekread[robots]") from None
    return await anyio.to_thread.run_sync(Protego.parse, text.decode("utf-8", "replace"))
