"""The tools for the OpenAI Agents SDK (install seekread[openai-agents])."""

import json
from typing import Any

from seekread.integrations.optional import needs
from seekread.toolkit.schema import strict
from seekread.toolkit.tools import Tool, tools

with needs("seekread[openai-agents]"):
    import agents


def function_tools(web: Any = None) -> list[agents.Tool]:
    """`FunctionTool` objects with strict schemas, for `Agent(tools=…)`."""
    return [function_tool(tool) for tool in tools(web)]


def function_tool(tool: Tool) -> agents.FunctionTool:
    """One tool as the SDK's own."""

    async def invoke(_context: Any, arguments: str) -> str:
        try:
            given = json.loads(arguments or "{}")
        except ValueError:
            return "Error: the arguments are not valid JSON; send an object"
        return (await tool.call(given)).text

    return agents.FunctionTool(tool.name, tool.description, strict(tool.parameters), invoke)
