"""The tools as a client calls them, over the protocol, against a real engine on loopback."""

import re
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from seekread.mcp.handlers import USER_URLS
from seekread.models import estimated_tokens
from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault, LoopbackServer
from seekread.testing.simulators import Simulator
from seekread.toolkit.calls import CALLS
from tests.support.fences import FENCE, sources, unfenced
from tests.support.service_process import Held
from tests.support.speech import said

pytestmark = pytest.mark.anyio
both_eras = pytest.mark.parametrize("era", ["2026-07-28", "legacy"])


def text(result: CallToolResult) -> str:
    """The whole text; one block, because some hosts show only the first."""
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


async def values(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text(result)
    return result.structured_content


@both_eras
async def test_a_search_comes_as_complete_text_and_as_values(connect: Any) -> None:
    async with connect() as client:
        result = await client.call_tool("web_search", {"query": "tea", "limit": 2})
    rows = result.structured_content["results"]
    assert [row["citation_id"] for row in rows] == [1, 2]
    for row in rows:
        assert f"[{row['citation_id']}] {row['title']} — {row['url']}" in text(result)
        assert row["snippet"] in text(result)


async def test_nothing_found_is_an_answer_that_says_what_to_try(connect: Any) -> None:
    async with connect() as client:
        result = await client.call_tool("web_search", {"query": NOTHING})
    assert not result.is_error
    assert result.structured_content["outcome"] == "empty"
    assert result.structured_content["results"] == []
    assert "No results found" in text(result)
    assert "Try other words" in text(result)


@pytest.mark.parametrize(
    ("fault", "advice"), [(Fault(401), "check it"), (Fault(429), "Wait before you try again"), (Fault(500), "brave")]
)
async def test_a_failure_is_an_error_with_what_to_do_next(
    connect: Any, brave: Simulator, fault: Fault, advice: str
) -> None:
    brave.fail(fault)
    async with connect() as client:
        result = await client.call_tool("web_search", {"query": "tea"})
    assert result.is_error
    assert result.structured_content is None
    assert advice in text(result)
    assert "No results" not in text(result)
    assert brave.key not in text(result)


@both_eras
async def test_a_missing_key_is_a_tool_error_that_names_the_variable(connect: Any) -> None:
    async with connect({"BRAVE_API_KEY": "", "BRAVE_SEARCH_API_KEY": ""}) as client:
        result = await client.call_tool("web_search", {"query": "tea"})
    assert result.is_error
    assert "BRAVE_SEARCH_API_KEY" in text(result)


@pytest.mark.parametrize(
    "arguments",
    [
        {"q": "tea", "max_results": 2},
        {"query": "tea", "count": "2"},
        {"query": "tea", "num_results": 2, "time_range": "w", "include_domains": None},
        {"query": "tea", "n": 2, "language": "en", "country": "DE", "date_from": "2026-01-01", "date_to": "2026-02-01"},
    ],
)
async def test_arguments_are_understood_as_models_send_them(connect: Any, arguments: dict[str, Any]) -> None:
    async with connect() as client:
        assert len((await values(client, "web_search", **arguments))["results"]) == 2


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("web_search", {}, "query is required"),
        ("web_search", {"query": "tea", "colour": "green"}, "unknown argument 'colour'"),
        ("web_search", {"query": "tea", "freshness": "fortnight"}, "day, week, month, year"),
        ("open_page", {"url": "  "}, "url is required"),
        ("open_page", {"urls": []}, "url is required"),
        ("open_page", {"urls": [f"https://{n}.example" for n in range(11)]}, "between 1 and 10 pages"),
        ("gather", {}, "question is required"),
        ("gather", {"question": "tea", "budget": 5}, "budget of at least 50 characters"),
        ("gather", {"question": "tea", "phrasings": ["a", "b", "c", "d", "e"]}, "at most 5 ways"),
        ("open_page", {"url": "https://a.example", "max_length": "lots"}, "max_length must be a whole number"),
        ("open_page", {"url": "https://a.example", "offset": -1}, "offset must be at least 0"),
        ("page_lookup", {"action": "outline"}, "page is required"),
        ("page_lookup", {"page": "abc", "action": "summarise"}, "outline, section, find, passages, quote"),
        ("page_lookup", {"page": "abc", "action": "quote"}, "text is required"),
        ("page_lookup", {"page": "abc", "action": "quote", "text": "x"}, "open the page again"),
    ],
)
async def test_a_mistake_is_answered_with_what_to_send(
    connect: Any, tool: str, arguments: dict[str, Any], words: str
) -> None:
    async with connect() as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert words in text(result)


