"""Whatever a service sends, only our own errors come out of a provider."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from seekread.calling.perform import read_reply
from seekread.http.client import written
from seekread.options import Query
from seekread.provider import Call, Found, ProviderError, Reply, SearchResult, SecretStr
from seekread.provider import given as given_values
from seekread.providers.registry import provider_class
from seekread.testing import simulators
from seekread.testing.server import Received

HTTP = sorted(set(simulators.names()) - {"duckduckgo", "mcp"})
"""Those whose first reply holds results."""
WORDS = st.sampled_from(
    ["web", "news", "results", "query", "data", "organic", "search", "error", "code", "title", "url", "link", "answers"]
)
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=5)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4))
WRONG: tuple[Any, ...] = (None, 3, "text", [], {}, [None], [[]], True)
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def call_of(name: str) -> Call[Any]:
    keyed = {"api_key": SecretStr("k")} if simulators.simulator(name).key_variable else {}
    call: Call[Any] = provider_class(name)(base_url="https://service.example", **keyed).search(Query(text="tea"))
    return call


def outcome(call: Call[Any], reply: Reply) -> str:
    try:
        found = read_reply(call, reply)
    except ProviderError as error:
        return error.outcome
    rows = found.results if isinstance(found, Found) else found
    assert all(isinstance(row, SearchResult) for row in rows)
    return "ok" if rows else "empty"


@pytest.mark.parametrize("name", HTTP)
@FEW
@given(body=JSON, status=st.sampled_from([200, 200, 200, 302, 400, 401, 422, 429, 432, 500]))
def test_any_json_is_an_answer_or_a_failure_of_ours(name: str, body: Any, status: int) -> None:
    met = outcome(call_of(name), Reply(status, {}, json.dumps(body).encode()))
    assert status == 200 or met not in {"ok", "empty"}


@pytest.mark.parametrize("name", HTTP)
@FEW
@given(body=st.binary(max_size=80), status=st.sampled_from([200, 204, 400, 429, 500]))
def test_any_bytes_are_a_failure_of_ours(name: str, body: bytes, status: int) -> None:
    assert outcome(call_of(name), Reply(status, {}, body)) not in {"ok", "empty"}


def genuine(name: str) -> Any:
    """What the simulator sends, without a socket."""
    simulated = simulators.simulator(name)
    simulator = simulated(key="k")
    request = call_of(name).request
    headers = {key.lower(): value for key, value in request.headers.items() if value} | {"user-agent": "test"}
    query = urlencode({key: written(value) for key, value in given_values(request.params).items()}, doseq=True)
    sent = given_values(request.json or {})
    path = simulated.prefix + request.url.removeprefix("https://service.example")
    path = path or "/"
    path = path if not request.url.startswith("https://s.jina.ai") else "/"
    try:
        return simulator.reply(Received(request.method, "", path, query, headers, json.dumps(sent).encode())).body
    finally:
        simulator.stop()


def places(node: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place inside a body."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [here, *(place for key, value in inner for place in places(value, (*here, key)))]


def replaced(node: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    copy = dict(node) if isinstance(node, dict) else list(node)
    copy[place[0]] = replaced(node[place[0]], place[1:], value)
    return copy


@pytest.mark.parametrize("name", HTTP)
def test_a_genuine_reply_with_one_wrong_value_never_raises_anything_else(name: str) -> None:
    body = genuine(name)
    if isinstance(body, str):
        broken_markup(name, body)
        return
    assert outcome(call_of(name), Reply(200, {}, json.dumps(body).encode())) == "ok"
    for place in places(body):
        for wrong in WRONG:
            outcome(call_of(name), Reply(200, {}, json.dumps(replaced(body, place, wrong)).encode()))


def broken_markup(name: str, body: str) -> None:
    """The same for XML: every element is left out once, and emptied once."""
    assert outcome(call_of(name), Reply(200, {}, body.encode())) == "ok"
    for number in range(1, len(list(etree.fromstring(body.encode()).iter()))):
        for spoil in (left_out, emptied):
            root = etree.fromstring(body.encode())
            spoil(list(root.iter())[number])
            outcome(call_of(name), Reply(200, {}, etree.tostring(root)))


def left_out(element: Any) -> None:
    element.getparent().remove(element)


def emptied(element: Any) -> None:
    element.clear()
