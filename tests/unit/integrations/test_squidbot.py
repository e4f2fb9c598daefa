"""squidbot's contract, and every weakness its own tool showed."""

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, MagicMock, patch

import anyio
import httpx2
import pytest

from seekread.integrations.squidbot import FetchUrlTool, ToolResult, WebSearchConfig, WebSearchTool
from seekread.models import Page
from seekread.testing import simulators
from seekread.testing.clock import FakeClock
from seekread.testing.server import Answer, Fault, LoopbackServer
from tests.support.fences import sources, unfenced

pytestmark = pytest.mark.anyio

Wire = Callable[..., Any]
INSTANCE = "https://searx.internal.example"
SEARXNG = {"provider": "searxng", "url": INSTANCE, "api_key": None}
BRAVE = {"provider": "brave", "api_key": "brave-secret-token"}
ROWS = {
    "results": [
        {"title": "Page Title", "url": "https://example.com/page", "content": "A short snippet."},
        {"title": "Another Result", "url": "https://other.com", "content": "Snippet text here."},
    ]
}
BRAVE_ROWS = {"web": {"results": [{"title": "B", "url": "https://b.example", "description": "From Brave."}]}}


@pytest.mark.proves("S0-1", "S0-2", "S0-7")
async def test_the_tool_is_a_tool_by_structure(wire: Wire) -> None:
    """One class, no inheritance, the literal name and description; a host may set what its port calls attributes."""
    tool = WebSearchTool(config=SEARXNG, transport=wire(ROWS))
    assert WebSearchTool.__bases__ == (object,)
    tool.parameters = {**tool.parameters}
    assert tool.name == "web_search"
    assert tool.description == "Search the web. Returns titles, URLs, and snippets for each result."


@pytest.mark.proves("S0-3", "S0-4", "S0-27")
def test_the_schema_is_the_documents() -> None:
    tool = WebSearchTool(config=SEARXNG)
    schema = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "The search query."},
            "max_results": {
                "type": "integer",
                "description": "Number of results to return (default: 5).",
                "default": 5,
            },
        },
        "required": ["query"],
    }
    assert tool.parameters == schema
    definition = tool.to_definition().to_openai_dict()
    assert definition == {
        "type": "function",
        "function": {"name": "web_search", "description": tool.description, "parameters": schema},
    }


@pytest.mark.proves("S0-5")
async def test_results_are_numbered_text(wire: Wire) -> None:
    """The em dash with spaces, three spaces before the snippet, a blank line between, none at the end."""
    result = await WebSearchTool(config=SEARXNG, transport=wire(ROWS)).execute(query="x")
    assert result == ToolResult(
        "",
        "1. Page Title \u2014 https://example.com/page\n   A short snippet.\n\n"
        "2. Another Result \u2014 https://other.com\n   Snippet text here.",
    )


async def test_the_result_can_be_changed_by_the_registry(wire: Wire) -> None:
    """The host's registry writes the call's id into the result."""
    result = await WebSearchTool(config=SEARXNG, transport=wire(ROWS)).execute(query="x")
    assert (result.tool_call_id, result.is_error) == ("", False)
    result.tool_call_id = "call_7"
    assert result.tool_call_id == "call_7"


@pytest.mark.proves("S0-10", "S0-11", "S0-26", "S0-8")
async def test_searxng_is_asked_with_three_parameters_and_nothing_more(wire: Wire) -> None:
    """No key, no Authorization; no other parameter."""
    sent = wire(ROWS)
    await WebSearchTool(config={**SEARXNG, "url": INSTANCE + "/"}, transport=sent).execute(
        query="tea & co", max_results=1
    )
    (request,) = sent.requests
    assert (request.method, request.url.host, request.url.path) == ("GET", "searx.internal.example", "/search")
    assert sent.params == {"q": "tea & co", "format": "json", "categories": "general"}
    assert "authorization" not in request.headers


@pytest.mark.proves("S0-11", "S0-16")
async def test_a_searxng_key_travels_as_a_bearer(wire: Wire) -> None:
    sent = wire(ROWS)
    await WebSearchTool(config={**SEARXNG, "api_key": "abc"}, transport=sent).execute(query="x")
    assert sent.requests[0].headers["authorization"] == "Bearer abc"