@both_eras
async def test_a_tool_nobody_offers_is_an_error_of_the_protocol(connect: Any) -> None:
    async with connect() as client:
        with pytest.raises(MCPError, match="there are web_search"):
            await client.call_tool("delete_everything", {})


async def test_the_plain_name_works_beside_the_prefixed_one(connect: Any) -> None:
    async with connect(tool_prefix="x_") as client:
        assert (await values(client, "x_web_search", query="tea"))["outcome"] == "ok"
        assert (await values(client, "web_search", query="tea"))["outcome"] == "ok"


@pytest.mark.process
async def test_a_long_page_comes_in_parts_that_add_up(connect: Any, site: LoopbackServer) -> None:
    parts: list[str] = []
    async with connect() as client:
        offset: int | None = 0
        while offset is not None:
            result = await client.call_tool("open_page", {"url": f"{site.url}/", "offset": offset})
            part = result.structured_content
            offset = part["next_offset"]
            parts.append(part["content"])
            assert part["content"] in unfenced(text(result))
            assert "<<<" not in part["content"]
            assert estimated_tokens(text(result)) <= 8000
            if offset is not None:
                assert f"offset={offset}" in text(result)
    assert len(parts) > 3
    assert len("".join(parts)) == part["original_length"]
    assert len(site.received) == 1


@pytest.mark.process
async def test_a_script_with_many_bytes_gets_fewer_characters(connect: Any, site: LoopbackServer) -> None:
    """15,000 characters of Chinese are more than 11,000 tokens."""
    async with connect() as client:
        result = await client.call_tool("open_page", {"url": f"{site.url}/chinese"})
    assert 6000 <= estimated_tokens(text(result)) <= 8000
    assert result.structured_content["next_offset"] == len(result.structured_content["content"])


@pytest.mark.process
async def test_a_call_may_ask_for_more_but_not_for_more_than_clients_take(connect: Any, site: LoopbackServer) -> None:
    async with connect() as client:
        for path in ("/", "/chinese"):
            result = await client.call_tool("open_page", {"url": f"{site.url}{path}", "max_length": 10_000_000})
            assert 8000 < estimated_tokens(text(result)) <= 24_000
        small = await values(client, "open_page", url=f"{site.url}/", max_length="500")
        assert len(small["content"]) <= 500


async def test_many_results_get_shorter_snippets_and_then_fewer_entries(connect: Any) -> None:
    async with connect(max_tokens=500) as client:
        result = await client.call_tool("web_search", {"query": "the tea of " + "Uzbekistan " * 20, "limit": 20})
    assert estimated_tokens(text(result)) <= 500
    shown = result.structured_content["results"]
    assert 0 < len(shown) < 20
    assert any("left out" in note for note in result.structured_content["notes"])


@pytest.mark.process
async def test_only_the_passages_or_the_section_that_is_asked_for(connect: Any, site: LoopbackServer) -> None:
    async with connect() as client:
        passages = await values(client, "open_page", url=f"{site.url}/", query="tea number 321 degrees", max_length=800)
        section = await values(client, "open_page", link=f"{site.url}/", section="Part 7")
        wrong = await client.call_tool("open_page", {"url": f"{site.url}/", "section": "Coffee"})
    assert "321" in passages["content"]
    assert len(passages["content"]) <= 800
    assert section["content"].startswith("## Part 7")
    assert wrong.is_error
    assert "Coffee" in text(wrong)


@pytest.mark.process
async def test_a_page_that_cannot_be_read_is_an_error_with_what_to_do_next(connect: Any, site: LoopbackServer) -> None:
    async with connect() as client:
        gone = await client.call_tool("open_page", {"url": f"{site.url}/gone"})
        private = await client.call_tool("open_page", {"url": "http://127.0.0.1:9/"})
        bare = await client.call_tool("open_page", {"url": "example.org"})
        by_address = await client.call_tool("page_lookup", {"page": f"{site.url}/gone", "action": "outline"})
    assert gone.is_error
    assert by_address.is_error
    assert "Check the address" in text(gone)
    assert private.is_error
    assert "tell the user" in text(private)
    assert bare.is_error
    assert text(bare) == "Could not read example.org: The address has no scheme. Send https://example.org instead."


