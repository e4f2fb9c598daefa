"""Callers that want the same thing share one piece of work, and leave without hurting each other."""

import asyncio
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from seekread.clock import SystemClock
from seekread.ports import Lease, Store
from seekread.state import open_store
from seekread.state.flight import SingleFlight, once
from seekread.state.memory import MemoryStore
from seekread.state.pulse import LEASE, Pulse
from seekread.testing.clock import FakeClock
from tests.support.redis_server import RedisServer, why_not

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("patient_store")]


class Work:
    """Something to wait for that counts how often it began, ended and was cancelled."""

    def __init__(self) -> None:
        self.begun = self.ended = self.cancelled = 0
        self.started = asyncio.Event()
        self.may_end = asyncio.Event()

    async def __call__(self) -> str:
        self.begun += 1
        self.started.set()
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.ended += 1
        return "found"


async def test_callers_at_the_same_time_share_one_piece_of_work() -> None:
    flights, work = SingleFlight[str](), Work()
    callers = [asyncio.create_task(flights.run("page", work.__call__)) for _ in range(5)]
    await work.started.wait()
    assert len(flights) == 1
    work.may_end.set()
    assert await asyncio.gather(*callers) == ["found"] * 5
    assert (work.begun, len(flights)) == (1, 0)


async def test_another_key_is_another_piece_of_work() -> None:
    flights, work = SingleFlight[str](), Work()
    work.may_end.set()
    await asyncio.gather(flights.run("a", work.__call__), flights.run("b", work.__call__))
    await flights.run("a", work.__call__)
    assert work.begun == 3


async def test_a_cancelled_caller_leaves_the_others_unharmed() -> None:
    """Even the first one, who started it."""
    flights, work = SingleFlight[str](), Work()
    first, second = (asyncio.create_task(flights.run("page", work.__call__)) for _ in range(2))
    await work.started.wait()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert first.cancelled()
    work.may_end.set()
    assert await second == "found"
    assert (work.begun, work.cancelled) == (1, 0)


async def test_the_last_one_to_leave_cancels_the_work() -> None:
    flights, work = SingleFlight[str](), Work()
    callers = [asyncio.create_task(flights.run("page", work.__call__)) for _ in range(3)]
    await work.started.wait()
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    assert (work.cancelled, work.ended, len(flights)) == (1, 0, 0)


async def test_nobody_joins_work_that_is_being_cancelled() -> None:
    flights, work, cleaned = SingleFlight[str](), Work(), asyncio.Event()

    async def slow_to_leave() -> str:
        try:
            return await work()
        finally:
            await cleaned.wait()

    first = asyncio.create_task(flights.run("page", slow_to_leave))
    await work.started.wait()
    first.cancel()
    await anyio.wait_all_tasks_blocked()
    work.may_end.set()
    assert await flights.run("page", work.__call__) == "found"
    cleaned.set()
    await asyncio.gather(first, return_exceptions=True)
    assert (work.begun, len(flights)) == (2, 0)


async def test_a_failure_reaches_everyone_and_is_not_remembered() -> None:
    flights = SingleFlight[str]()

    async def fail() -> str:
        await asyncio.sleep(0)
        raise LookupError("no such page")

    outcomes = await asyncio.gather(*(flights.run("page", fail) for _ in range(3)), return_exceptions=True)
    assert [str(outcome) for outcome in outcomes] == ["no such page"] * 3
    work = Work()
    work.may_end.set()
    assert await flights.run("page", work.__call__) == "found"


async def test_random_cancellations_leak_nothing() -> None:
    flights, chance = SingleFlight[int](), random.Random(4)
    before = len(asyncio.all_tasks())

    async def work() -> int:
        for _ in range(5):
            await asyncio.sleep(0)
        return 7

    async def call(patience: int) -> int | None:
        task = asyncio.create_task(flights.run(f"page/{patience % 3}", work))
        for _ in range(patience):
            await asyncio.sleep(0)
        if patience % 2:
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            return None

    answers = await asyncio.gather(*(call(chance.randrange(12)) for _ in range(250)))
    assert set(answers) == {7, None}
    assert (len(flights), len(asyncio.all_tasks())) == (0, before)