@pytest.mark.proves("S0-14", "S0-24", "S0-26", "X-30", "S0-8")
async def test_brave_gets_query_count_and_token_only(wire: Wire) -> None:
    """The document's address, two parameters, one header of its own."""
    sent = wire(BRAVE_ROWS)
    result = await WebSearchTool(config=BRAVE, transport=sent).execute(query="tea", max_results=3)
    (request,) = sent.requests
    assert str(request.url).startswith("https://api.search.brave.com/res/v1/web/search?")
    assert sent.params == {"q": "tea", "count": "3"}
    assert request.headers["x-subscription-token"] == "brave-secret-token"
    assert request.headers["accept"] == "application/json"
    assert result.content == "1. B \u2014 https://b.example\n   From Brave."


@pytest.mark.proves("S0-24", "X-16", "S0-8", "S0-13")
async def test_duckduckgo_is_called_like_its_library_and_off_the_loop() -> None:
    """`text(query, max_results=n)`, in a thread, no key; title, href, body."""
    calls: list[tuple[Any, ...]] = []

    def text(*args: Any, **options: Any) -> list[dict[str, str]]:
        calls.append((args, options, threading.current_thread() is threading.main_thread()))
        return [{"title": "D", "href": "https://d.example", "body": "From DDG."}]

    for name in ("duckduckgo", "ddg"):
        result = await WebSearchTool(config={"provider": name}, duckduckgo=text).execute(query="tea", max_results=4)
        assert result.content == "1. D \u2014 https://d.example\n   From DDG."
    assert calls == [(("tea",), {"max_results": 4}, False)] * 2


def over(simulator: Any, tool: WebSearchTool) -> WebSearchTool:
    """A tool for DuckDuckGo whose library meets a simulator instead of the real one."""
    tool._provider = replace(tool._provider, **simulator.settings())  # type: ignore[type-var]
    return tool


@pytest.mark.proves("S0-13", "S0-24", "X-16")
async def test_the_library_itself_is_asked_once_on_a_thread_of_the_hosts() -> None:
    """`ddgs` over a real connection; `asyncio.to_thread` is looked up when it is used, so a host can replace it."""
    with simulators.start("duckduckgo") as simulator, patch("asyncio.to_thread", wraps=asyncio.to_thread) as in_thread:
        tool = over(simulator, WebSearchTool(config={"provider": "duckduckgo"}))
        result = await tool.execute(query="green tea", max_results=12)
    assert result.content.startswith("1. green tea & more, part 1 \u2014 https://www.example.org/green-tea/1\n   ")
    assert in_thread.call_count == 1
    assert len([request for request in simulator.received if request.path.endswith("/html/")]) == 1


@pytest.mark.proves("S0-24", "X-2", "X-35")
@pytest.mark.parametrize("name", ["max_results", "num_results", "count", "limit", "n"])
async def test_the_count_is_cut_and_its_other_names_are_understood(wire: Wire, name: str) -> None:
    """SearXNG has no count, so the output is cut; `num_results` was silently ignored once."""
    result = await WebSearchTool(config=SEARXNG, transport=wire(ROWS)).execute(query="x", **{name: 1})
    assert result.content.count("\u2014") == 1


@pytest.mark.parametrize("odd", ["many", None, True, [3], {}])
async def test_a_count_that_is_no_number_means_the_default(wire: Wire, odd: Any) -> None:
    sent = wire(BRAVE_ROWS)
    await WebSearchTool(config=BRAVE, transport=sent).execute(query="x", max_results=odd)
    assert sent.params["count"] == "5"


@pytest.mark.proves("X-2")
@pytest.mark.parametrize("wrong", [0, -1, "-3"])
async def test_a_count_below_one_is_an_error_and_not_an_empty_answer(wire: Wire, wrong: Any) -> None:
    """The host's own tool said "No results found" for 0 and dropped the last hit for -1."""
    sent = wire(ROWS)
    result = await WebSearchTool(config=SEARXNG, transport=sent).execute(query="x", max_results=wrong)
    assert result.is_error
    assert result.content == f"Error: max_results must be at least 1, not {int(wrong)}"
    assert sent.requests == []


