"""Thin adapters for agent frameworks, and the plain functions as their tools."""

import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import agents
import pydantic_ai
import pytest
from anyio import to_thread
from langchain_core.tools import tool as langchain_tool
from pydantic_ai.models.test import TestModel

from seekread import functions
from seekread.client import Seekread
from seekread.errors import AllFailed, Misconfigured, Unreadable
from seekread.functions import aio
from seekread.gathering.evidence import Gathered
from seekread.integrations.langchain import SeekreadLoader, SeekreadRetriever, structured_tools
from seekread.integrations.openai_agents import function_tools
from seekread.integrations.optional import optional
from seekread.integrations.pydantic_ai import agent_tools
from seekread.models import Page, SearchResponse, SearchResult
from seekread.page.snapshot import Snapshot
from seekread.sync import portal
from seekread.testing import simulators
from seekread.testing.hits import NOTHING
from seekread.testing.server import Answer, Fault, LoopbackServer
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

    async def gather(self, question: str, **_options: Any) -> Gathered:
        return Gathered(question=question, outcome="empty")

    async def snapshot(self, handle: str) -> Snapshot:
        return Snapshot(Page(url=handle, content="# Words", content_length=7))


@pytest.mark.proves("S3-1")
async def test_openai_agents() -> None:
    """Strict schemas, text for the model, nothing raised."""
    search, read, *_ = [tool for tool in function_tools(Web()) if isinstance(tool, agents.FunctionTool)]
    assert search.params_json_schema["required"] == list(search.params_json_schema["properties"])
    sent = dict.fromkeys(search.params_json_schema["properties"]) | {"query": "tea"}
    nobody: Any = None
    assert unfenced(await search.on_invoke_tool(nobody, json.dumps(sent))) == RESULT
    assert unfenced(await read.on_invoke_tool(nobody, '{"url": "https://t.example"}')) == PAGE
    assert await search.on_invoke_tool(nobody, "{oops") == "Error: the arguments are not valid JSON; send an object"
    assert await search.on_invoke_tool(nobody, '{"query": "broken"}') == BROKEN


async def test_langchain() -> None:
    """Text as content, plain values as artifact, a failure as a tool error."""
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
    result = await pydantic_ai.Agent(TestModel(), tools=agent_tools(Web())).run("x")
    said = json.loads(result.output)
    assert unfenced(said["web_search"]) == RESULT
    assert unfenced(said["open_page"]) == PAGE
    assert said["page_lookup"].startswith("untrusted web content from a")
    assert said["gather"].startswith("Nothing that answers this was found.")


@pytest.mark.process
async def test_the_retriever_gives_passages_and_the_loader_pages_blocking_and_async() -> None:
    """Nothing found is no document; a failure is raised, or left out where that was asked for."""
    page = "<html><head><title>Tea</title></head><body><main><p>Tea is made from leaves.</p></main></body></html>"
    with (
        simulators.start("brave") as brave,
        LoopbackServer(lambda asked: Answer(page, 404 if asked.path == "/gone" else 200)) as site,
    ):
        settings = {"store": "memory:", "allow_private": [site.url.removeprefix("http://")]}
        brave.fail(Fault(change=lambda body: leading_to(body, site.url)))
        async with Seekread("brave", providers={"brave": brave.settings()}, settings=settings) as web:
            retriever = SeekreadRetriever(web=web, pages=1)
            [found] = await retriever.ainvoke("what is tea made from")
            assert [found] == await to_thread.run_sync(retriever.invoke, "what is tea made from")
            assert await retriever.ainvoke(NOTHING) == []
            [loaded] = await SeekreadLoader(site.url, web=web).aload()
            gone = [f"{site.url}/gone", site.url]
            assert await to_thread.run_sync(SeekreadLoader(gone, web=web, skip_failed=True).load) == [loaded]
            with pytest.raises(Unreadable):
                await SeekreadLoader(gone, web=web).aload()
            brave.fail(Fault(500))
            with pytest.raises(AllFailed):
                await retriever.ainvoke("tea")
    assert "made from leaves" in found.page_content
    assert (found.metadata["source"], found.metadata["number"]) == (found.metadata["url"], 1)
    assert "#:~:text=" in found.metadata["link"]
    assert (loaded.metadata["title"], loaded.metadata["source"]) == ("Tea", found.metadata["source"])
    assert loaded.page_content.endswith("Tea is made from leaves.")


def leading_to(body: Any, url: str) -> Any:
    for result in body.get("web", {}).get("results", [])[:1]:
        result["url"] = url
    return body


@pytest.mark.parametrize("module", [functions, aio])
async def test_the_plain_functions_are_tools_of_the_same_frameworks(module: Any) -> None:
    """Each reads name, description and arguments off the function itself."""
    search = module.web_search
    offered = agents.function_tool(search)
    assert isinstance(offered, agents.FunctionTool)
    assert offered.params_json_schema["properties"]["query"]["description"] == "Search query text."
    langchain = langchain_tool(search, parse_docstring=True)
    own = pydantic_ai.Tool(search).function_schema.json_schema
    for name, fields in (
        (offered.name, offered.params_json_schema["properties"]),
        (langchain.name, langchain.args),
        ("web_search", own["properties"]),
    ):
        assert name == "web_search"
        assert list(fields) == list(functions.web_search.__annotations__)[:-1]


@pytest.mark.parametrize(
    ("adapter", "module", "extra"),
    [
        ("openai_agents", "agents", "openai-agents"),
        ("langchain", "langchain_core.tools", "langchain"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    ],
)
async def test_a_missing_framework_is_named_with_its_extra(
    adapter: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"seekread.integrations.{adapter}")
    with pytest.raises(Misconfigured) as caught:
        import_module(f"seekread.integrations.{adapter}")
    assert str(caught.value) == f"{module} is not installed: install seekread[{extra}]"
    assert optional("json", install="nothing") is json
