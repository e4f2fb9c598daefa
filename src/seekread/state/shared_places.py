"""
Places that processes and machines share: so many holders of one name at once, wherever they run.

A place is a lock of the store with a short lease, renewed for as long as its holder lives: whoever is killed gives its
places back a few seconds later. When the store fails, everybody keeps to their own limits.
"""

import logging
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from seekread.ports import Clock, Lease, Store, StoreUnavailable
from seekread.state.outage import Outage
from seekread.state.pulse import Pulse

log = logging.getLogger("seekread.state")

HELD_SECONDS, RENEWED_SECONDS = 3.0, 0.75
"""Seconds a place outlives its holder, and seconds between two signs of life."""
PATIENCE = 5.0
"""Seconds a store may fail, as one does that many begin to use at once, before its places are done without."""
FIRST_LOOK, LONGEST_LOOK = 0.01, 0.25
"""Seconds between two looks for a free place."""


class SharedPlaces:
    """Hands out places by name."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._pulse = Pulse(RENEWED_SECONDS)
        self._outage = Outage(clock, "the shared places")

    @asynccontextmanager
    async def place(self, name: str, size: int) -> AsyncIterator[None]:
        """Wait for one of `size` places, and hold it."""
        async with AsyncExitStack() as held:
            lease = await self._wait(name, size, held)
            with self._pulse.holding(self._store, lease, HELD_SECONDS):
                yield

    async def _wait(self, name: str, size: int, held: AsyncExitStack) -> Lease | None:
        pause, patience = FIRST_LOOK, self._clock.monotonic() + PATIENCE
        while not self._outage.lasts():
            try:
                if lease := await self._look(name, size, held):
                    self._outage.worked()
                    return lease
                patience = self._clock.monotonic() + PATIENCE
            except StoreUnavailable as error:
                if self._clock.monotonic() > patience:
                    self._outage.failed(error)
            await self._clock.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(LONGEST_LOOK, pause * 2)
        return None

    async def _look(self, name: str, size: int, held: AsyncExitStack) -> Lease | None:
        """The first place that is free, if one is."""
        for number in range(size):
            lock = self._store.lock(f"place/{name}/{number}", lifetime=HELD_SECONDS, wait=0)
            if lease := await lock.__aenter__():
                held.push_async_exit(lock)
                return lease
            await lock.__aexit__(None, None, None)
        return None