@pytest.mark.process
async def test_several_pages_come_each_with_its_outcome_and_share_the_budget(
    connect: Any, site: LoopbackServer
) -> None:
    async with connect() as client:
        addresses = {"url": f"{site.url}/", "urls": [f"{site.url}/chinese", f"{site.url}/gone"]}
        result = await client.call_tool("open_page", addresses)
        listed = (await client.list_resources()).resources
        none = await client.call_tool("open_page", {"urls": [f"{site.url}/gone", f"{site.url}/gone/2"]})
    rows = result.structured_content["pages"]
    assert [row["outcome"] for row in rows] == ["ok", "ok", "not_found"]
    assert [len(row["content"]) > 0 for row in rows] == [True, True, False]
    assert len(sources(text(result))) == 2
    assert "Could not read" in text(result)
    assert estimated_tokens(text(result)) <= 8000
    assert len(listed) == 2
    assert none.is_error


@pytest.mark.process
async def test_evidence_comes_numbered_from_pages_that_can_be_looked_into(
    connect: Any, brave: Simulator, site: LoopbackServer
) -> None:
    brave.fail(Fault(change=lambda body: renamed(body, f"{site.url}/short")))
    async with connect() as client:
        asked = {"question": "what is tea made from", "pages": 1, "phrasings": "tea, how it is made"}
        result = await client.call_tool("gather", asked)
        [source] = result.structured_content["sources"]
        looked = await client.call_tool("page_lookup", {"page": source["snapshot"], "action": "outline"})
        [listed] = (await client.list_resources()).resources
    [passage] = result.structured_content["passages"]
    assert passage["source"] == source["number"] == 1
    assert "made from leaves" in passage["text"]
    assert passage["link"].startswith(f"{site.url}/short#:~:text=")
    assert unfenced(text(result)).startswith(f"[1] {passage['text']}")
    assert f"[1] Tea — {site.url}/short" in unfenced(text(result))
    assert not looked.is_error
    assert str(listed.uri) == f"page://{source['snapshot']}"
    assert len(brave.received) == 2


async def test_nothing_to_gather_is_an_answer_and_a_failure_an_error(connect: Any, brave: Simulator) -> None:
    async with connect() as client:
        nothing = await client.call_tool("gather", {"question": NOTHING})
        brave.fail(Fault(500))
        failed = await client.call_tool("gather", {"question": "tea"})
    assert not nothing.is_error
    assert nothing.structured_content["outcome"] == "empty"
    assert nothing.structured_content["passages"] == []
    assert text(nothing).startswith("Nothing that answers this was found.")
    assert "<<<" not in text(nothing)
    assert failed.is_error
    assert "Nothing that answers" not in text(failed)
    assert failed.structured_content is None


@pytest.mark.process
async def test_evidence_stays_within_the_tokens_of_a_result(
    connect: Any, brave: Simulator, site: LoopbackServer
) -> None:
    brave.fail(Fault(change=lambda body: renamed(body, f"{site.url}/")))
    asked = {"question": "at how many degrees is green tea brewed", "pages": 1}
    async with connect(max_tokens=400) as client:
        usual = await client.call_tool("gather", asked)
        for unit in ("characters", "tokens"):
            result = await client.call_tool("gather", {**asked, "budget": 90_000, "unit": unit})
            assert 250 < estimated_tokens(text(result)) <= 1200
    assert estimated_tokens(text(usual)) <= 400


@pytest.mark.process
async def test_a_page_is_looked_into_without_fetching_it_again(connect: Any, site: LoopbackServer) -> None:
    async with connect() as client:
        handle = (await values(client, "open_page", url=f"{site.url}/"))["snapshot"]
        outline = await values(client, "page_lookup", page=handle, action="outline")
        found = await values(client, "page_lookup", snapshot=handle, action="find", query="number 42 is brewed")
        passages = await values(client, "page_lookup", page=f"{site.url}/", action="passages", text="tea number 321")
        section = await values(client, "page_lookup", page=f"page://{handle}", action="section", text="Part 9")
    assert outline["found"][1]["title"] == "Part 0"
    assert len(found["found"]) == 1
    assert "321" in " ".join(row["text"] for row in passages["found"])
    assert section["found"][0]["text"].startswith("## Part 9")
    assert len(site.received) == 1


