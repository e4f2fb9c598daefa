"""The extension for yodoca. This path is the one its contract names; what it does is told in `extension.py`."""

from seekread.integrations.yodoca.config import YodocaConfig
from seekread.integrations.yodoca.extension import WebSearchExtension
from seekread.integrations.yodoca.providers import (
    Crawl4AIReadProvider,
    DuckDuckGoSearchProvider,
    JinaReadProvider,
    PerplexitySearchProvider,
    SearXngSearchProvider,
    TavilyProvider,
)
from seekread.integrations.yodoca.providers import YodocaReadProvider as ReadProvider
from seekread.integrations.yodoca.providers import YodocaSearchProvider as SearchProvider
from seekread.models import ReadResult, SearchResult, Source
from seekread.page.citations import link
from seekread.render.tool_results import OpenPagesToolResult, OpenPageToolResult, SearchResultItem, WebSearchToolResult

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
    "Source",
    "TavilyProvider",
    "WebSearchExtension",
    "WebSearchToolResult",
    "YodocaConfig",
    "link",
]
