"""The MCP server with clients of other generations, makers and languages, each in an environment of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from seekread.testing import simulators
from tests.support.environments import node_of, python_of

# An environment may have to be made first.
pytestmark = [pytest.mark.process, pytest.mark.timeout(900)]

COMMAND = [sys.executable, "-m", "seekread.mcp"]
NAMES = ["web_search", "open_page", "page_lookup", "gather"]

FIRST_GENERATION = """
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

async def use(streams):
    async with streams as (incoming, outgoing, *_), ClientSession(incoming, outgoing) as session:
        greeting = await session.initialize()
        tools = await session.list_tools()
        result = await session.call_tool("web_search", {"query": "tea", "limit": 2})
        wrong = await session.call_tool("open_page", {"url": "http://127.0.0.1:9/"})
        prompt = await session.get_prompt("citation_instructions")
        return {"names": [tool.name for tool in tools.tools], "text": result.content[0].text,
                "values": result.structuredContent, "failed": wrong.isError, "read_only":
                tools.tools[0].annotations.readOnlyHint, "prompt": prompt.messages[0].content.text}

async def main(command, http, sse):
    ways = {"stdio": stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=ENV)),
            "http": streamablehttp_client(http), "sse": sse_client(sse)}
    print(json.dumps({way: await use(streams) for way, streams in ways.items()}))

import os
ENV = dict(os.environ)
asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]))
"""

LANGCHAIN = """
import asyncio, json, os, sys
from langchain_mcp_adapters.client import MultiServerMCPClient

async def main(command, http, sse):
    client = MultiServerMCPClient({
        "stdio": {"transport": "stdio", "command": command[0], "args": command[1:], "env": dict(os.environ)},
        "http": {"transport": "streamable_http", "url": http}, "sse": {"transport": "sse", "url": sse}})
    told = {}
    for way in ("stdio", "http", "sse"):
        tools = {tool.name: tool for tool in await client.get_tools(server_name=way)}
        call = {"name": "web_search", "args": {"query": "tea", "limit": 2}, "id": "1", "type": "tool_call"}
        message = await tools["web_search"].ainvoke(call)
        told[way] = {"names": list(tools), "text": str(message.content), "values":
                     message.artifact["structured_content"]}
    print(json.dumps(told))

asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]))
"""

OPENAI_AGENTS = """
import asyncio, json, os, sys
from agents.mcp import MCPServerSse, MCPServerStdio, MCPServerStreamableHttp

async def use(server):
    async with server:
        tools = await server.list_tools()
        result = await server.call_tool("web_search", {"query": "tea", "limit": 2})
        prompt = await server.get_prompt("citation_instructions")
        values = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
        return {"names": [tool.name for tool in tools], "text": result.content[0].text, "values": values,
                "prompt": prompt.messages[0].content.text}

async def main(command, http, sse):
    started = {"command": command[0], "args": command[1:], "env": dict(os.environ)}
    patience = {"client_session_timeout_seconds": 60}
    ways = {"stdio": MCPServerStdio(params=started, **patience),
            "http": MCPServerStreamableHttp(params={"url": http}, **patience),
            "sse": MCPServerSse(params={"url": sse}, **patience)}
    print(json.dumps({way: await use(server) for way, server in ways.items()}))

asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]))
"""


@contextmanager
def served(transport: str, env: dict[str, str]) -> Iterator[str]:
    """The address of a server on a free port."""
    process = subprocess.Popen(
        [*COMMAND, "--transport", transport, "--port", "0"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env,
    )  # fmt: skip
    assert process.stderr
    try:
        yield process.stderr.readline().split()[-1]
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with simulators.start("brave") as brave:
        home = str(tmp_path_factory.mktemp("home"))
        passed = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        yield {**passed, "HOME": home, **brave.environment(), "WEB_SEARCH_PROVIDER": "brave"}


@pytest.fixture(scope="module")
def addresses(surroundings: dict[str, str]) -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        yield {way: stack.enter_context(served(way, surroundings)) for way in ("http", "sse")}


def told(python: Path | str, script: str, addresses: dict[str, str], env: dict[str, str]) -> Any:
    """What a client reports about every transport."""
    done = subprocess.run(
        [str(python), "-c", script, json.dumps(COMMAND), addresses["http"], addresses["sse"]],
        capture_output=True, text=True, check=False, timeout=180, env=env,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert list(report) == ["stdio", "http", "sse"]
    for way in report.values():
        assert way["names"] == NAMES
        assert len(way["values"]["results"]) == 2
        assert "https://www.example.org/tea/1" in way["text"]
    return report


def test_the_first_generation_of_the_sdk(addresses: dict[str, str], surroundings: dict[str, str]) -> None:
    report = told(python_of("mcp1-client"), FIRST_GENERATION, addresses, surroundings)
    for way in report.values():
        assert way["failed"]
        assert way["read_only"]
        assert "citation ID" in way["prompt"]


def test_langchain_adapters(addresses: dict[str, str], surroundings: dict[str, str]) -> None:
    told(python_of("langchain-client"), LANGCHAIN, addresses, surroundings)


@pytest.mark.skipif(find_spec("agents") is None, reason="openai-agents is not installed")
def test_openai_agents(addresses: dict[str, str], surroundings: dict[str, str]) -> None:
    report = told(sys.executable, OPENAI_AGENTS, addresses, surroundings)
    assert all("citation ID" in way["prompt"] for way in report.values())


def inspect(env: dict[str, str], *arguments: str) -> Any:
    """What the Inspector's command line prints."""
    node, commands = node_of("inspector")
    path = f"{node.parent}{os.pathsep}{env.get('PATH', '')}"
    done = subprocess.run(
        [str(node), str(commands / "mcp-inspector"), "--cli", *arguments, "--connect-timeout", "120000"],
        capture_output=True, text=True, check=False, timeout=180, env={**env, "PATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_inspector(addresses: dict[str, str], surroundings: dict[str, str]) -> None:
    call = ("--method", "tools/call", "--tool-name", "web_search", "--tool-arg", "query=tea", "limit=2")
    # What is started gets only the variables that are handed to it.
    handed = [word for name, value in surroundings.items() for word in ("-e", f"{name}={value}")]
    for target in (
        [*handed, *COMMAND],
        [addresses["http"], "--transport", "http"],
        [addresses["sse"], "--transport", "sse"],
    ):
        listed = inspect(surroundings, *target, "--method", "tools/list")
        assert [tool["name"] for tool in listed["tools"]] == NAMES
        result = inspect(surroundings, *target, *call)
        assert len(result["structuredContent"]["results"]) == 2
        assert "https://www.example.org/tea/1" in result["content"][0]["text"]


@pytest.mark.parametrize("module", ["seekread.mcp", "seekread"])
def test_beside_the_first_generation_the_server_explains_itself(module: str) -> None:
    """A host's environment holds mcp 1.x for its own client: an ImportError told nobody what to do."""
    [packages] = python_of("mcp1-client").parents[1].glob("lib/python3*/site-packages")
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(packages), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", module, *(["mcp"] if module == "seekread" else [])]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False, timeout=120, env=surroundings)
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    for words in ("mcp 1.", "needs mcp 2", "uvx --from 'seekread[mcp]' seekread-mcp", "environment of its own"):
        assert words in done.stderr
