"""src/tools/web_search_tool.py: the whole file."""

from seekread.integrations.basirah import WebSearchTool

__all__ = ["WebSearchTool"]
