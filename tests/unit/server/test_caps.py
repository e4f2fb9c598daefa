"""Caps in dollars hold whichever way a search comes in: the API, every dialect that searches, and agents."""

from collections.abc import Callable
from typing import Any

import pytest

from seekread.server.app import ServiceOptions
from seekread.testing.simulators import Simulator
from tests.unit.server.conftest import Running, Start

AGENTS = {"accept": "application/json, text/event-stream"}
Ask = Callable[[Running, str, dict[str, str]], tuple[bool, str]]


def posted(path: str, word: str = "query") -> Ask:
    """A search by POST; a failure has a status of its own."""

    def ask(running: Running, query: str, headers: dict[str, str]) -> tuple[bool, str]:
        reply = running.post(path, {word: query}, headers=headers)
        return reply.status_code == 200, reply.text

    return ask


def in_the_address(running: Running, query: str, headers: dict[str, str]) -> tuple[bool, str]:
    reply = running.get("/compat/searxng/search", params={"q": query, "format": "json"}, headers=headers)
    return reply.status_code == 200, reply.text


def by_an_agent(running: Running, query: str, headers: dict[str, str]) -> tuple[bool, str]:
    call = {"name": "web_search", "arguments": {"query": query}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    reply = running.post("/mcp", body, headers={**AGENTS, **headers})
    assert reply.status_code == 200, reply.text
    return '"isError":true' not in reply.text.replace(" ", ""), reply.text


WAYS: dict[str, Ask] = {
    "the API": posted("/v1/search"),
    "tavily": posted("/compat/tavily/search"),
    "perplexity": posted("/compat/perplexity/search"),
    "openwebui": posted("/compat/openwebui/search"),
    "firecrawl": posted("/v2/search"),
    "searxng": in_the_address,
    "agents": by_an_agent,
}
every_way = pytest.mark.parametrize("ask", WAYS.values(), ids=WAYS)


@every_way
@pytest.mark.parametrize(("cap", "words"), [("daily_dollars", "Daily cap"), ("session_dollars", "Session cap")])
@pytest.mark.parametrize("closed", [False, True], ids=["open", "with a token"])
def test_two_calls_of_half_a_cent_are_all_a_cent_buys(
    start: Start, brave: Simulator, ask: Ask, cap: str, words: str, closed: bool
) -> None:
    settings: dict[str, Any] = {cap: 0.01, "cache": False}
    running = start(ServiceOptions(require_token=closed), **settings)
    headers = {"authorization": f"Bearer {running.tokens.create('app')}"} if closed else {}
    assert [ask(running, f"tea {number}", headers)[0] for number in range(3)] == [True, True, False]
    assert words in ask(running, "cake", headers)[1]
    assert brave.charged == pytest.approx(0.01)


@every_way
def test_the_day_is_shared_by_all_tokens(start: Start, brave: Simulator, ask: Ask) -> None:
    running = start(ServiceOptions(require_token=True), daily_dollars=0.01, cache=False)
    owners = [{"authorization": f"Bearer {running.tokens.create(name)}"} for name in ("a", "b", "c")]
    assert [ask(running, "tea", owner)[0] for owner in owners] == [True, True, False]
    assert brave.charged == pytest.approx(0.01)
