"""
yodoca's web search extension: two tools, `web_search` and `open_page`, over interchangeable providers.

    from seekread.integrations.yodoca import WebSearchExtension

It is an Extension, ToolProvider, SetupProvider and ContextProvider by structure; nothing of the host is imported.
A missing key never breaks the start: it shows in the set-up state and in the message of the tool that needed it.
"""

import json
import logging
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
from pydantic import BaseModel, ConfigDict, Field

from seekread.clock import SystemClock
from seekread.errors import InvalidQuery, SeekreadError
from seekread.hostnames import host_of, matches_any
from seekread.http.guard import Guard, GuardPolicy, Resolver
from seekread.integrations.optional import optional
from seekread.integrations.sending import Sleep, sender_for
from seekread.integrations.yodoca.calls import (
    OPEN_PAGE,
    OPEN_PAGE_SCHEMA,
    WEB_SEARCH,
    WEB_SEARCH_SCHEMA,
    beginning_of_page,
    filters_for,
    known_only,
    name_of,
    page_length,
    read_arguments,
    read_with,
    tried,
    unread,
)
from seekread.integrations.yodoca.providers import (
    READERS,
    SEARCHERS,
    HostContext,
    Means,
    YodocaReadProvider,
    YodocaSearchProvider,
)
from seekread.models import ReadResult, SearchResult
from seekread.page.citations import CITATION_SENTENCE
from seekread.ports import Clock
from seekread.providers.shapes import as_result
from seekread.redact import redact
from seekread.render.failure import explain, outcome_of
from seekread.render.pages import OpenPagesToolResult, OpenPageToolResult, page_result, pages_result
from seekread.render.results import WebSearchToolResult, search_result
from seekread.searching.left_out import POLICY, left_out
from seekread.searching.policy import Policy
from seekread.searching.validate import from_arguments

logger = logging.getLogger("seekread.integrations.yodoca")

KEPT_PAGES = 50
"""Pages remembered for the session, so that none is fetched twice."""


class YodocaConfig(BaseModel):
    """The extension's configuration: the manifest's, with the host's settings on top."""

    model_config = ConfigDict(extra="forbid")

    search_provider: str = "duckduckgo"
    read_provider: str = "jina"
    search_fallback: list[str] = []
    read_fallback: list[str] = []
    max_page_length: int = Field(default=15_000, ge=1)
    max_urls_per_call: int = Field(default=10, ge=1)
    total_content_budget: int = Field(default=40_000, ge=1)
    open_page_concurrency: int = Field(default=5, ge=1)
    searxng_base_url: str = "http://localhost:8080"
    duckduckgo_delay: float = Field(default=1.0, ge=0)
    allowed_domains: list[str] = []
    blocked_domains: list[str] = []
    allow_private: list[str] = []
    citations: bool = True


