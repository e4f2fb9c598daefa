"""The store in memory: a process that runs for months forgets by the way what nobody can ask for any more."""

import pytest

from seekread.ports import Limit, Want
from seekread.state.memory import MemoryStore
from seekread.state.rules import HOLD_SECONDS
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


async def test_what_is_over_is_forgotten_though_nobody_asks_for_it_again() -> None:
    clock = FakeClock()
    store = MemoryStore(clock=clock, max_bytes=1000)
    for number in range(100):
        await store.put(f"pause/{number}", b"", lifetime=5)
        await store.reserve(Want(f"pace/{number}", 1, Limit(1, seconds=1)))
        await store.reserve(Want(f"session/{number}", 1, Limit(1, keep=60)))
        await store.lock(f"flight/{number}", lifetime=30, wait=0).__aenter__()
    await store.put("kept", b"text")
    await store.reserve(Want("plan", 1, Limit(10)))
    clock.now += HOLD_SECONDS + 1
    await store.reserve(Want("plan", 1, Limit(10)))
    assert [*store._entries] == ["kept"]
    assert [*store._counts] == ["plan"]
    assert len(store._counts["plan"].holds) == 1
    assert not store._hits
    assert not store._locks
