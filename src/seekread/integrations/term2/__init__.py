"""term2's web search in Python. This path is the one its contract names; what it does is told in `tool.py`."""

from seekread.integrations.term2.messages import CommandMessage, format_web_search_command_message
from seekread.integrations.term2.providers import CoreProvider, TavilyWebSearchProvider
from seekread.integrations.term2.registry import (
    SETTING_KEYS,
    LoggingService,
    SettingsService,
    Term2Registry,
    Term2Services,
    WebSearchProvider,
    WebSearchResponse,
    WebSearchResult,
)
from seekread.integrations.term2.settings import Term2Settings
from seekread.integrations.term2.tool import Term2ToolDefinition as ToolDefinition
from seekread.integrations.term2.tool import (
    clear_web_search_providers,
    create_web_search_tool_definition,
    format_results_as_markdown,
    get_all_web_search_providers,
    get_configured_web_search_provider,
    get_default_web_search_provider,
    get_web_search_provider,
    register_our_providers,
    register_web_search_provider,
)

__all__ = [
    "SETTING_KEYS",
    "CommandMessage",
    "CoreProvider",
    "LoggingService",
    "SettingsService",
    "TavilyWebSearchProvider",
    "Term2Registry",
    "Term2Services",
    "Term2Settings",
    "ToolDefinition",
    "WebSearchProvider",
    "WebSearchResponse",
    "WebSearchResult",
    "clear_web_search_providers",
    "create_web_search_tool_definition",
    "format_results_as_markdown",
    "format_web_search_command_message",
    "get_all_web_search_providers",
    "get_configured_web_search_provider",
    "get_default_web_search_provider",
    "get_web_search_provider",
    "register_our_providers",
    "register_web_search_provider",
]
