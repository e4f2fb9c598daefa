"""A tool of an MCP server that runs on this machine, called over its standard streams by the mcp package."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from seekread.provider import NotConfigured

T = TypeVar("T")


async def called(
    command: Sequence[str], tool: str, arguments: Mapping[str, Any], read: Callable[[Mapping[str, Any]], T]
) -> T:
    """Start the server, call the tool, and stop the server: what an answer says is read as over HTTP."""
    try:
        from mcp import Client, StdioServerParameters
    except ImportError:
        raise NotConfigured("a server on this machine needs the mcp package: install seekread[mcp]") from None
    async with Client(StdioServerParameters(command=command[0], args=list(command[1:]))) as client:
        answer = await client.call_tool(tool, dict(arguments))
    return read(answer.model_dump(by_alias=True, mode="json"))
