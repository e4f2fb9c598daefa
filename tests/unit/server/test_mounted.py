"""What stands beside the API: the agents' protocol in the session of the request, and streams that are left early."""

import json
from typing import Any
from urllib.parse import parse_qs

import anyio
import anyio.lowlevel
import httpx2
import pytest

from seekread.calling.gate import AT_ONCE
from seekread.server.app import ServiceOptions
from seekread.testing.server import Fault, LoopbackServer
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio

ACCEPT = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}


def call(running: Any, token: str, name: str, **arguments: Any) -> Any:
    """Call a tool of the protocol in one request."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    headers = {**ACCEPT, "authorization": f"Bearer {token}", "host": "192.0.2.7:8787"}
    reply = running.post("/mcp", body, headers=headers)
    assert reply.status_code == 200, reply.text
    lines = [line.removeprefix("data: ") for line in reply.text.splitlines() if line.startswith("data: {")]
    return next(told for line in lines if "result" in (told := json.loads(line)))["result"]


@pytest.mark.process
def test_the_protocol_shares_the_token_s_session(start: Any, site: LoopbackServer, brave: Simulator) -> None:
    """An address found by a search over HTTP may be opened by a tool with the same token, and by no other."""
    running = start(ServiceOptions(host="0.0.0.0"), url_policy="seen")
    mine, other = running.tokens.create("mine"), running.tokens.create("other")

    def found_here(body: Any) -> Any:
        body["web"]["results"][0]["url"] = site.url
        return body

    brave.fail(Fault(change=found_here))
    headers = {"authorization": f"Bearer {mine}", "host": "192.0.2.7:8787"}
    assert running.post("/v1/search", {"query": "tea"}, headers=headers).status_code == 200
    opened = call(running, mine, "open_page", url=site.url)
    assert "Steep it for three minutes" in opened["content"][0]["text"]
    assert call(running, other, "open_page", url=site.url)["isError"]


async def until_under_way(http: httpx2.AsyncClient, count: int) -> None:
    """Wait until so many requests are under way."""
    with anyio.fail_after(60):
        while f"seekread_http_requests_in_flight {count}\n" not in (await http.get("/metrics")).text:
            pass


async def test_leaving_a_stream_ends_its_work(running: Any, brave: Simulator) -> None:
    brave.fail(Fault(how="hang"))
    async with httpx2.AsyncClient(base_url=running.url, trust_env=False, timeout=60) as http:
        accept = {"accept": "text/event-stream"}
        async with http.stream("POST", "/v1/search", json={"query": "tea"}, headers=accept) as reply:
            assert reply.headers["content-type"].startswith("text/event-stream")
        await until_under_way(http, 0)


async def test_hanging_up_ends_a_call_that_would_be_paid(start: Any, brave: Simulator) -> None:
    """Whoever leaves while the engine has no room for the call has cost nothing."""
    running = start(search_seconds=600, attempt_seconds=300)
    brave.fail(Fault(how="hang"))
    asked = {
        **{f"tea-{n}": f"GET /v1/search?query=tea-{n} HTTP/1.1\r\nhost: localhost\r\n\r\n" for n in range(100)},
        **{f"milk-{n}": posted("/compat/tavily/search", {"query": f"milk-{n}"}) for n in range(100)},
    }
    clients = {query: await anyio.connect_tcp("127.0.0.1", int(running.url.rpartition(":")[2])) for query in asked}
    for query, client in clients.items():
        await client.send(asked[query].encode())
    async with httpx2.AsyncClient(base_url=running.url, trust_env=False, timeout=60) as http:
        await until_under_way(http, len(asked))
        while len(brave.received) < AT_ONCE:
            await anyio.lowlevel.checkpoint()
        called = {parse_qs(received.query)["q"][0] for received in brave.received}
        assert len(called) == AT_ONCE < len(asked)
        for query in clients.keys() - called:
            await clients[query].aclose()
        await until_under_way(http, AT_ONCE)
        for query in called:
            await clients[query].aclose()
        await until_under_way(http, 0)
        brave.reset()
        assert (await http.get("/v1/search", params={"query": "water"})).status_code == 200
        assert [parse_qs(received.query)["q"] for received in brave.received] == [["water"]]
        assert 'status="499"' in (await http.get("/metrics")).text


def posted(path: str, body: Any) -> str:
    text = json.dumps(body)
    return f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(text)}\r\n\r\n{text}"
