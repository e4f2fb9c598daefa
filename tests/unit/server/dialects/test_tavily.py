"""Tavily's dialect on the wire."""

import json
import logging
import socket
from pathlib import Path
from typing import Any, ClassVar

import pytest

from seekread.server.app import ServiceOptions
from seekread.server.auth import Authentication
from seekread.server.dialects.tavily import DIALECT
from seekread.server.limits import MAX_BODY
from seekread.server.problems import Rejected
from seekread.server.tokens import Tokens
from seekread.server.visit import HttpVisit, Senders
from seekread.testing.server import Fault, LoopbackServer
from seekread.testing.simulators import Simulator
from tests.unit.server.dialects.search_dialect import SearchDialect

pytestmark = pytest.mark.anyio
SEARCH = "/compat/tavily/search"
CLOSED = ServiceOptions(require_token=True)


class TestTavily(SearchDialect):
    dialect = DIALECT
    path = SEARCH
    body: ClassVar[dict[str, Any]] = {"query": "tea", "max_results": 3}

    def rows(self, reply: Any) -> list[Any]:
        return list(reply["results"])

    def error(self, reply: Any) -> str:
        return str(reply["detail"]["error"])


@pytest.mark.process
def test_options_reach_the_engine(running: Any, brave: Simulator, site: LoopbackServer) -> None:
    def found_here(body: Any) -> Any:
        body["web"]["results"] = [{**body["web"]["results"][0], "url": site.url}]
        return body

    brave.fail(Fault(change=found_here))
    options = {"max_results": 1, "country": "germany", "start_date": "2026-10-01", "include_raw_content": "markdown"}
    [result] = running.post(SEARCH, {"query": "tea", **options}).json()["results"]
    assert "Steep it" in result["raw_content"]
    sent = brave.received[0].params
    assert (sent["country"], sent["freshness"].startswith("2026-10-01to")) == ("DE", True)
    assert running.post("/compat/tavily/extract", {"urls": []}).status_code == 400
    assert running.post(SEARCH, {"query": "tea", "max_results": 0}).json()["results"] == []


def test_scores_fall_with_the_rank(running: Any) -> None:
    """Its clients sort and cut by them, so equal ones would throw the order away."""
    scores = [result["score"] for result in running.post(SEARCH, {"query": "tea", "max_results": 4}).json()["results"]]
    assert scores == [1.0, 0.5, 0.3333, 0.25]


def test_a_key_in_the_body_is_a_token_too(start: Any) -> None:
    """Older clients send `api_key` there and no header."""
    running = start(CLOSED)
    token = running.tokens.create("old client", daily_calls=1)
    assert running.post(SEARCH, {"query": "tea", "api_key": token}).status_code == 200
    spent = running.post(SEARCH, {"query": "coffee", "api_key": token})
    assert spent.status_code == 429
    assert "api_key" in running.post(SEARCH, {"query": "tea"}).json()["detail"]["error"]


@pytest.mark.parametrize("key", ["skr_wrong", "tvly-0123456789abcdef", "", None, 7, ["skr_wrong"], {"a": "b"}])
def test_a_wrong_key_in_the_body_is_refused_in_its_own_shape(start: Any, key: Any) -> None:
    refused = start(CLOSED).post(SEARCH, {"query": "tea", "api_key": key})
    assert refused.status_code == 401
    assert "seekread token create" in refused.json()["detail"]["error"]
    assert "wrong" not in refused.text


def test_on_loopback_the_vendor_s_key_in_the_body_is_ignored_but_a_revoked_token_is_not(running: Any) -> None:
    assert running.post(SEARCH, {"query": "tea", "api_key": "tvly-0123456789abcdef"}).status_code == 200
    assert running.post(SEARCH, {"query": "tea", "api_key": "skr_revoked"}).status_code == 401


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[" * 100_000, b'["api_key"]', b'{"api_key": "\\ud800"}', b"\xff\xfe", b"1"]
)
def test_a_body_nobody_can_read_carries_no_key(start: Any, body: bytes) -> None:
    assert start(CLOSED).client.post(SEARCH, content=body).status_code == 401


