"""What a client is offered, and what that costs it."""

import json
import subprocess
import sys

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from seekread.client import Seekread
from seekread.mcp.server import create_server
from seekread.toolkit.definitions import ToolNames
from seekread.toolkit.guidance import INSTRUCTIONS

pytestmark = pytest.mark.anyio


def never() -> Seekread:
    raise AssertionError("listing needs no engine")


async def test_the_tool_list_is_short_enough_to_be_paid_for_in_every_conversation() -> None:
    async with Client(create_server(never)) as client:
        listed = (await client.list_tools()).tools
    shown = json.dumps(
        [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed],
        separators=(",", ":"),
        ensure_ascii=False,
    )
    assert [tool.name for tool in listed] == ["web_search", "open_page", "page_lookup", "gather"]
    assert len(shown) <= 6500
    assert all(len(tool.description or "") <= 2000 for tool in listed)
    assert len(ToolNames().written(INSTRUCTIONS)) <= 2000


async def test_every_tool_only_reads_and_reaches_the_open_world() -> None:
    async with Client(create_server(never)) as client:
        listed = (await client.list_tools()).tools
    for tool in listed:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.annotations.open_world_hint
        assert tool.annotations.idempotent_hint
        assert tool.annotations.destructive_hint is False


@pytest.mark.proves("X-1")
async def test_a_prefix_keeps_tools_apart_from_those_of_others() -> None:
    async with Client(create_server(never, tool_prefix="web_")) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        instructions = client.session.discover_result.instructions if client.session.discover_result else ""
    assert list(listed) == ["web_web_search", "web_open_page", "web_page_lookup", "web_gather"]
    assert "web_open_page" in (listed["web_web_search"].description or "")
    assert "{" not in "".join(tool.description or "" for tool in listed.values())
    assert "web_page_lookup" in (instructions or "")


async def test_the_prompts_hold_the_citation_sentence_and_the_guidance() -> None:
    """S1-50"""
    async with Client(create_server(never)) as client:
        assert [p.name for p in (await client.list_prompts()).prompts] == ["citation_instructions", "company_research"]
        [citing] = (await client.get_prompt("citation_instructions")).messages
        [research] = (await client.get_prompt("company_research")).messages
    sentence = "When stating facts from web search results, append the citation ID in brackets, e.g. [1]."
    assert getattr(citing.content, "text", "") == sentence
    words = getattr(research.content, "text", "")
    assert "litigation OR lawsuit OR legal issues" in words
    assert "20: comprehensive investigation" in words


async def test_a_prompt_takes_the_company_and_the_question() -> None:
    async with Client(create_server(never)) as client:
        listed = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        sent = {"company": "Tea & Co", "question": "who owns it"}
        [research] = (await client.get_prompt("company_research", sent)).messages
        with pytest.raises(MCPError, match="unknown argument 'ticker'"):
            await client.get_prompt("company_research", {"ticker": "TEA"})
    taken = listed["company_research"].arguments or []
    assert [(argument.name, argument.required) for argument in taken] == [("company", False), ("question", False)]
    assert not listed["citation_instructions"].arguments
    assert getattr(research.content, "text", "").endswith("\nCompany: Tea & Co\nQuestion: who owns it")


@pytest.mark.process
def test_nothing_heavy_is_imported_before_the_server_starts() -> None:
    code = (
        "import sys, seekread.cli.mcp, seekread.mcp.run, seekread.mcp.clients; "
        "print([name for name in ('mcp', 'mcp_types', 'starlette', 'uvicorn', 'httpx2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
