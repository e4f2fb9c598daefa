"""The tools for Pydantic AI (install pydantic-ai-slim)."""

from copy import deepcopy
from typing import Any

from seekread.integrations.optional import optional
from seekread.toolkit.tools import Tool, tools


def agent_tools(web: Any = None) -> list[Any]:
    """`Tool` objects for `Agent(tools=…)`."""
    return [agent_tool(tool) for tool in tools(web)]


def agent_tool(tool: Tool) -> Any:
    """One tool as Pydantic AI's own. The text says itself when a call failed, so nothing is raised."""
    pydantic_ai = optional("pydantic_ai", install="pydantic-ai-slim")

    async def run(**arguments: Any) -> str:
        return (await tool.call(arguments)).text

    return pydantic_ai.Tool.from_schema(run, tool.name, tool.description, deepcopy(dict(tool.parameters)))
