"""
Waiting for a store, but not for ever.

A caller that stops waiting is cancelled out of the operation at once; what the operation had taken, the store gives
back by itself. Only time counts in which the event loop was there to hear an answer: when it is busy with two hundred
other searches, the store is not slow.
"""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
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
    async with asyncio.timeout(None) as limit:
        ticking = Ticking(asyncio.get_running_loop(), limit, seconds / TICKS)
        try:
            return await operation
        finally:
            ticking.timer.cancel()


@dataclass
class Ticking:
    """Ends a time when as many parts of it have passed as there are."""

    loop: asyncio.AbstractEventLoop
    limit: asyncio.Timeout
    part: float
    passed: int = -1
    timer: asyncio.TimerHandle = field(init=False)

    def __post_init__(self) -> None:
        self.tick()

    def tick(self) -> None:
        self.passed += 1
        if self.passed == TICKS:
            self.limit.reschedule(self.loop.time())
        else:
            self.timer = self.loop.call_later(self.part, self.tick)
