"""
yodoca's web search extension: two tools, `web_search` and `open_page`, over any engine and reader by name.

    from seekread.integrations.yodoca import WebSearchExtension

It is an Extension, ToolProvider, SetupProvider and ContextProvider by structure; nothing of the host is imported.
A missing key never breaks the start: it shows in the set-up state and in the message of the tool that needed it.
"""

import logging
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import anyio

from seekread.arguments import read_arguments
from seekread.errors import InvalidQuery, SeekreadError
from seekread.integrations.optional import optional
from seekread.integrations.yodoca.calls import (
    LENGTH_OPTION,
    OPEN_PAGE,
    OPEN_PAGE_SCHEMA,
    SEARCH_OPTIONS,
    WEB_SEARCH,
    WEB_SEARCH_SCHEMA,
    addresses,
    arguments_in,
    unread,
)
from seekread.integrations.yodoca.config import YodocaConfig, in_host_words
from seekread.integrations.yodoca.engine import HostContext, HostEngine, ServiceKey, key_of
from seekread.integrations.yodoca.providers import (
    READERS,
    SEARCHERS,
    EngineBoth,
    YodocaReadProvider,
    YodocaSearchProvider,
)
from seekread.models import SearchResult
from seekread.providers.registry import Registry
from seekread.redact import redact
from seekread.render.failure import explain
from seekread.render.tool_results import (
    OpenPagesToolResult,
    OpenPageToolResult,
    WebSearchToolResult,
    page_result,
    pages_result,
    search_result,
)
from seekread.toolkit.guidance import CITATION_SENTENCE

logger = logging.getLogger("seekread.integrations.yodoca")

METHODS = {"search": "search", "read": "read_url"}
"""Role → the method of the host's protocol for it."""


