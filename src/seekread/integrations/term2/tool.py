"""
term2's web search in Python: its registry, its tool and its Markdown, under its own names in snake_case.

    from seekread.integrations.term2 import create_web_search_tool_definition

    tool = create_web_search_tool_definition(settings_service=settings, logging_service=logs)
    print(await tool.execute({"query": "solid state battery"}))

Importing this module registers our providers, Tavily as the default, as the host's own package does.
The registry behind the functions is the one thing this module keeps for the process.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from seekread.errors import SeekreadError
from seekread.integrations.masking import masked
from seekread.integrations.sending import sender_for
from seekread.integrations.term2.messages import CommandMessage, format_web_search_command_message
from seekread.integrations.term2.providers import MOST_RESULTS, CoreProvider, TavilyWebSearchProvider
from seekread.integrations.term2.registry import (
    LoggingService,
    SettingsService,
    Term2Registry,
    Term2Services,
    WebSearchResponse,
    as_services,
)
from seekread.models import SearchResponse
from seekread.ports import Clock
from seekread.render.failure import explain
from seekread.render.results import term2_markdown
from seekread.secret import SecretStr

DESCRIPTION = (
    "Search the web for current information. Use this when you need up-to-date information "
    "that may not be in your training data, such as recent news, current events, "
    "documentation updates, or any time-sensitive information."
)
OURS = ("brave", "exa", "perplexity", "searxng", "serper", "duckduckgo", "wikipedia")
CONTENT_LENGTH = 1000
"""Characters of each result's content that the tool shows; the formatter itself cuts nothing."""

registry = Term2Registry()
register_web_search_provider = registry.register
get_web_search_provider = registry.get
get_default_web_search_provider = registry.default
get_all_web_search_providers = registry.all
get_configured_web_search_provider = registry.configured
clear_web_search_providers = registry.clear


def register_our_providers(into: Term2Registry) -> None:
    """Tavily as the default, then the others that need no more than a key or an address."""
    into.register(TavilyWebSearchProvider(), is_default=True)
    for name in OURS:
        into.register(CoreProvider(name))


register_our_providers(registry)


def format_results_as_markdown(
    response: WebSearchResponse | SearchResponse, *, content_length: int | None = None
) -> str:
    """The Markdown the host shows and parses back; contents are cut where a length is given."""
    native = response.native() if isinstance(response, WebSearchResponse) else response
    return term2_markdown(native, length=content_length)


@dataclass(frozen=True)
class Term2ToolDefinition:
    """The `web_search` tool as the host defines its tools."""

    services: Term2Services
    registry: Term2Registry
    content_length: int | None = CONTENT_LENGTH
    name: str = "web_search"
    description: str = DESCRIPTION
    parallel_safe: bool = True
    format_command_message: Callable[[Any, int, Mapping[str, Any]], list[CommandMessage]] = field(
        default=format_web_search_command_message
    )

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        query = {"type": "string", "minLength": 1, "description": "The search query to look up on the web."}
        return {
            "type": "object",
            "properties": {"query": query},
            "required": ["query"],
            "additionalProperties": False,
        }

    def needs_approval(self, _params: Any = None, _context: Any = None) -> bool:
        """Searching only reads, so nobody needs to be asked."""
        return False

    async def execute(self, params: Mapping[str, Any], _context: Any = None, _details: Any = None) -> str:
        """Search; the text is Markdown, or starts with `Error:`."""
        query = params.get("query") if isinstance(params, Mapping) else None
        if not isinstance(query, str) or not query.strip():
            return "Error: query must not be empty: send the words to search for."
        try:
            return await self._search(query)
        except Exception as error:  # noqa: BLE001 - the contract promises a text for everything
            message = explain(error) if isinstance(error, SeekreadError) else str(error) or type(error).__name__
            message = masked(message, self._secrets())
            journal = self.services.logging_service
            journal.error("Web search failed", {"query": masked(query, self._secrets()), "error": message})
            return f"Error: {message}"

    async def _search(self, query: str) -> str:
        provider = self.registry.configured(self.services)
        if provider is None:
            return "Error: No web search provider is configured."
        if not provider.is_configured(self.services):
            return (
                f"Error: Web search provider '{provider.id}' is not properly configured. "
                "Please set the required API key."
            )
        found = await provider.search(query, self.services)
        # A provider of somebody's own may return what it likes.
        bounded = found.model_copy(update={"results": found.results[:MOST_RESULTS]})
        return format_results_as_markdown(bounded, content_length=self.content_length)

    async def close(self) -> None:
        """Release connections."""
        if close := getattr(self.services.sender, "close", None):
            await close()

    def _secrets(self) -> list[str]:
        """The keys in use, so that no message can repeat one."""
        keys = [key for provider in self.registry.all() for key in getattr(provider, "sensitive_setting_keys", ())]
        found = [self.services.settings_service.get(key) for key in keys]
        return [key.get_secret_value() if isinstance(key, SecretStr) else str(key) for key in found if key]


def create_web_search_tool_definition(
    deps: Any = None,
    *,
    settings_service: SettingsService | None = None,
    logging_service: LoggingService | None = None,
    transport: Any = None,
    own_registry: Term2Registry | None = None,
    content_length: int | None = CONTENT_LENGTH,
    attempts: int = 1,
    clock: Clock | None = None,
) -> Term2ToolDefinition:
    """
    The tool over a settings and a logging service; without any, term2's own settings file and the environment.

    transport: an httpx2 transport, a sender, or a client with `get` and `post`, instead of our own client
    own_registry: providers to choose from, instead of the process's own
    content_length: characters of each result's content; `None` cuts nothing
    attempts: how often our providers are asked before they give up; the `clock` waits in between
    """
    services = as_services(deps, settings_service=settings_service, logging_service=logging_service)
    services = replace(services, attempts=attempts, clock=clock or services.clock)
    if transport is not None:
        services = replace(services, sender=sender_for(transport))
    return Term2ToolDefinition(services, registry if own_registry is None else own_registry, content_length)
