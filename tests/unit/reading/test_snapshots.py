"""Pages are read once: by those who ask at the same time, and by those who ask again soon."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from seekread.calling.deadline import Deadline
from seekread.clock import SystemClock
from seekread.errors import TimedOut, Unreachable
from seekread.models import Attempt, Page
from seekread.reading.snapshots import NOT_KEPT, Snapshots
from seekread.state import open_store
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

ADDRESS = "https://a.org/tea"
DEADLINE = Deadline.after(FakeClock(), 20)
ATTEMPT = Attempt(provider="builtin", outcome="ok", milliseconds=7)


class Reads:
    """Reads a page that counts how often it was read, and remembers what there was to renew."""

    def __init__(self) -> None:
        self.known: list[Page | None] = []

    async def __call__(self, known: Page | None) -> Page:
        self.known.append(known)
        await anyio.lowlevel.checkpoint()
        text = f"Read {len(self.known)} times."
        return Page(url=ADDRESS, content=text, reader="builtin", attempts=(ATTEMPT,))


def snapshots(clock: FakeClock) -> Snapshots:
    return Snapshots(open_store("memory:", clock=clock), clock, lifetime=1000, fresh=100)


async def test_a_fresh_page_is_handed_out_again_with_its_age_and_without_old_attempts() -> None:
    clock, read = FakeClock(), Reads()
    pages = snapshots(clock)
    first = await pages.through(ADDRESS, ["builtin"], read, deadline=DEADLINE)
    assert (first.cached, first.attempts) == (False, (ATTEMPT,))
    await clock.advance(60)
    again = await pages.through(f"{ADDRESS}#steep", ["builtin"], read, deadline=DEADLINE)
    assert (again.cached, again.age_seconds, again.attempts) == (True, 60, ())
    assert (again.content, again.snapshot) == (first.content, first.snapshot)
    assert len(read.known) == 1


async def test_what_is_older_than_asked_for_is_read_again_and_offered_for_renewal() -> None:
    clock, read = FakeClock(), Reads()
    pages = snapshots(clock)
    first = await pages.through(ADDRESS, ["builtin"], read, deadline=DEADLINE)
    await clock.advance(60)
    second = await pages.through(ADDRESS, ["builtin"], read, deadline=DEADLINE, max_age=30)
    assert (second.cached, second.content) == (False, "Read 2 times.")
    assert read.known[1] is not None
    assert read.known[1].snapshot == first.snapshot


async def test_another_reader_is_another_page() -> None:
    clock, read = FakeClock(), Reads()
    pages = snapshots(clock)
    await pages.through(ADDRESS, ["builtin"], read, deadline=DEADLINE)
    await pages.through(ADDRESS, ["jina"], read, deadline=DEADLINE)
    assert len(read.known) == 2


async def test_those_who_ask_at_once_share_one_read() -> None:
    clock, read = FakeClock(), Reads()
    pages = snapshots(clock)
    async with anyio.create_task_group() as group:
        for _ in range(256):
            group.start_soon(partial(pages.through, ADDRESS, ["builtin"], read, deadline=DEADLINE))
    assert len(read.known) == 1


async def test_a_failure_is_not_kept() -> None:
    clock, read = FakeClock(), Reads()
    pages = snapshots(clock)

    async def fail(_known: Page | None) -> Page:
        raise Unreachable("down")

    with pytest.raises(Unreachable):
        await pages.through(ADDRESS, ["builtin"], fail, deadline=DEADLINE)
    assert not (await pages.through(ADDRESS, ["builtin"], read, deadline=DEADLINE)).cached


async def test_whoever_wants_no_old_page_gets_none_however_young() -> None:
    clock, read = FakeClock(), Reads()
    pages = snapshots(clock)
    await pages.through(ADDRESS, ["builtin"], read, deadline=DEADLINE)
    again = await pages.through(ADDRESS, ["builtin"], read, deadline=DEADLINE, max_age=0)
    assert (again.cached, again.content) == (False, "Read 2 times.")


async def test_a_page_read_under_other_settings_is_another_page() -> None:
    clock, read = FakeClock(), Reads()
    store = open_store("memory:", clock=clock)
    plain, with_images = (Snapshots(store, clock, 1000, fresh=100, variant=name) for name in ("plain", "images"))
    await plain.through(ADDRESS, ["builtin"], read, deadline=DEADLINE)
    assert not (await with_images.through(ADDRESS, ["builtin"], read, deadline=DEADLINE)).cached
    assert (await plain.through(ADDRESS, ["builtin"], read, deadline=DEADLINE)).cached


async def test_whoever_joins_a_read_leaves_when_its_own_time_is_over() -> None:
    clock = FakeClock()
    pages, may_end = snapshots(clock), asyncio.Event()

    async def slow(_known: Page | None) -> Page:
        await may_end.wait()
        return Page(url=ADDRESS, content="tea", reader="builtin")

    first = asyncio.create_task(pages.through(ADDRESS, ["builtin"], slow, deadline=DEADLINE))
    await anyio.wait_all_tasks_blocked()
    with pytest.raises(TimedOut, match="are over"):
        await pages.through(ADDRESS, ["builtin"], slow, deadline=Deadline.after(clock, 0))
    may_end.set()
    assert (await first).content == "tea"


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Another program holds the file for itself, so that nobody can write."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.close()


async def test_a_page_that_the_store_could_not_keep_has_no_handle_and_says_so(tmp_path: Path) -> None:
    clock, read, file = SystemClock(), Reads(), tmp_path / "state.sqlite"
    store = open_store(str(file), clock=clock)
    pages = Snapshots(store, clock, lifetime=1000, fresh=100)
    kept = await pages.through(ADDRESS, ["builtin"], read, deadline=DEADLINE)
    assert (bool(kept.snapshot), kept.notes) == (True, ())
    with locked(file):
        lost = [await pages.through(f"{ADDRESS}/{number}", ["builtin"], read, deadline=DEADLINE) for number in range(3)]
    await store.close()
    assert [(page.success, page.snapshot, page.notes) for page in lost] == [(True, None, (NOT_KEPT,))] * 3


async def test_a_page_that_is_larger_than_the_store_has_no_handle() -> None:
    clock = FakeClock()
    pages = Snapshots(open_store("memory:", clock=clock, max_bytes=1000), clock, lifetime=1000, fresh=100)

    async def read(_known: Page | None) -> Page:
        return Page(url=ADDRESS, content="".join(map(chr, range(1000, 9000))), reader="builtin")

    page = await pages.through(ADDRESS, ["builtin"], read, deadline=DEADLINE)
    assert (page.snapshot, page.notes) == (None, (NOT_KEPT,))
