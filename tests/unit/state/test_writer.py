"""Writing to the SQLite file: on the event loop where nothing is in the way, bounded in a thread where something is."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import anyio
import pytest

from seekread.clock import SystemClock
from seekread.ports import Limit, Reservation, StoreUnavailable, Want
from seekread.state.bounded import bounded
from seekread.state.sqlite import SqliteStore
from seekread.state.writer import MOST_LASTING, SLOW
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

ONE = Want("plan", 1, Limit(1e9))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
async def store(path: Path, clock: FakeClock) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path, clock=clock, max_bytes=1_000_000, busy_seconds=0.05)
    await store.size()
    yield store
    await store.close()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process writes, and does not come to an end."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.execute("ROLLBACK")
    other.close()


def statements(store: SqliteStore) -> list[tuple[str, bool]]:
    """What the store says to SQLite from now on, and whether it says so on the event loop."""
    said: list[tuple[str, bool]] = []
    here = threading.get_ident()
    assert store._writer.opened is not None
    store._writer.opened.writer.set_trace_callback(
        lambda statement: said.append((statement.split()[0], threading.get_ident() == here))
    )
    return said


async def test_a_search_writes_on_the_event_loop_in_three_transactions(store: SqliteStore) -> None:
    """They were five, each through a thread."""
    said = statements(store)
    async with store.lock("flight", lifetime=1, wait=0):
        taken = await store.reserve(ONE)
        await store.settle(taken, 1)
        await store.put("page", b"text")
    store._writer._flush()
    assert [where for statement, where in said if statement == "COMMIT"] == [True] * 3
    assert all(where for _, where in said)


async def test_what_was_put_is_there_before_it_is_written(store: SqliteStore, clock: FakeClock) -> None:
    said = statements(store)
    await store.put("page", b"text", lifetime=60)
    entry = await store.get("page")
    assert entry is not None
    assert (entry.value, said) == (b"text", [])
    clock.now += 61
    assert await store.get("page") is None
    await store.delete("page")
    assert await store.get("page") is None


async def test_nobody_waits_on_the_event_loop_while_another_process_writes(store: SqliteStore, path: Path) -> None:
    said = statements(store)
    patient = SqliteStore(path, clock=SystemClock(), max_bytes=1_000_000, busy_seconds=30)
    with locked(path):
        task = asyncio.create_task(patient.reserve(ONE))
        for _ in range(100):
            await asyncio.sleep(0)
        assert not task.done()
    assert (await task).granted
    assert said == []
    await patient.close()


async def test_twenty_callers_on_a_locked_file_wait_at_the_same_time(path: Path) -> None:
    """One after the other they took 46 s."""
    store = SqliteStore(path, clock=SystemClock(), max_bytes=1_000_000, busy_seconds=2)
    await store.size()
    with locked(path), anyio.fail_after(15):
        answers = await asyncio.gather(*(store.reserve(ONE) for _ in range(20)), return_exceptions=True)
    assert {type(answer) for answer in answers} == {StoreUnavailable}
    await store.close()


async def test_a_store_that_failed_refuses_at_once_and_is_tried_again_after_a_while(
    store: SqliteStore, path: Path, clock: FakeClock
) -> None:
    with locked(path):
        with pytest.raises(StoreUnavailable, match="locked"):
            await store.reserve(ONE)
        for operation in (store.reserve(ONE), store.counters(""), store.lock("a", lifetime=1, wait=9).__aenter__()):
            with pytest.raises(StoreUnavailable, match="locked"):
                operation.send(None)
        clock.now += 6
        again = await asyncio.gather(*(store.reserve(ONE) for _ in range(3)), return_exceptions=True)
        assert {type(answer) for answer in again} == {StoreUnavailable}
        with pytest.raises(StoreUnavailable):
            store.reserve(ONE).send(None)
    clock.now += 6
    answers = await asyncio.gather(*(store.reserve(ONE) for _ in range(3)))
    assert [answer.used for answer in answers] == [(1,), (2,), (3,)], "nobody is refused when it is over"


async def crowd(store: SqliteStore, taken: Reservation) -> None:
    for _ in range(MOST_LASTING * 2):
        await store.settle(taken, 0)


async def test_settlements_outlast_a_locked_file_and_do_not_grow_without_end(
    store: SqliteStore, path: Path, clock: FakeClock
) -> None:
    taken = [await store.reserve(ONE) for _ in range(10)]
    with locked(path):
        for reservation in taken:
            await store.settle(reservation, 0)
        with pytest.raises(StoreUnavailable):
            await store.reserve(ONE)
        with pytest.raises(StoreUnavailable, match="too much waits"):
            await crowd(store, taken[0])
        for number in range(1000):
            await store.put(f"page/{number}", b"text")
        assert len(store._writer._riders) <= MOST_LASTING
        assert len(store._new) <= MOST_LASTING
    clock.now += 6
    assert await store.counter("plan") == 0


async def test_what_cannot_be_written_takes_nobody_with_it(store: SqliteStore) -> None:
    assert store._writer.opened is not None
    store._writer.opened.writer.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 20_000)
    await store.put("small", b"text")
    await store.put("large", os.urandom(30_000))
    await store.put("other", b"text")
    assert (await store.reserve(ONE)).used == (1,)
    assert [entry.key for entry in await store.scan("")] == ["other", "small"]


@dataclass
class SlowDisk(FakeClock):
    """Every look at this clock finds that much time has passed."""

    step: float = 0.0

    def monotonic(self) -> float:
        self.now += self.step
        return self.now


async def test_a_slow_disk_is_left_to_the_thread(path: Path) -> None:
    clock = SlowDisk()
    store = SqliteStore(path, clock=clock, max_bytes=1_000_000)
    await store.size()
    said = statements(store)
    clock.step = SLOW * 1.5
    for _ in range(4):
        await store.reserve(ONE)
    clock.step = 0
    assert [where for statement, where in said if statement == "COMMIT"] == [True, True, False, False]
    clock.now += 11
    await store.reserve(ONE)
    assert said[-1] == ("COMMIT", True)
    await store.close()


async def test_whoever_stops_waiting_leaves_at_once_and_has_taken_nothing(path: Path) -> None:
    store = SqliteStore(path, clock=SystemClock(), max_bytes=1_000_000, busy_seconds=30)
    await store.size()
    with locked(path), pytest.raises(StoreUnavailable, match="the store did not answer within"):
        await bounded(store.reserve(ONE), 0.01)
    assert await store.counter("plan") == 0
    await store.close()


def test_two_event_loops_at_once_share_one_store(path: Path) -> None:
    store = SqliteStore(path, clock=SystemClock(), max_bytes=1_000_000, busy_seconds=30)

    async def use(name: str) -> None:
        for number in range(200):
            taken = await store.reserve(ONE)
            await store.put(f"{name}/{number}", b"text")
            assert await store.get(f"{name}/{number}")
            await store.settle(taken, 2)

    threads = [threading.Thread(target=lambda name=name: asyncio.run(use(name))) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert asyncio.run(store.counter("plan")) == 800
    assert asyncio.run(store.size())[0] == 400
    asyncio.run(store.close())


USE = """
import asyncio, os, sys
from pathlib import Path
from typing import cast
from seekread.clock import SystemClock
from seekread.ports import Limit, Want
from seekread.state.sqlite import SqliteStore

