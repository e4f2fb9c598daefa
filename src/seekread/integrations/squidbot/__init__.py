"""The tools for squidbot. This path is the one its guide names; the work is done in `tools.py`."""

from seekread.integrations.squidbot.tools import (
    FetchUrlTool,
    ToolDefinition,
    ToolResult,
    WebSearchConfig,
    WebSearchTool,
)

__all__ = ["FetchUrlTool", "ToolDefinition", "ToolResult", "WebSearchConfig", "WebSearchTool"]
