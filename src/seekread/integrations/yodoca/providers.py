"""
yodoca's providers: ours behind the host's two protocols, each asked through the extension's engine.

A failed search raises; a failed read is a `ReadResult` that says why.
"""

from collections.abc import Sequence
from typing import ClassVar, Protocol, runtime_checkable

from seekread.client import WHOLE
from seekread.integrations.yodoca.engine import HostContext, HostEngine
from seekread.models import ReadResult, SearchResult


@runtime_checkable
class YodocaSearchProvider(Protocol):
    """Accepts a text query, returns ranked search results."""

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]: ...


@runtime_checkable
class YodocaReadProvider(Protocol):
    """Accepts a URL, returns the page's content as Markdown."""

    async def read_url(self, url: str) -> ReadResult: ...


class EngineProvider:
    """A provider of ours by its name, under the host's context."""

    service: ClassVar[str] = ""

    def __init__(self, context: HostContext, *, engine: HostEngine | None = None, name: str = "") -> None:
        self.context = context
        self.name = name or self.service
        self.engine = engine or HostEngine(context, services=(self.name,))


class EngineSearch(EngineProvider):
    """Searches."""

    async def search(
        self, query: str, *, limit: int = 5, allowed_domains: Sequence[str] = (), time_range: str = "all"
    ) -> list[SearchResult]:
        """Search with this provider alone; raise when it could not answer."""
        web = await self.engine.web()
        response = await web.search(
            query, provider=self.name, limit=limit, allowed_domains=allowed_domains, time_range=time_range
        )
        return list(response.results)


class EngineRead(EngineProvider):
    """Reads."""

    async def read_url(self, url: str) -> ReadResult:
        """Read with this provider alone; whatever went wrong stands in `error`."""
        return await (await self.engine.web()).open_page(url, reader=self.name, max_length=WHOLE)


class EngineBoth(EngineSearch, EngineRead):
    """Any provider of ours that the contract gives no class of its own."""


class DuckDuckGoSearchProvider(EngineSearch):
    """DuckDuckGo through `ddgs`: no key, unofficial, with a pause between two searches."""

    service = "duckduckgo"


class TavilyProvider(EngineBoth):
    """Tavily searches and reads; chosen for both, it is one instance."""

    service = "tavily"


class PerplexitySearchProvider(EngineSearch):
    """The Perplexity Search API: ranked results, not the chat models."""

    service = "perplexity"


class SearXngSearchProvider(EngineSearch):
    """A SearXNG instance of one's own, at `searxng_base_url`."""

    service = "searxng"


class JinaReadProvider(EngineRead):
    """Jina Reader: renders JavaScript and returns Markdown; works without a key."""

    service = "jina"


class Crawl4AIReadProvider(EngineRead):
    """Crawl4AI: a headless browser on this machine."""

    service = "crawl4ai"


SEARCHERS: dict[str, type[EngineSearch]] = {
    made.service: made
    for made in (DuckDuckGoSearchProvider, TavilyProvider, SearXngSearchProvider, PerplexitySearchProvider)
}
"""The classes the contract names for searching …"""
READERS: dict[str, type[EngineRead]] = {
    made.service: made for made in (JinaReadProvider, TavilyProvider, Crawl4AIReadProvider)
}
"""… and for reading. Any other name is an `EngineBoth`."""
