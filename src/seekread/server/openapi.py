"""OpenAPI 3.1, made from the table of operations and the models they take and answer."""

import re
from typing import Any, Literal

from pydantic import TypeAdapter

from seekread.server.api import OPERATIONS, ApiAnswer, Operation
from seekread.server.problems import Problem
from seekread.version import VERSION

PLACE = "#/components/schemas/{model}"
PROBLEMS = {
    "400": "The request does not make sense; the detail says what to send instead.",
    "401": "A token is needed, or this one is not valid.",
    "403": "Refused by policy, by the guard or as the request of another site's page; or the page is behind a login.",
    "404": "There is no such page or snapshot (any more).",
    "405": "The method is not allowed.",
    "413": "The body is too large.",
    "421": "The service does not answer to this Host.",
    "429": "Too many requests, or a plan or a token's budget is used up.",
    "500": "A mistake of the service.",
    "502": "The provider or page failed.",
    "503": "Not set up, not reachable or overloaded.",
    "504": "No answer came in time.",
}
Mode = Literal["validation", "serialization"]


def document() -> dict[str, Any]:
    """The description of the native endpoints."""
    named: list[tuple[type[ApiAnswer], Mode]] = [(Problem, "serialization")]
    for operation in OPERATIONS:
        named += [(model, "serialization") for model in operation.answers]
        named += [(operation.takes, "validation")] if operation.takes else []
    kinds = [(model, mode, TypeAdapter[Any](model)) for model, mode in dict.fromkeys(named)]
    refs, shared = TypeAdapter.json_schemas(kinds, ref_template=PLACE)  # type: ignore[type-var]
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        for method in operation.methods:
            entry = described(operation, method, refs, shared["$defs"])
            paths.setdefault(operation.path, {})[method.lower()] = entry
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "seekread",
            "version": VERSION,
            "description": "Search the web and read pages. Nothing found is a 200; a failure never is.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "schemas": shared["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def described(
    operation: Operation, method: str, refs: dict[tuple[type[ApiAnswer], Mode], dict[str, Any]], shared: dict[str, Any]
) -> dict[str, Any]:
    """One operation."""
    answers = [refs[model, "serialization"] for model in operation.answers]
    content: dict[str, Any] = {"application/json": {"schema": answers[0] if len(answers) == 1 else {"anyOf": answers}}}
    if operation.streams:
        content["text/event-stream"] = {"schema": {"type": "string"}}
    problem = {"application/problem+json": {"schema": refs[Problem, "serialization"]}}
    found: dict[str, Any] = {
        "operationId": f"{method.lower()}_{operation.endpoint.__name__}",
        "summary": operation.summary,
        "parameters": in_path(operation),
        "responses": {
            "200": {"description": operation.summary, "content": content},
            **{status: {"description": why, "content": problem} for status, why in PROBLEMS.items()},
        },
    }
    if operation.takes and method == "POST":
        schema = refs[operation.takes, "validation"]
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    elif operation.takes:
        schema = shared[refs[operation.takes, "validation"]["$ref"].rpartition("/")[2]]
        found["parameters"] += in_query(schema)
    return found


def in_path(operation: Operation) -> list[dict[str, Any]]:
    """The parameters that stand in the path."""
    names = re.findall(r"{(\w+)}", operation.path)
    schema = {"type": "string", "minLength": 1, "maxLength": 64}
    return [{"name": name, "in": "path", "required": True, "schema": schema} for name in names]


def in_query(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of a model as parameters: what may be absent is not sent, so `null` is left out."""
    return [
        {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "description": field.get("description", ""),
            "schema": present({key: text for key, text in field.items() if key not in {"title", "description"}}),
        }
        for name, field in schema["properties"].items()
    ]


def present(field: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field that is there."""
    kinds = [kind for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
    return kinds[0] if len(kinds) == 1 else {name: text for name, text in field.items() if name != "default"}
