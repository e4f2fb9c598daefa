"""The tools for any framework: schemas in four shapes, calls that never raise, few tokens."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import jsonschema
import pytest

from seekread import Seekread
from seekread.errors import AllFailed, InvalidQuery, Refused
from seekread.models import Attempt, Page, SearchResponse, SearchResult, estimated_tokens
from seekread.testing import simulators
from seekread.testing.server import Answer, LoopbackServer
from seekread.toolkit.schema import SHAPES, SchemaShape
from seekread.toolkit.tools import Tool, ToolResult, tools
from tests.support.fences import sources, unfenced

pytestmark = pytest.mark.anyio


@pytest.fixture
def site() -> Iterator[LoopbackServer]:
    cups = "".join(
        f"<p>The cup number {n} was filled with green tea and drunk by somebody else.</p>" for n in range(300)
    )
    page = f"<html><head><title>Tea</title></head><body><main><h1>Tea</h1>{cups}</main></body></html>"
    with LoopbackServer(lambda _: Answer(page)) as running:
        yield running


class Web:
    """A `Seekread` without a web."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def search(self, query: str, **options: Any) -> SearchResponse:
        self.asked.append((query, options))
        if query == "nobody":
            tried = Attempt(provider="brave", outcome="timeout", message="late")
            raise AllFailed(SearchResponse(query=query, outcome="timeout", attempts=(tried,)))
        if query == "broken":
            raise RuntimeError("boom")
        if query == "nothing":
            return SearchResponse(query=query, outcome="empty")
        result = SearchResult(title="Tea", url="https://t.example", snippet="A drink.", citation_id=1)
        return SearchResponse(query=query, results=(result,), notes=("brave was slow",))

    async def open_page(self, url: str, **options: Any) -> Page:
        self.asked.append((url, options))
        if "broken" in url:
            raise Refused("private", "The address is private.")
        if "missing" in url:
            return Page(url=url, success=False, outcome="not_found", error="status 404")
        return Page(url=url, title="Tea", content="Leaves.", content_length=7)

    async def open_pages(self, urls: Sequence[str], **options: Any) -> tuple[Page, ...]:
        return tuple([await self.open_page(url, **options) for url in urls])


def pair(web: Any) -> tuple[Tool, Tool]:
    search, read, *_ = tools(web)
    return search, read


@pytest.mark.proves("X-1", "S3-2")
async def test_there_are_four_tools_under_their_native_names() -> None:
    assert [tool.name for tool in tools(Web())] == ["web_search", "open_page", "page_lookup", "gather"]


@pytest.mark.parametrize("shape", list(SHAPES))
async def test_all_schemas_together_stay_under_1200_tokens(shape: SchemaShape) -> None:
    """What a model pays on every turn."""
    total = sum(estimated_tokens(json.dumps(tool.schema(shape))) for tool in tools(Web()))
    assert total < 1200


async def test_every_shape_is_what_its_reader_wants() -> None:
    search, _ = pair(Web())
    openai, strict = search.schema("openai"), search.schema("openai-strict")
    assert openai["type"] == strict["type"] == "function"
    assert openai["function"]["parameters"]["required"] == ["query"]
    properties = strict["function"]["parameters"]["properties"]
    assert strict["function"]["strict"] is True
    assert strict["function"]["parameters"]["required"] == list(properties)
    assert properties["query"]["type"] == "string"
    assert properties["limit"]["type"] == ["integer", "null"]
    assert None in properties["freshness"]["enum"]
    assert search.schema("anthropic")["input_schema"] == openai["function"]["parameters"]
    assert search.schema("mcp")["inputSchema"] == openai["function"]["parameters"]
    assert search.schema("mcp")["annotations"]["readOnlyHint"] is True
    for tool in tools(Web()):
        jsonschema.Draft202012Validator.check_schema(tool.schema("anthropic")["input_schema"])
    with pytest.raises(InvalidQuery, match="shape must be one of"):
        search.schema("cohere")  # type: ignore[arg-type]


@pytest.mark.proves("X-35")
async def test_no_alias_is_shown_in_a_schema() -> None:
    shown = json.dumps([tool.schema("openai") for tool in tools(Web())])
    for alias in ("max_results", "num_results", "count", "time_range", "max_chars"):
        assert f'"{alias}"' not in shown


