"""One JSON schema per tool, in the shapes that model vendors and protocols want."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Literal

SchemaShape = Literal["openai", "openai-strict", "anthropic", "mcp"]

NOT_IN_STRICT = ("default", "minLength", "maxLength", "examples")
"""Keywords that strict mode does not take."""

WEB_SEARCH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Words to search for."},
        "limit": {"type": "integer", "minimum": 1, "description": "Number of results, 5 by default."},
        "company": {"type": "string", "description": "Company name or ticker the search is about."},
        "search_type": {
            "type": "string",
            "enum": ["general", "news", "recent"],
            "description": "recent = last 30 days.",
        },
        "freshness": {"type": "string", "enum": ["day", "week", "month", "year"], "description": "How old at most."},
        "allowed_domains": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Only these domains and those below them.",
        },
        "blocked_domains": {"type": "array", "items": {"type": "string"}, "description": "None of these domains."},
    },
    "required": ["query"],
    "additionalProperties": False,
}
OPEN_PAGE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "description": "Address of the page."},
        "max_length": {"type": "integer", "minimum": 1, "description": "Characters to return at most."},
        "offset": {"type": "integer", "minimum": 0, "description": "Where to go on in a long page."},
        "query": {"type": "string", "description": "Return only the passages about this."},
        "section": {"type": "string", "description": "Return only the section with this heading."},
    },
    "required": ["url"],
    "additionalProperties": False,
}


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
    """A tool of the Model Context Protocol; both tools only read, and both reach the open web."""
    annotations = {"readOnlyHint": True, "openWorldHint": True}
    return {
        "name": name,
        "description": description,
        "inputSchema": deepcopy(dict(parameters)),
        "annotations": annotations,
    }


SHAPES: dict[SchemaShape, Callable[[str, str, Mapping[str, Any]], dict[str, Any]]] = {
    "openai": openai,
    "openai-strict": openai_strict,
    "anthropic": anthropic,
    "mcp": mcp,
}


def strict(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Every property required, what was optional may be null, nothing else allowed."""
    needed = set(parameters.get("required", ()))
    properties = {
        name: allowed(field) if name in needed else nullable(allowed(field))
        for name, field in parameters["properties"].items()
    }
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def allowed(field: Mapping[str, Any]) -> dict[str, Any]:
    return {name: deepcopy(value) for name, value in field.items() if name not in NOT_IN_STRICT}


def nullable(field: dict[str, Any]) -> dict[str, Any]:
    return {
        **field,
        "type": [field["type"], "null"],
        **({"enum": [*field["enum"], None]} if "enum" in field else {}),
    }