@pytest.mark.process
async def test_a_quotation_is_found_with_a_link_or_said_not_to_be_there(connect: Any, site: LoopbackServer) -> None:
    async with connect() as client:
        handle = (await values(client, "open_page", url=f"{site.url}/"))["snapshot"]
        arguments = {"page": handle, "action": "quote"}
        there = await client.call_tool(
            "page_lookup", {**arguments, "text": "Green tea number 5 is brewed at 5 degrees"}
        )
        absent = await client.call_tool("page_lookup", {**arguments, "text": "Tea has never been grown on the moon"})
        wrong = await client.call_tool(
            "page_lookup", {**arguments, "text": "Green tea number 5 is brewed at 6 degrees"}
        )
    [citation] = there.structured_content["found"]
    assert citation["kind"] == "exact"
    assert citation["link"] in text(there)
    assert absent.structured_content["found"] == []
    assert not absent.is_error
    assert "Not there" in text(absent)
    assert wrong.structured_content["found"] == []
    assert wrong.structured_content["notes"] == ["the page says 5, the quotation 6"]
    assert "Not there: the page says 5, the quotation 6." in text(wrong)
    assert "Green tea number 5 is brewed at 5 degrees" in text(wrong)
    assert "Cite:" not in text(wrong)
    assert "#:~:text=" not in text(wrong)


@pytest.mark.process
async def test_a_look_into_a_page_stays_within_the_budget(connect: Any, site: LoopbackServer) -> None:
    async with connect() as client:
        for path in ("/", "/chinese"):
            for action, words in [("outline", None), ("find", "a"), ("passages", "茶"), ("section", "Tea")]:
                arguments = {"page": f"{site.url}{path}", "action": action, "text": words}
                result = await client.call_tool("page_lookup", arguments)
                assert not result.is_error, text(result)
                assert estimated_tokens(text(result)) <= 8000
        more = {"page": f"{site.url}/chinese", "action": "section", "text": "Tea", "max_length": 90_000}
        section = await client.call_tool("page_lookup", more)
        outline = await client.call_tool("page_lookup", {"page": f"{site.url}/", "action": "outline"})
    assert 20_000 < estimated_tokens(text(section)) <= 24_000
    shown_length = len(section.structured_content["found"][0]["text"])
    assert f"offset={shown_length}" in text(section)
    assert "more are left out" in text(outline)
    shown = re.findall(r"offset \d+", text(outline))
    assert len(shown) == len(outline.structured_content["found"])


@pytest.mark.process
@both_eras
async def test_pages_that_were_read_are_resources_with_opaque_addresses(connect: Any, site: LoopbackServer) -> None:
    async with connect() as client:
        handle = (await values(client, "open_page", url=f"{site.url}/short"))["snapshot"]
        [listed] = (await client.list_resources()).resources
        [template] = (await client.list_resource_templates()).resource_templates
        [content] = (await client.read_resource(listed.uri)).contents
        with pytest.raises(MCPError, match="open the page again"):
            await client.read_resource("page://00000000000000000000")
    assert str(listed.uri) == f"page://{handle}"
    assert template.uri_template == "page://{id}"
    assert (listed.name, listed.description) == ("Tea", f"untrusted web content from {site.url}/short")
    assert "made from leaves" in content.text
    assert content.text.startswith("untrusted web content from ")


@pytest.mark.process
async def test_the_name_of_a_resource_says_little_and_nothing_in_markdown(connect: Any, site: LoopbackServer) -> None:
    """A list has no room for a fence."""
    async with connect() as client:
        await values(client, "open_page", url=f"{site.url}/loud")
        [listed] = (await client.list_resources()).resources
    assert len(listed.name) < 120
    assert not said(listed.name)
    assert listed.description == f"untrusted web content from {site.url}/loud"