async def test_a_changed_schema_is_the_callers_own() -> None:
    search, _ = pair(Web())
    search.schema("anthropic")["input_schema"]["properties"].clear()
    assert search.schema("anthropic")["input_schema"]["properties"]


async def test_a_search_is_text_and_values() -> None:
    """X-11: notes stand below the results."""
    search, _ = pair(Web())
    result = await search.call({"query": "tea", "freshness": None})
    assert unfenced(result.text) == "[1] Tea — https://t.example\n    A drink.\n\nNote: brave was slow"
    assert result.text.index(">>>") < result.text.index("Note: brave was slow")
    assert str(result) == result.text
    assert result.data["results"][0]["url"] == "https://t.example"
    assert not result.is_error


@pytest.mark.proves("X-2", "X-35")
@pytest.mark.parametrize("alias", ["max_results", "count", "num_results", "n"])
async def test_other_names_for_the_limit(alias: str) -> None:
    web = Web()
    await pair(web)[0].call({"query": "tea", alias: 3})
    assert web.asked == [("tea", {"limit": 3})]


@pytest.mark.proves("X-4")
async def test_nothing_found_is_an_answer_and_failure_an_error() -> None:
    """X-3"""
    search, _ = pair(Web())
    nothing, failed = await search.call({"query": "nothing"}), await search.call({"query": "nobody"})
    assert not nothing.is_error
    assert nothing.text.startswith("No results found for: nothing\n\nNote: Nothing was found.")
    assert failed.is_error
    assert failed.text.startswith("Error: no provider could answer: brave: timeout (late).")
    assert failed.data["outcome"] == "timeout"
    assert failed.data["attempts"][0]["provider"] == "brave"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "query is required"),
        ({"query": 5}, "query must be text"),
        ({"query": "x", "colour": 1}, "unknown argument 'colour'"),
        ({"query": "broken"}, "web_search failed unexpectedly (RuntimeError: boom)"),
        ("tea", "must be an object"),
        (None, "must be an object"),
    ],
)
async def test_a_call_never_raises(arguments: Any, words: str) -> None:
    result = await pair(Web())[0].call(arguments)
    assert result.is_error
    assert result.text.startswith("Error: ")
    assert words in result.text


async def test_a_page_is_read_with_its_part_and_its_passages() -> None:
    """X-23: lengths under any of their names."""
    web = Web()
    _, read = pair(web)
    result = await read.call({"url": " https://t.example ", "max_chars": "500", "offset": 10, "query": "leaves"})
    assert unfenced(result.text) == "# Tea\n\nLeaves."
    assert result.text.startswith("untrusted web content from https://t.example\n<<<")
    assert web.asked == [("https://t.example", {"max_length": 500, "offset": 10, "query": "leaves", "links": "none"})]


async def test_whoever_asks_a_question_gets_no_addresses_unless_he_wants_them() -> None:
    web = Web()
    _, read = pair(web)
    asked: list[dict[str, str]] = [{}, {"query": "leaves"}, {"query": "leaves", "links": "inline"}]
    for arguments in asked:
        await read.call({"url": "https://t.example", **arguments})
        await read.call({"urls": ["https://t.example", "https://u.example"], **arguments})
    assert [options.get("links") for _, options in web.asked] == [None] * 3 + ["none"] * 3 + ["inline"] * 3


async def test_a_model_can_ask_for_all_text_of_a_page_and_name_no_other_reader() -> None:
    web = Web()
    _, read = pair(web)
    await read.call({"url": "https://t.example", "reader": "whole"})
    assert web.asked == [("https://t.example", {"reader": "whole"})]
    refused = await read.call({"url": "https://t.example", "reader": "tavily"})
    assert refused.is_error
    assert len(web.asked) == 1


async def test_a_page_that_cannot_be_read_is_an_error() -> None:
    _, read = pair(Web())
    missing = await read.call({"url": "https://t.example/missing"})
    assert missing.is_error
    assert missing.text.startswith("Error: Could not read https://t.example/missing: status 404. There is no such page")
    assert missing.data["outcome"] == "not_found"
    assert (await read.call({"url": "https://t.example/broken"})).text.startswith("Error: The address is private.")
    assert (await read.call({"url": ""})).text.startswith("Error: url is required")
    assert "max_length must be a whole number" in (await read.call({"url": "x", "max_length": "long"})).text


