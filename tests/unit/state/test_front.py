from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

from seekread.state import open_store
from seekread.state.front import LARGEST, LruFront
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


async def test_what_was_just_read_is_not_fetched_again_for_a_few_seconds(tmp_path: Path) -> None:
    clock = FakeClock()
    store = open_store(str(tmp_path / "store.db"), clock=clock)
    front = LruFront(store, clock, max_age=5)
    await store.put("page", b"old")
    assert (await front.get("page")) is not None
    await store.put("page", b"new")
    entry = await front.get("page")
    assert entry is not None
    assert entry.value == b"old"
    clock.now += 5
    entry = await front.get("page")
    assert entry is not None
    assert entry.value == b"new"
    await front.close()


async def test_what_this_process_writes_is_seen_at_once() -> None:
    clock = FakeClock()
    front = LruFront(open_store("memory:", clock=clock), clock)
    for value in (b"old", b"new"):
        await front.put("page", value)
        entry = await front.get("page")
        assert entry is not None
        assert entry.value == value
    await front.delete("page")
    assert await front.get("page") is None


async def test_only_the_latest_entries_are_kept_and_no_large_ones() -> None:
    clock = FakeClock()
    store = open_store("memory:", clock=clock)
    front = LruFront(store, clock, max_entries=2)
    await store.put("large", b"x" * (LARGEST + 1))
    for key in ("a", "b", "c"):
        await store.put(key, b"text")
        await front.get(key)
    await front.get("large")
    await store.clear()
    assert [await front.get(key) is not None for key in ("a", "b", "c", "large")] == [False, True, True, False]


class Busy(OrderedDict[Any, Any]):
    """A table out of which another event loop drops everything as soon as somebody has looked."""

    def get(self, key: Any, default: Any = None) -> Any:
        found = super().get(key, default)
        self.clear()
        return found


async def test_what_another_event_loop_drops_meanwhile_is_an_answer_all_the_same() -> None:
    clock = FakeClock()
    front = LruFront(open_store("memory:", clock=clock), clock)
    await front.put("page", b"text")
    await front.get("page")
    front._seen = Busy(front._seen)
    entry = await front.get("page")
    assert entry is not None
    assert entry.value == b"text"
