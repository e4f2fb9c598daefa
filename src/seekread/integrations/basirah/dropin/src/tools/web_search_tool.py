"""
Web Search Tool

Module: src.tools.web_search_tool
Purpose: Qualitative research with the Brave Search API; seekread does the work

Requests go through a requests.Session of this project. Set BRAVE_SEARCH_API_KEY in the
environment or in .env; plans and the ledger of searches are seekread's settings.
"""

from typing import Any

import requests
from seekread.integrations.basirah import WebSearchTool as SeekreadSearch

from src.tools.base import Tool


class WebSearchTool(SeekreadSearch, Tool):
    """Web search tool using Brave Search API for qualitative investment research."""

    def __init__(self, **options: Any) -> None:
        """
        Raises:
            ValueError: If BRAVE_SEARCH_API_KEY is not set
        """
        super().__init__(transport=requests.Session(), **options)


# Make tool available for import
__all__ = ["WebSearchTool"]
