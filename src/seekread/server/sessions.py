"""
One session per token: its own provenance, its own caps, and where there are several its own answers and pages.

A session is what `Seekread` is elsewhere, so whatever can be done with one can be done here. Connections, workers,
breakers and store belong to the service. Under `url_policy = seen` the addresses a session has seen are kept in
the store too, because the next request may reach another worker; what is forgotten in memory is found again there.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime
from typing import Unpack

from seekread.client import Seekread
from seekread.compose import Parts
from seekread.errors import InvalidQuery, Malformed
from seekread.models import USUAL, Page, PageShape, SearchResponse
from seekread.options import OpenOptions, SearchOptions
from seekread.reading.provenance import without_fragment
from seekread.server.metrics import Metrics
from seekread.server.ready import AskedBefore
from seekread.server.tokens import Token
from seekread.state.ledger import Caps

MOST_SESSIONS = 256
SEEN_SECONDS = 86_400.0

_current: "ContextVar[Session]" = ContextVar("seekread_session")


class Session(Seekread):
    """A `Seekread` over parts that are shared with others."""

    def __init__(self, parts: Parts, name: str, metrics: Metrics) -> None:
        self._asked = ()
        self._parts = parts
        self._metrics = metrics
        self._given: list[str] = []
        self.name = name

    @property
    def parts(self) -> Parts:
        """What this session works with."""
        return self._parts

    def trust(self, *urls: str) -> None:
        """Say that the user gave these addresses; other workers learn it with the next call, or `share_trusted`."""
        super().trust(*urls)
        self._given.extend(urls)

    async def share_trusted(self) -> None:
        """Let every worker know which addresses the user gave."""
        given, self._given = self._given, []
        await self._remember(given, b"user")

    async def search(
        self,
        query: str,
        *,
        provider: str | Sequence[str] = (),
        max_age: float | None = None,
        **options: Unpack[SearchOptions],
    ) -> SearchResponse:
        """Search, count whether the answer was kept already, and remember what was found."""
        await self.share_trusted()
        response = await super().search(query, provider=provider, max_age=max_age, **options)
        self._metrics.count("seekread_cache_requests_total", layer="search", result=hit(cached=response.cached))
        await self._remember((result.url for result in response.results), b"search")
        return response

    def asked_before(
        self,
        query: str,
        *,
        provider: Sequence[str] = (),
        max_age: float | None = None,
        **options: Unpack[SearchOptions],
    ) -> AskedBefore:
        """What `search` is asked for, read once for every time it is asked again."""
        return AskedBefore(self._read_query(query, options), tuple(provider), max_age)

    async def kept(self, asked: AskedBefore) -> SearchResponse | None:
        """The answer to a search that needs nobody's work; `None` where `search` has something to do."""
        if self._parts.settings.read.url_policy == "seen":
            return None
        chain = self._parts.chain(asked.provider)
        response = await self._parts.searching.kept(asked.query, chain, max_age=asked.max_age)
        if response is not None:
            self._metrics.count("seekread_cache_requests_total", layer="search", result=hit(cached=True))
        return response

    async def open_page(self, url: str, *, reader: str | Sequence[str] = (), **options: Unpack[OpenOptions]) -> Page:
        """Read a page, count whether it was kept already, and remember what it links to."""
        return await self._open(url, reader, options, USUAL)

    async def open_shaped(self, url: str, shape: PageShape, **options: Unpack[OpenOptions]) -> Page:
        """Read chosen elements of a page, or its HTML; for the rest like any page."""
        return await self._open(url, (), options, shape)

    async def _open(self, url: str, reader: str | Sequence[str], options: OpenOptions, shape: PageShape) -> Page:
        await self.share_trusted()
        await self._recall(url)
        page = await super()._open(url, reader, options, shape)
        if page.success:
            self._metrics.count("seekread_cache_requests_total", layer="page", result=hit(cached=page.cached))
        await self._remember((link.url for link in page.links), b"link")
        return page

    async def check_address(self, url: str) -> None:
        """Refuse an address that this session could not open, before others work on it for long."""
        await self.share_trusted()
        await self._recall(url)
        self._parts.outgoing.check(url, "url")
        try:
            self._parts.guard.check(url)
        except Malformed as error:
            raise InvalidQuery(str(error)) from None
        self._parts.provenance.check(url)

    async def close(self) -> None:
        """Nothing to release: what a session uses is the service's."""

    async def _remember(self, urls: Iterable[str], origin: bytes) -> None:
        if self._parts.settings.read.url_policy != "seen":
            return
        store, keys = self._parts.store, [self._seen(url) for url in urls]
        # A search, and the user all the more, says more about an address than a link does.
        *others, last = [key for key in keys if origin != b"link" or await store.get(key) is None] or [""]
        for key in others:
            await store.put(key, origin, lifetime=SEEN_SECONDS)
        if last:
            # Written before anybody is answered, and the others with it: the next request may reach another worker.
            await store.keep(last, origin, lifetime=SEEN_SECONDS)

    async def _recall(self, url: str) -> None:
        if self._parts.settings.read.url_policy == "seen" and (entry := await self._parts.store.get(self._seen(url))):
            seen = self._parts.provenance
            note = {b"user": lambda urls: seen.trust(*urls), b"search": seen.found, b"link": seen.linked}
            note[entry.value]([url])

    def _seen(self, url: str) -> str:
        return f"seen/{self.name}/{mark(url)}"


class Sessions:
    """The sessions that were used last."""

    def __init__(self, parts: Parts, metrics: Metrics, *, boot: str, apart: Callable[[], bool] = lambda: False) -> None:
        """apart: says whether each token has answers and pages of its own: how old one is tells what others asked."""
        self.parts = parts
        self._apart = apart
        self._metrics = metrics
        self._boot = boot
        self._kept: OrderedDict[str, tuple[tuple[str, str], Session]] = OrderedDict()

    def of(self, token: Token | None) -> Session:
        """The session of a token, or the one of everybody without."""
        name = f"token-{token.id}" if token else f"open-{self._boot}"
        # Budgets are for a day, so with a new day the same session gets a new counter.
        day = f"{datetime.fromtimestamp(self.parts.clock.time(), UTC):%Y-%m-%d}" if token else ""
        owner = token.id if token and self._apart() else ""
        known = self._kept.pop(name, None)
        if known is None or known[0] != (day, owner):
            counted, before = (f"{name}-{day}" if day else name), (known[1].parts if known else None)
            parts = self.parts.session(counted, budget(token, self.parts.caps), before, owner=owner)
            known = ((day, owner), Session(parts, name, self._metrics))
        self._kept[name] = known
        while len(self._kept) > MOST_SESSIONS:
            self._kept.popitem(last=False)
        return known[1]


def mark(url: str) -> str:
    """What is kept of an address that was seen."""
    return hashlib.sha256(without_fragment(url).encode("utf-8", "surrogatepass")).hexdigest()


def budget(token: Token | None, caps: Caps) -> Caps:
    """What a session may spend: the operator's caps, where a token has none of its own for its day."""
    if token is None:
        return caps
    return replace(
        caps,
        session_calls=caps.session_calls if token.daily_calls is None else token.daily_calls,
        session_dollars=caps.session_dollars if token.daily_dollars is None else token.daily_dollars,
    )


def hit(*, cached: bool) -> str:
    return "hit" if cached else "miss"


def enter(session: Session) -> None:
    """Let the rest of this request belong to a session."""
    _current.set(session)


def current() -> Session:
    """The session of the request under way."""
    return _current.get()
