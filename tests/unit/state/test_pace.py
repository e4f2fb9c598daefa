"""A rate or a delay between requests, kept by everyone who shares the store."""

import asyncio
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, repeat
from pathlib import Path

import anyio
import pytest

from seekread.errors import RateLimited
from seekread.ports import Reservation, Want
from seekread.state import open_store
from seekread.state.memory import MemoryStore
from seekread.state.pace import HEARD, Pace
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def pace(clock: FakeClock) -> Pace:
    return Pace(open_store("memory:", clock=clock), clock)


async def test_requests_are_spread_evenly(pace: Pace, clock: FakeClock) -> None:
    start = clock.now
    times = []
    for _ in range(5):
        await pace.wait("brave", 4, seconds=10)
        times.append(clock.now - start)
    assert times == pytest.approx([0, 0.25, 0.5, 0.75, 1.0])


async def test_waiting_says_how_long_it_took(pace: Pace) -> None:
    assert await pace.wait("brave", 1, seconds=10) == 0
    assert await pace.wait("brave", 1, seconds=10) == pytest.approx(1)


@pytest.mark.proves("S3-27")
async def test_a_delay_is_kept_beside_the_rate(pace: Pace, clock: FakeClock) -> None:
    """A configurable delay between requests to DuckDuckGo."""
    start = clock.now
    for _ in range(3):
        await pace.wait("duckduckgo", seconds=10, delay=2)
    assert clock.now - start == pytest.approx(4)
    assert await pace.wait("duckduckgo", 100, seconds=10, delay=2) == pytest.approx(2)


async def test_without_a_rate_nobody_waits(pace: Pace, clock: FakeClock) -> None:
    assert [await pace.wait("any", seconds=1), await pace.wait("any", 0, seconds=1)] == [0, 0]
    assert clock.slept == []


async def test_names_do_not_wait_for_each_other(pace: Pace) -> None:
    assert await pace.wait("brave", 1, seconds=10) == 0
    assert await pace.wait("tavily", 1, seconds=10) == 0


async def test_a_slot_after_the_deadline_is_an_error_at_once(pace: Pace, clock: FakeClock) -> None:
    await pace.wait("brave", 0.1, seconds=1)
    with pytest.raises(RateLimited, match=r"one request every 10 s; the next free slot is in 10\.0 s") as caught:
        await pace.wait("brave", 0.1, seconds=5)
    assert caught.value.retry_after == pytest.approx(10)
    assert clock.slept == []


async def test_who_comes_first_goes_first() -> None:
    clock = FakeClock(manual=True)
    pace = Pace(open_store("memory:", clock=clock), clock)
    order: list[int] = []

    async def go(number: int) -> None:
        await pace.wait("brave", 1, seconds=60)
        order.append(number)

    async with anyio.create_task_group() as group:
        for number in range(5):
            group.start_soon(go, number)
            await anyio.wait_all_tasks_blocked()
        assert order == [0]
        await clock.advance(4)
    assert order == [0, 1, 2, 3, 4]


async def test_a_caller_who_gives_up_gives_its_slot_back() -> None:
    clock = FakeClock(manual=True)
    pace = Pace(open_store("memory:", clock=clock), clock)
    await pace.wait("brave", 1, seconds=60)
    waiting = asyncio.create_task(pace.wait("brave", 1, seconds=60))
    await anyio.wait_all_tasks_blocked()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    with pytest.raises(RateLimited) as caught:
        await pace.wait("brave", 1, seconds=0.5)
    assert caught.value.retry_after == pytest.approx(1)


async def test_a_service_that_asks_for_a_pause_gets_it_from_everybody(clock: FakeClock) -> None:
    store = open_store("memory:", clock=clock)
    await Pace(store, clock).pause("brave", 30)
    other = Pace(store, clock)
    with pytest.raises(RateLimited, match=r"a pause that lasts another 30\.0 s") as caught:
        await other.wait("brave", seconds=10)
    assert caught.value.retry_after == pytest.approx(30)
    assert await other.wait("tavily", seconds=10) == 0
    assert await other.wait("brave", 1, seconds=40) == pytest.approx(30)
    assert await other.wait("brave", 1, seconds=40) == pytest.approx(1)


async def test_a_pause_that_another_process_was_asked_for_is_heard_of_in_a_moment(clock: FakeClock) -> None:
    store = open_store("memory:", clock=clock)
    asked, other = Pace(store, clock), Pace(store, clock)
    assert await other.wait("brave", seconds=10) == 0
    await asked.pause("brave", 30)
    with pytest.raises(RateLimited):
        await asked.wait("brave", seconds=10)
    clock.now += 2 * HEARD
    with pytest.raises(RateLimited):
        await other.wait("brave", seconds=10)


