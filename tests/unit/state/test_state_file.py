"""What a state file goes through over the years: damage, older and newer layouts, other programs."""

import asyncio
import logging
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from seekread.errors import Unreachable
from seekread.ports import Limit, StoreUnavailable, Want
from seekread.provider import Plan
from seekread.state.database import LAYOUTS, Layouts
from seekread.state.ledger import Ledger
from seekread.state.pace import Pace
from seekread.state.rescue import KEPT, damaged_files
from seekread.state.sqlite import SqliteStore
from seekread.testing.clock import FakeClock
from tests.support.state_files import open_state
from tests.unit.state.test_store_contention import assert_exactly_one_hundred, run_together

pytestmark = pytest.mark.anyio

PAGE = 4096
PAID = {"brave": Plan("paid", price=0.005)}
LAYOUT_1 = Path(__file__).parents[2] / "data" / "state" / "layout-1.sqlite"
"""Written by the first seekread: an answer, and 40 calls of one key, the last of which was never settled."""

NEXT = replace(
    LAYOUTS,
    schema=LAYOUTS.schema + "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT NOT NULL);",
    steps=(
        """
        CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT NOT NULL);
        INSERT INTO notes(text) SELECT 'counters: ' || count(*) FROM counters;
        """,
    ),
)
"""The layout that might come next."""


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "state.sqlite"


@pytest.fixture
def store(path: Path, clock: FakeClock) -> Iterator[SqliteStore]:
    store = SqliteStore(path, clock=clock, max_bytes=10_000_000)
    yield store
    asyncio.run(store.close())


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def names(path: Path) -> set[str]:
    return {found.name for found in path.parent.iterdir()}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def content(path: Path) -> bytes:
    return path.read_bytes()


def tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def layout(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def set_layout(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version={version}")


def leave_a_log(path: Path, killed: Path) -> None:
    """Copy a file with its log as they are when the process that writes is killed."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO locks(key, token, expires_at, lifetime) VALUES(x'00', '', 0, 0)")
        connection.commit()
        for ending in ("", "-wal"):
            shutil.copy(f"{path}{ending}", f"{killed}{ending}")


async def spend(path: Path, clock: FakeClock, *, calls: int = 300) -> None:
    """A file with counters of many keys, answers behind them, and nothing of it in the log any more."""
    store = SqliteStore(path, clock=clock, max_bytes=10_000_000)
    for number in range(calls):
        await store.settle(await store.reserve(Want(f"key/{number:03}", number + 1, Limit(1e6))), number + 1)
    for number in range(40):
        await store.put(f"page/{number}", os.urandom(3000))
    await store.close()


def damage(path: Path, how: Callable[[bytes], bytes]) -> bytes:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(how(content(path) if path.exists() else b""))
    return content(path)


def overwrite(path: Path, rest: bytes) -> None:
    """Write over everything but the first page, in the same file."""
    with path.open("r+b") as file:
        file.seek(PAGE)
        file.write(rest)


def noise(before: bytes) -> bytes:
    """Put noise where the last pages are, which hold answers."""
    return before[: -30 * PAGE] + os.urandom(30 * PAGE)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "no header": lambda before: bytes(100) + before[100:],
    "rubbish": lambda _: b"not a database " * 1000,
    "a few bytes": lambda _: b"hello",
    "cut off": lambda before: before[: len(before) // 2],
    "cut off after its header": lambda before: before[:100],
    "noise behind its header": lambda before: before[:100] + os.urandom(len(before) - 100),
}


@pytest.mark.parametrize("how", DAMAGE.values(), ids=DAMAGE)
async def test_a_damaged_file_is_moved_aside_and_paid_calls_go_on(
    path: Path, clock: FakeClock, how: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    """Every paid provider was refused until a person deleted the file."""
    await spend(path, clock)
    damaged = damage(path, how)
    store = SqliteStore(path, clock=clock, max_bytes=10_000_000)
    ledger = Ledger(store, clock, PAID)
    await ledger.settle(await ledger.reserve("brave", "k"))
    await store.put("page", b"text")
    assert await store.get("page") is not None
    [usage] = await ledger.usage()
    assert usage.calls == 1
    [broken] = damaged_files(path)
    assert content(broken) == damaged
    assert mode(broken) == mode(path) == 0o600
    [warning] = warnings(caplog)
    assert str(path) in warning
    assert broken.name in warning
    await store.close()


@pytest.mark.parametrize("how", [DAMAGE["cut off"], noise], ids=["cut off", "noise in the answers"])
async def test_the_sums_that_can_still_be_read_are_kept(
    path: Path, clock: FakeClock, how: Callable[[bytes], bytes]
) -> None:
    await spend(path, clock)
    damage(path, how)
    store = SqliteStore(path, clock=clock, max_bytes=10_000_000)
    for number in range(40):
        await store.get(f"page/{number}")
        await store.put(f"page/{number}", os.urandom(3000))
    kept = {counter.key: counter.used for counter in await store.counters("key/")}
    assert damaged_files(path)
    assert kept == {f"key/{number:03}": number + 1 for number in range(300)}
    await store.close()


async def test_a_hold_taken_before_the_damage_is_settled_after_it(
    store: SqliteStore, path: Path, clock: FakeClock
) -> None:
    hold = await store.reserve(Want("plan", 5, Limit(10)))
    await store.close()
    await spend(path, clock, calls=1)
    damage(path, lambda before: before[: 20 * PAGE])
    await store.settle(hold, 2)
    assert await store.counter("plan") == 2
    assert damaged_files(path)


async def test_damage_under_an_open_file_is_noticed_and_the_call_still_made(
    path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await spend(path, clock)
    store = SqliteStore(path, clock=clock, max_bytes=10_000_000)
    await store.counter("key/000")
    overwrite(path, os.urandom(len(content(path)) - PAGE))
    answers = [await store.reserve(Want(f"new/{number}", 1, Limit(10))) for number in range(50)]
    assert all(answer.granted for answer in answers)
    assert len(await store.counters("new/")) == 50
    assert len(warnings(caplog)) == 1
    await store.close()


async def test_the_log_of_a_damaged_file_goes_with_it(path: Path, clock: FakeClock) -> None:
    """What is left beside a new file SQLite would take for its own."""
    await spend(path, clock, calls=1)
    log, index = path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")
    log.write_bytes(b"log" * PAGE)
    index.write_bytes(b"index" * PAGE)
    damage(path, DAMAGE["rubbish"])
    open_state(path).close()
    [broken] = damaged_files(path)
    assert content(broken.with_name(broken.name + "-wal")) == b"log" * PAGE
    assert {*names(path)} == {path.name, f"{path.name}.lock", *(broken.name + end for end in ("", "-wal", "-shm"))}


@pytest.mark.process
def test_of_many_processes_that_notice_the_damage_one_moves_the_file(tmp_path: Path) -> None:
    """The others must not move its new file: they share it, and what is counted in it is counted once."""
    path = tmp_path / "state.sqlite"
    damage(path, DAMAGE["rubbish"])
    assert_exactly_one_hundred(run_together(str(path)))
    assert len(damaged_files(path)) == 1


@pytest.mark.process
def test_of_many_processes_that_notice_a_damaged_page_one_moves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    asyncio.run(spend(path, FakeClock()))
    damage(path, lambda before: before[:PAGE] + os.urandom(len(before) - PAGE))
    assert_exactly_one_hundred(run_together(str(path)))
    assert len(damaged_files(path)) == 1


async def test_a_failing_disk_is_not_filled_with_damaged_files(path: Path, clock: FakeClock) -> None:
    for number in range(KEPT + 3):
        damage(path, lambda _, number=number: b"rubbish %d" % number)  # type: ignore[misc]
        open_state(path).close()
    assert [content(broken) for broken in damaged_files(path)] == [b"rubbish %d" % number for number in range(3, 8)]


async def test_a_database_of_another_program_is_refused_and_left_as_it_is(store: SqliteStore, path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE accounts(id)")
    before = content(path)
    with pytest.raises(StoreUnavailable, match="belongs to another program"):
        await store.reserve(Want("plan", 1, Limit(10)))
    assert await store.get("page") is None
    assert content(path) == before
    assert not damaged_files(path)


async def test_a_newer_layout_is_left_alone(
    store: SqliteStore, path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    written = path.with_name("written.sqlite")
    await spend(written, clock, calls=3)
    set_layout(written, 99)
    leave_a_log(written, path)
    before = {found.name: content(found) for found in path.parent.iterdir()}
    ledger, pace = Ledger(store, clock, PAID), Pace(store, clock)
    await store.put("page", b"text")
    entry = await store.get("page")
    assert entry is not None
    assert entry.value == b"text", "in memory"
    with pytest.raises(Unreachable, match=r"nothing is spent on brave: .*layout 99 of a newer seekread"):
        await ledger.reserve("brave", "k")
    await ledger.settle(await ledger.reserve("wikipedia", "keyless"))
    with pytest.raises(StoreUnavailable, match="layout 99"):
        await ledger.usage()
    assert [await pace.wait("brave", 1, seconds=9), await pace.wait("brave", 1, seconds=9)] == [0, pytest.approx(1)]
    async with store.lock("page", lifetime=30, wait=0) as lease:
        assert lease is not None
    [warning] = warnings(caplog)
    assert "layout 99" in warning
    after = {found.name: content(found) for found in path.parent.iterdir()}
    assert after == {**before, f"{path.name}.lock": b""}


async def test_an_older_layout_is_brought_up_to_date_with_a_copy_kept(path: Path) -> None:
    path.parent.mkdir()
    shutil.copy(LAYOUT_1, path)
    with closing(open_state(path, NEXT)) as connection:
        assert connection.execute("SELECT text FROM notes").fetchall() == [("counters: 4",)]
    assert layout(path) == 2
    [copy] = path.parent.glob("*.layout-1-*")
    assert mode(copy) == 0o600
    assert layout(copy) == 1
    assert tables(path) - tables(copy) == {"notes"}
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM counters").fetchone() == (4,)
    open_state(path, NEXT).close()
    assert len(list(path.parent.glob("*.layout-1-*"))) == 1, "only once"


async def test_a_new_file_has_the_newest_layout_at_once(path: Path) -> None:
    open_state(path, NEXT).close()
    assert layout(path) == 2
    assert "notes" in tables(path)
    assert not list(path.parent.glob("*.layout-*"))


async def test_several_steps_are_taken_together_or_not_at_all(path: Path) -> None:
    path.parent.mkdir()
    shutil.copy(LAYOUT_1, path)
    failing = Layouts(NEXT.schema, (*NEXT.steps, "INSERT INTO nowhere VALUES(1);"))
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        open_state(path, failing)
    assert layout(path) == 1
    assert "notes" not in tables(path)
    assert not list(path.parent.glob("*.layout-*"))
    whole = Layouts(NEXT.schema, (*NEXT.steps, "UPDATE notes SET text = 'third';"))
    with closing(open_state(path, whole)) as connection:
        assert connection.execute("SELECT text FROM notes").fetchone() == ("third",)
    assert layout(path) == 3


async def test_the_first_layout_can_be_read_for_ever(path: Path) -> None:
    path.parent.mkdir()
    shutil.copy(LAYOUT_1, path)
    store = SqliteStore(path, clock=FakeClock(), max_bytes=10_000_000)
    entry = await store.get("page")
    assert entry is not None
    assert entry.value == b"text"
    [usage] = await Ledger(store, FakeClock(), PAID).usage()
    assert usage.calls == 40
    assert usage.dollars == pytest.approx(0.2)
    await store.close()


def test_a_file_that_everybody_could_read_becomes_its_owners_alone(path: Path) -> None:
    """With what SQLite keeps beside it, which holds the newest of it."""
    with closing(open_state(path)) as first:
        first.execute("CREATE TABLE IF NOT EXISTS words (word)")
        files = [path, *path.parent.glob(f"{path.name}-*")]
        for file in files:
            file.chmod(0o666)
        with closing(open_state(path)):
            assert {mode(file) for file in files} == {0o600}
            assert len(files) == 3
