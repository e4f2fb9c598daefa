"""What a tool is to the host. Attributes, not read-only properties."""

from typing import Any, Protocol

from squidbot.core.models import ToolResult


class ToolPort(Protocol):
    name: str
    description: str
    parameters: dict[str, Any]

    async def execute(self, **kwargs: Any) -> ToolResult: ...
