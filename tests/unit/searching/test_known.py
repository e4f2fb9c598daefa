"""A question with a known answer tells "nothing found" from "blocked"."""

from typing import Any

import pytest

from seekread import AllFailed, Seekread
from seekread.provider import KnownAnswer, SearchResult
from seekread.searching.known import is_answered
from seekread.testing import simulators
from seekread.testing.clock import FakeClock
from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault
from seekread.testing.simulators.simulator import Simulator

pytestmark = pytest.mark.anyio

EMPTY = Fault(200, "<html><body>No results.</body></html>")


def web(simulator: Simulator, clock: FakeClock, **settings: Any) -> Seekread:
    return Seekread(
        simulator.name,
        settings={"cache": False, "store": "memory:", "attempts": 1, **settings},
        providers={simulator.name: simulator.settings()},
        clock=clock,
    )


async def outcome(client: Seekread, text: str = NOTHING) -> str:
    try:
        return (await client.search(text)).outcome
    except AllFailed as error:
        return error.outcome


async def test_an_engine_that_finds_what_it_must_find_is_believed() -> None:
    """Before, an empty answer of DuckDuckGo could never be told as one."""
    with simulators.start("duckduckgo") as simulator:
        async with web(simulator, FakeClock()) as client:
            response = await client.search(NOTHING)
    assert (response.outcome, response.attempts[-1].outcome) == ("empty", "empty")
    assert len(simulator.received) == 2
    assert any("nothing found is believed" in note for note in response.notes)


async def test_an_engine_that_does_not_is_blocked_for_the_rest_of_the_hour() -> None:
    clock = FakeClock()
    with simulators.start("duckduckgo") as simulator:
        async with web(simulator, clock) as client:
            simulator.fail(EMPTY)
            assert await outcome(client, "tea") == "blocked"
            assert len(simulator.received) == 2
            await clock.advance(3000)
            assert await outcome(client, "coffee") == "blocked"
            assert len(simulator.received) == 3


async def test_it_is_asked_once_an_hour_and_believed_for_ten_minutes() -> None:
    clock, heard = FakeClock(), []
    with simulators.start("duckduckgo") as simulator:
        async with web(simulator, clock) as client:
            for seconds in (0, 300, 600, 3000):
                await clock.advance(seconds)
                heard.append((await outcome(client), len(simulator.received)))
    assert heard == [("empty", 2), ("empty", 3), ("suspicious_empty", 4), ("empty", 6)]


async def test_a_paid_engine_is_never_asked() -> None:
    with simulators.start("jina") as simulator:
        simulator.fail(simulator.refusals["failed search"].fault)
        async with web(simulator, FakeClock()) as client:
            assert await outcome(client) == "suspicious_empty"
    assert len(simulator.received) == 1


def test_a_page_of_the_site_is_the_answer() -> None:
    known = KnownAnswer("Wikipedia", "wikipedia.org")
    assert is_answered(known, [SearchResult(title="", url="https://de.wikipedia.org/wiki/X")])
    assert not is_answered(known, [SearchResult(title="", url="https://notwikipedia.org/")])
    assert is_answered(KnownAnswer("history"), [SearchResult(title="", url="https://wiki.example.org/")])
    assert not is_answered(KnownAnswer("history"), [])
