"""
Waiting for a store, but not for ever.

A caller that stops waiting is cancelled out of the operation at once; what the operation had taken, the store gives
back by itself. Only time counts in which the event loop was there to hear an answer: when it is busy with two hundred
other searches, the store is not slow.
"""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from seekread.ports import StoreUnavailable

T = TypeVar("T")

TICKS = 20
"""Parts a time is waited in; of a long standstill of the event loop, one part is counted."""


async def bounded(operation: Awaitable[T], seconds: float) -> T:
    """The result of a store's operation; `StoreUnavailable` if there is none after so many seconds."""
    try:
        return await patiently(operation, seconds)
    except TimeoutError as error:
        raise StoreUnavailable(f"the store did not answer within {seconds:.3g} s") from error


async def patiently(operation: Awaitable[T], seconds: float) -> T:
    """The same with a `TimeoutError`."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(None) as limit:
        timers: list[asyncio.TimerHandle] = []

        def tick() -> None:
            if len(timers) == TICKS:
                limit.reschedule(loop.time())
            else:
                timers.append(loop.call_later(seconds / TICKS, tick))

        tick()
        try:
            return await operation
        finally:
            timers[-1].cancel()
