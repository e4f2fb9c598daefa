"""
Waiting for a store, but not for ever.

A caller that stops waiting is cancelled out of the operation at once; what the operation had taken, the store gives
back by itself. Only time counts in which the event loop was there to hear an answer: when it is busy with two hundred
other searches, the store is not slow. What has nothing to wait for, as most has in memory and in a file, gets no clock.
"""

import asyncio
from collections.abc import Awaitable, Generator
from dataclasses import field
from typing import Any, Generic, TypeVar, cast

from seekread.late import dataclass
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
    begun = Begun(operation)
    if begun.over:
        return begun.result
    async with asyncio.timeout(None) as limit:
        ticking = Ticking(asyncio.get_running_loop(), limit, seconds / TICKS)
        try:
            return await begun
        finally:
            ticking.timer.cancel()


class Begun(Generic[T]):
    """An operation that was taken as far as it goes without waiting. Where it is not `over`, the rest is awaited."""

    result: T

    def __init__(self, operation: Awaitable[T]) -> None:
        self.over = False
        self._steps = operation.__await__()
        try:
            self._waits_for = next(self._steps)
        except StopIteration as end:
            self.over, self.result = True, end.value

    def __await__(self) -> Generator[Any, Any, T]:
        """Hand on what it waits for, and what comes of that."""
        waits_for = self._waits_for
        while True:
            try:
                try:
                    heard = yield waits_for
                except BaseException as error:  # noqa: BLE001 - it is meant for the operation
                    waits_for = self._steps.throw(error)
                else:
                    waits_for = self._steps.send(heard)
            except StopIteration as end:
                return cast("T", end.value)


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
