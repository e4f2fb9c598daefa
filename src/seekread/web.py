"""`Seekread`: the two verbs as Python callers use them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

from seekread.compose import Parts, compose
from seekread.config.sources import load
from seekread.models import Freshness, SafeSearch, SearchResponse, SearchType
from seekread.pipeline.validate import from_arguments
from seekread.ports import Clock

if TYPE_CHECKING:
    import httpx2


class SearchOptions(TypedDict, total=False):
    """
    What can be asked of a search beside its words.

    limit: how many results; the provider's own cap applies, with a note
    company: a name or ticker, appended to the query unless it is already there
    search_type: general, news, or recent (the last 30 days)
    freshness: day, week, month or year; `time_range` d, w, m, y or all is the same thing
    date_from, date_to: a range of days, YYYY-MM-DD
    allowed_domains, blocked_domains: exact or below, enforced on what comes back
    country, language, safe_search: passed on where the provider can
    page: 1, 2, 3 …
    only_mentions, highlight: with `company`, keep and mark the results that mention it
    """

    limit: int
    company: str | None
    search_type: SearchType
    freshness: Freshness | None
    time_range: str | None
    date_from: str | None
    date_to: str | None
    allowed_domains: Sequence[str]
    blocked_domains: Sequence[str]
    country: str | None
    language: str | None
    safe_search: SafeSearch | None
    page: int
    only_mentions: bool
    highlight: bool


class Seekread:
    """
    Search the web and read pages.

    Settings come from arguments, the environment and the settings file, in that order; nothing is read before the
    instance is made, and no connection is opened before the first call. One instance is one session.
    """

    def __init__(
        self,
        provider: str | Sequence[str] = (),
        *,
        settings: Mapping[str, Any] | None = None,
        providers: Mapping[str, Mapping[str, Any]] | None = None,
        config: str | Path | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        transport: "httpx2.AsyncBaseTransport | None" = None,
    ) -> None:
        """
        Wire an engine.

        provider: whom to ask, in order, instead of the default chain
        settings: settings by name, winning over environment and file
        providers: settings of providers, such as {"brave": {"api_key": …}}
        config: a settings file to read instead of the user's own
        """
        configuration = load(settings, providers=providers, environ=environ, file=config)
        self._asked = (provider,) if isinstance(provider, str) else tuple(provider)
        self._parts: Parts = compose(configuration, clock=clock, transport=transport)

    def register(self, provider: Any, *, default: bool = False) -> None:
        """Add a provider of your own; the first one, or the one with `default`, is asked first."""
        self._parts.registry.register(provider, default=default)

    async def search(
        self, query: str, *, provider: str | Sequence[str] = (), **options: Unpack[SearchOptions]
    ) -> SearchResponse:
        """Search. Nothing found is an answer with outcome `empty`; nobody able to answer raises `AllFailed`."""
        search = self._parts.configuration.settings.search
        defaults = {name: getattr(search, name) for name in ("limit", "country", "language", "safe_search")}
        wanted = from_arguments({**defaults, **options, "query": query}, strict=True)
        asked = (provider,) if isinstance(provider, str) else tuple(provider)
        return await self._parts.engine.search(wanted, self._parts.chain(asked or self._asked))

    async def close(self) -> None:
        """Release connections."""
        await self._parts.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
