"""What the SQLite file goes through: damage, full disks, locks, forks, wrong clocks, sudden deaths."""

import asyncio
import json
import logging
import multiprocessing
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from seekread.clock import SystemClock
from seekread.ports import Limit, StoreUnavailable, Want
from seekread.state.sqlite import TIDIED, SqliteStore
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

ONE = Want("plan", 1, Limit(10))
ROOT = Path(__file__).parents[3]


@dataclass
class JumpingClock(FakeClock):
    """A wall clock that jumps, beside a monotonic one that does not."""

    jump: float = 0.0

    def time(self) -> float:
        return self.now + self.jump


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "store.db"


@pytest.fixture
async def store(path: Path, clock: FakeClock) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path, clock=clock, max_bytes=1_000_000, busy_seconds=0.05)
    yield store
    await store.close()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def overwrite(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def scramble(path: Path) -> None:
    """Put noise where the tables are."""
    content = bytearray(path.read_bytes())
    content[4096 * 3 : -4096] = os.urandom(len(content) - 4096 * 4)
    path.write_bytes(content)


def content(path: Path) -> bytes:
    return path.read_bytes()


async def written(store: SqliteStore) -> None:
    """Wait until everything that was put is in the file, as whoever counts does."""
    await store.size()


async def told(caplog: pytest.LogCaptureFixture, message: str) -> None:
    """Wait until it stands in the log."""
    with anyio.fail_after(10):
        while message not in caplog.text:  # noqa: ASYNC110 - a thread writes the log
            await anyio.sleep(0.001)


async def test_only_the_owner_may_look(store: SqliteStore, path: Path) -> None:
    await store.put("page", b"text")
    await written(store)
    modes = {found.name: stat.S_IMODE(found.stat().st_mode) for found in [path.parent, *path.parent.iterdir()]}
    assert modes.pop("state") == 0o700
    assert set(modes.values()) == {0o600}
    assert "store.db" in modes


async def test_what_was_written_is_there_after_a_restart(store: SqliteStore, path: Path, clock: FakeClock) -> None:
    await store.put("page", b"text")
    await store.reserve(ONE)
    await store.close()
    again = SqliteStore(path, clock=clock, max_bytes=1_000_000)
    entry = await again.get("page")
    assert entry is not None
    assert entry.value == b"text"
    assert await again.counter("plan") == 1
    await again.close()


async def test_a_damaged_row_is_not_there_and_is_dropped(store: SqliteStore, path: Path) -> None:
    for key in ("page", "other", "large"):
        await store.put(key, os.urandom(400_000) if key == "large" else b"text" * 100)
    await written(store)
    other = sqlite3.connect(path)
    for name in (b"page", b"large"):
        packed = bytearray(other.execute("SELECT packed FROM entries WHERE key = ?", (name,)).fetchone()[0])
        packed[-1] ^= 1
        other.execute("UPDATE entries SET packed = ? WHERE key = ?", (bytes(packed), name))
    other.commit()
    other.close()
    assert await store.get("page") is None
    assert await store.get("large") is None
    assert await store.get("other") is not None
    assert (await store.size())[0] == 1


async def test_pages_damaged_in_the_middle_crash_nothing(store: SqliteStore, path: Path, clock: FakeClock) -> None:
    for number in range(50):
        await store.put(f"page/{number}", os.urandom(3000))
    await store.close()
    scramble(path)
    for number in range(50):
        await store.get(f"page/{number}")
        await store.put(f"page/{number}", b"again")
        clock.now += 60


async def test_a_locked_file_costs_the_cache_and_stops_the_counters(
    store: SqliteStore, path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await store.put("page", b"text")
    await written(store)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    await store.put("page", b"newer")
    await told(caplog, "writing to the store")
    await store.put("page", b"newer")
    entry = await store.get("page")
    assert entry is not None
    assert entry.value == b"text", "reading goes on while another writes"
    assert len(warnings(caplog)) == 1
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="locked"):
            await store.reserve(ONE)
    other.execute("ROLLBACK")
    other.close()
    clock.now += 60
    await store.put("page", b"newest")
    entry = await store.get("page")
    assert entry is not None
    assert entry.value == b"newest"
    assert (await store.reserve(ONE)).used == (1,)


async def test_a_strict_store_says_so_when_it_fails(path: Path, clock: FakeClock) -> None:
    path.parent.write_bytes(b"a file where the directory should be")
    store = SqliteStore(path, clock=clock, max_bytes=1_000_000, strict=True)
    for operation in (store.get("page"), store.put("page", b"text"), store.delete("page")):
        with pytest.raises(StoreUnavailable):
            await operation


def use_as_nobody(path: Path, answers: "multiprocessing.SimpleQueue[str]") -> None:
    """In a child: give up root's right to write everywhere, then use the store."""

    async def use() -> str:
        store = SqliteStore(path, clock=SystemClock(), max_bytes=1_000_000)
        await store.put("page", b"text")
        try:
            await store.reserve(ONE)
        except StoreUnavailable as error:
            return str(error)
        return "granted"

    if os.geteuid() == 0:
        os.setuid(65_534)
    answers.put(asyncio.run(use()))


@pytest.mark.process
async def test_a_read_only_directory_costs_the_cache_and_stops_the_counters(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o555)
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    child = context.Process(target=use_as_nobody, args=(shared / "store.db", answers))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert "Permission denied" in answers.get()


FULL_DISK = """
import asyncio, os, resource, signal, sys
from pathlib import Path
from seekread.clock import SystemClock
from seekread.ports import Limit, StoreUnavailable, Want
from seekread.state.sqlite import SqliteStore

async def main():
    store = SqliteStore(Path(sys.argv[1]), clock=SystemClock(), max_bytes=1 << 30)
    await store.put("before", b"text")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    for number in range(50):
        await store.put(f"page/{number}", os.urandom(20_000))
    assert (await store.get("before")).value == b"text"
    try:
        for _ in range(10_000):
            await store.reserve(Want("plan", 1, Limit(1e9)))
    except StoreUnavailable as error:
        print(error)

asyncio.run(main())
"""


@pytest.mark.process
def test_a_full_disk_costs_the_cache_and_stops_the_counters(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("fails, going on without it") == 1
    assert "cannot be used: disk I/O error" in done.stdout or "cannot be used: database or disk is full" in done.stdout


@pytest.mark.parametrize("jump", [-3600.0, 365 * 86_400.0])
async def test_a_clock_that_jumps_costs_at_most_the_cache(path: Path, jump: float) -> None:
    clock = JumpingClock()
    store = SqliteStore(path, clock=clock, max_bytes=1_000_000)
    await store.put("page", b"text", lifetime=7200)
    await store.reserve(ONE)
    async with store.lock("page", lifetime=30, wait=0):
        clock.jump = jump
        await store.get("page")
        await store.put("page", b"text", lifetime=7200)
        assert await store.get("page") is not None
        assert (await store.reserve(ONE)).used == (2,), "no count is lost"
        async with store.lock("page", lifetime=30, wait=0) as lease:
            assert lease is not None, "nobody waits an hour for a lock of half a minute"
    clock.jump = 0
    await store.put("other", b"text", lifetime=7200)
    assert await store.get("other") is not None
    assert (await store.reserve(ONE)).used == (3,)
    await store.close()


async def test_the_least_recently_used_goes_first(path: Path, clock: FakeClock) -> None:
    store = SqliteStore(path, clock=clock, max_bytes=100_000)
    for number in range(9):
        await store.put(f"page/{number}", os.urandom(10_000))
        clock.now += 1
    await written(store)
    clock.now += 3600
    assert await store.get("page/0") is not None
    clock.now += 1
    await store.put("page/9", os.urandom(10_000))
    await written(store)
    kept = {entry.key for entry in await store.scan("")}
    assert "page/0" in kept
    assert "page/9" in kept
    assert "page/1" not in kept
    assert (await store.size())[1] <= 100_000
    await store.close()


async def test_a_value_larger_than_the_store_is_not_kept(path: Path, clock: FakeClock) -> None:
    store = SqliteStore(path, clock=clock, max_bytes=10_000)
    await store.put("page", b"small")
    await store.put("page", os.urandom(20_000))
    assert await store.get("page") is None, "the old value would be a lie"
    await store.close()


async def test_the_file_shrinks_when_it_is_cleared(store: SqliteStore, path: Path) -> None:
    for number in range(40):
        await store.put(f"page/{number}", os.urandom(20_000))
    await store.clear()
    assert len(content(path)) < 200_000


async def test_values_that_ended_make_room(store: SqliteStore, path: Path, clock: FakeClock) -> None:
    for number in range(10):
        await store.put(f"page/{number}", b"text", lifetime=10)
    clock.now += 11
    for number in range(TIDIED):
        await store.put(f"new/{number}", b"text")
    assert (await store.size())[0] == TIDIED


async def test_a_file_that_was_deleted_is_made_anew(store: SqliteStore, path: Path) -> None:
    await store.put("page", b"text")
    await written(store)
    for found in path.parent.iterdir():
        found.unlink()
    await store.put("page", b"again")
    await written(store)
    assert content(path)
    entry = await store.get("page")
    assert entry is not None
    assert entry.value == b"again"


async def test_two_stores_on_one_file_see_each_other(store: SqliteStore, path: Path, clock: FakeClock) -> None:
    other = SqliteStore(path, clock=clock, max_bytes=1_000_000)
    await store.put("page", b"text")
    await written(store)
    assert await other.get("page") is not None
    await other.delete("page")
    await written(other)
    assert await store.get("page") is None
    await other.close()


async def test_many_can_open_a_new_file_at_once(path: Path, clock: FakeClock) -> None:
    stores = [SqliteStore(path, clock=clock, max_bytes=1_000_000, strict=True, busy_seconds=10) for _ in range(8)]
    async with anyio.create_task_group() as group:
        for number, store in enumerate(stores):
            group.start_soon(store.put, f"page/{number}", b"text")
    assert len(await stores[0].scan("page/")) == 8
    for store in stores:
        await store.close()


def test_one_store_serves_one_event_loop_after_another(path: Path) -> None:
    store = SqliteStore(path, clock=SystemClock(), max_bytes=1_000_000)
    asyncio.run(store.put("page", b"text"))
    entry = asyncio.run(store.get("page"))
    assert entry is not None
    assert asyncio.run(store.reserve(ONE)).granted
    asyncio.run(store.close())


@pytest.mark.process
def test_a_forked_child_opens_its_own(path: Path) -> None:
    """The parent's thread and connections must not be used in the child; a hang or a damaged file would show it."""
    code = f"""
import asyncio, os, sys
from pathlib import Path
from seekread.clock import SystemClock
from seekread.ports import Limit, Want
from seekread.state.sqlite import SqliteStore

store = SqliteStore(Path({str(path)!r}), clock=SystemClock(), max_bytes=1_000_000, strict=True)
want = Want("plan", 1, Limit(10))

async def use(key):
    await store.put(key, b"text")
    await store.reserve(want)
    return await store.get("parent")

asyncio.run(use("parent"))
child = os.fork()
if child == 0:
    os._exit(0 if asyncio.run(use("child")) else 1)
_, status = os.waitpid(child, 0)
assert status == 0, status
assert asyncio.run(store.get("child")), "the parent goes on, and sees what the child wrote"
assert asyncio.run(store.counter("plan")) == 2
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


async def test_a_cancelled_reservation_is_given_back(store: SqliteStore) -> None:
    """Wherever it was on its way, in the end only those that were told so have taken something."""
    await store.counter("plan")
    told = 0
    for delay in range(30):
        task = asyncio.create_task(store.reserve(Want("plan", 1, Limit(100))))
        for _ in range(delay):
            await asyncio.sleep(0)
        task.cancel()
        [answer] = await asyncio.gather(task, return_exceptions=True)
        told += not isinstance(answer, asyncio.CancelledError)
    assert told < 30
    assert await store.counter("plan") == told


async def test_a_reservation_cancelled_while_the_file_is_busy_is_given_back(path: Path, clock: FakeClock) -> None:
    store = SqliteStore(path, clock=clock, max_bytes=1_000_000, busy_seconds=30)
    await store.counter("plan")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    task = asyncio.create_task(store.reserve(ONE))
    await anyio.wait_all_tasks_blocked()
    with anyio.fail_after(10):
        while store._writer._thread._work_queue.qsize():
            await anyio.lowlevel.checkpoint()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    other.execute("ROLLBACK")
    other.close()
    assert task.cancelled()
    assert await store.counter("plan") == 0
    await store.close()


@pytest.mark.process
def test_writers_that_are_killed_damage_nothing() -> None:
    """A small run of the benchmark: four writers, killed at any moment."""
    command = [sys.executable, str(ROOT / "benchmarks" / "kill9.py"), "--kills", "30"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)
    assert figures["kills"] == 30
    assert figures["reported"] > 30
    assert (figures["corrupt"], figures["lost"], figures["failed"], figures["miscounted"]) == (0, 0, 0, 0)
