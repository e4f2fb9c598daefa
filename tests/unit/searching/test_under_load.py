"""
Many searches at once: no answer of a healthy provider is lost, and nobody is blamed for what we did ourselves.

The same as cases of `benchmarks/faults`, without a clock on the wall: a call takes until the test turns the clock.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
import pytest

from seekread import AllFailed, Seekread
from seekread.errors import BadReply, ProviderError, RateLimited, Unreachable
from seekread.models import RouteName
from seekread.provider import Job, Query, SearchResult
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

ROUTES: tuple[RouteName, ...] = ("first", "hedge", "fuse")


@dataclass
class Tide:
    """Seconds that pass when a test says so; every call under way takes until the next."""

    clock: FakeClock = field(default_factory=FakeClock)
    _next: anyio.Event = field(default_factory=anyio.Event)

    async def second(self) -> None:
        await self._next.wait()

    async def turn(self) -> None:
        """Let everybody come as far as they can, then let a second pass."""
        await anyio.wait_all_tasks_blocked()
        self.clock.now += 1
        over, self._next = self._next, anyio.Event()
        over.set()


async def at_once() -> None:
    """An answer without delay."""


@dataclass
class Engine:
    """A provider that takes as long as it is told, and goes wrong as its script says."""

    name: str
    answering: Callable[[], Awaitable[None]] = at_once
    script: Iterator[ProviderError | None] = field(default_factory=lambda: iter(()))
    asked: int = 0

    def search(self, query: Query) -> Job[list[SearchResult]]:
        async def run() -> list[SearchResult]:
            self.asked += 1
            await self.answering()
            if problem := next(self.script, None):
                raise problem
            return [SearchResult(title=query.text, url=f"https://{self.name}.org/")]

        return Job(run)


def web(clock: FakeClock, *engines: Engine, **settings: Any) -> Seekread:
    made = Seekread(settings={"cache": False, "store": "memory:", **settings}, clock=clock)
    for engine in engines:
        made.register(engine)
    return made


@dataclass
class Callers:
    """Many who search at once, and what became of them."""

    made: Seekread
    answered: int = 0
    failed: int = 0

    async def search(self, number: int) -> None:
        try:
            await self.made.search(f"question {number}")
            self.answered += 1
        except AllFailed:
            self.failed += 1

    async def all_at_once(self, count: int, tide: Tide) -> None:
        async with anyio.create_task_group() as group:
            for number in range(count):
                group.start_soon(self.search, number)
            while self.answered + self.failed < count:
                await tide.turn()


async def counted(made: Seekread) -> dict[str, float]:
    """The calls the ledger knows of."""
    return {usage.provider: usage.calls for usage in await made._parts.ledger.usage()}


@pytest.mark.parametrize("route", ROUTES)
async def test_two_hundred_searches_at_once_are_all_answered_by_two_healthy_providers(route: RouteName) -> None:
    """L1: each call takes a second, each search has twenty."""
    tide = Tide()
    engines = Engine("one", tide.second), Engine("two", tide.second)
    async with web(tide.clock, *engines, route=route) as made:
        callers = Callers(made)
        await callers.all_at_once(200, tide)
    assert callers.failed == 0


@pytest.mark.parametrize("route", ["first", "fuse"])
async def test_a_full_room_sends_the_search_to_the_next_provider_at_once(route: RouteName) -> None:
    """L1: the first is not waited for by those it has no room for."""
    tide = Tide()
    slow, quick = Engine("slow", tide.second), Engine("quick")
    async with web(tide.clock, slow, quick, route=route) as made, anyio.create_task_group() as group:
        callers = Callers(made)
        for number in range(150):
            group.start_soon(callers.search, number)
        await anyio.wait_all_tasks_blocked()
        answered_meanwhile, under_way = callers.answered, slow.asked
        group.cancel_scope.cancel()
    assert answered_meanwhile == 150 - under_way > 0


@pytest.mark.parametrize("route", ["first", "auto", "hedge"])
async def test_who_only_had_no_room_comes_first_when_the_next_has_failed(route: RouteName) -> None:
    """Two that hang used up the time of searches that the first, which had room again by then, would have answered."""
    tide = Tide()
    busy = Engine("busy", tide.second)
    ill = Engine("ill", tide.second, script=iter([Unreachable("gone")]))
    other = Engine("other", tide.second)
    async with web(tide.clock, busy, ill, other, route=route, at_once=1) as made, anyio.create_task_group() as group:
        callers = Callers(made)
        for number in range(2):
            group.start_soon(callers.search, number)
            await anyio.wait_all_tasks_blocked()
        for _ in range(3):
            await tide.turn()
    assert (callers.answered, busy.asked, ill.asked, other.asked) == (2, 2, 1, 0)


@pytest.mark.parametrize("route", ["first", "auto", "hedge"])
async def test_where_every_room_is_full_the_shortest_queue_is_joined(route: RouteName) -> None:
    """All used to queue at the last, and the places of the others stood empty between two searches."""
    tide = Tide()
    engines = Engine("one", tide.second), Engine("two", tide.second)
    async with web(tide.clock, *engines, route=route, at_once=1) as made:
        callers = Callers(made)
        await callers.all_at_once(6, tide)
    assert (callers.answered, [engine.asked for engine in engines]) == (6, [3, 3])


@pytest.mark.parametrize("route", ["first", "auto", "hedge"])
async def test_two_who_hang_leave_time_for_a_third_who_answers(route: RouteName) -> None:
    engines = Engine("one", anyio.sleep_forever), Engine("two", anyio.sleep_forever), Engine("three")
    async with Seekread(settings={"cache": False, "store": "memory:", "route": route, "search_seconds": 4}) as made:
        for engine in engines:
            made.register(engine)
        assert (await made.search("tea")).provider == "three"


@pytest.mark.parametrize("route", ["first", "auto", "hedge"])
async def test_the_last_two_who_hang_leave_time_for_those_who_only_pause(route: RouteName) -> None:
    """Three asked for a pause of a second, and the time was spent on the fourth and on the first once more."""
    pauses = [Engine(name, script=iter([RateLimited("slow down", retry_after=1)])) for name in ("one", "two")]
    hangs = Engine("three", anyio.sleep_forever)

    async def once_more() -> None:
        if pauses[0].asked > 1:
            await anyio.sleep_forever()

    pauses[0].answering = once_more
    settings = {"cache": False, "store": "memory:", "route": route, "search_seconds": 6, "attempt_seconds": 5}
    async with Seekread(settings=settings) as made:
        for engine in (*pauses, hangs):
            made.register(engine)
        assert (await made.search("tea")).provider == "two"


@pytest.mark.parametrize("route", ["first", "hedge"])
async def test_a_provider_with_room_leaves_nothing_to_the_next(route: RouteName) -> None:
    """L1, the other way round: nobody is passed over who answers at once."""
    tide = Tide()
    quick, slow = Engine("quick"), Engine("slow", tide.second)
    async with web(tide.clock, quick, slow, route=route) as made:
        callers = Callers(made)
        await callers.all_at_once(60, tide)
    assert (callers.answered, slow.asked) == (60, 0)


@pytest.mark.parametrize("route", ROUTES)
async def test_a_deadline_that_passes_in_our_queue_is_neither_blamed_nor_charged(route: RouteName) -> None:
    """L2: more searches than can be served in their three seconds, and then one that can."""
    tide = Tide()
    sole = Engine("sole", tide.second)
    async with web(tide.clock, sole, route=route, search_seconds=3) as made:
        callers = Callers(made)
        await callers.all_at_once(500, tide)
        sole.answering = at_once
        assert (await made.search("afterwards")).provider == "sole"
        assert callers.failed > 0
        assert await counted(made) == {"sole": sole.asked}


async def test_a_pause_leaves_no_probe_behind_that_one_bad_reply_could_fail() -> None:
    """L4: after the pause a bad reply is one bad reply."""
    clock = FakeClock()
    script = [*[None] * 10, RateLimited("slow down", retry_after=1), BadReply("a web page")]
    sole = Engine("sole", script=iter(script))
    async with web(clock, sole) as made:
        for number in range(10):
            await made.search(f"good {number}")
        callers = Callers(made)
        while sole.asked < len(script):
            await callers.search(sole.asked)
            clock.now += 1.1
        assert (await made.search("afterwards")).provider == "sole"


async def test_a_pause_of_the_only_provider_is_waited_for_when_it_fits_into_the_time_left() -> None:
    """L4"""
    clock = FakeClock()
    sole = Engine("sole", script=iter([RateLimited("slow down", retry_after=1)]))
    async with web(clock, sole) as made:
        before = clock.now
        response = await made.search("tea")
    assert [attempt.outcome for attempt in response.attempts] == ["rate_limited", "ok"]
    assert 1 <= clock.now - before < 20


async def test_a_pause_that_does_not_fit_into_the_time_left_is_not_waited_for() -> None:
    """L4"""
    clock = FakeClock()
    sole = Engine("sole", script=iter([RateLimited("slow down", retry_after=60)]))
    async with web(clock, sole) as made:
        with pytest.raises(AllFailed, match="slow down"):
            await made.search("tea")
    assert sum(clock.slept) < 20


async def test_a_pause_is_waited_for_when_everybody_else_has_failed() -> None:
    """L4: the first is asked again after its pause, the second is not."""
    clock = FakeClock()
    first = Engine("first", script=iter([RateLimited("slow down", retry_after=1)]))
    second = Engine("second", script=iter([BadReply("a web page")] * 9))
    async with web(clock, first, second) as made:
        response = await made.search("tea")
    assert response.provider == "first"
    assert second.asked == 1


async def test_five_quick_failures_do_not_silence_the_only_provider() -> None:
    """L4: it is probed every second while nobody else could answer."""
    clock = FakeClock()
    sole = Engine("sole", script=iter([Unreachable("status 500")] * 5))
    async with web(clock, sole) as made:
        callers = Callers(made)
        for number in range(5):
            await callers.search(number)
        clock.now += 1
        assert (await made.search("afterwards")).provider == "sole"


async def test_callers_who_give_up_say_nothing_about_the_provider() -> None:
    """L5: it is usually quick, and now somewhat slower than twenty callers are patient."""
    clock = FakeClock()

    async def quick() -> None:
        clock.now += 0.03

    async def slower(scope: anyio.CancelScope) -> None:
        clock.now += 0.2
        scope.cancel()
        await anyio.sleep_forever()

    sole = Engine("sole", quick)
    async with web(clock, sole) as made:
        for number in range(12):
            await made.search(f"quick {number}")
        for number in range(20):
            with anyio.CancelScope() as scope:
                sole.answering = partial(slower, scope)
                await made.search(f"impatient {number}")
        sole.answering = at_once
        assert (await made.search("patient")).provider == "sole"


async def test_waiting_in_our_own_queue_starts_no_second_call() -> None:
    """L10: a provider is slow when it is slow to answer, not when we are slow to ask it."""
    tide = Tide()

    async def five_seconds() -> None:
        tide.clock.now += 5

    engines = Engine("one", five_seconds), Engine("two", five_seconds)
    async with web(tide.clock, *engines, route="hedge", search_seconds=1000) as made:
        for number in range(20):
            await made.search(f"pace {number}", provider=engines[number % 2].name)
        for engine in engines:
            engine.asked, engine.answering = 0, tide.second
        callers = Callers(made)
        await callers.all_at_once(400, tide)
    assert callers.failed == 0
    assert sum(engine.asked for engine in engines) <= 1.05 * 400


async def test_who_only_had_no_room_is_asked_before_the_last_one_is_asked_again() -> None:
    """The last one fails for this question; time and money go to the one that was full a moment ago."""
    tide = Tide()
    full, last = Engine("full", tide.second), Engine("last", script=iter([Unreachable("x")] * 9))
    async with web(tide.clock, full, last, at_once=1) as made, anyio.create_task_group() as group:
        callers = Callers(made)
        group.start_soon(callers.search, 1)
        await anyio.wait_all_tasks_blocked()
        group.start_soon(callers.search, 2)
        await tide.turn()
        await tide.turn()
    assert (callers.answered, full.asked, last.asked) == (2, 2, 1)
