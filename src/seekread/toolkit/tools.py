"""
The tools for any framework: a name, a description, a schema and a call that never raises.

    for tool in tools(web):
        offered.append(tool.schema("anthropic"))
    …
    result = await tool.call({"query": "solid state battery"})
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any

from seekread.errors import InvalidQuery
from seekread.late import dataclass
from seekread.toolkit import schema
from seekread.toolkit.answer import Budget, ToolAnswer
from seekread.toolkit.calls import call_tool
from seekread.toolkit.definitions import TOOLS, ToolDefinition, ToolNames
from seekread.toolkit.web import LazyWeb


@dataclass(frozen=True)
class ToolResult:
    """What a call brought: text for the model, the same as plain values, and whether it is an error."""

    text: str
    data: dict[str, Any] = field(default_factory=dict)
    is_error: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Tool:
    """One tool."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Any], Awaitable[ToolAnswer]] = field(repr=False)

    def schema(self, shape: schema.SchemaShape = "openai") -> dict[str, Any]:
        """The definition as a vendor or protocol wants it."""
        if shape not in schema.SHAPES:
            raise InvalidQuery(f"shape must be one of {', '.join(schema.SHAPES)}, not {shape!r}")
        return schema.SHAPES[shape](self.name, self.description, self.parameters)

    async def call(self, args: Any) -> ToolResult:
        """Call it. Whatever goes wrong is told in the result."""
        answer = await self.run(args)
        # Most frameworks hand over nothing but the text, so the text itself says that it is an error.
        return ToolResult(f"Error: {answer.text}" if answer.failed else answer.text, answer.data(), answer.failed)


class Toolset(tuple[Tool, ...]):  # noqa: SLOT001 - it carries its web
    """The tools, and with `close` the connections of a `Seekread` of their own."""

    web: LazyWeb

    async def close(self) -> None:
        """Release connections."""
        await self.web.close()


def tools(web: Any = None, *, max_tokens: int = Budget.usual) -> Toolset:
    """
    The tools over a `Seekread`; without one, over one of their own with the settings of the environment.

    max_tokens: estimated tokens of one result, unless a call asks for more
    """
    behind = LazyWeb(web)
    made = Toolset(offered(definition, behind, Budget(max_tokens)) for definition in TOOLS)
    made.web = behind
    return made


def offered(definition: ToolDefinition, web: LazyWeb, budget: Budget) -> Tool:
    """One tool as programs offer it to their models."""

    async def run(args: Any) -> ToolAnswer:
        return await call_tool(definition.name, web, args, budget)

    return Tool(definition.name, ToolNames().written(definition.description), definition.parameters, run)
