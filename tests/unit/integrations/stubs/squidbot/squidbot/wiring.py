"""Where the host makes its tools: a type checker that passes this takes the tool for a `ToolPort`."""

from squidbot.adapters.tools.web_search import WebSearchTool
from squidbot.config.schema import Settings
from squidbot.core.ports import ToolPort
from squidbot.core.registry import ToolRegistry


def tools_of(settings: Settings) -> ToolRegistry:
    registry = ToolRegistry()
    if settings.tools.web_search.enabled:
        tool: ToolPort = WebSearchTool(config=settings.tools.web_search)
        registry.register(tool)
    return registry
