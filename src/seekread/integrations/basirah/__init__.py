"""The tool for basirah. This path is the one its guide names; the work is done in `tool.py`."""

from seekread.integrations.basirah.tool import WebSearchTool, filter_by_relevance

__all__ = ["WebSearchTool", "filter_by_relevance"]
