"""The tools for squidbot under the names its contract has for them."""

from seekread.integrations.squidbot.fetching import FetchUrlTool
from seekread.integrations.squidbot.tools import SquidbotConfig as WebSearchConfig
from seekread.integrations.squidbot.tools import SquidbotSearchTool as WebSearchTool
from seekread.integrations.squidbot.tools import SquidbotToolDefinition as ToolDefinition
from seekread.integrations.squidbot.tools import SquidbotToolResult as ToolResult

__all__ = ["FetchUrlTool", "ToolDefinition", "ToolResult", "WebSearchConfig", "WebSearchTool"]
