"""Thin adapters for agent frameworks; each test needs its framework and says so when it is not there."""

import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from seekread.client import Seekread
from seekread.errors import Misconfigured
from seekread.integrations.langchain import structured_tools
from seekread.integrations.openai_agents import function_tools
from seekread.integrations.optional import optional
from seekread.integrations.pydantic_ai import agent_tools
from seekread.models import Page, SearchResponse, SearchResult
from seekread.page.snapshot import Snapshot
from seekread.sync import portal
from seekread.testing import simulators
from tests.support.fences import unfenced

pytestmark = pytest.mark.anyio

RESULT = "[1] T — https://t.example"
PAGE = "# T\n\nWords."
BROKEN = "Error: web_search failed unexpectedly (RuntimeError: boom). Trying again may help once."


class Web:
    """A `Seekread` without a web."""

    async def search(self, query: str, **_options: Any) -> SearchResponse:
        if query == "broken":
            raise RuntimeError("boom")
        return SearchResponse(query=query, results=(SearchResult(title="T", url="https://t.example", citation_id=1),))

    async def open_page(self, url: str, **_options: Any) -> Page:
        return Page(url=url, title="T", content="Words.", content_length=6)

    async def snapshot(self, handle: str) -> Snapshot:
        return Snapshot(Page(url=handle, content="# Words", content_length=7))


@pytest.mark.proves("S3-1")
async def test_openai_agents() -> None:
    """Strict schemas, text for the model, nothing raised."""
    agents = pytest.importorskip("agents", reason="openai-agents is not installed here")
    search, read, *_ = function_tools(Web())
    assert isinstance(search, agents.FunctionTool)
    assert search.params_json_schema["required"] == list(search.params_json_schema["properties"])
    sent = dict.fromkeys(search.params_json_schema["properties"]) | {"query": "tea"}
    assert unfenced(await search.on_invoke_tool(None, json.dumps(sent))) == RESULT
    assert unfenced(await read.on_invoke_tool(None, '{"url": "https://t.example"}')) == PAGE
    assert await search.on_invoke_tool(None, "{oops") == "Error: the arguments are not valid JSON; send an object"
    assert await search.on_invoke_tool(None, '{"query": "broken"}') == BROKEN


async def test_langchain() -> None:
    """Text as content, plain values as artifact, a failure as a tool error."""
    pytest.importorskip("langchain_core", reason="langchain-core is not installed here")
    search, read, *_ = structured_tools(Web())
    assert unfenced(await search.ainvoke({"query": "tea", "num_results": 3})) == RESULT
    assert unfenced(await read.ainvoke({"url": "https://t.example"})) == PAGE
    message = await search.ainvoke({"type": "tool_call", "id": "1", "name": search.name, "args": {"query": "tea"}})
    assert message.artifact["results"][0]["url"] == "https://t.example"
    failed = await search.ainvoke({"type": "tool_call", "id": "2", "name": search.name, "args": {"query": "broken"}})
    assert (failed.status, failed.content) == ("error", BROKEN)


@pytest.mark.parametrize("inside_a_loop", [False, True])
def test_langchain_waits_where_nobody_awaits(inside_a_loop: bool) -> None:
    """`.invoke` in a script, in several threads, and inside somebody's event loop."""
    pytest.importorskip("langchain_core", reason="langchain-core is not installed here")
    with simulators.start("brave") as service:
        web = Seekread("brave", providers={"brave": service.settings()}, settings={"store": "memory:", "cache": False})
        search, *_ = structured_tools(web)

        async def in_a_loop() -> Any:
            return search.invoke({"query": "tea", "limit": 1})

        def asked(_number: int) -> Any:
            return asyncio.run(in_a_loop()) if inside_a_loop else search.invoke({"query": "tea", "limit": 1})

        with ThreadPoolExecutor(3) as threads:
            said = list(threads.map(asked, range(3)))
        portal.call(web.close)
    assert all(unfenced(text).startswith("[1] tea & more, part 1") for text in said)
    failed = structured_tools(Web())[0].invoke(
        {"type": "tool_call", "id": "1", "name": "x", "args": {"query": "broken"}}
    )
    assert (failed.status, failed.content) == ("error", BROKEN)


async def test_pydantic_ai() -> None:
    """An agent with a test model calls every tool."""
    pydantic_ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim is not installed here")
    from importlib import import_module

    model = import_module("pydantic_ai.models.test").TestModel()
    result = await pydantic_ai.Agent(model, tools=agent_tools(Web())).run("x")
    said = json.loads(result.output)
    assert unfenced(said["web_search"]) == RESULT
    assert unfenced(said["open_page"]) == PAGE
    assert said["page_lookup"].startswith("untrusted web content from a")


@pytest.mark.parametrize(
    ("module", "make", "install"),
    [
        ("agents", function_tools, "seekread[openai-agents]"),
        ("langchain_core.tools", structured_tools, "langchain-core"),
        ("pydantic_ai", agent_tools, "pydantic-ai-slim"),
    ],
)
async def test_a_missing_framework_is_named(
    module: str, make: Any, install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(Misconfigured) as caught:
        make(Web())
    assert str(caught.value) == f"{module} is not installed: install {install}"
    assert optional("json", install="nothing") is json
