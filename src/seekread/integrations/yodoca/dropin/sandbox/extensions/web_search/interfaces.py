"""The two protocols of providers, and what they and the tools return."""

from seekread.integrations.yodoca import (
    OpenPagesToolResult,
    OpenPageToolResult,
    ReadProvider,
    ReadResult,
    SearchProvider,
    SearchResult,
    SearchResultItem,
    WebSearchToolResult,
)

__all__ = [
    "OpenPageToolResult",
    "OpenPagesToolResult",
    "ReadProvider",
    "ReadResult",
    "SearchProvider",
    "SearchResult",
    "SearchResultItem",
    "WebSearchToolResult",
]
