"""
yodoca's providers: our own behind the host's two protocols.

Each takes the extension's context and asks it for a key when a search needs one, so a missing key never breaks the
start. A failed search raises; a failed read is a `ReadResult` that says why.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import anyio
from pydantic import SecretStr

from seekread.calling.deadline import Deadline
from seekread.calling.gate import OpenGate
from seekread.calling.perform import perform
from seekread.calling.trace import Trace
from seekread.clock import SystemClock
from seekread.errors import InvalidQuery, NotConfigured, ProviderError, SeekreadError
from seekread.integrations.engines import ENGINES
from seekread.integrations.masking import refuse_to_leak
from seekread.integrations.sending import Sleep, pause, sender_for
from seekread.models import ReadResult, SearchResult
from seekread.ports import Clock, Sender
from seekread.provider import secrets_of, traits
from seekread.providers.registry import READ_GROUP, build, provider_class
from seekread.searching.adapt import over_length
from seekread.searching.ask import Asker, Patience
from seekread.searching.validate import to_query
from seekread.toolkit.web import LazyWeb

if TYPE_CHECKING:
    from seekread.client import Seekread

SEARCH_SECONDS = 15.0
READ_SECONDS = 30.0
SETUP_HINT = "Use configure_extension to provide it."


@runtime_checkable
class YodocaSearchProvider(Protocol):
    """Accepts a text query, returns ranked search results."""

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]: ...


@runtime_checkable
class YodocaReadProvider(Protocol):
    """Accepts a URL, returns the page's content as Markdown."""

    async def read_url(self, url: str) -> ReadResult: ...


class HostContext(Protocol):
    """What the host's `ExtensionContext` offers, as far as it is used here."""

    def get_config(self, key: str, default: Any = None, /) -> Any: ...

    def get_secret(self, name: str, /) -> Awaitable[str | None]: ...

    def set_secret(self, name: str, value: str, /) -> Awaitable[None]: ...


class Findings(list[SearchResult]):
    """The list the protocol wants, with notes for the caller beside it."""

    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Means:
    """How providers reach the world; every part can be replaced by a host or a test."""

    sender: Sender = field(default_factory=sender_for)
    clock: Clock = field(default_factory=SystemClock)
    sleep: Sleep | None = None
    duckduckgo: Callable[..., Any] | None = None
    open_page: Callable[..., Awaitable[ReadResult]] | None = None

    def time(self) -> float:
        """Seconds since the epoch."""
        return self.clock.time()

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        return self.clock.monotonic()

    async def wait(self, seconds: float) -> None:
        """Wait with the host's own sleep, or the clock's."""
        await pause(self.sleep or self.clock.sleep, seconds)


@dataclass(frozen=True)
class HostClock:
    """The clock of the means, sleeping as the host wants it."""

    means: Means

    def time(self) -> float:
        """Seconds since the epoch."""
        return self.means.time()

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        return self.means.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self.means.wait(seconds)


class ServiceProvider:
    """What all of them share: the context, the means, and the core provider built with the secrets of the moment."""

    service: ClassVar[str]
    secret: ClassVar[str | None] = None
    needs_secret: ClassVar[bool] = True

    def __init__(self, context: HostContext | None = None, *, means: Means | None = None) -> None:
        self.context = context
        self.means = means or Means()

    async def core(self) -> Any:
        """The core provider with its key; a missing one is named."""
        given = dict(self.settings())
        if self.secret:
            key = await self.context.get_secret(self.secret) if self.context else None
            if key:
                given["api_key"] = SecretStr(key)
            elif self.needs_secret:
                raise NotConfigured(f"{self.secret} secret not set. {SETUP_HINT}")
        return build(ENGINES[self.service], lambda _provider: given)

    def settings(self) -> dict[str, Any]:
        """Fields of the core provider that come from the extension's configuration."""
        return {}


class ServiceSearch(ServiceProvider):
    """Searching through a core provider: filters native where it can, made up for where it cannot."""

    async def search(
        self, query: str, *, limit: int = 5, allowed_domains: Sequence[str] | None = None, time_range: str = "all"
    ) -> list[SearchResult]:
        """Search; raise when the service could not answer."""
        wanted = to_query(query, limit=limit, allowed_domains=allowed_domains or (), freshness=time_range)
        provider = await self.core()
        key = getattr(provider, "api_key", None)
        refuse_to_leak(wanted, [key.get_secret_value()] if key else [])
        if excess := over_length(wanted.text, traits(provider)):
            raise InvalidQuery(excess)
        await self.turn()
        clock = HostClock(self.means)
        asker = Asker(self.means.sender, clock, OpenGate(), Patience(timeout=SEARCH_SECONDS))
        answer = await asker.ask(provider, wanted, Deadline.after(clock, 2 * SEARCH_SECONDS), Trace())
        found = Findings(answer.results)
        found.notes = answer.notes
        return found

    async def turn(self) -> None:
        """Wait until it is polite to ask."""


