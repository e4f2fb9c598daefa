"""What stands beside the API: the agents' protocol in the session of the request, and streams that are left early."""

import json
from typing import Any

import anyio
import httpx2
import pytest

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


async def test_leaving_a_stream_ends_its_work(running: Any, brave: Simulator) -> None:
    brave.fail(Fault(how="hang"))
    async with httpx2.AsyncClient(base_url=running.url, trust_env=False) as http:
        accept = {"accept": "text/event-stream"}
        async with http.stream("POST", "/v1/search", json={"query": "tea"}, headers=accept) as reply:
            assert reply.headers["content-type"].startswith("text/event-stream")
        with anyio.fail_after(10):
            while "seekread_http_requests_in_flight 0\n" not in (await http.get("/metrics")).text:
                pass
