"""The tool for basirah. This path and `WebSearchTool` are its contract's names; the work is done in `tool.py`."""

from seekread.integrations.basirah.tool import BasirahSearchTool as WebSearchTool
from seekread.integrations.basirah.tool import filter_by_relevance

__all__ = ["WebSearchTool", "filter_by_relevance"]
