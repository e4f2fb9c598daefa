"""Who is asked, and when."""

from dataclasses import dataclass
from typing import Any, cast

import anyio
import pytest

from seekread.errors import Blocked, ProviderError, SuspiciousEmpty, Unreachable
from seekread.models import SearchResult
from seekread.provider import SearchProvider
from seekread.searching.ask import ProviderAnswer
from seekread.searching.route import ROUTES

pytestmark = pytest.mark.anyio


@dataclass
class Fake:
    name: str
    problem: ProviderError | None = None
    held: anyio.Event | None = None
    asked: int = 0
    cancelled: bool = False

    async def answer(self) -> ProviderAnswer:
        self.asked += 1
        try:
            if self.held:
                await self.held.wait()
        except anyio.get_cancelled_exc_class():
            self.cancelled = True
            raise
        if self.problem:
            raise self.problem
        return ProviderAnswer(self.name, [SearchResult(title=self.name, url=f"https://{self.name}/")], "q")


async def run(route: Any, *fakes: Fake, slow_after: float | None = 0.0) -> list[ProviderAnswer]:
    chain = cast("list[SearchProvider]", list(fakes))

    async def ask(provider: SearchProvider) -> ProviderAnswer:
        return await cast("Fake", provider).answer()

    return await ROUTES[route](chain, ask, lambda _: slow_after)


@pytest.mark.parametrize("problem", [Unreachable("x"), Blocked("x"), SuspiciousEmpty("x")])
@pytest.mark.parametrize("route", ["first", "hedge", "fuse"])
async def test_a_failure_a_block_and_an_unbelievable_emptiness_lead_to_the_next(
    route: str, problem: ProviderError
) -> None:
    answers = await run(route, Fake("down", problem), Fake("up"))
    assert [a.provider for a in answers] == ["up"]


@pytest.mark.parametrize("route", ["first", "hedge", "fuse"])
async def test_nobody_answering_is_no_answer(route: str) -> None:
    assert await run(route, Fake("a", Unreachable("x")), Fake("b", Unreachable("x"))) == []
    assert await run(route) == []


async def test_first_asks_nobody_it_does_not_need() -> None:
    spare = Fake("spare")
    await run("first", Fake("up"), spare)
    assert spare.asked == 0


async def test_hedge_starts_the_second_when_the_first_is_slow_and_cancels_the_loser() -> None:
    slow, quick = Fake("slow", held=anyio.Event()), Fake("quick")
    [answer] = await run("hedge", slow, quick)
    assert answer.provider == "quick"
    assert slow.cancelled


async def test_hedge_starts_no_second_when_that_is_not_allowed() -> None:
    held = anyio.Event()
    slow, spare = Fake("slow", held=held), Fake("spare")

    async with anyio.create_task_group() as group:
        group.start_soon(run, "hedge", slow, spare)
        await anyio.wait_all_tasks_blocked()
        assert spare.asked == 1  # slow_after 0 allows it …

    slow, spare = Fake("slow", held=held), Fake("spare")

    async def not_allowed() -> None:
        await run("hedge", slow, spare, slow_after=None)

    async with anyio.create_task_group() as group:
        group.start_soon(not_allowed)
        await anyio.wait_all_tasks_blocked()
        assert spare.asked == 0  # … None does not
        held.set()


async def test_fuse_returns_the_answers_in_the_chains_order() -> None:
    held = anyio.Event()
    first, second = Fake("first", held=held), Fake("second")

    async def release() -> None:
        await anyio.wait_all_tasks_blocked()
        held.set()

    async with anyio.create_task_group() as group:
        group.start_soon(release)
        answers = await run("fuse", first, second)
    assert [a.provider for a in answers] == ["first", "second"]
