"""The extension for yodoca. This path is the one its contract names; what it does is told in `extension.py`."""

from seekread.integrations.yodoca.extension import WebSearchConfig, WebSearchExtension
from seekread.integrations.yodoca.providers import (
    Crawl4AIReadProvider,
    DuckDuckGoSearchProvider,
    JinaReadProvider,
    PerplexitySearchProvider,
    ReadProvider,
    SearchProvider,
    SearXngSearchProvider,
    TavilyProvider,
)
from seekread.models import ReadResult, SearchResult
from seekread.render.results import OpenPagesToolResult, OpenPageToolResult, SearchResultItem, WebSearchToolResult

__all__ = [
    "Crawl4AIReadProvider",
    "DuckDuckGoSearchProvider",
    "JinaReadProvider",
    "OpenPageToolResult",
    "OpenPagesToolResult",
    "PerplexitySearchProvider",
    "ReadProvider",
    "ReadResult",
    "SearXngSearchProvider",
    "SearchProvider",
    "SearchResult",
    "SearchResultItem",
    "TavilyProvider",
    "WebSearchConfig",
    "WebSearchExtension",
    "WebSearchToolResult",
]
