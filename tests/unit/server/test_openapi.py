"""The description follows from the code, and the code keeps to it."""

from typing import Any

import jsonschema
import pytest
from starlette.routing import Route

from seekread.outcomes import MEANINGS, is_failure
from seekread.server.api import OPERATIONS
from seekread.server.openapi import document
from seekread.testing.server import Fault, LoopbackServer
from seekread.testing.simulators import Simulator


def test_every_native_endpoint_is_described(running: Any) -> None:
    described = running.get("/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    routes = [route for route in running.service._app.routes if isinstance(route, Route)]
    native = {route.path for route in routes if route.path.startswith("/v1/")}
    assert set(described["paths"]) == native == {operation.path for operation in OPERATIONS}


def test_every_schema_is_valid_and_every_reference_leads_somewhere() -> None:
    described = document()
    for schema in described["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    names = set(described["components"]["schemas"])
    assert {ref.rpartition("/")[2] for ref in references(described)} <= names


def test_every_status_an_outcome_has_is_described() -> None:
    failures = {str(meaning.status) for outcome, meaning in MEANINGS.items() if is_failure(outcome)}
    for path in document()["paths"].values():
        assert all(failures <= operation["responses"].keys() for operation in path.values())


def references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [ref for part in value.values() for ref in references(part)]
    return [ref for part in value for ref in references(part)] if isinstance(value, list) else []


@pytest.mark.process
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "/v1/search", {"query": "tea"}),
        ("post", "/v1/open", {"url": "{site}"}),
        ("get", "/v1/providers", None),
        ("get", "/v1/usage", None),
    ],
)
def test_answers_keep_to_the_description(
    running: Any, site: LoopbackServer, method: str, path: str, body: dict[str, str] | None
) -> None:
    sent = {name: text.format(site=site.url) for name, text in (body or {}).items()}
    reply = running.post(path, sent) if body else running.get(path)
    check(reply.json(), document()["paths"][path][method]["responses"]["200"]["content"]["application/json"])


def test_problems_keep_to_the_description(running: Any, brave: Simulator) -> None:
    brave.fail(Fault(429))
    responses = document()["paths"]["/v1/search"]["post"]["responses"]
    for body, status in (({"query": "tea"}, "429"), ({}, "400")):
        reply = running.post("/v1/search", body)
        assert str(reply.status_code) == status
        check(reply.json(), responses[status]["content"]["application/problem+json"])


def check(value: Any, content: dict[str, Any]) -> None:
    schema = {**content["schema"], "components": document()["components"]}
    jsonschema.Draft202012Validator(schema).validate(value)
