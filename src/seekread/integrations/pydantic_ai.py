"""The tools for Pydantic AI (install seekread[pydantic-ai])."""

from copy import deepcopy
from typing import Any

from seekread.integrations.optional import needs
from seekread.toolkit.tools import Tool, tools

with needs("seekread[pydantic-ai]"):
    import pydantic_ai


def agent_tools(web: Any = None) -> list[pydantic_ai.Tool[Any]]:
    """`Tool` objects for `Agent(tools=…)`."""
    return [agent_tool(tool) for tool in tools(web)]


def agent_tool(tool: Tool) -> pydantic_ai.Tool[Any]:
    """One tool as Pydantic AI's own. The text says itself when a call failed, so nothing is raised."""

    async def run(**arguments: Any) -> str:
        return (await tool.call(arguments)).text

    return pydantic_ai.Tool.from_schema(run, tool.name, tool.description, deepcopy(dict(tool.parameters)))
