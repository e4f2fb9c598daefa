"""The clock that tests turn by hand."""

import anyio
import pytest

from seekread.ports import Clock
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


async def test_sleeping_turns_the_clock_and_returns_at_once() -> None:
    clock: Clock = FakeClock(now=100)
    await clock.sleep(2.5)
    assert (clock.time(), clock.monotonic()) == (102.5, 102.5)


async def test_it_remembers_what_was_slept() -> None:
    clock = FakeClock()
    await clock.sleep(1)
    await clock.sleep(2)
    assert clock.slept == [1, 2]


async def test_by_hand_sleepers_wake_in_order_and_not_before_their_time() -> None:
    clock = FakeClock(now=0, manual=True)
    woken: list[tuple[float, float]] = []

    async def sleeper(seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((seconds, clock.time()))

    async with anyio.create_task_group() as group:
        for seconds in (3, 1, 2):
            group.start_soon(sleeper, seconds)
        await anyio.wait_all_tasks_blocked()
        await clock.advance(0.5)
        assert not woken
        await clock.advance(2)
        assert woken[:2] == [(1, 1), (2, 2)]
        await clock.advance(1)
    assert woken[2:] == [(3, 3)]
    assert clock.time() == 3.5