async def test_nothing_found_is_nobody_elses_word() -> None:
    class Nothing(Web):
        async def search(self, query: str, **_options: Any) -> SearchResponse:
            return SearchResponse(query=query, outcome="empty")

    result = await pair(Nothing())[0].call({"query": "tea"})
    assert result.text.startswith("No results found for: tea")
    assert "<<<" not in result.text


async def test_several_pages_may_be_asked_for_at_once() -> None:
    """X-23: an error only when none could be read."""
    _, read = pair(Web())
    both = await read.call({"urls": ["https://t.example/a", "https://t.example/missing"], "max_length": 100})
    assert not both.is_error
    assert sources(both.text) == ["untrusted web content from https://t.example/a"]
    assert "Could not read https://t.example/missing: status 404." in both.text
    assert [page["success"] for page in both.data["pages"]] == [True, False]
    assert (await read.call({"urls": ["https://t.example/missing"]})).is_error
    assert (await read.call({"urls": [f"https://t.example/missing/{n}" for n in range(2)]})).is_error
    wrong_ones: list[list[Any]] = [[{}, {}], ["https://t.example", 5]]
    for wrong in wrong_ones:
        assert "urls must be text" in (await read.call({"urls": wrong})).text
    listed = await read.call({"url": ["https://t.example/a", "https://t.example/b"]})
    assert [page["url"] for page in listed.data["pages"]] == ["https://t.example/a", "https://t.example/b"]


@pytest.mark.proves("X-23")
async def test_a_length_is_understood_under_every_name_and_no_address_is_dropped() -> None:
    """`url` beside `urls` was dropped, and MCP refused `max_length_per_page`."""
    _, read = pair(Web())
    for name in ("max_length", "max_length_per_page", "max_chars"):
        assert not (await read.call({"url": "https://t.example/a", name: 100})).is_error
    for urls in (["https://t.example/b"], ["https://t.example/b", "https://t.example/c"]):
        both = await read.call({"url": "https://t.example/a", "urls": urls})
        assert [page["url"] for page in both.data["pages"]] == ["https://t.example/a", *urls]


async def test_over_a_real_engine() -> None:
    """The same tools over `Seekread` and a simulated service."""
    with simulators.start("brave") as service:
        async with Seekread("brave", providers={"brave": service.settings()}, settings={"cache": False}) as web:
            result: ToolResult = await pair(web)[0].call({"query": "green tea", "num_results": 2})
    assert not result.is_error
    assert sources(result.text) == ["untrusted web content from a search"]
    assert unfenced(result.text).startswith("[1] green tea & more, part 1 — https://www.example.org/green-tea/1")
    assert len(result.data["sources"]) == 2


@pytest.mark.process
async def test_pages_are_read_in_parts_marked_as_foreign_and_looked_into(site: LoopbackServer) -> None:
    """Whatever MCP's clients get, programs get: the token budget, the untrusted mark, a look into what was read."""
    settings = {"store": "memory:", "allow_private": [site.url.removeprefix("http://")]}
    async with Seekread(settings=settings) as web:
        _, read, lookup, _ = tools(web, max_tokens=600)
        page = await read.call({"url": site.url})
        both = await read.call({"urls": [site.url, f"{site.url}/again"]})
        found = await lookup.call({"page": page.data["snapshot"], "action": "find", "text": "cup number 42 "})
    assert f"untrusted web content from {site.url}" in page.text
    assert f"offset={page.data['next_offset']}" in page.text
    assert estimated_tokens(page.text) <= 600
    assert estimated_tokens(both.text) <= 600
    assert both.text.count("untrusted web content from") == 2
    assert len(found.data["found"]) == 1
    assert f"untrusted web content from {site.url}" in found.text


async def test_eleven_pages_are_more_than_one_call_reads(site: LoopbackServer) -> None:
    """X-23"""
    async with Seekread(settings={"store": "memory:"}) as web:
        result = await pair(web)[1].call({"urls": [f"{site.url}/{n}" for n in range(11)]})
    assert result.is_error
    assert "between 1 and 10" in result.text
    assert site.received == []


async def test_without_an_engine_they_bring_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made when the first call needs it, with the settings of the environment."""
    with simulators.start("searxng") as service:
        for name, value in service.environment().items():
            monkeypatch.setenv(name, value)
        made = tools()
        search, read, *_ = made
        found = await search.call({"query": "tea", "limit": 1})
        refused = await read.call({"url": "http://127.0.0.1:1/"})
        await made.close()
    assert unfenced(found.text).startswith("[1] tea & more")
    assert refused.is_error
