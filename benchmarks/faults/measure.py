"""What is measured: what happened to the searches, how late the event loop was, and what was left behind."""

import asyncio
import os
import threading
import time
from array import array
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.faults.kinds import ANSWERS, TURNED_AWAY
from benchmarks.faults.server import Calls
from seekread import AllFailed, Seekread

TICK = 0.01
NEVER_CAME = frozenset({"hang", "drip", "reset", "truncated", "garbage", "chunk cut", "cut"})
"""Calls whose reply never came, or not whole."""

Work = Callable[[int], Coroutine[Any, Any, None]]
"""One numbered piece of work."""


@dataclass
class Lateness:
    """
    How late the event loop wakes whoever sleeps: on a busy machine everything is late by as much.

    `blocked` is the part in which the loop's thread was neither running nor waiting for a processor: somebody waits
    inside the loop.
    """

    moments: list[tuple[float, float]] = field(default_factory=list)
    blocked: float = 0.0

    @property
    def worst(self) -> float:
        """The longest wait for the loop."""
        return max((late for _, late in self.moments), default=0.0)

    def between(self, start: float, end: float) -> float:
        """Seconds between two moments in which the loop could serve nobody."""
        overlaps = (min(end, moment) - max(start, moment - late) for moment, late in self.moments)
        return sum(overlap for overlap in overlaps if overlap > 0)

    async def tick(self) -> None:
        """Sleep, and see how late it became."""
        while True:
            started, busy = time.perf_counter(), busy_seconds()
            await asyncio.sleep(TICK)
            now = time.perf_counter()
            late = now - started - TICK
            self.moments.append((now, late))
            self.blocked = max(self.blocked, late - (busy_seconds() - busy))


def busy_seconds() -> float:
    """Seconds this thread ran or waited for a processor; where nobody counts that, all of them."""
    try:
        ran, waited, _ = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()
    except OSError:
        return time.perf_counter()
    return (int(ran) + int(waited)) / 1e9


@asynccontextmanager
async def lateness() -> AsyncIterator[Lateness]:
    """Watch the loop meanwhile."""
    seen = Lateness()
    ticker = asyncio.create_task(seen.tick())
    try:
        yield seen
    finally:
        ticker.cancel()


@dataclass
class Tally:
    """What happened to a number of searches."""

    limit: float
    seconds: "array[float]" = field(default_factory=lambda: array("d"))
    ended: "array[float]" = field(default_factory=lambda: array("d"))
    """When each one ended; arrays, so that what is kept here does not look like what the engine keeps."""
    answered: int = 0
    empty: int = 0
    failed: int = 0
    lost: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    unhandled: list[str] = field(default_factory=list)

    async def ask(self, web: Seekread, query: str, *, possible: bool = True, nothing: bool = False) -> None:
        """
        Search, and keep what became of it.

        possible: whether somebody could have answered in time
        nothing: whether somebody says that there is nothing
        """
        started = time.perf_counter()
        try:
            response = await web.search(query, limit=5)
            self.answered += 1
            self.empty += not response.results
            self.lost += not response.results and not nothing
        except AllFailed as error:
            self.failed += 1
            self.lost += possible
            self.outcomes[error.outcome] += 1
        except Exception as error:  # noqa: BLE001 - this is what is counted
            self.unhandled.append(repr(error))
        except asyncio.CancelledError:
            self.lost += possible
            raise
        finally:
            ended = time.perf_counter()
            self.seconds.append(ended - started)
            self.ended.append(ended)

    def late(self, loop: Lateness) -> float:
        """Seconds the latest one came after its deadline, without those in which the loop could not serve it."""
        spans = ((end - took + self.limit, end) for took, end in zip(self.seconds, self.ended, strict=True))
        return max((end - due - loop.between(due, end) for due, end in spans if end > due), default=0.0)

    def percentile(self, share: float) -> float:
        """How long most of them took."""
        ordered = sorted(self.seconds) or [0.0]
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def in_parallel(count: int, width: int, work: Work) -> None:
    """A closed loop: so many callers, each of which begins the next piece when it is done with one."""
    numbers = iter(range(count))

    async def caller() -> None:
        for number in numbers:
            await work(number)

    await asyncio.gather(*(caller() for _ in range(min(width, count))))


async def at_a_rate(count: int, per_second: float, work: Work) -> None:
    """An open loop: a new piece of work at every beat, whatever became of the last."""
    started = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(count):
            await asyncio.sleep(max(0.0, started + number / per_second - time.perf_counter()))
            group.create_task(work(number))


def resting(web: Seekread) -> set[str]:
    """Providers that are left alone now."""
    return {name for name, breaker in web._parts.gate.breakers.items() if breaker.is_open}


def blamed(web: Seekread, calls: Calls) -> int:
    """Providers that are left alone although they answered every call they got."""
    faultless = {name for name, kinds in calls.items() if not kinds.keys() - ANSWERS - {"cut"}}
    return len(resting(web) & faultless)


async def ledger_gap(web: Seekread, calls: Calls) -> dict[str, int]:
    """
    How far the ledger is from what the vendors counted, over all of them.

    Below: calls nobody counted. Above: calls counted that nobody got, beyond those whose reply never came.
    """
    counted: Counter[str] = Counter()
    for usage in await web._parts.ledger.usage():
        counted[usage.provider] += round(usage.calls)
    below = above = 0
    for name, kinds in calls.items():
        made = sum(count for kind, count in kinds.items() if kind not in TURNED_AWAY | {"cut"})
        never_came = sum(count for kind, count in kinds.items() if kind in NEVER_CAME)
        below += max(0, made - counted[name])
        above += max(0, counted[name] - made - never_came)
    return {"ledger below": below, "ledger above": above}


@dataclass(frozen=True)
class Footprint:
    """What a process holds."""

    megabytes: float
    files: int
    threads: int
    tasks: int

    @classmethod
    def now(cls) -> "Footprint":
        """What this one holds; memory and files are known on Linux only, and one elsewhere."""
        megabytes, files = 1.0, 1
        if Path("/proc/self/statm").exists():
            megabytes = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
            files = len(list(Path("/proc/self/fd").iterdir()))
        return cls(megabytes, files, threading.active_count(), len(asyncio.all_tasks()))

    def leaked(self, before: "Footprint") -> int:
        """Files and tasks that are there more than before."""
        return max(0, self.files - before.files) + max(0, self.tasks - before.tasks)


def ms(seconds: float) -> float:
    """Milliseconds, as they are printed."""
    return round(seconds * 1000, 1)
