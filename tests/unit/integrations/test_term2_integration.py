"""term2's three integration tests and its manual checklist as far as a machine can do it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from seekread.integrations import term2
from seekread.integrations.term2 import TavilyWebSearchProvider, Term2Registry, Term2Settings
from seekread.testing import simulators
from seekread.testing.server import Fault

pytestmark = pytest.mark.anyio


@pytest.fixture
def tavily() -> Iterator[Any]:
    with simulators.start("tavily") as service:
        yield service


def registry(service: Any, **options: Any) -> Term2Registry:
    made = Term2Registry()
    made.register(TavilyWebSearchProvider(base_url=service.base_url, **options), is_default=True)
    return made


def settings(**environ: str) -> Term2Settings:
    return Term2Settings.load(environ=environ)


async def answer(service: Any, query: str, made: Term2Registry | None = None, **environ: str) -> str:
    tool = term2.create_web_search_tool_definition(
        settings_service=settings(**({"TAVILY_API_KEY": service.key} | environ)), own_registry=made or registry(service)
    )
    text = await tool.execute({"query": query})
    await tool.close()
    return text


@pytest.mark.proves("S2-9", "S2-30")
@pytest.mark.parametrize("auth", ["body", "bearer"])
async def test_end_to_end_with_a_simulated_tavily(tavily: Any, auth: str) -> None:
    """On the wire: the key from the environment, Markdown out."""
    text = await answer(tavily, "green tea", registry(tavily, auth=auth))
    assert text.startswith("## Search Results\n\n### 1. green tea & more, part 1\n\n**URL:** https://www.example.org/")
    assert text.count("\n### ") == 5
    body = {"query": "green tea"}
    assert tavily.received[0].json == ({"api_key": tavily.key, **body} if auth == "body" else body)
    assert tavily.received[0].headers["content-type"] == "application/json"


@pytest.mark.proves("S2-21")
async def test_nothing_found_end_to_end(tavily: Any) -> None:
    assert await answer(tavily, "qqnothingqq") == "No results found for this query.\n"


@pytest.mark.proves("S2-27", "S2-30")
async def test_the_provider_is_switched_by_settings(tavily: Any) -> None:
    """`WEB_SEARCH_PROVIDER` chooses, an unknown one falls back to the default."""
    with simulators.start("searxng") as searxng:
        made = registry(tavily)
        made.register(term2.CoreProvider("searxng"))
        text = await answer(tavily, "tea", made, WEB_SEARCH_PROVIDER="searxng", SEARXNG_URL=searxng.base_url)
        assert "### 1. tea & more, part 1" in text
        assert len(searxng.received) == 1
        assert tavily.received == []
        await answer(tavily, "tea", made, WEB_SEARCH_PROVIDER="nobody")
        assert len(tavily.received) == 1


@pytest.mark.proves("S2-30", "S2-33", "S2-35")
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(how="reset"), "Error: Tavily search failed: the connection"),
        (Fault(500, "broken"), "Error: Tavily API error (500): broken"),
        (Fault(429, "slow down"), "Error: Tavily API error (429): slow down"),
    ],
)
async def test_failures_are_told(tavily: Any, fault: Fault, words: str) -> None:
    """S2-35: a broken network, an API error, a rate limit."""
    tavily.fail(fault)
    assert (await answer(tavily, "tea")).startswith(words)


async def test_one_provider_is_asked_and_nothing_is_added_to_its_text(tavily: Any) -> None:
    """
    S2-21 fixes the text, so it cannot say that somebody else answered instead.

    Nobody else ever does: where the chosen one fails, the failure is told, and others who could answer are not asked.
    """
    with simulators.start("searxng") as searxng:
        made = registry(tavily)
        made.register(term2.CoreProvider("searxng"))
        able = {"WEB_SEARCH_PROVIDER": "tavily", "SEARXNG_URL": searxng.base_url}
        tavily.fail(Fault(500, "broken"), times=1)
        assert await answer(tavily, "tea", made, **able) == "Error: Tavily API error (500): broken"
        text = await answer(tavily, "tea", made, **able)
        assert searxng.received == []
    blocks = text.removeprefix("## Search Results\n\n").split("\n\n\n---\n")
    assert blocks.pop() == ""
    assert len(blocks) == 5
    assert all(re.fullmatch(r"\n?### \d\. [^\n]+\n\n\*\*URL:\*\* \S+\n\n\n[^\n]+", block) for block in blocks)


@pytest.mark.proves("S2-31")
async def test_the_checklist_without_and_with_a_wrong_key(tavily: Any) -> None:
    """S2-31: without a key the error shows; with an invalid key it is handled; Markdown displays."""
    missing = await answer(tavily, "tea", None, TAVILY_API_KEY="")
    assert missing == "Error: Web search provider 'tavily' is not properly configured. Please set the required API key."
    wrong = await answer(tavily, "tea", None, TAVILY_API_KEY="tvly-wrong")
    assert wrong.startswith("Error: Tavily API error (401): ")
    assert "tvly-wrong" not in wrong
    assert (await answer(tavily, "tea")).startswith("## Search Results")
