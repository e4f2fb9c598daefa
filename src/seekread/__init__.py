"""
Search the web and read pages, for AI agents on any model.

    async with Seekread() as web:
        response = await web.search("solid state battery", limit=5)

Names are imported when they are first used, so importing seekread costs almost nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seekread.client import Seekread
    from seekread.errors import (
        AllFailed,
        InvalidQuery,
        Misconfigured,
        NotConfigured,
        ProviderError,
        Refused,
        SeekreadError,
    )
    from seekread.extraction.document import extract
    from seekread.models import Attempt, Page, ReadResult, SearchResponse, SearchResult, Source
    from seekread.options import OpenOptions, Query, SearchOptions
    from seekread.outcomes import Outcome
    from seekread.page.cited import CheckedQuotation, Citation
    from seekread.page.snapshot import Snapshot
    from seekread.sync import BlockingSeekread, open_page, search
    from seekread.toolkit.tools import Tool, ToolResult, tools

__all__ = [
    "AllFailed",
    "Attempt",
    "BlockingSeekread",
    "CheckedQuotation",
    "Citation",
    "InvalidQuery",
    "Misconfigured",
    "NotConfigured",
    "OpenOptions",
    "Outcome",
    "Page",
    "ProviderError",
    "Query",
    "ReadResult",
    "Refused",
    "SearchOptions",
    "SearchResponse",
    "SearchResult",
    "Seekread",
    "SeekreadError",
    "Snapshot",
    "Source",
    "Tool",
    "ToolResult",
    "__version__",
    "extract",
    "open_page",
    "search",
    "tools",
]

_HOMES = {
    "errors": "AllFailed InvalidQuery Misconfigured NotConfigured ProviderError Refused SeekreadError",
    "toolkit.tools": "Tool ToolResult tools",
    "models": "Attempt Page ReadResult SearchResponse SearchResult Source",
    "outcomes": "Outcome",
    "extraction.document": "extract",
    "page.cited": "CheckedQuotation Citation",
    "page.snapshot": "Snapshot",
    "sync": "BlockingSeekread open_page search",
    "client": "Seekread",
    "options": "OpenOptions Query SearchOptions",
}

if TYPE_CHECKING:
    __version__: str
else:
    # Hidden from type checkers, so that a misspelt name is still an error there.
    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name == "__version__":
            return import_module("seekread.version").VERSION
        for module, names in _HOMES.items():
            if name in names.split():
                return getattr(import_module(f"seekread.{module}"), name)
        raise AttributeError(f"module 'seekread' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)
