"""Thin adapters for agent frameworks; each test needs its framework and says so when it is not there."""

import json
import sys
from typing import Any

import pytest

from seekread.errors import Misconfigured
from seekread.integrations.langchain import structured_tools
from seekread.integrations.openai_agents import function_tools
from seekread.integrations.optional import optional
from seekread.integrations.pydantic_ai import agent_tools
from seekread.models import Page, SearchResponse, SearchResult

pytestmark = pytest.mark.anyio

READ = "# T\nuntrusted web content from https://t.example\n\nWords."


class Web:
    """A `Seekread` without a web."""

    async def search(self, query: str, **_options: Any) -> SearchResponse:
        if query == "broken":
            raise RuntimeError("boom")
        return SearchResponse(query=query, results=(SearchResult(title="T", url="https://t.example", citation_id=1),))

    async def open_page(self, url: str, **_options: Any) -> Page:
        return Page(url=url, title="T", content="Words.", content_length=6)


@pytest.mark.proves("S3-1")
async def test_openai_agents() -> None:
    """Strict schemas, text for the model, nothing raised."""
    agents = pytest.importorskip("agents", reason="openai-agents is not installed here")
    search, read = function_tools(Web())
    assert isinstance(search, agents.FunctionTool)
    assert search.params_json_schema["required"] == list(search.params_json_schema["properties"])
    sent = dict.fromkeys(search.params_json_schema["properties"]) | {"query": "tea"}
    assert await search.on_invoke_tool(None, json.dumps(sent)) == "[1] T — https://t.example"
    assert await read.on_invoke_tool(None, '{"url": "https://t.example"}') == READ
    assert await search.on_invoke_tool(None, "{oops") == "Error: the arguments are not valid JSON; send an object"
    assert await search.on_invoke_tool(None, '{"query": "broken"}') == "Error: RuntimeError: boom"


async def test_langchain() -> None:
    """Text as content, plain values as artifact, a failure as a tool error."""
    pytest.importorskip("langchain_core", reason="langchain-core is not installed here")
    search, read = structured_tools(Web())
    assert await search.ainvoke({"query": "tea", "num_results": 3}) == "[1] T — https://t.example"
    assert await read.ainvoke({"url": "https://t.example"}) == READ
    message = await search.ainvoke({"type": "tool_call", "id": "1", "name": search.name, "args": {"query": "tea"}})
    assert message.artifact["results"][0]["url"] == "https://t.example"
    failed = await search.ainvoke({"type": "tool_call", "id": "2", "name": search.name, "args": {"query": "broken"}})
    assert (failed.status, failed.content) == ("error", "Error: RuntimeError: boom")


async def test_pydantic_ai() -> None:
    """An agent with a test model calls both tools."""
    pydantic_ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim is not installed here")
    from importlib import import_module

    model = import_module("pydantic_ai.models.test").TestModel()
    result = await pydantic_ai.Agent(model, tools=agent_tools(Web())).run("x")
    # The model sends "a" for every text.
    read = "# T\nuntrusted web content from a\n\nWords."
    assert json.loads(result.output) == {"web_search": "[1] T — https://t.example", "open_page": read}


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
