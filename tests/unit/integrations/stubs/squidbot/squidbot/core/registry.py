"""Where tools are registered and called. The call's id is written into the result; nothing that is raised is caught."""

from typing import Any

from squidbot.core.models import ToolDefinition, ToolResult
from squidbot.core.ports import ToolPort


class ToolRegistry:
    def __init__(self) -> None:
        self._tools: dict[str, ToolPort] = {}

    def register(self, tool: ToolPort) -> None:
        if tool.name in self._tools:
            raise ValueError(f"Tool '{tool.name}' is already registered")
        self._tools[tool.name] = tool

    def get_definitions(self) -> list[ToolDefinition]:
        return [ToolDefinition(tool.name, tool.description, tool.parameters) for tool in self._tools.values()]

    async def execute(self, tool_name: str, tool_call_id: str, **kwargs: Any) -> ToolResult:
        result = await self._tools[tool_name].execute(**kwargs)
        result.tool_call_id = tool_call_id
        return result