store = SqliteStore(Path(sys.argv[1]), clock=SystemClock(), max_bytes=1_000_000)

async def use():
    taken = await store.reserve(Want("plan", 1, Limit(10)))
    await store.settle(taken, 5)
    await store.put("page", b"text")
"""
ENDINGS = {
    "the event loop ends": "asyncio.run(use()); os._exit(0)",
    "the process ends": "asyncio.new_event_loop().run_until_complete(use())",
    "a child was forked": """
asyncio.new_event_loop().run_until_complete(use())
if not os.fork():
    asyncio.run(store.get("page"))
    sys.exit()
os.wait()
""",
}


@pytest.mark.process
@pytest.mark.parametrize("ending", ENDINGS.values(), ids=list(ENDINGS))
async def test_what_waits_to_be_written_is_written_once_when(path: Path, ending: str) -> None:
    await anyio.run_process([sys.executable, "-c", USE + ending, str(path)], stderr=subprocess.STDOUT)
    store = SqliteStore(path, clock=SystemClock(), max_bytes=1_000_000)
    assert await store.counter("plan") == 5
    assert await store.get("page") is not None
    await store.close()


@dataclass
class Busy:
    """The lock on a connection, while the writing thread has it for a while."""

    inner: threading.Lock
    ends: bool
    """Whether it is over within a moment."""
    on_loop: int = field(default_factory=threading.get_ident)
    waited: int = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if threading.get_ident() != self.on_loop or (timeout >= 0 and self.ends):
            self.waited += timeout >= 0
            return self.inner.acquire(blocking, timeout)
        self.waited += timeout >= 0
        return False

    def release(self) -> None:
        self.inner.release()

    __enter__ = acquire

    def __exit__(self, *_: object) -> None:
        self.release()


@pytest.mark.parametrize("ends", [True, False])
async def test_for_its_own_thread_the_event_loop_waits_a_moment_and_not_for_a_slow_disk(
    store: SqliteStore, ends: bool
) -> None:
    """Whoever went to the thread found others there, and so did everybody after it: half of the searches got lost."""
    said = statements(store)
    assert store._writer.opened is not None
    busy = Busy(store._writer.opened.writing, ends)
    store._writer.opened.writing = cast("threading.Lock", busy)
    for _ in range(3):
        assert (await store.reserve(ONE)).granted
    assert [where for statement, where in said if statement == "COMMIT"] == [ends] * 3
    assert busy.waited == (3 if ends else 1)