class ServiceRead(ServiceProvider):
    """Reading through a core provider; an outage is told in the result."""

    async def read_url(self, url: str) -> ReadResult:
        """Read; whatever went wrong stands in `error`."""
        try:
            core = await self.core()
            page: ReadResult = await perform(
                core.read(url),
                self.means.sender,
                HostClock(self.means),
                seconds=READ_SECONDS,
                secrets=secrets_of(core),
            )
        except ProviderError as error:
            return ReadResult(url=url, success=False, error=str(error), outcome=error.outcome, status=error.status)
        except SeekreadError as error:
            return ReadResult(url=url, success=False, error=str(error), outcome="not_configured")
        return page.model_copy(update={"content_length": len(page.content), "original_length": len(page.content)})


class DuckDuckGoSearchProvider(ServiceSearch):
    """DuckDuckGo through `ddgs`: no key, unofficial, with a pause between two searches."""

    service = "duckduckgo"

    def __init__(
        self, context: HostContext | None = None, *, means: Means | None = None, delay: float | None = None
    ) -> None:
        super().__init__(context, means=means)
        configured = context.get_config("duckduckgo_delay", 1.0) if context else 1.0
        self.delay = float(configured if delay is None else delay)
        self._queue = anyio.Lock()
        self._last: float | None = None
        # One engine, because it keeps a small pool of threads.
        self._engine = ENGINES[self.service](text=self.means.duckduckgo)

    async def core(self) -> Any:
        """The engine, with the host's own search function where there is one."""
        return self._engine

    async def turn(self) -> None:
        """Keep the delay between two searches, for all callers together."""
        async with self._queue:
            if self._last is not None and (left := self._last + self.delay - self.means.monotonic()) > 0:
                await self.means.wait(left)
            self._last = self.means.monotonic()


class TavilyProvider(ServiceSearch, ServiceRead):
    """Tavily searches and reads; chosen for both, it is one instance."""

    service = "tavily"
    secret = "TAVILY_API_KEY"  # noqa: S105 - the name of a secret


class PerplexitySearchProvider(ServiceSearch):
    """The Perplexity Search API: ranked results, not the chat models."""

    service = "perplexity"
    secret = "PERPLEXITY_API_KEY"  # noqa: S105 - the name of a secret


class BraveSearchProvider(ServiceSearch):
    """Brave Search."""

    service = "brave"
    secret = "BRAVE_SEARCH_API_KEY"  # noqa: S105 - the name of a secret


class WikipediaSearchProvider(ServiceSearch):
    """Wikipedia, without a key."""

    service = "wikipedia"


class SearXngSearchProvider(ServiceSearch):
    """A SearXNG instance of one's own, at `searxng_base_url`."""

    service = "searxng"
    secret = "SEARXNG_API_KEY"  # noqa: S105 - the name of a secret
    needs_secret = False

    def settings(self) -> dict[str, Any]:
        """The address of the instance."""
        default = "http://localhost:8080"
        return {"base_url": self.context.get_config("searxng_base_url", default) if self.context else default}


class JinaReadProvider(ServiceRead):
    """Jina Reader: renders JavaScript and returns Markdown; works without a key."""

    service = "jina"
    secret = "JINA_API_KEY"  # noqa: S105 - the name of a secret
    needs_secret = False


class Crawl4AIReadProvider(ServiceRead):
    """Crawl4AI: a headless browser on this machine."""

    service = "crawl4ai"

    async def core(self) -> Any:
        """The reader, or what to install."""
        try:
            return build(provider_class(self.service, READ_GROUP), lambda _provider: {})
        except SeekreadError as error:
            raise NotConfigured(f"crawl4ai is not available: install seekread[crawl4ai] ({error})") from error


class BuiltinReadProvider:
    """Our own reader: no third party sees the address."""

    service = "builtin"

    def __init__(self, context: HostContext | None = None, *, means: Means | None = None) -> None:
        self.context = context
        self.means = means or Means()
        self._web = LazyWeb(make=self._own)

    async def read_url(self, url: str) -> ReadResult:
        """Read; whatever went wrong stands in `error`."""
        open_page: Callable[..., Awaitable[ReadResult]] = self.means.open_page or self._web().open_page
        return await open_page(url, max_length=LONGEST)

    def _own(self) -> "Seekread":
        from seekread.client import Seekread

        # The operator's lists hold for every hop of a redirect too.
        lists = {name: self.context.get_config(name, None) for name in LISTS} if self.context else {}
        return Seekread(settings={name: value for name, value in lists.items() if value})

    async def close(self) -> None:
        """Release connections."""
        await self._web.close()


LISTS = ("allowed_domains", "blocked_domains", "allow_private")
LONGEST = 1_000_000
"""Characters asked of our own reader; the extension cuts afterwards, so that a page is read once."""

SEARCHERS: dict[str, type[ServiceSearch]] = {
    "duckduckgo": DuckDuckGoSearchProvider,
    "tavily": TavilyProvider,
    "searxng": SearXngSearchProvider,
    "perplexity": PerplexitySearchProvider,
    "brave": BraveSearchProvider,
    "wikipedia": WikipediaSearchProvider,
}
READERS: dict[str, type[ServiceRead] | type[BuiltinReadProvider]] = {
    "jina": JinaReadProvider,
    "tavily": TavilyProvider,
    "crawl4ai": Crawl4AIReadProvider,
    "builtin": BuiltinReadProvider,
}
