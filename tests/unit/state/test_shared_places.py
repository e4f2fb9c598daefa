"""Places that all processes share: never more holders than places, and few questions to the store."""

from contextlib import AbstractAsyncContextManager

import anyio
import anyio.lowlevel
import pytest

from seekread.clock import SystemClock
from seekread.ports import Lease
from seekread.state.memory import MemoryStore
from seekread.state.shared_places import SharedPlaces

pytestmark = pytest.mark.anyio

SIZE, VISITS = 8, 40


class CountingStore(MemoryStore):
    """Counts how often a lock is asked for."""

    asked = 0

    def lock(self, key: str, *, lifetime: float, wait: float) -> AbstractAsyncContextManager[Lease | None]:
        self.asked += 1
        return super().lock(key, lifetime=lifetime, wait=wait)


async def most_at_once(*everybody: SharedPlaces, visitors: int) -> int:
    """How many were inside at most, of so many visitors at each door who come again and again."""
    inside = most = 0

    async def visit(places: SharedPlaces) -> None:
        nonlocal inside, most
        for _ in range(VISITS):
            async with places.place("site", SIZE):
                inside += 1
                most = max(most, inside)
                await anyio.lowlevel.checkpoint()
                inside -= 1

    async with anyio.create_task_group() as group:
        for places in everybody:
            for _ in range(visitors):
                group.start_soon(visit, places)
    return most


async def test_the_store_is_asked_for_no_place_that_is_held_here() -> None:
    clock = SystemClock()
    store = CountingStore(clock=clock, max_bytes=0)
    assert await most_at_once(SharedPlaces(store, clock), visitors=SIZE) == SIZE
    assert store.asked == SIZE * VISITS


async def test_two_processes_find_the_places_they_gave_back() -> None:
    """Together they hold no more than there are, and neither looks through those of the other each time."""
    clock = SystemClock()
    store = CountingStore(clock=clock, max_bytes=0)
    everybody = [SharedPlaces(store, clock) for _ in range(2)]
    assert await most_at_once(*everybody, visitors=SIZE // 2) == SIZE
    assert store.asked < 2 * SIZE * VISITS


async def test_more_visitors_than_places_wait() -> None:
    clock = SystemClock()
    places = SharedPlaces(MemoryStore(clock=clock, max_bytes=0), clock)
    assert await most_at_once(places, visitors=2 * SIZE) == SIZE
    assert not places._names
