"""
Web search tool adapter.

seekread does the work: SearXNG, DuckDuckGo or Brave Search, chosen by WebSearchConfig.provider.
Requests go through this project's own HTTP client, blocking work through its own threads.
"""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
from seekread.integrations.squidbot import WebSearchTool as SeekreadSearch

from squidbot.config.schema import WebSearchConfig
from squidbot.core.models import ToolDefinition, ToolResult


class _Client:
    """httpx as seekread asks for it: one request, one client."""

    async def get(self, url: str, *, timeout: float, **options: Any) -> httpx.Response:
        async with httpx.AsyncClient(timeout=timeout) as client:
            return await client.get(url, **options)


class WebSearchTool:
    """Search the web and return titles, URLs, and snippets."""

    def __init__(self, config: WebSearchConfig) -> None:
        """Raises ValueError for an unknown provider, or one that lacks its url or api_key."""
        self._search = SeekreadSearch(
            config=config, transport=_Client(), to_thread=lambda work: asyncio.to_thread(work)
        )
        self.name: str = self._search.name
        self.description: str = self._search.description
        self.parameters: dict[str, Any] = self._search.parameters

    def to_definition(self) -> ToolDefinition:
        """Return the tool definition for the LLM."""
        return ToolDefinition(self.name, self.description, self.parameters)

    async def execute(self, **kwargs: Any) -> ToolResult:
        """Search; whatever goes wrong is told in the result, nothing is raised."""
        found = await self._search.execute(**kwargs)
        return ToolResult(found.tool_call_id, found.content, found.is_error)
