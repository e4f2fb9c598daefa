"""Any MCP server as a provider: over HTTP by our own client, on this machine by the mcp package."""

import sys
from pathlib import Path
from typing import Any

import pytest

from seekread.calling.perform import perform
from seekread.clock import SystemClock
from seekread.errors import Misconfigured, ProviderError
from seekread.http.client import ServiceClient
from seekread.options import Query
from seekread.provider import Found, NotConfigured, Page, Reply, Unreadable, traits
from seekread.providers.mcp_answers import text_results
from seekread.providers.mcp_calls import message_of
from seekread.providers.mcp_server import McpServer, read_page
from seekread.testing import simulators
from seekread.testing.hits import NOTHING

pytestmark = pytest.mark.anyio


async def performed(task: Any) -> Any:
    client = ServiceClient(proxies={})
    try:
        return await perform(task, client, SystemClock(), seconds=60)
    finally:
        await client.close()


async def test_a_session_is_opened_and_kept() -> None:
    with simulators.start("mcp") as server:
        found: Found = await performed(McpServer(**server.settings()).search(Query(text="tea", limit=3)))
    assert len(found.results) == 3
    assert [received.json["method"] for received in server.received] == [
        "initialize",
        "notifications/initialized",
        "tools/call",
    ]
    assert [received.headers.get("mcp-session-id") for received in server.received] == [None, *["one-session"] * 2]
    assert server.received[2].headers["mcp-protocol-version"] == "2025-06-18"
    assert server.received[2].json["params"] == {"name": "search", "arguments": {"query": "tea", "limit": 3}}


async def test_a_page_is_read_with_the_tool_that_fetches() -> None:
    with simulators.start("mcp") as server:
        provider = McpServer(**server.settings())
        page: Page = await performed(provider.read("https://a.org/1"))
        with pytest.raises(Unreadable):
            await performed(provider.read(f"https://a.org/{NOTHING}"))
    assert (page.title, page.reader) == ("A page", "mcp")


def test_without_a_tool_that_fetches_nothing_is_read() -> None:
    with pytest.raises(NotConfigured, match="fetch_tool"):
        McpServer("search", "https://a.org/mcp").read("https://a.org/1")


def test_an_answer_may_come_as_an_event() -> None:
    events = ['{"method": "notifications/progress"}', '{"id": 2, "result": {"a": 1}}']
    stream = "".join(f"event: message\ndata: {event}\n\n" for event in events)
    assert message_of(Reply(200, {}, stream.encode())) == {"a": 1}


def test_results_written_for_people_are_read_too() -> None:
    first = "Title: One\nAuthor: A\nURL: https://a.org/1\nText: first\nwords\n\n"
    text = f"{first}Title: Two\nURL: https://a.org/2\nText: more\n"
    assert [(row.title, row.url, row.snippet) for row in text_results(text)] == [
        ("One", "https://a.org/1", "first\nwords"),
        ("Two", "https://a.org/2", "more"),
    ]


def test_a_page_may_come_as_text_or_as_the_first_of_results() -> None:
    text = {"content": [{"type": "text", "text": "# A page"}]}
    listed = {"structuredContent": {"results": [{"title": "T", "full_content": "# A page"}]}}
    assert [read_page(answer, url="u").content for answer in (text, listed)] == ["# A page", "# A page"]


def test_it_honours_what_the_arguments_pass_on() -> None:
    server = McpServer("search", "https://a.org/mcp", arguments={"q": "{query}", "since": "{date_from}"})
    assert traits(server).honours == {"dates"}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "needs either base_url or command"),
        ({"base_url": "https://a.org", "command": ("a",)}, "needs either base_url or command"),
        ({"base_url": "https://a.org", "arguments": {"q": "{words}"}}, r"arguments.q knows no \{words\}"),
    ],
)
def test_a_bad_description_is_told(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(Misconfigured, match=told):
        McpServer("search", **settings)


SERVER = """
from mcp.server import MCPServer

server = MCPServer("shelf")


@server.tool()
def search(query: str) -> dict[str, list[dict[str, str]]]:
    return {"results": [{"title": query, "url": "https://books.example/1", "snippet": "a book"}]}


server.run()
"""


@pytest.mark.process
async def test_a_server_on_this_machine_is_started_and_asked(tmp_path: Path) -> None:
    script = tmp_path / "shelf.py"
    script.write_text(SERVER)
    found: Found = await performed(McpServer("search", command=(sys.executable, str(script))).search(Query(text="tea")))
    assert [(row.title, row.snippet) for row in found.results] == [("tea", "a book")]


@pytest.mark.process
async def test_a_server_that_does_not_start_is_a_failure() -> None:
    with pytest.raises(ProviderError):
        await performed(McpServer("search", command=("/nonexistent/server",)).search(Query(text="tea")))
