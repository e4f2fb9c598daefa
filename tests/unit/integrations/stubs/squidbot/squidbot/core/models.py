"""What passes between the host and its tools."""

from dataclasses import dataclass
from typing import Any


@dataclass
class ToolResult:
    tool_call_id: str
    content: str
    is_error: bool = False


@dataclass
class ToolDefinition:
    name: str
    description: str
    parameters: dict[str, Any]