@pytest.mark.proves("X-2")
async def test_a_count_above_the_providers_cap_is_clamped_with_a_note(wire: Wire) -> None:
    sent = wire(BRAVE_ROWS)
    result = await WebSearchTool(config=BRAVE, transport=sent).execute(query="x", max_results=99)
    assert sent.params["count"] == "20"
    assert result.content.endswith("\n\nNote: brave gives at most 20 results; 99 were asked for")


@pytest.mark.proves("X-20")
@pytest.mark.parametrize("arguments", [{}, {"query": None}, {"query": ""}, {"query": "  \n"}, {"query": 7}])
async def test_a_missing_or_blank_query_is_an_error(wire: Wire, arguments: dict[str, Any]) -> None:
    """The host's convention for a required text; white space was searched once."""
    sent = wire(ROWS)
    result = await WebSearchTool(config=SEARXNG, transport=sent).execute(**arguments)
    assert result == ToolResult("", "Error: query is required", is_error=True)
    assert sent.requests == []


@pytest.mark.proves("X-20")
async def test_a_query_too_long_for_brave_is_told_before_it_is_sent(wire: Wire) -> None:
    sent = wire(BRAVE_ROWS)
    result = await WebSearchTool(config=BRAVE, transport=sent).execute(query="x" * 401)
    assert result.content == "Error: the query has 401 characters, brave takes at most 400; shorten it"
    assert sent.requests == []


@pytest.mark.parametrize(("config", "empty"), [(SEARXNG, {"results": []}), (BRAVE, {"web": {"results": []}})])
@pytest.mark.proves("S0-20", "X-3")
async def test_nothing_found_is_not_an_error(wire: Wire, config: dict[str, Any], empty: Any) -> None:
    """The document's table wins over its prose."""
    result = await WebSearchTool(config=config, transport=wire(empty)).execute(query="rare thing")
    assert result == ToolResult("", "No results found for: rare thing")