class WebSearchExtension:
    """Searches the internet and reads web pages."""

    ConfigModel = YodocaConfig

    def __init__(
        self,
        *,
        transport: Any = None,
        duckduckgo: Callable[..., Any] | None = None,
        clock: Clock | None = None,
        sleep: Sleep | None = None,
        open_page: Callable[..., Awaitable[ReadResult]] | None = None,
        resolver: Resolver | None = None,
    ) -> None:
        """
        Make an extension; the host needs no arguments, tests and embedders may replace what reaches the world.

        transport: an httpx2 transport, a sender, or a client with `get` and `post`
        duckduckgo: replaces `DDGS().text`
        open_page: what the `builtin` reader reads with
        resolver: looks up names for the guard
        """
        self._means = Means(sender_for(transport), clock or SystemClock(), sleep, duckduckgo, open_page)
        self._resolver = resolver
        self._context: HostContext | None = None
        self._searchers: list[Any] = []
        self._readers: list[Any] = []
        self._made: dict[str, Any] = {}
        self._untried: set[str] = set()
        self._pages: OrderedDict[str, ReadResult] = OrderedDict()
        self._settings = YodocaConfig()
        self._guard = Guard()
        self._policy = Policy()

    async def initialize(self, context: HostContext) -> None:
        """Choose the providers; needs no key and opens nothing."""
        self._context = context
        self._settings = YodocaConfig(
            **{
                name: context.get_config(name, info.get_default(call_default_factory=True))
                for name, info in YodocaConfig.model_fields.items()
            }
        )
        settings = self._settings
        self._made = {}
        names = (settings.search_provider, *settings.search_fallback)
        self._searchers = [await self._create_search_provider(name, context) for name in names]
        names = (settings.read_provider, *settings.read_fallback)
        self._readers = [await self._create_read_provider(name, context) for name in names]
        allowed, blocked = tuple(settings.allowed_domains), tuple(settings.blocked_domains)
        self._policy = Policy(allowed, blocked)
        self._guard = Guard(
            GuardPolicy(tuple(settings.allow_private), allowed_domains=allowed, blocked_domains=blocked), self._resolver
        )

    async def start(self) -> None:
        """Nothing runs between calls."""

    async def stop(self) -> None:
        """Nothing runs between calls."""

    async def destroy(self) -> None:
        """Release connections."""
        self._pages.clear()
        for held in (self._means.sender, *self._made.values()):
            if close := getattr(held, "close", None):
                await close()

    def health_check(self) -> bool:
        """Say whether the extension can take calls."""
        return bool(self._searchers and self._readers)

    async def _create_search_provider(self, name: str, context: HostContext) -> YodocaSearchProvider:
        """The search provider of that name."""
        if name not in SEARCHERS:
            raise ValueError(f"Unknown search_provider: {name}. Supports: {', '.join(SEARCHERS)}")
        provider: YodocaSearchProvider = self._make(name, SEARCHERS[name], context)
        return provider

    async def _create_read_provider(self, name: str, context: HostContext) -> YodocaReadProvider:
        """The read provider of that name; one that also searches is the same instance."""
        if name not in READERS:
            raise ValueError(f"Unknown read_provider: {name}. Supports: {', '.join(READERS)}")
        provider: YodocaReadProvider = self._make(name, READERS[name], context)
        return provider

    @property
    def _searcher(self) -> Any:
        """The chosen search provider, under the document's name for it."""
        return self._searchers[0] if self._searchers else None

    @_searcher.setter
    def _searcher(self, provider: Any) -> None:
        self._searchers[:1] = [provider]

    @property
    def _reader(self) -> Any:
        """The chosen read provider, under the document's name for it."""
        return self._readers[0] if self._readers else None

    @_reader.setter
    def _reader(self, provider: Any) -> None:
        self._readers[:1] = [provider]

    def _make(self, name: str, kind: Any, context: HostContext) -> Any:
        if name not in self._made:
            self._made[name] = kind(context, means=self._means)
        return self._made[name]

    def get_setup_schema(self) -> list[dict[str, Any]]:
        """The keys that can be given; none is needed for the default providers."""
        return [
            {"name": name, "description": about, "secret": True, "required": False}
            for name, (_, about) in SECRETS.items()
        ]

    async def apply_config(self, name: str, value: str) -> None:
        """Keep a key in the host's own store of secrets."""
        if name not in SECRETS:
            raise ValueError(f"Unknown setting: {name}. Supports: {', '.join(SECRETS)}")
        if self._context is None:
            raise RuntimeError("the extension is not initialized")
        secret = SECRETS[name][0]
        await self._context.set_secret(secret, value)
        self._untried.add(secret)

    async def on_setup_complete(self) -> tuple[bool, str]:
        """Say whether every key is there. A key is tried only when it was just given: a test costs a credit."""
        wanted = {
            provider.secret: provider
            for provider in self._made.values()
            if getattr(provider, "secret", None) and provider.needs_secret
        }
        if not wanted:
            return True, "No API keys needed for current providers."
        for secret, provider in wanted.items():
            label = provider.service.capitalize()
            if self._context is None or not await self._context.get_secret(secret):
                return False, f"{secret} is required when using {label} provider."
            if secret in self._untried and (problem := await tried(provider)):
                return False, f"{label} API key validation failed: {problem}"
        if self._untried & wanted.keys():
            self._untried.clear()
            return True, "API key(s) validated successfully."
        return True, "API key(s) are set."

    @property
    def context_priority(self) -> int:
        """Where our sentence stands among those of other extensions."""
        return 100

    async def get_context(self, _prompt: str, _turn_context: Any = None) -> str | None:
        """The sentence about citations."""
        return CITATION_SENTENCE if self._settings.citations else None

    def get_tools(self) -> list[Any]:
        """The two tools for the OpenAI Agents SDK."""
        agents = optional("agents", install="seekread[openai-agents]")
        search, read = json.loads(json.dumps([WEB_SEARCH_SCHEMA, OPEN_PAGE_SCHEMA]))
        return [
            agents.FunctionTool("web_search", WEB_SEARCH, search, self._invoke_search),
            agents.FunctionTool("open_page", OPEN_PAGE, read, self._invoke_open),
        ]

    async def _invoke_search(self, _context: Any, arguments: str) -> WebSearchToolResult:
        try:
            return await self.web_search(**read_arguments(arguments))
        except InvalidQuery as error:
            return WebSearchToolResult(message=f"Search failed: {error}")

    async def _invoke_open(self, _context: Any, arguments: str) -> OpenPageToolResult | OpenPagesToolResult:
        try:
            return await self.open_page(**read_arguments(arguments))
        except InvalidQuery as error:
            return unread("", str(error))

    async def web_search(self, query: Any = None, **options: Any) -> WebSearchToolResult:
        """Search; a failure is told in `message`, never by an empty list alone."""
        try:
            return await self._search({"query": query, **options})
        except SeekreadError as error:
            return WebSearchToolResult(message=f"Search failed: {self._masked(explain(error))}")
        except Exception as error:  # the host's rule: errors are values
            logger.exception("search failed")
            return WebSearchToolResult(message=f"Search failed: {self._masked(f'{type(error).__name__}: {error}')}")

    async def _search(self, arguments: Mapping[str, Any]) -> WebSearchToolResult:
        wanted = from_arguments(known_only(arguments), strict=True)
        self._policy.check(wanted)
        if not self._searchers:
            raise InvalidQuery("the extension is not initialized")
        time_range = wanted.freshness[0] if wanted.freshness else "all"
        found, notes = await self._ask(wanted.text, wanted.limit, list(wanted.allowed_domains), time_range)
        passed = found
        if wanted.allowed_domains:
            passed = [result for result in found if matches_any(host_of(result.url), wanted.allowed_domains)]
        kept = self._policy.keep(passed)
        dropped = Counter({"domains": len(found) - len(passed), POLICY: len(passed) - len(kept)})
        notes += left_out(dropped, nothing_left=not kept)
        return search_result(kept[: wanted.limit], notes=notes)

    async def _ask(
        self, query: str, limit: int, domains: list[str], time_range: str
    ) -> tuple[list[SearchResult], list[str]]:
        """Ask the provider, then those that may take over."""
        notes: list[str] = []
        for position, searcher in enumerate(self._searchers, start=1):
            filters, missing, fetch = filters_for(searcher, domains, time_range, limit)
            try:
                found = await searcher.search(query, limit=fetch, **filters)
            except SeekreadError as error:
                if position == len(self._searchers) or outcome_of(error) is None:
                    raise
                notes.append(f"{name_of(searcher)} could not answer ({outcome_of(error)})")
            else:
                return [as_result(item) for item in found], [*notes, *missing, *getattr(found, "notes", ())]
        raise InvalidQuery("no search provider is set")

    async def open_page(
        self, url: Any = None, max_length: Any = None, urls: Any = None, **options: Any
    ) -> OpenPageToolResult | OpenPagesToolResult:
        """Read one page (`url`) or several (`urls`); what could not be read says so."""
        try:
            length = page_length({"max_length": max_length, **options})
        except InvalidQuery as error:
            return unread(url if isinstance(url, str) else "", str(error))
        if isinstance(url, list):
            url, urls = None, url
        if isinstance(urls, str):
            urls = [urls]
        if urls:
            return await self._open_several([item for item in urls if isinstance(item, str)], length)
        if not isinstance(url, str) or not url.strip():
            return unread("", "url is required: send the address of the page to read.")
        return await self._open_one(url.strip(), length or self._settings.max_page_length)

    async def _open_several(self, urls: list[str], length: int | None) -> OpenPagesToolResult:
        settings = self._settings
        wanted = list(dict.fromkeys(url.strip() for url in urls if url.strip()))
        if len(wanted) > settings.max_urls_per_call:
            return OpenPagesToolResult(
                message=f"Too many URLs: {len(wanted)}. Send at most {settings.max_urls_per_call} per call."
            )
        if not wanted:
            return OpenPagesToolResult(message="urls is empty: send the addresses of the pages to read.")
        share = max(1, settings.total_content_budget // len(wanted))
        results: dict[str, OpenPageToolResult] = {}
        limiter = anyio.CapacityLimiter(settings.open_page_concurrency)

        async def one(url: str) -> None:
            async with limiter:
                results[url] = await self._open_one(url, min(length or share, share))

        async with anyio.create_task_group() as group:
            for url in wanted:
                group.start_soon(one, url)
        return pages_result([results[url] for url in wanted], budget=settings.total_content_budget)

    async def _open_one(self, url: str, length: int) -> OpenPageToolResult:
        """Check the address, read it once in this session, cut it visibly."""
        try:
            self._policy.outgoing.check(url, "url")
            await self._guard.vet(self._guard.check(url))
            page = self._pages.get(url) or await self._read(url)
            if page.final_url and page.final_url != url:
                self._guard.check(page.final_url)
        except SeekreadError as error:
            return unread(url, self._masked(explain(error)))
        return page_result(beginning_of_page(page, length))

    async def _read(self, url: str) -> ReadResult:
        """Read with the provider, then with those that may take over; keep what was read."""
        if not self._readers:
            raise InvalidQuery("the extension is not initialized")
        failures: list[str] = []
        for reader in self._readers:
            page = await read_with(reader, url)
            if page.success:
                self._pages[url] = page
                while len(self._pages) > KEPT_PAGES:
                    self._pages.popitem(last=False)
                return page
            failures.append(f"{name_of(reader)}: {page.error}")
        error = failures[0].partition(": ")[2] if len(failures) == 1 else "; ".join(failures)
        return page.model_copy(update={"error": error})

    def _masked(self, text: str) -> str:
        return redact(text)


SECRETS = {
    "tavily_api_key": ("TAVILY_API_KEY", "Tavily API key, from tavily.com"),
    "perplexity_api_key": ("PERPLEXITY_API_KEY", "Perplexity API key, from perplexity.ai"),
    "brave_api_key": ("BRAVE_SEARCH_API_KEY", "Brave Search subscription token, from brave.com/search/api"),
    "jina_api_key": ("JINA_API_KEY", "Jina API key, from jina.ai; reading works without one"),
}
"""Name in the set-up dialogue → name in the store of secrets, and a sentence."""
