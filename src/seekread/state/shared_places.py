"""
Places that processes and machines share: so many holders of one name at once, wherever they run.

A place is a lock of the store with a short lease, renewed for as long as its holder lives: whoever is killed gives its
places back a few seconds later. When the store fails, everybody keeps to their own limits.
"""

import logging
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import field

from seekread.late import dataclass
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
        self._names: defaultdict[str, _Places] = defaultdict(_Places)

    @asynccontextmanager
    async def place(self, name: str, size: int) -> AsyncIterator[None]:
        """Wait for one of `size` places, and hold it."""
        with self._using(name) as places:
            async with AsyncExitStack() as held:
                lease = await self._wait(name, size, places, held)
                with self._pulse.holding(self._store, lease, HELD_SECONDS):
                    yield

    @contextmanager
    def _using(self, name: str) -> Iterator["_Places"]:
        """What is known of the places of a name, for as long as anybody here holds one or waits for one."""
        places = self._names[name]
        places.users += 1
        try:
            yield places
        finally:
            places.users -= 1
            if not places.users:
                del self._names[name]

    async def _wait(self, name: str, size: int, places: "_Places", held: AsyncExitStack) -> Lease | None:
        pause, patience = FIRST_LOOK, self._clock.monotonic() + PATIENCE
        while not self._outage.lasts():
            try:
                if lease := await self._look(name, size, places, held):
                    self._outage.worked()
                    return lease
                patience = self._clock.monotonic() + PATIENCE
            except StoreUnavailable as error:
                if self._clock.monotonic() > patience:
                    self._outage.failed(error)
            await self._clock.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(LONGEST_LOOK, pause * 2)
        return None

    async def _look(self, name: str, size: int, places: "_Places", held: AsyncExitStack) -> Lease | None:
        """A place that is free, if one is."""
        for number in places.to_ask_for(size):
            async with AsyncExitStack() as place:
                place.callback(places.taken.discard, number)
                places.taken.add(number)
                lock = self._store.lock(f"place/{name}/{number}", lifetime=HELD_SECONDS, wait=0)
                if lease := await place.enter_async_context(lock):
                    place.callback(places.give_back, number)
                    held.push_async_exit(place.pop_all())
                    return lease
        return None


@dataclass
class _Places:
    """What a process knows of the places of one name without asking the store."""

    users: int = 0
    taken: set[int] = field(default_factory=set)
    """Those that somebody here holds, or asks for."""
    freed: int = 0
    """The last that was given back here: nobody has asked for it since, as a rule."""

    def give_back(self, number: int) -> None:
        """Take note of a place that is free from now on."""
        self.freed = number

    def to_ask_for(self, size: int) -> Iterator[int]:
        """The places that may be free, the likeliest first."""
        for step in range(size):
            number = (self.freed + step) % size
            if number not in self.taken:
                yield number