def test_a_body_that_is_too_large_is_told_in_its_own_shape(start: Any) -> None:
    running = start(CLOSED)
    large = json.dumps({"query": "x" * MAX_BODY, "api_key": running.tokens.create("app")}).encode()
    pieces = (large[place : place + 65_536] for place in range(0, len(large), 65_536))
    for content in (large, pieces):
        refused = running.client.post(SEARCH, content=content)
        assert (refused.status_code, "bytes" in refused.json()["detail"]["error"]) == (413, True)


async def test_no_body_is_read_for_a_key_beyond_its_limit(tmp_path: Path) -> None:
    """Nor is one read at all when a header has said who is asking."""
    tokens, taken = Tokens(tmp_path / "tokens.json"), 0

    async def endless() -> Any:
        nonlocal taken
        taken += 65_536
        return {"type": "http.request", "body": b" " * 65_536, "more_body": True}

    async def never(_message: Any) -> None:
        raise AssertionError("nobody is answered here")

    async def admit(headers: list[tuple[bytes, bytes]]) -> Any:
        visit = HttpVisit(
            {"type": "http", "method": "POST", "path": SEARCH, "headers": headers}, endless, never, MAX_BODY
        )
        return await Authentication(tokens, Senders(1, 60.0), required=True).admit(visit, DIALECT.keys)

    with pytest.raises(Rejected) as refused:
        await admit([])
    assert (refused.value.problem.status, taken) == (413, MAX_BODY + 65_536)
    taken = 0
    await admit([(b"authorization", f"Bearer {tokens.create('app')}".encode())])
    assert taken == 0


def test_a_body_that_never_arrives_is_not_waited_for(start: Any) -> None:
    running = start(ServiceOptions(require_token=True, body_seconds=0.05))
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as stalled:
        stalled.sendall(f"POST {SEARCH} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 50\r\n\r\n{{".encode())
        answer = stalled.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 408")
    assert b'{"detail":{"error"' in answer


def test_a_key_in_a_body_shows_up_nowhere(
    start: Any, brave: Simulator, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    running = start(CLOSED)
    valid, wrong = running.tokens.create("app"), "a-key-of-nobody-0123456789"
    brave.fail(Fault(500))
    replies = [
        running.post(SEARCH, {"query": "tea", "api_key": valid}),
        running.post(SEARCH, {"query": 7, "api_key": valid}),
        running.post(SEARCH, {"query": "tea", "api_key": wrong}),
        running.client.post(SEARCH, content=f'{{"api_key": "{wrong}", '.encode()),
        running.client.post(SEARCH, content=f'{{"api_key": "{valid}"}}'.encode()),
    ]
    assert [reply.status_code for reply in replies] == [502, 400, 401, 401, 400]
    told = " ".join([caplog.text, *(reply.text + str(reply.headers) for reply in replies), *capfd.readouterr()])
    assert valid not in told
    assert wrong not in told
    assert valid.removeprefix("skr_")[:8] not in told


def test_what_is_not_offered_is_refused_or_named(running: Any) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"topic": "sports"}, "topic sports is not offered here; send finance or general or news"),
        ({"country": "atlantis"}, "country 'atlantis' is not offered here"),
        ({"exact_match": True}, "exact_match is not offered here; put the phrase"),
    ]
    for body, told in cases:
        refused = running.post(SEARCH, {"query": "tea", **body})
        assert (refused.status_code, told in refused.json()["detail"]["error"]) == (400, True)
    absent = running.post("/compat/tavily/research", {"input": "tea"})
    assert (absent.status_code, "research is not offered here" in absent.json()["detail"]["error"]) == (404, True)
    noted = running.post(SEARCH, {"query": "tea", "include_images": True, "search_depth": "advanced", "days": None})
    assert noted.headers["x-seekread-left-out"] == "include_images"
