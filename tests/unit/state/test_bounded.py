"""Waiting for a store: what ends at once needs no clock, what waits is ended, and nothing is left behind."""

import asyncio

import pytest

from seekread.calling.deadline import Deadline, OutOfTime
from seekread.clock import SystemClock
from seekread.ports import StoreUnavailable
from seekread.state.bounded import Begun, bounded

pytestmark = pytest.mark.anyio


async def seven() -> int:
    return 7


def test_what_has_nothing_to_wait_for_needs_not_even_an_event_loop() -> None:
    with pytest.raises(StopIteration) as end:
        bounded(seven(), 1).send(None)
    assert end.value.value == 7


async def test_what_waits_gives_its_result_or_its_failure() -> None:
    async def later(fails: bool) -> int:
        for _ in range(3):
            await asyncio.sleep(0)
        if fails:
            raise LookupError
        return await seven()

    assert await bounded(later(fails=False), 1) == 7
    with pytest.raises(LookupError):
        await bounded(later(fails=True), 1)


async def test_what_waits_for_too_long_is_ended() -> None:
    ended = []

    async def endless() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    with pytest.raises(StoreUnavailable, match="did not answer"):
        await bounded(endless(), 0.02)
    with pytest.raises(OutOfTime):
        await Deadline.after(SystemClock(), 0.02).keeps(endless())
    assert ended == [True, True]


async def test_a_caller_who_is_cancelled_cancels_what_it_waits_for_and_is_told_last() -> None:
    heard = []

    async def cleaning() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            heard.append("cancelled")
            raise

    async def caller() -> None:
        await Begun(cleaning())

    task = asyncio.create_task(caller())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert heard == ["cancelled"]
