"""squidbot/adapters/tools/web_search.py: the whole file."""

from seekread.integrations.squidbot import FetchUrlTool, WebSearchTool

__all__ = ["FetchUrlTool", "WebSearchTool"]
