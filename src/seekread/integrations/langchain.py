"""The tools for LangChain and LangGraph (install langchain-core)."""

from copy import deepcopy
from typing import Any

from seekread.integrations.optional import optional
from seekread.toolkit.tools import Tool, tools


def structured_tools(web: Any = None) -> list[Any]:
    """`StructuredTool` objects: the text goes to the model, the plain values are the artifact."""
    return [structured_tool(tool) for tool in tools(web)]


def structured_tool(tool: Tool) -> Any:
    """One tool as LangChain's own; a failed call is a tool error there."""
    langchain = optional("langchain_core.tools", install="langchain-core")

    async def run(**arguments: Any) -> tuple[str, dict[str, Any]]:
        result = await tool.call(arguments)
        if result.is_error:
            raise langchain.ToolException(result.text)
        return result.text, result.data

    def wait(**arguments: Any) -> tuple[str, dict[str, Any]]:
        from seekread.sync import portal

        return portal.call(lambda: run(**arguments))

    return langchain.StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=deepcopy(dict(tool.parameters)),
        func=wait,
        coroutine=run,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )
