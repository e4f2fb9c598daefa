"""One JSON schema per tool, in the shapes that model vendors and protocols want."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Literal

from seekread.options import Option, OptionKind

SchemaShape = Literal["openai", "openai-strict", "anthropic", "mcp"]

TEXTS = {"type": "array", "items": {"type": "string"}}
TYPES: Mapping[OptionKind, Mapping[str, Any]] = {
    "number": {"type": "integer"},
    "seconds": {"type": "number"},
    "flag": {"type": "boolean"},
    "domains": TEXTS,
    "names": TEXTS,
    "texts": TEXTS,
    "addresses": TEXTS,
}
"""What an option takes, in JSON schema; the kinds that are not here take text."""
ANNOTATIONS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}
"""Every tool only reads, and reaches the open web."""


def parameters_of(options: Mapping[str, Option]) -> dict[str, Any]:
    """The JSON schema of the options that models are shown."""
    shown = {name: option for name, option in options.items() if option.tool}
    return {
        "type": "object",
        "properties": {name: field_of(option) for name, option in shown.items()},
        "required": [name for name, option in shown.items() if option.missing],
    }


def field_of(option: Option) -> dict[str, Any]:
    # Some models' interfaces take an enumeration only together with its type.
    field: dict[str, Any] = dict(TYPES.get(option.kind, {"type": "string"}))
    if option.choices:
        field["enum"] = list(option.choices)
    if option.sentence:
        field["description"] = option.sentence.removesuffix(".")
    return field


def openai(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """A function for OpenAI's chat interface."""
    function = {"name": name, "description": description, "parameters": deepcopy(dict(parameters))}
    return {"type": "function", "function": function}


def openai_strict(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The same in strict mode."""
    shaped = openai(name, description, strict(parameters))
    shaped["function"]["strict"] = True
    return shaped


def anthropic(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """A tool for Anthropic's messages interface."""
    return {"name": name, "description": description, "input_schema": deepcopy(dict(parameters))}


def mcp(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """A tool of the Model Context Protocol."""
    return {
        "name": name,
        "description": description,
        "inputSchema": deepcopy(dict(parameters)),
        "annotations": dict(ANNOTATIONS),
    }


SHAPES: dict[SchemaShape, Callable[[str, str, Mapping[str, Any]], dict[str, Any]]] = {
    "openai": openai,
    "openai-strict": openai_strict,
    "anthropic": anthropic,
    "mcp": mcp,
}


def strict(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Every property required, what was optional may be null, nothing else allowed."""
    properties = {
        name: deepcopy(field) if name in parameters["required"] else nullable(deepcopy(field))
        for name, field in parameters["properties"].items()
    }
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def nullable(field: dict[str, Any]) -> dict[str, Any]:
    return {
        **field,
        "type": [field["type"], "null"],
        **({"enum": [*field["enum"], None]} if "enum" in field else {}),
    }
