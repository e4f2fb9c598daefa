"""Those who only need patience are asked once more, when nobody else could answer."""

from dataclasses import dataclass, field
from typing import cast

import pytest

from seekread.calling.deadline import Deadline
from seekread.errors import BadReply, Overloaded, ProviderError, QuotaExhausted, RateLimited, Unreachable
from seekread.models import SearchResult
from seekread.provider import SearchProvider
from seekread.searching.ask import ProviderAnswer
from seekread.searching.later import CHANCES, later, wait_after
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


@dataclass
class Engine:
    """Runs into its problems one after the other, then answers."""

    name: str
    problems: list[ProviderError] = field(default_factory=list)


async def asked(*engines: Engine, seconds: float = 20) -> tuple[list[str], list[str]]:
    """Who was asked, and who answered, after each had run into the first of its problems."""
    ran_into = {engine.name: engine.problems.pop(0) for engine in engines if engine.problems}
    names: list[str] = []

    async def ask(provider: SearchProvider) -> ProviderAnswer:
        engine = cast("Engine", provider)
        names.append(engine.name)
        if engine.problems:
            ran_into[engine.name] = engine.problems.pop(0)
            raise ran_into[engine.name]
        return ProviderAnswer(engine.name, [SearchResult(title="t", url="https://e.org/")], "q")

    chain = cast("list[SearchProvider]", list(engines))
    answers = await later(
        chain, lambda provider: wait_after(ran_into.get(provider.name)), ask, Deadline.after(FakeClock(), seconds)
    )
    return names, [answer.provider for answer in answers]


async def test_the_shortest_pause_is_waited_for() -> None:
    long, short = Engine("long", [RateLimited("x", retry_after=9)]), Engine("short", [RateLimited("x", retry_after=1)])
    assert await asked(long, short) == (["short"], ["short"])


async def test_a_pause_longer_than_the_time_left_is_not_waited_for() -> None:
    assert await asked(Engine("long", [RateLimited("x", retry_after=30)])) == ([], [])


@pytest.mark.parametrize(
    "problem",
    [
        Unreachable("no connection"),
        RateLimited("did not say for how long"),
        BadReply("x", retry_after=1),
        QuotaExhausted("x", retry_after=1),
    ],
    ids=lambda problem: type(problem).__name__,
)
async def test_who_needs_more_than_patience_is_not_asked_again(problem: ProviderError) -> None:
    assert await asked(Engine("down", [problem])) == ([], [])


@pytest.mark.parametrize(
    "problem", [Overloaded("x", retry_after=1), Unreachable("rests", retry_after=1), RateLimited("x", retry_after=1)]
)
async def test_a_full_room_a_rest_and_a_pause_all_pass(problem: ProviderError) -> None:
    assert await asked(Engine("busy", [problem])) == (["busy"], ["busy"])


async def test_nobody_is_asked_for_ever() -> None:
    never: list[ProviderError] = [RateLimited("x", retry_after=1) for _ in range(9)]
    assert await asked(Engine("never", never)) == (["never"] * CHANCES, [])


async def test_the_next_one_is_asked_where_the_first_fails_again() -> None:
    first = Engine("first", [RateLimited("x", retry_after=1), BadReply("broken")])
    second = Engine("second", [RateLimited("x", retry_after=2)])
    assert await asked(first, second) == (["first", "second"], ["second"])
