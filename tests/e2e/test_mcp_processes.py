"""The MCP server as a process, over every transport, with the SDK's own client."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from seekread.testing import simulators
from seekread.testing.server import Answer, Fault, LoopbackServer
from seekread.testing.simulators import Simulator
from tests.support.service_process import Held

pytestmark = [pytest.mark.anyio, pytest.mark.process]
TOKEN = "a-token-that-is-long-enough"
COMMAND = [sys.executable, "-m", "seekread.mcp"]
PAGE = (
    "<html><head><title>Tea</title></head><body><main><h1>Tea</h1><p>Tea is made from leaves.</p></main></body></html>"
)


@pytest.fixture
def site() -> Iterator[LoopbackServer]:
    with LoopbackServer(lambda _request: Answer(PAGE)) as running:
        yield running


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


@pytest.fixture
def surroundings(brave: Simulator, site: LoopbackServer) -> dict[str, str]:
    address = site.url.removeprefix("http://")
    return {
        **os.environ,
        **brave.environment(),
        "WEB_SEARCH_PROVIDER": "brave",
        "SEEKREAD_ALLOW_PRIVATE": address,
        "SEEKREAD_ALLOWED_PORTS": address.partition(":")[2],
    }


@contextmanager
def served(*arguments: str, env: dict[str, str]) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """A server on a free port, its address, and its process; stdout has to stay empty."""
    process = subprocess.Popen(
        [*COMMAND, "--port", "0", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )
    assert process.stderr
    try:
        first = process.stderr.readline()
        assert first.startswith("seekread mcp on http://"), first + process.stderr.read()
        yield first.split()[-1], process
    finally:
        process.send_signal(signal.SIGTERM)
        printed, logged = process.communicate(timeout=30)
    assert printed == ""
    assert "Traceback" not in logged, logged


@asynccontextmanager
async def connected(transport: str, env: dict[str, str], *arguments: str) -> AsyncIterator[Client]:
    """A client of a fresh server."""
    if transport == "stdio":
        parameters = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], *arguments], env=env)
        async with Client(stdio_client(parameters)) as client:
            yield client
        return
    with served("--transport", transport, *arguments, env=env) as (url, _):
        async with Client(url if transport == "http" else sse_client(url)) as client:
            yield client


@pytest.mark.parametrize("transport", ["stdio", "http", "sse"])
async def test_every_transport_lists_searches_reads_and_looks_up(
    transport: str, surroundings: dict[str, str], site: LoopbackServer, brave: Simulator
) -> None:
    engine = Held(brave, 1)
    heard: list[float] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)
        engine.release()

    async with connected(transport, surroundings, "--tool-prefix", "x_") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["x_web_search", "x_open_page", "x_page_lookup", "x_gather"]
        found = await client.call_tool("x_web_search", {"query": "tea", "max_results": 2}, progress_callback=listen)
        page: Any = await client.call_tool("x_open_page", {"url": f"{site.url}/"})
        handle = page.structured_content["snapshot"]
        arguments = {"page": handle, "action": "quote", "text": "Tea is made from leaves."}
        quoted: Any = await client.call_tool("x_page_lookup", arguments)
        [content] = (await client.read_resource(f"page://{handle}")).contents
        sentence = (await client.get_prompt("citation_instructions")).messages[0].content
    assert not found.is_error
    assert heard
    assert "made from leaves" in page.structured_content["content"]
    assert quoted.structured_content["found"][0]["kind"] == "exact"
    assert "made from leaves" in getattr(content, "text", "")
    assert "citation ID" in getattr(sentence, "text", "")


async def test_it_starts_without_any_key_and_says_what_is_missing_when_asked() -> None:
    env = {**os.environ, "WEB_SEARCH_PROVIDER": "tavily"}
    async with connected("stdio", env) as client:
        assert len((await client.list_tools()).tools) == 4
        result = await client.call_tool("web_search", {"query": "tea"})
    assert result.is_error
    assert "TAVILY_API_KEY" in getattr(result.content[0], "text", "")


async def test_a_wrong_setting_is_told_to_the_model_instead_of_ending_the_process() -> None:
    async with connected("stdio", {**os.environ, "SEEKREAD_LIMIT": "many"}) as client:
        result = await client.call_tool("web_search", {"query": "tea"})
    assert result.is_error
    assert "setting limit" in getattr(result.content[0], "text", "")


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_with_a_token_only_its_bearer_is_served(transport: str, surroundings: dict[str, str]) -> None:
    env = {**surroundings, "SEEKREAD_MCP_TOKEN": TOKEN}
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with served("--transport", transport, env=env) as (url, _):
        async with httpx2.AsyncClient(timeout=60) as stranger:
            assert (await stranger.get(url)).status_code == 401
            assert (await stranger.post(url, json={})).status_code == 401
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            known = streamable_http_client(url, http_client=http) if transport == "http" else sse_client(url, headers)
            async with Client(known) as client:
                assert (await client.list_tools()).tools


def test_it_refuses_to_listen_for_everybody_without_a_token() -> None:
    done = subprocess.run(
        [*COMMAND, "--transport", "http", "--host", "0.0.0.0", "--port", "0"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 4
    assert "SEEKREAD_MCP_TOKEN" in done.stderr
    assert "Traceback" not in done.stderr


def test_stdout_carries_the_protocol_and_nothing_else(surroundings: dict[str, str], brave: Simulator) -> None:
    """Even a failing call, garbage on the wire and a client that leaves."""
    brave.fail(Fault(500))
    greeting = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    sent: list[Any] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        "garbage",
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "web_search", "arguments": {"q": "tea"}},
        },
    ]
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=surroundings
    )
    assert process.stdin
    assert process.stdout
    for message in sent:
        print(message if isinstance(message, str) else json.dumps(message), file=process.stdin, flush=True)
    messages: list[Any] = []
    while not any(message.get("id") == 2 for message in messages):
        messages.append(json.loads(process.stdout.readline()))
    rest, logged = process.communicate(timeout=30)
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    assert messages[-1]["result"]["isError"]
    assert rest == ""
    assert process.returncode == 0
    assert brave.key not in logged


async def test_a_call_under_way_is_answered_before_the_process_ends(
    surroundings: dict[str, str], brave: Simulator
) -> None:
    engine = Held(brave, 1)
    with served("--transport", "http", env=surroundings) as (url, process):
        async with Client(url) as client:
            # Otherwise the client asks for the schema after the call, when nobody is there any more.
            await client.list_tools()

            async def ask_to_end(progress: float, total: float | None, message: str | None) -> None:
                process.send_signal(signal.SIGTERM)
                engine.release()

            result = await client.call_tool("web_search", {"query": "tea"}, progress_callback=ask_to_end)
        assert process.wait(timeout=30) == 0
    assert not result.is_error


def test_state_goes_to_the_users_folder_and_nowhere_else(surroundings: dict[str, str], tmp_path: Path) -> None:
    """A client starts a server in any folder, even one that is not writable."""
    done = subprocess.run(
        COMMAND, input="", capture_output=True, text=True, check=False, timeout=60, env=surroundings, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert list(tmp_path.iterdir()) == []
