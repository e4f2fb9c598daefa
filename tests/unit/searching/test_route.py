"""Who is asked, and when."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import anyio
import pytest

from seekread.errors import Blocked, ProviderError, SeekreadError, SuspiciousEmpty, Unreachable
from seekread.models import SearchResult
from seekread.ports import StoreUnavailable
from seekread.provider import SearchProvider
from seekread.searching.ask import ProviderAnswer, unheard
from seekread.searching.route import ROUTES

pytestmark = pytest.mark.anyio


@dataclass
class Fake:
    name: str
    problem: SeekreadError | None = None
    held: anyio.Event | None = None
    asked: int = 0
    cancelled: bool = False
    has_room: bool = True

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


@dataclass
class Hedges:
    """Everybody is slow at once; whether a second call is allowed and what it costs is said beforehand."""

    allowed: bool = True
    cheap: tuple[str, ...] = ()
    outwaited_names: list[str] = field(default_factory=list)

    def slow_after(self, _provider: SearchProvider) -> float:
        return 0.0

    def costs_less(self, provider: SearchProvider, _other: SearchProvider) -> bool:
        return provider.name in self.cheap

    def may_hedge(self, _provider: SearchProvider) -> bool:
        return self.allowed

    def outwaited(self, provider: SearchProvider, _seconds: float) -> None:
        self.outwaited_names.append(provider.name)


CHEAP = Hedges(cheap=("spare",))


async def run(route: Any, *fakes: Fake, hedges: Hedges | None = None) -> list[ProviderAnswer]:
    chain = cast("list[SearchProvider]", list(fakes))

    async def ask(provider: SearchProvider, *, begins: Callable[[], None] = unheard) -> ProviderAnswer:
        fake = cast("Fake", provider)
        if fake.has_room:
            begins()
        return await fake.answer()

    return await ROUTES[route](chain, ask, hedges or Hedges())


@pytest.mark.parametrize("problem", [Unreachable("x"), Blocked("x"), SuspiciousEmpty("x")])
@pytest.mark.parametrize("route", ["first", "hedge", "auto", "fuse"])
async def test_a_failure_a_block_and_an_unbelievable_emptiness_lead_to_the_next(
    route: str, problem: ProviderError
) -> None:
    answers = await run(route, Fake("down", problem), Fake("up"))
    assert [a.provider for a in answers] == ["up"]


@pytest.mark.parametrize("route", ["first", "hedge", "auto", "fuse"])
async def test_nobody_answering_is_no_answer(route: str) -> None:
    assert await run(route, Fake("a", Unreachable("x")), Fake("b", Unreachable("x"))) == []
    assert await run(route) == []


@pytest.mark.parametrize("route", ["first", "hedge", "auto", "fuse"])
async def test_what_ends_a_search_is_raised_itself(route: str) -> None:
    """As where the store fails and nobody wants to go on without it; a group of errors is nothing anybody expects."""
    with pytest.raises(StoreUnavailable):
        await run(route, Fake("up", StoreUnavailable("gone")), Fake("spare", held=anyio.Event()), hedges=CHEAP)


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
        group.start_soon(partial(run, "hedge", slow, spare, hedges=Hedges(allowed=False)))
        await anyio.sleep(0.05)
        assert spare.asked == 0
        held.set()


async def test_time_in_our_own_queue_is_no_slowness() -> None:
    held = anyio.Event()
    queued, spare, hedges = Fake("queued", held=held, has_room=False), Fake("spare"), Hedges()

    async with anyio.create_task_group() as group:
        group.start_soon(partial(run, "hedge", queued, spare, hedges=hedges))
        await anyio.sleep(0.05)
        assert spare.asked == 0
        held.set()
    assert hedges.outwaited_names == []


async def test_a_hedge_that_wins_tells_who_was_outwaited() -> None:
    hedges = Hedges()
    await run("hedge", Fake("slow", held=anyio.Event()), Fake("quick"), hedges=hedges)
    assert hedges.outwaited_names == ["slow"]


@pytest.mark.parametrize(("cheap", "asked"), [((), 0), (("spare",), 1)])
async def test_by_itself_a_second_call_is_made_only_where_it_costs_nothing_or_less(
    cheap: tuple[str, ...], asked: int
) -> None:
    held = anyio.Event()
    slow, spare = Fake("slow", held=held), Fake("spare")
    async with anyio.create_task_group() as group:
        group.start_soon(partial(run, "auto", slow, spare, hedges=Hedges(cheap=cheap)))
        await anyio.sleep(0.05)
        while spare.asked < asked:
            await anyio.lowlevel.checkpoint()
        assert spare.asked == asked
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