class WebSearchExtension:
    """Searches the internet and reads web pages."""

    ConfigModel = YodocaConfig

    def __init__(self, **means: Any) -> None:
        """Make an extension; the host needs no arguments, others may say what `Seekread` reaches the world with."""
        self._means = means
        self._engine: HostEngine | None = None
        self._providers: dict[tuple[type, str], Any] = {}
        self._searcher: YodocaSearchProvider | None = None
        self._reader: YodocaReadProvider | None = None
        self._untried: set[str] = set()

    async def initialize(self, context: HostContext) -> None:
        """Choose the providers; needs no key and opens nothing."""
        self._engine = HostEngine(context, **self._means)
        self._providers = {}
        config = self._engine.config
        self._searcher, *_ = [await self._create_search_provider(name, context) for name in config.searchers]
        self._reader, *_ = [await self._create_read_provider(name, context) for name in config.readers]

    async def start(self) -> None:
        """Nothing runs between calls."""

    async def stop(self) -> None:
        """Nothing runs between calls."""

    async def destroy(self) -> None:
        """Release connections."""
        if self._engine:
            await self._engine.close()

    def health_check(self) -> bool:
        """Say whether the extension can take calls."""
        return self._searcher is not None and self._reader is not None

    async def _create_search_provider(self, name: str, context: HostContext) -> YodocaSearchProvider:
        """The search provider of that name: a file beside the manifest, or any that seekread knows."""
        known = self._ready.registry.search_names()
        found: YodocaSearchProvider = self._create("search", name, SEARCHERS.get(name, EngineBoth), known, context)
        return found

    async def _create_read_provider(self, name: str, context: HostContext) -> YodocaReadProvider:
        """The read provider of that name; one that also searches is the same instance."""
        known = self._ready.registry.read_names()
        found: YodocaReadProvider = self._create("read", name, READERS.get(name, EngineBoth), known, context)
        return found

    def _create(self, role: str, name: str, kind: type[Any], known: Sequence[str], context: HostContext) -> Any:
        engine, method = self._ready, METHODS[role]
        if (own := engine.own(name)) is not None and hasattr(own, method):
            return own
        if name not in known:
            first = SEARCHERS if role == "search" else READERS
            choices = dict.fromkeys((*first, *known, *engine.files()))
            raise ValueError(f"Unknown {role}_provider: {name}. Supports: {', '.join(choices)}")
        return self._providers.setdefault((kind, name), kind(context, engine=engine, name=name))

    @property
    def _ready(self) -> HostEngine:
        if self._engine is None:
            raise InvalidQuery("the extension is not initialized")
        return self._engine

    def get_setup_schema(self) -> list[dict[str, Any]]:
        """The keys that can be given; none is needed for the default providers."""
        return [
            {"name": name, "description": key.about, "secret": True, "required": False}
            for name, key in setup_keys().items()
        ]

    async def apply_config(self, name: str, value: str) -> None:
        """Keep a key in the host's own store of secrets."""
        known = setup_keys()
        if name not in known:
            raise ValueError(f"Unknown setting: {name}. Supports: {', '.join(known)}")
        await self._ready.context.set_secret(known[name].names[0], value)
        self._untried.add(known[name].service)

    async def on_setup_complete(self) -> tuple[bool, str]:
        """Say whether every key is there. A key is tried only when it was just given: a test costs a credit."""
        wanted = {key.service: key for key in self._ready.keys if key.required}
        if not wanted:
            return True, "No API keys needed for current providers."
        for service, key in wanted.items():
            if not await self._ready.has(key):
                return False, f"{key.names[0]} is required when using {service.capitalize()} provider."
            if service in self._untried and (problem := await self._tried(service)):
                return False, f"{service.capitalize()} API key validation failed: {problem}"
        if self._untried & wanted.keys():
            self._untried.clear()
            return True, "API key(s) validated successfully."
        return True, "API key(s) are set."

    async def _tried(self, service: str) -> str:
        """Try a key that was just given; the reason when it does not work."""
        if service not in self._ready.registry.search_names():
            return ""
        try:
            await (await self._ready.web()).search("test", provider=service, limit=1, max_age=0)
        except SeekreadError as error:
            return in_host_words(str(error))
        return ""

    @property
    def context_priority(self) -> int:
        """Where our sentence stands among those of other extensions."""
        return 100

    async def get_context(self, prompt: str, turn_context: Any) -> str | None:  # noqa: ARG002 the contract's names
        """The sentence about citations."""
        return CITATION_SENTENCE if self._ready.config.citations else None

    def get_tools(self) -> list[Any]:
        """The two tools for the OpenAI Agents SDK."""
        agents = optional("agents", install="openai-agents")
        return [
            agents.FunctionTool("web_search", WEB_SEARCH, deepcopy(WEB_SEARCH_SCHEMA), self._invoke_search),
            agents.FunctionTool("open_page", OPEN_PAGE, deepcopy(OPEN_PAGE_SCHEMA), self._invoke_open),
        ]

    async def _invoke_search(self, _context: Any, arguments: str) -> WebSearchToolResult:
        try:
            return await self.web_search(**arguments_in(arguments))
        except InvalidQuery as error:
            return WebSearchToolResult(message=f"Search failed: {error}")

    async def _invoke_open(self, _context: Any, arguments: str) -> OpenPageToolResult | OpenPagesToolResult:
        try:
            return await self.open_page(**arguments_in(arguments))
        except InvalidQuery as error:
            return unread("", str(error))

    async def web_search(self, query: Any = None, **options: Any) -> WebSearchToolResult:
        """Search; a failure is told in `message`, never by an empty list alone."""
        try:
            wanted = read_arguments({"query": query, **options}, SEARCH_OPTIONS)
            web = await self._ready.web()
            response = await web.search(wanted.pop("query"), provider=self._ready.config.searchers, **wanted)
            found = search_result(response.results, notes=[*response.notes, *flagged(response.results)])
        except Exception as error:  # noqa: BLE001 - the host's rule: errors are values
            return WebSearchToolResult(message=f"Search failed: {told(error)}")
        return found.model_copy(update={"message": in_host_words(found.message)})

    async def open_page(
        self, url: Any = None, max_length: Any = None, urls: Any = None, **options: Any
    ) -> OpenPageToolResult | OpenPagesToolResult:
        """Read one page (`url`) or several (`urls`, and `url` among them); what could not be read says so."""
        try:
            length = read_arguments({"max_length": max_length, **options}, LENGTH_OPTION).get("max_length")
            usual = self._ready.config.max_page_length
        except InvalidQuery as error:
            return unread(url if isinstance(url, str) else "", str(error))
        wanted = addresses(url, urls)
        if urls or isinstance(url, list):
            return await self._open_several(wanted, length)
        if not wanted:
            return unread("", "url is required: send the address of the page to read.")
        return await self._open_one(wanted[0], length or usual)

    async def _open_several(self, wanted: Sequence[str], length: int | None) -> OpenPagesToolResult:
        config = self._ready.config
        if len(wanted) > config.max_urls_per_call:
            return OpenPagesToolResult(
                message=f"Too many URLs: {len(wanted)}. Send at most {config.max_urls_per_call} per call."
            )
        if not wanted:
            return OpenPagesToolResult(message="urls is empty: send the addresses of the pages to read.")
        share = max(1, config.total_content_budget // len(wanted))
        results: dict[str, OpenPageToolResult] = {}
        limiter = anyio.CapacityLimiter(config.open_page_concurrency)

        async def one(url: str) -> None:
            async with limiter:
                results[url] = await self._open_one(url, min(length or share, share))

        async with anyio.create_task_group() as group:
            for url in wanted:
                group.start_soon(one, url)
        return pages_result([results[url] for url in wanted], budget=config.total_content_budget)

    async def _open_one(self, url: str, length: int) -> OpenPageToolResult:
        try:
            web = await self._ready.web()
            page = await web.open_page(url, reader=self._ready.config.readers, max_length=length)
        except Exception as error:  # noqa: BLE001 - the host's rule: errors are values
            return unread(url, told(error))
        result = page_result(page)
        return result.model_copy(update={"error": in_host_words(result.error)})


def flagged(results: Sequence[SearchResult]) -> list[str]:
    """A note for what is odd about single results, such as one without a date where a date was asked for."""
    flags = dict.fromkeys(flag for result in results for flag in result.flags)
    return [f"{flag}: {' '.join(f'[{r.citation_id}]' for r in results if flag in r.flags)}" for flag in flags]


def told(error: Exception) -> str:
    """A failure as the host's users and models read it."""
    if isinstance(error, SeekreadError):
        return in_host_words(explain(error))
    logger.error("a call failed", exc_info=error)
    return redact(f"{type(error).__name__}: {error}")


def setup_keys() -> dict[str, ServiceKey]:
    """The keys of our own services, by their names in the set-up dialogue; one that searches and reads has one."""
    found = [key for service in Registry().services() if (key := key_of(service))]
    return {f"{key.service}_api_key": key for key in found}
