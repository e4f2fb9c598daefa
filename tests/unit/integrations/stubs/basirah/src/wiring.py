"""Where the host makes its tools: without an argument, and called by names."""

from typing import Any

from src.tools.base import Tool
from src.tools.web_search_tool import WebSearchTool


def tools() -> dict[str, Tool]:
    return {"web_search": WebSearchTool()}


def call(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    return tool.execute(**arguments)