@pytest.mark.proves("S0-20")
async def test_nothing_found_is_told_in_the_contracts_words_alone(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """Natively "nothing found" names who was not asked; here one provider is asked, whoever else is set up."""
    for name in ("TAVILY_API_KEY", "SERPER_API_KEY", "EXA_API_KEY"):
        monkeypatch.setenv(name, f"{name.lower()}-0123456789")
    monkeypatch.setenv("SEEKREAD_PROVIDERS", "tavily,serper,exa")
    monkeypatch.setenv("SEEKREAD_FALLBACK", "wikipedia")
    sent = wire({"results": []})
    result = await WebSearchTool(config=SEARXNG, transport=sent).execute(query="rare thing")
    assert result == ToolResult("", "No results found for: rare thing")
    assert [request.url.host for request in sent.requests] == ["searx.internal.example"]


NOTHING = Fault(200, "<html><body>No results.</body></html>")


@pytest.mark.proves("S0-20", "X-3")
async def test_nothing_found_by_duckduckgo_is_not_an_error_either() -> None:
    """Its own page without results, through the real library; a known answer tells that from a block."""
    with simulators.start("duckduckgo") as simulator:
        simulator.fail(NOTHING, times=1)
        tool = over(simulator, WebSearchTool(config={"provider": "duckduckgo"}, clock=FakeClock()))
        assert await tool.execute(query="rare thing") == ToolResult("", "No results found for: rare thing")


@pytest.mark.proves("S0-6", "X-3")
async def test_a_block_by_duckduckgo_is_an_error() -> None:
    """A page without results to every question, also to the one whose answer everybody knows."""
    with simulators.start("duckduckgo") as simulator:
        simulator.fail(NOTHING)
        tool = over(simulator, WebSearchTool(config={"provider": "duckduckgo"}, clock=FakeClock()))
        result = await tool.execute(query="rare thing")
    assert result.is_error
    assert result.content == "Search failed: duckduckgo gave no results, not even for a question with a known answer"


@pytest.mark.parametrize(
    ("known", "told", "is_error"),
    [
        (["https://en.wikipedia.org/wiki/Main_Page"], "No results found for: rare thing", False),
        ([], "Search failed: searxng gave no results, not even for a question with a known answer", True),
    ],
)
async def test_an_emptiness_that_is_not_believed_is_judged_by_a_known_answer(
    known: list[str], told: str, is_error: bool
) -> None:
    """S0-20."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        rows = [{"title": "T", "url": url, "content": "C"} for url in known if "Wikipedia" in str(request.url)]
        return httpx2.Response(200, json={"results": rows, "unresponsive_engines": [["google", "blocked"]]})

    tool = WebSearchTool(config=SEARXNG, transport=httpx2.MockTransport(answer))
    assert await tool.execute(query="rare thing") == ToolResult("", told, is_error=is_error)


@pytest.mark.proves("S0-6", "S0-19")
@pytest.mark.parametrize(("status", "words"), [(429, "Too Many Requests"), (500, "Internal Server Error"), (401, "")])
@pytest.mark.parametrize("config", [SEARXNG, BRAVE])
async def test_an_http_error_starts_with_its_status(
    wire: Wire, config: dict[str, Any], status: int, words: str
) -> None:
    """Never the address of the instance, never a second line, never the key."""
    result = await WebSearchTool(config=config, transport=wire((status, "<p>nope</p>"))).execute(query="x")
    assert result.is_error
    assert result.content.startswith(f"Search failed: {status} {words}")
    assert "searx.internal.example" not in result.content
    assert "brave-secret-token" not in result.content
    assert "\n" not in result.content


async def test_searxng_without_json_names_the_setting_to_change(wire: Wire) -> None:
    """The default settings.yml of SearXNG answers 403; the host's tool left people alone with it."""
    result = await WebSearchTool(config=SEARXNG, transport=wire((403, "Forbidden"))).execute(query="x")
    assert result.content.startswith("Search failed: 403 Forbidden: ")
    assert "search.formats" in result.content


async def test_a_web_page_instead_of_json_is_explained(wire: Wire) -> None:
    """It was `Expecting value: line 1 column 1 (char 0)`."""
    page = httpx2.Response(200, text="<html><body>SearXNG</body></html>")
    result = await WebSearchTool(config=SEARXNG, transport=wire(page)).execute(query="x")
    assert result.content.startswith(
        "Search failed: the instance does not speak JSON: it answered with a web page; is "
    )


async def test_null_results_are_a_failure_that_can_be_read(wire: Wire) -> None:
    """It was `'NoneType' object is not subscriptable`."""
    result = await WebSearchTool(config=SEARXNG, transport=wire({"results": None})).execute(query="x")
    assert result.is_error
    assert "not as documented" in result.content
    assert "NoneType" not in result.content


@pytest.mark.proves("S0-12", "S0-19", "X-12")
@pytest.mark.parametrize("error", [httpx2.ReadTimeout(""), httpx2.ConnectTimeout("")])
@pytest.mark.parametrize("config", [SEARXNG, BRAVE])
async def test_a_timeout_has_a_text(wire: Wire, config: dict[str, Any], error: Exception) -> None:
    """Ten seconds, one attempt; the host's tool said `Search failed: ` and nothing else."""
    sent = wire(error)
    result = await WebSearchTool(config=config, transport=sent).execute(query="x")
    assert result == ToolResult("", "Search failed: timeout after 10 s", is_error=True)
    assert len(sent.requests) == 1


@pytest.mark.proves("S0-12", "S0-14")
async def test_the_request_is_given_ten_seconds() -> None:
    given: list[float] = []

    class Clockwatcher:
        async def send(self, request: Any, *, seconds: float) -> Any:
            from seekread.provider import Reply

            given.append(seconds)
            return Reply(200, {}, json.dumps(ROWS).encode())

    await WebSearchTool(config=SEARXNG, transport=Clockwatcher()).execute(query="x")
    assert given == [10.0]


@pytest.mark.proves("S0-19")
async def test_an_unreachable_instance_is_told_without_its_address(wire: Wire) -> None:
    gone = httpx2.ConnectError(f"cannot reach {INSTANCE}")
    result = await WebSearchTool(config=SEARXNG, transport=wire(gone)).execute(query="x")
    assert result.is_error
    assert result.content.startswith("Search failed: ")
    assert len(result.content) > len("Search failed: ")
    assert "searx.internal.example" not in result.content


@pytest.mark.proves("S0-6")
async def test_whatever_a_transport_raises_stays_inside() -> None:
    """Never raised, also not for mistakes nobody thought of; an address in the text is left out."""

    class Broken:
        async def send(self, request: Any, *, seconds: float) -> Any:
            raise RuntimeError(f"{INSTANCE}/search?q=x exploded")

    result = await WebSearchTool(config=SEARXNG, transport=Broken()).execute(query="x")
    assert result == ToolResult("", "Search failed: RuntimeError: the instance/search?q=x exploded", is_error=True)


@pytest.mark.proves("S0-17", "S0-25", "X-5")
@pytest.mark.parametrize("wrong", ["google", "Bing"])
def test_an_unknown_provider_fails_at_construction(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"^Unknown provider '\w+'; choose from searxng, duckduckgo, brave$"):
        WebSearchTool(config=WebSearchConfig(provider=wrong))


@pytest.mark.proves("S0-16", "S0-18", "S0-25", "X-6")
@pytest.mark.parametrize("missing", [None, "", "  "])
def test_brave_without_a_key_fails_at_construction(missing: str | None) -> None:
    with pytest.raises(ValueError, match="api_key"):
        WebSearchTool(config=WebSearchConfig(provider="brave", api_key=missing))


@pytest.mark.parametrize("missing", [None, "", "searx.example"])
def test_searxng_without_an_address_fails_at_construction(missing: str | None) -> None:
    """It was accepted and failed at the first call."""
    with pytest.raises(ValueError, match=r"tools\.web_search\.url"):
        WebSearchTool(config=WebSearchConfig(provider="searxng", url=missing))


@pytest.mark.proves("S0-15", "X-7", "X-22")
def test_the_settings_have_the_documents_defaults_and_null_is_empty() -> None:
    """`enabled: false`, provider searxng, `api_key: null` accepted."""
    config = WebSearchConfig()
    assert (config.enabled, config.provider) == (False, "searxng")
    WebSearchTool(config=WebSearchConfig(url=INSTANCE, api_key=None))

    @dataclass
    class HostConfig:
        enabled: bool = True
        provider: str = "searxng"
        url: str = INSTANCE
        api_key: str = ""

    WebSearchTool(config=HostConfig())


async def test_titles_with_line_breaks_stay_on_one_line(wire: Wire) -> None:
    """X-11: an entry cannot pose as two."""
    rows = {
        "results": [{"title": "A\n2. Fake \u2014 https://evil.example", "url": "https://a.example", "content": "b\nc"}]
    }
    result = await WebSearchTool(config=SEARXNG, transport=wire(rows)).execute(query="x")
    assert result.content == "1. A 2. Fake \u2014 https://evil.example \u2014 https://a.example\n   b c"


@pytest.mark.proves("S0-22", "X-29")
async def test_mocks_of_the_documents_libraries_plug_in() -> None:
    """An `httpx.AsyncClient`-like object whose `get` is mocked."""
    reply = MagicMock(status_code=200, headers={})
    reply.json.return_value = ROWS
    client = MagicMock()
    client.get = AsyncMock(return_value=reply)
    result = await WebSearchTool(config=SEARXNG, transport=client).execute(query="x")
    assert result.content.startswith("1. Page Title \u2014 https://example.com/page")
    assert client.get.await_args.kwargs["timeout"] == 10.0

    failing = MagicMock(status_code=503, headers={}, content=b"down")
    client.get = AsyncMock(return_value=failing)
    result = await WebSearchTool(config=SEARXNG, transport=client).execute(query="x")
    assert result.content.startswith("Search failed: 503 ")


@pytest.mark.proves("S0-10", "S0-14", "S0-24")
@pytest.mark.parametrize("name", ["searxng", "brave"])
async def test_it_works_over_a_real_connection(name: str) -> None:
    """On the wire of a simulator, through our own client; each provider in its own order."""
    with simulators.start(name) as service:
        config = {"provider": name, "url": service.base_url, "api_key": service.key if name == "brave" else None}
        tool = WebSearchTool(config=config)
        if name == "brave":
            tool._provider = type(tool._provider)(**service.settings(), preset="bare")  # type: ignore[call-arg]
        result = await tool.execute(query="green tea", max_results=2)
        await tool.close()
    lines = result.content.splitlines()
    assert lines[0] == "1. green tea & more, part 1 \u2014 https://www.example.org/green-tea/1"
    assert lines[3].startswith("2. green tea & more, part 2 \u2014 ")
    assert len(lines) == 5


def test_one_tool_serves_several_event_loops() -> None:
    """A script that calls `asyncio.run` twice must not meet a connection of the first loop."""
    with simulators.start("searxng") as service:
        tool = WebSearchTool(config={"provider": "searxng", "url": service.base_url})

        async def once() -> ToolResult:
            found = await tool.execute(query="tea")
            await tool.close()
            return found

        assert [asyncio.run(once()).is_error for _ in range(2)] == [False, False]


async def good_page(url: str, *, max_length: int | None = None, offset: int = 0) -> Page:
    return Page(
        url=url, title="A page", content="Words.", content_length=6, original_length=20, truncated=True,
        offset=offset, next_offset=6, metadata={"asked": str(max_length)},
    )  # fmt: skip


async def test_fetch_url_reads_a_page_in_the_same_style() -> None:
    tool = FetchUrlTool(open_page=good_page)
    assert tool.name == "fetch_url"
    assert tool.to_definition().name == "fetch_url"
    result = await tool.execute(url=" https://example.org/a ", max_chars="200")
    assert not result.is_error
    assert sources(result.content) == ["untrusted web content from https://example.org/a"]
    assert unfenced(result.content) == (
        "# A page\n\nWords.\n\n---\n[Truncated: characters 0 to 6 of 20. Go on with offset=6.]"
    )


async def test_fetch_url_never_raises_and_says_what_failed() -> None:
    async def missing(url: str, *, max_length: int | None = None, offset: int = 0) -> Page:
        return Page(url=url, success=False, outcome="not_found", error="status 404")

    async def broken(url: str, *, max_length: int | None = None, offset: int = 0) -> Page:
        raise RuntimeError("no")

    assert (await FetchUrlTool(open_page=good_page).execute(url=" ")).content == "Error: url is required"
    result = await FetchUrlTool(open_page=missing).execute(url="https://example.org/a")
    assert result.is_error
    assert result.content.startswith("Fetch failed: status 404. There is no such page")
    assert (
        await FetchUrlTool(open_page=broken).execute(url="https://x.example")
    ).content == "Fetch failed: RuntimeError: no"


@pytest.mark.proves("X-25")
async def test_fetch_url_reads_with_our_own_reader_by_default() -> None:
    """The guard stands before it."""
    tool = FetchUrlTool()
    with anyio.fail_after(10):
        result = await tool.execute(url="http://169.254.169.254/latest/meta-data")
    await tool.close()
    assert result.is_error
    assert result.content.startswith("Fetch failed: ")


async def test_fetch_url_takes_the_hosts_arguments() -> None:
    """The same names, kinds and defaults; one more, to go on in a long page."""
    shown = FetchUrlTool().parameters
    assert {name: (about["type"], about.get("default")) for name, about in shown["properties"].items()} == {
        "url": ("string", None),
        "timeout_seconds": ("integer", 20),
        "max_bytes": ("integer", 524_288),
        "max_chars": ("integer", 8_000),
        "offset": ("integer", 0),
        "format": ("string", "text"),
    }
    assert (shown["required"], shown["properties"]["format"]["enum"]) == (["url"], ["text", "html"])
    asked: list[tuple[int | None, int]] = []

    async def told(url: str, *, max_length: int | None = None, offset: int = 0) -> Page:
        asked.append((max_length, offset))
        return Page(url=url, content="x")

    tool = FetchUrlTool(open_page=told)
    odd: list[dict[str, Any]] = [
        {}, {"max_chars": "50", "offset": 7}, {"max_bytes": 10, "max_chars": 100}, {"max_chars": 0, "offset": -1},
        {"max_chars": "many", "timeout_seconds": None, "max_bytes": []},
    ]  # fmt: skip
    for arguments in odd:
        assert not (await tool.execute(url="https://example.org/", **arguments)).is_error
    assert asked == [(8_000, 0), (50, 7), (10, 0), (1, 0), (8_000, 0)]
    result = await tool.execute(url="https://example.org/", format="pdf")
    assert (result.content, result.is_error) == ("Error: format must be 'text' or 'html'", True)


async def test_fetch_url_gives_up_after_the_hosts_timeout() -> None:
    async def never(url: str, *, max_length: int | None = None, offset: int = 0) -> Page:
        await anyio.sleep_forever()
        return Page(url=url)

    result = await FetchUrlTool(open_page=never).execute(url="https://example.org/", timeout_seconds=1)
    assert (result.content, result.is_error) == ("Fetch failed: timeout after 1 s", True)


@pytest.mark.parametrize(
    ("body", "kind", "arguments", "content", "is_error"),
    [
        ("<p>Käse und Brot</p>", "text/html; charset=iso-8859-1", {}, "<p>Käse und Brot</p>", False),
        ("<p>abcdefghij</p>", "text/html", {"max_bytes": 10, "max_chars": 100}, "<p>abcdefg", False),
        ("<p>abcdefghij</p>", "text/html", {"max_chars": 4, "offset": 3}, "abcd", False),
        ("{}", "application/json", {}, "Error: unsupported content-type 'application/json'", True),
    ],
)
async def test_fetch_url_gives_the_source_of_a_page(
    monkeypatch: pytest.MonkeyPatch, body: str, kind: str, arguments: dict[str, Any], content: str, is_error: bool
) -> None:
    """`format: html` through the same guard, within the host's bounds."""
    answer = Answer(body.encode("iso-8859-1"), headers={"content-type": kind})
    with LoopbackServer(lambda _: answer) as server:
        refused = await FetchUrlTool().execute(url=server.url, format="html")
        assert refused.is_error
        assert refused.content.startswith("Fetch failed: ")
        assert server.received == []
        monkeypatch.setenv("SEEKREAD_ALLOW_PRIVATE", server.url.removeprefix("http://").rstrip("/"))
        result = await FetchUrlTool().execute(url=server.url, format="html", **arguments)
    assert (result.content, result.is_error) == (content, is_error)


@pytest.mark.parametrize("lists", [{"SEEKREAD_ALLOWED_DOMAINS": "b.org"}, {"SEEKREAD_BLOCKED_DOMAINS": "a.org"}])
async def test_the_operators_lists_hold_here_too_and_say_so(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, lists: dict[str, str]
) -> None:
    for name, value in lists.items():
        monkeypatch.setenv(name, value)
    rows = {"results": [{"title": "A", "url": "https://a.org", "content": "C"}]}
    result = await WebSearchTool(config=SEARXNG, transport=wire(rows)).execute(query="x")
    assert result.content.startswith("No results found for: x\n\nNote: found 1, none passed: ")


async def test_what_failed_once_is_asked_once(wire: Wire) -> None:
    """The contract knows no second attempt, even where the service says when to come back."""
    sent = wire((429, "slow down", {"retry-after": "1"}))
    result = await WebSearchTool(config=BRAVE, transport=sent, clock=FakeClock()).execute(query="x")
    assert result.content.startswith("Search failed: 429 Too Many Requests")
    assert len(sent.requests) == 1


async def test_a_short_page_of_searxng_is_not_turned(wire: Wire) -> None:
    """One request, whatever it brought."""
    sent = wire(ROWS)
    await WebSearchTool(config=SEARXNG, transport=sent).execute(query="x", max_results=30)
    assert len(sent.requests) == 1


def test_nothing_is_kept_on_disk(wire: Wire, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A host's search writes no state file, and an answer is never an old one."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    sent = wire(ROWS)
    tool = WebSearchTool(config=SEARXNG, transport=sent)
    for _ in range(2):
        assert not asyncio.run(tool.execute(query="x")).is_error
    assert len(sent.requests) == 2
    assert list(tmp_path.iterdir()) == []


async def test_a_key_in_the_query_is_not_sent(wire: Wire) -> None:
    """A model that was talked into it cannot search for the key it works with."""
    sent = wire(BRAVE_ROWS)
    result = await WebSearchTool(config=BRAVE, transport=sent).execute(query="who owns brave-secret-token")
    assert result.is_error
    assert result.content.startswith("Search failed: the query contains a configured secret and was not sent")
    assert sent.requests == []