async def test_where_slots_are_kept_a_pause_is_heard_of_at_once(clock: FakeClock) -> None:
    store = open_store("memory:", clock=clock)
    asked, other = Pace(store, clock), Pace(store, clock)
    assert await other.wait("site", seconds=10) == 0
    await asked.pause("site", 30)
    assert await other.is_paused("site")
    with pytest.raises(RateLimited):
        await other.wait("site", seconds=10, delay=0.1)


class OversleepingClock(FakeClock):
    """A clock whose next sleep takes longer than asked for, as when a process was stopped."""

    too_long = 0.0

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds + self.too_long)
        self.too_long = 0.0


async def test_who_wakes_too_late_books_again() -> None:
    """A slot that was slept through is over: the next caller must not find the present one free."""
    clock = OversleepingClock()
    pace = Pace(open_store("memory:", clock=clock), clock)
    start, times = clock.now, list[float]()
    for too_long in (0.0, 10.0, 0.0):
        clock.too_long = too_long
        await pace.wait("brave", 1, seconds=60)
        times.append(clock.now - start)
    assert times == pytest.approx([0, 11, 12])


async def test_who_wakes_a_little_late_goes_on() -> None:
    clock = OversleepingClock()
    pace = Pace(open_store("memory:", clock=clock), clock)
    await pace.wait("brave", 100, seconds=60)
    clock.too_long = 0.03
    assert await pace.wait("brave", 100, seconds=60) == pytest.approx(0.04, abs=0.001)


@dataclass
class LateClock(FakeClock):
    """A clock that wakes its sleepers late, as a busy machine does: the given seconds, one after the other."""

    late: Iterator[float] = field(default_factory=lambda: repeat(0.0))

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds + next(self.late))


class SlowStore(MemoryStore):
    """A store whose answers take as long as the clock is late."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock=clock, max_bytes=0)
        self._slow = clock

    async def reserve(self, *wants: Want, ahead: float = 0.0) -> Reservation:
        answer = await super().reserve(*wants, ahead=ahead)
        await self._slow.sleep(0)
        return answer


async def departures(paces: list[Pace], clock: FakeClock, per_second: float) -> list[float]:
    """When each of 120 callers, spread over some processes, is let go."""
    times: list[float] = []

    async def go(pace: Pace) -> None:
        await pace.wait("brave", per_second, seconds=250)
        times.append(clock.now)

    async with anyio.create_task_group() as group:
        for number in range(120):
            group.start_soon(go, paces[number % len(paces)])
        while len(times) < 120:
            await anyio.wait_all_tasks_blocked()
            await clock.advance(1)
    return sorted(times)


def most_in_a_second(times: list[float]) -> int:
    return max(sum(start <= moment < start + 1 - 1e-6 for moment in times) for start in times)


@pytest.mark.parametrize("per_second", [3, 10, 16.5, 40, 100])
@pytest.mark.parametrize("latest", [0.04, 0.2, 3.0])
@pytest.mark.parametrize("slow", [False, True], ids=["late timers", "and a slow store"])
async def test_late_wake_ups_never_bunch(per_second: float, latest: float, *, slow: bool) -> None:
    """On a busy machine 12 went in a second at a limit of 10: never more than the limit and one."""
    chance = random.Random(f"{per_second} {latest}")
    clock = LateClock(manual=True, late=(chance.uniform(0, latest) for _ in count()))
    pace = Pace(SlowStore(clock) if slow else open_store("memory:", clock=clock), clock)
    assert most_in_a_second(await departures([pace], clock, per_second)) <= math.ceil(per_second) + 1


@pytest.mark.parametrize("per_second", [3, 10, 16.5, 40, 100])
async def test_processes_that_are_late_now_and_then_do_not_bunch_together(per_second: float) -> None:
    chance = random.Random(f"{per_second}")
    clock = LateClock(manual=True, late=(chance.choice([0, 0.01, 0.02, 0.04, 0.5]) for _ in count()))
    store = SlowStore(clock)
    times = await departures([Pace(store, clock) for _ in range(4)], clock, per_second)
    assert most_in_a_second(times) <= math.ceil(per_second) + 1


async def test_a_machine_that_is_always_late_lets_everybody_go_in_the_end() -> None:
    clock = LateClock(manual=True, late=repeat(0.5))
    pace = Pace(open_store("memory:", clock=clock), clock)
    assert len(await departures([pace], clock, 10)) == 120


async def test_when_the_store_fails_the_process_keeps_the_pace_alone(tmp_path: Path, clock: FakeClock) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    pace = Pace(open_store(str(blocked / "store.db"), clock=clock), clock)
    start = clock.now
    for _ in range(3):
        await pace.wait("brave", 1, seconds=10)
    assert clock.now - start == pytest.approx(2)
