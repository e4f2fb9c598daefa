"""Waiting for a lock, the same way on every backend."""

import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio

from seekread.ports import Clock, Lease, StoreUnavailable
from seekread.state.bounded import Begun

log = logging.getLogger("seekread.state")

FIRST_PAUSE, LONGEST_PAUSE = 0.005, 0.1
"""Seconds between two tries; a lock is held for the time of a call, so looking ten times a second is enough."""


@asynccontextmanager
async def held(
    clock: Clock,
    wait: float,
    acquire: Callable[[], Awaitable[Lease | None]],
    release: Callable[[Lease], Awaitable[None]],
) -> AsyncIterator[Lease | None]:
    """Try until the lock is free or the time is over; give it back at the end, even when cancelled."""
    lease = await _wait(clock, wait, acquire)
    try:
        yield lease
    finally:
        if lease is not None:
            try:
                begun = Begun(release(lease))
                if not begun.over:
                    with anyio.CancelScope(shield=True):
                        await begun
            except StoreUnavailable as error:
                # The lock ends with its lifetime, and the work it protected is done. What is wrong, the store has told.
                log.debug("a lock was not given back: %s", error)


async def _wait(clock: Clock, wait: float, acquire: Callable[[], Awaitable[Lease | None]]) -> Lease | None:
    deadline = clock.monotonic() + wait
    pause = FIRST_PAUSE
    while (lease := await acquire()) is None:
        left = deadline - clock.monotonic()
        if left <= 0:
            return None
        await clock.sleep(min(left, pause * random.uniform(0.5, 1.0)))
        pause = min(LONGEST_PAUSE, pause * 2)
    return lease