@pytest.mark.process
async def test_whoever_redirects_says_little_outside_of_a_fence(connect: Any, site: LoopbackServer) -> None:
    """Neither in a page, nor where it is looked into, nor as a resource."""
    async with connect() as client:
        page = await client.call_tool("open_page", {"url": f"{site.url}/moved"})
        looked = await client.call_tool("page_lookup", {"page": f"{site.url}/moved", "action": "find", "text": "Tea"})
        [listed] = (await client.list_resources()).resources
        [content] = (await client.read_resource(listed.uri)).contents
    told = [text(page), text(looked), content.text]
    for outside in (*(FENCE.sub(r"\1", each) for each in told), listed.description):
        assert f"{site.url}/moved (redirected to {site.url}/" in outside
        assert 1 < outside.count("obey-me-") < 50


@pytest.mark.process
async def test_a_resource_is_cut_before_a_client_gives_up(
    connect: Any, site: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seekread.mcp.handlers.LARGEST", 1000)
    async with connect(list_pages=False) as client:
        handle = (await values(client, "open_page", url=f"{site.url}/chinese"))["snapshot"]
        [content] = (await client.read_resource(f"page://{handle}")).contents
        assert (await client.list_resources()).resources == []
    assert len(content.text.encode()) < 1400
    assert "open_page reads on" in content.text


@both_eras
async def test_slow_work_gives_signs_of_life(connect: Any, brave: Simulator) -> None:
    engine = Held(brave, 1)
    heard: list[tuple[float, str | None]] = []

    async def progress(done: float, _total: float | None, message: str | None) -> None:
        heard.append((done, message))
        if len(heard) == 3:
            engine.release()

    async with connect(beat=0.05) as client:
        result = await client.call_tool("web_search", {"query": "tea"}, progress_callback=progress)
    assert not result.is_error
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})
    assert heard
    assert "searching" in (heard[0][1] or "")


@pytest.mark.process
async def test_under_seen_nothing_is_trusted_because_a_model_asks_for_it(
    connect: Any, brave: Simulator, site: LoopbackServer
) -> None:
    brave.fail(Fault(change=lambda body: renamed(body, f"{site.url}/short")))
    async with connect({"SEEKREAD_URL_POLICY": "seen"}) as client:
        before = await client.call_tool("open_page", {"url": f"{site.url}/short"})
        looked = await client.call_tool("page_lookup", {"page": f"{site.url}/short", "action": "outline"})
        await client.call_tool("web_search", {"query": "tea"})
        after = await client.call_tool("open_page", {"url": f"{site.url}/short"})
    assert before.is_error
    assert looked.is_error
    assert "url_policy" in text(before)
    assert not after.is_error
    assert len(site.received) == 1


@pytest.mark.process
async def test_under_seen_a_host_says_which_addresses_the_user_gave(connect: Any, site: LoopbackServer) -> None:
    url = f"{site.url}/short"
    async with connect({"SEEKREAD_URL_POLICY": "seen"}) as client:
        for meta in (None, {USER_URLS: url}, {USER_URLS: [f"{url}/other", 1]}):
            assert (await client.call_tool("open_page", {"url": url, USER_URLS: [url]}, meta=meta)).is_error
        given = await client.call_tool("open_page", {"url": url}, meta={USER_URLS: [url]})
        later = await client.call_tool("page_lookup", {"page": url, "action": "outline"})
    assert (given.is_error, later.is_error) == (False, False)


def renamed(body: Any, url: str) -> Any:
    """The engine's answer, with another address in its first result."""
    body["web"]["results"][0]["url"] = url
    return body


async def test_a_mistake_of_ours_is_a_result_without_secrets(
    connect: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_arguments: Any) -> Any:
        raise ZeroDivisionError("api_key=tvly-0123456789abcdef0123")

    monkeypatch.setitem(CALLS, "web_search", broken)
    async with connect() as client:
        result = await client.call_tool("web_search", {"query": "tea"})
    assert result.is_error
    assert "ZeroDivisionError" in text(result)
    assert "0123456789abcdef" not in text(result)
    assert "web_search failed" in caplog.text


@pytest.mark.parametrize("cap", ["DAILY_DOLLARS", "SESSION_DOLLARS"])
async def test_caps_in_dollars_hold_for_an_agent(connect: Any, brave: Simulator, cap: str) -> None:
    async with connect({f"SEEKREAD_{cap}": "0.01"}) as client:
        results = [await client.call_tool("web_search", {"query": f"tea {number}"}) for number in range(3)]
    assert [result.is_error for result in results] == [False, False, True]
    assert "cap reached" in text(results[-1])
    assert brave.charged == pytest.approx(0.01)