async def test_between_processes_one_works_and_the_others_look() -> None:
    clock = FakeClock()
    store = open_store("memory:", clock=clock)
    begun = 0

    async def look() -> bytes | None:
        entry = await store.get("page")
        return entry.value if entry else None

    async def work() -> bytes:
        nonlocal begun
        begun += 1
        await asyncio.sleep(0)
        await store.put("page", b"text")
        return b"text"

    callers = (once(store, "page", look=look, work=work, pulse=Pulse(), wait=1e6, lease_seconds=300) for _ in range(6))
    assert await asyncio.gather(*callers) == [b"text"] * 6
    assert begun == 1


async def look_in_vain() -> str | None:
    return None


async def work_alone() -> str:
    return "worked"


async def test_who_waits_too_long_for_another_works_too() -> None:
    store = open_store("memory:", clock=FakeClock())
    async with store.lock("page", lifetime=300, wait=0):
        assert await once(store, "page", look=look_in_vain, work=work_alone, pulse=Pulse(), wait=1) == "worked"


async def test_when_the_store_fails_everybody_works(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = open_store(str(tmp_path / "file" / "store.db"), clock=FakeClock())
    assert await once(store, "page", look=look_in_vain, work=work_alone, pulse=Pulse(), wait=1) == "worked"


async def test_a_process_that_died_delays_the_next_by_a_second_at_most() -> None:
    clock = FakeClock()
    store = open_store("memory:", clock=clock)
    assert await store.lock("page", lifetime=LEASE, wait=0).__aenter__(), "never given back"
    assert await once(store, "page", look=look_in_vain, work=work_alone, pulse=Pulse(), wait=10) == "worked"
    assert sum(clock.slept) <= 1


@dataclass
class Beats(SystemClock):
    """A clock on which time passes with every sign of life, and never because this machine is busy."""

    now: float = 0.0

    def time(self) -> float:
        return self.now

    monotonic = time


class Renewing(MemoryStore):
    """Says when a lease was renewed often enough to have ended several times over without."""

    def __init__(self) -> None:
        self.beats = Beats()
        super().__init__(clock=self.beats, max_bytes=1000)
        self.often = threading.Event()

    def renew(self, *leases: Lease, lifetime: float) -> None:
        super().renew(*leases, lifetime=lifetime)
        self.beats.now += 0.6 * lifetime
        if self.beats.now > 10 * lifetime:
            self.often.set()


async def test_whoever_lives_keeps_its_lease_however_busy_its_event_loop_is() -> None:
    """A process that has just started imports for a second, in which no timer of the loop fires."""
    store, begun = Renewing(), list[str]()

    async def look() -> str | None:
        return "left by the first" if store.often.is_set() else None

    async def work() -> str:
        begun.append("work")
        # On the event loop, on purpose.
        assert store.often.wait(30)
        return "worked"

    def share(pulse: Pulse) -> Awaitable[str]:
        return once(store, "page", look=look, work=work, pulse=pulse, wait=1e6, lease_seconds=0.5)

    other = asyncio.create_task(asyncio.to_thread(lambda: asyncio.run(waiting(share))))
    assert sorted([await share(Pulse(0.05)), await other]) == ["left by the first", "worked"]
    assert begun == ["work"]


async def waiting(share: Callable[[Pulse], Awaitable[str]]) -> str:
    return await share(Pulse(0.05))


HOLDER = """
import asyncio, sys
from seekread.clock import SystemClock
from seekread.state import open_store
from seekread.state.flight import once
from seekread.state.pulse import Pulse

async def look():
    return None

async def work():
    print("working", flush=True)
    await asyncio.sleep(600)

asyncio.run(once(open_store(sys.argv[1], clock=SystemClock()), "page", look=look, work=work, pulse=Pulse(), wait=10))
"""


@pytest.fixture(params=["sqlite", "redis"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "store.db")
    elif reason := why_not():
        pytest.skip(reason)
    else:
        with RedisServer(tmp_path) as server:
            yield server.url


def die_at_work(url: str, how: signal.Signals) -> None:
    """Let a process begin to work, and kill it."""
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, url], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "working\n"
    holder.send_signal(how)
    holder.communicate()


@pytest.mark.process
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_nobody_waits_long_for_a_process_that_was_killed_at_work(url: str, how: signal.Signals) -> None:
    """It was ten seconds once."""
    die_at_work(url, how)
    store: Store = open_store(url, clock=SystemClock())
    with anyio.fail_after(8):
        assert await once(store, "page", look=look_in_vain, work=work_alone, pulse=Pulse(), wait=1e6) == "worked"
    await store.close()
