"""
What is done to an engine in one process: closed and open loops, storms, callers who give up, two event loops at once.

Each play takes a cell, runs it against a server of its own and returns the figures. Plays with several processes or a
failing store stand in `stores.py`.
"""

import asyncio
import random
import tempfile
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.faults.case import Cell, Figures
from benchmarks.faults.kinds import ANSWERS, SILENT, Behaviours, failover, kinds_met
from benchmarks.faults.measure import (
    Footprint,
    Lateness,
    Tally,
    Work,
    at_a_rate,
    blamed,
    in_parallel,
    lateness,
    ledger_gap,
    ms,
)
from benchmarks.faults.server import Calls, Vendors, vendors
from seekread import AllFailed, Seekread
from seekread.ports import Clock
from tests.support.redis_server import RedisServer, why_not

SEARCH_SECONDS = 20.0
ATTEMPT_SECONDS = 10.0
"""The defaults, which a case may change."""
MARGIN = 1.0
"""Seconds a provider must have left to count as one that had time."""
AFTERWARDS = 30
"""Searches, one after the other, that show whether something stays behind."""


def client(running: Vendors, *names: str, clock: Clock | None = None, **settings: Any) -> Seekread:
    """An engine whose providers are the vendors."""
    wanted: dict[str, Any] = {"store": "memory:", "cache": False, **settings}
    return Seekread(names, settings=wanted, providers=running.settings(), environ={"HOME": "/nonexistent"}, clock=clock)


@contextmanager
def store(kind: str) -> Iterator[str]:
    """A store of that kind, empty, as the setting `store` names it."""
    if kind == "memory":
        yield "memory:"
        return
    with tempfile.TemporaryDirectory() as folder:
        if kind == "redis":
            with RedisServer(Path(folder)) as server:
                yield server.url
        else:
            yield str(Path(folder) / "state.sqlite")


@dataclass(frozen=True)
class Stage:
    """A server that behaves as the cell says, and an engine that was used once."""

    running: Vendors
    web: Seekread
    cell: Cell

    @property
    def tally(self) -> Tally:
        return Tally(self.cell.settings.get("search_seconds", SEARCH_SECONDS))

    async def search(self, tally: Tally, behaviours: Behaviours, name: str, number: int) -> None:
        """One search, of which it is known who could answer it."""
        query = f"{name} {number}"
        kinds = kinds_met(behaviours, query)
        await tally.ask(self.web, query, possible=self.has_time(kinds), nothing="empty" in kinds)

    def has_time(self, kinds: list[str]) -> bool:
        """Whether somebody answers and is asked in time: those who are silent cost an attempt each, unless hedged."""
        asked = failover(kinds)
        if not ANSWERS.intersection(kinds):
            return False
        if self.cell.route != "first":
            return True
        attempt: float = self.cell.settings.get("attempt_seconds", ATTEMPT_SECONDS)
        waits = sum(attempt if kind in SILENT else self.cell.latency for kind in kinds[:asked])
        return waits + MARGIN <= self.tally.limit

    def needed(self, name: str) -> int:
        """Calls a perfect route makes."""
        queries = (f"{name} {number}" for number in range(self.cell.size))
        if self.cell.route == "fuse":
            return self.cell.size * len(self.cell.providers)
        return sum(failover(kinds_met(self.cell.behaviours, query)) for query in queries)


@asynccontextmanager
async def stage(cell: Cell) -> AsyncIterator[Stage]:
    """Everything set up, warm and counted from zero."""
    with vendors() as running, store(cell.store) as url:
        # The first search of a process loads modules and certificates: that is the cold start, not the deadline.
        async with client(running, *cell.providers) as cold:
            await cold.search("warm")
        async with client(running, *cell.providers, store=url, **cell.settings) as web:
            await running.behave(cell.behaviours)
            await running.calls(forget=True)
            yield Stage(running, web, cell)


def looped(play: Callable[[Cell], Awaitable[Figures]]) -> Callable[[Cell], Figures]:
    """A play that runs in an event loop of its own."""

    async def run(cell: Cell) -> Figures:
        return await play(cell)

    return lambda cell: asyncio.run(run(cell))


async def closed(cell: Cell) -> Figures:
    """So many callers at once, each of which asks again when it was answered."""
    return await looping(cell, lambda count, work: in_parallel(count, cell.width, work))


async def opened(cell: Cell) -> Figures:
    """A new search at every beat, whatever became of the last; the width is the number of beats in a second."""
    return await looping(cell, lambda count, work: at_a_rate(count, cell.width, work))


Drive = Callable[[int, Work], Awaitable[None]]


async def looping(cell: Cell, drive: Drive) -> Figures:
    before = Footprint.now()
    async with stage(cell) as on, lateness() as loop:
        tally = on.tally
        await drive(cell.size, partial(on.search, tally, cell.behaviours, cell.case))
        calls = await on.running.calls()
        figures = told(tally, loop, calls)
        figures["beyond %"] = round(100 * (made(calls) / on.needed(cell.case) - 1), 1)
        if holes := [name for name, behaviour in cell.faults.items() if behaviour.share == 1]:
            figures["hole calls a caller"] = round(sum(made({name: calls[name]}) for name in holes) / cell.width, 2)
        figures |= {"blamed": blamed(on.web, calls), **await ledger_gap(on.web, calls)}
    await asyncio.sleep(0.05)
    return figures | {"leaked": Footprint.now().leaked(before)}


def told(tally: Tally, loop: Lateness, calls: Calls) -> Figures:
    """What became of searches, in figures."""
    return {
        "searches": len(tally.seconds),
        "lost": tally.lost,
        "nobody could": tally.failed + tally.empty - tally.lost,
        "unhandled": len(tally.unhandled),
        "calls": "/".join(str(made({name: kinds})) for name, kinds in calls.items()),
        "late ms": ms(tally.late(loop)),
        "p50 ms": ms(tally.percentile(0.5)),
        "p99 ms": ms(tally.percentile(0.99)),
        "loop ms": ms(loop.worst),
    }


def made(calls: Calls) -> int:
    """Calls that reached the vendors."""
    return sum(count for kinds in calls.values() for kind, count in kinds.items() if kind != "cut")


async def storm(cell: Cell) -> Figures:
    """Many searches at once while some providers are ill; then all are well, and each is asked alone."""
    async with stage(cell) as on, lateness() as loop:
        tally, after = on.tally, on.tally
        await in_parallel(cell.size, cell.width, partial(on.search, tally, cell.behaviours, cell.case))
        calls = await on.running.calls()
        figures = told(tally, loop, calls) | {"blamed": blamed(on.web, calls)}
        await on.running.behave(cell.quick)
        answered_all = [name for name, kinds in calls.items() if kinds and not kinds.keys() - ANSWERS - {"cut"}]
        for name in answered_all:
            for number in range(AFTERWARDS):
                with suppress(AllFailed):
                    await on.web.search(f"after {name} {number}", provider=name)
                    after.answered += 1
        gap = await ledger_gap(on.web, await on.running.calls())
    return figures | {"lost afterwards": AFTERWARDS * len(answered_all) - after.answered, **gap}


async def cancelled(cell: Cell) -> Figures:
    """Callers who give up at random moments, nobody else waiting for the same; then patient ones."""
    chance = random.Random(7)
    before = Footprint.now()
    async with stage(cell) as on, lateness() as loop:
        await on.running.behave(cell.quick)
        for number in range(12):
            await on.web.search(f"pace {number}")
        await on.running.behave(cell.healthy)
        gave_up = unhandled = 0

        async def one(number: int) -> None:
            nonlocal gave_up, unhandled
            try:
                async with asyncio.timeout(chance.uniform(0, 1.2 * cell.latency + 0.02)):
                    await on.web.search(f"impatient {number}")
            except TimeoutError:
                gave_up += 1
            except AllFailed:
                pass
            except Exception:  # noqa: BLE001 - this is what is counted
                unhandled += 1

        await in_parallel(cell.size, cell.width, one)
        calls = await on.running.calls()
        figures: Figures = {
            "searches": cell.size,
            "gave up": gave_up,
            "unhandled": unhandled,
            "blamed": blamed(on.web, calls),
        }
        await on.running.behave(cell.quick)
        patient = on.tally
        for number in range(AFTERWARDS):
            await patient.ask(on.web, f"patient {number}")
        figures |= {"lost afterwards": patient.lost, "loop ms": ms(loop.worst)}
        figures |= await ledger_gap(on.web, await on.running.calls())
    await asyncio.sleep(0.05)
    return figures | {"leaked": Footprint.now().leaked(before)}


async def shared_flight(cell: Cell) -> Figures:
    """Callers who give up at random moments beside one who waits for the same answer."""
    chance = random.Random(7)
    before = Footprint.now()
    async with stage(cell) as on:
        tally = on.tally

        async def one(number: int) -> None:
            query = f"shared {number}"
            impatient = asyncio.create_task(on.web.search(query, limit=5))
            patient = asyncio.create_task(tally.ask(on.web, query))
            await asyncio.sleep(chance.uniform(0, 1.2 * cell.latency + 0.02))
            impatient.cancel()
            await asyncio.gather(impatient, return_exceptions=True)
            await patient

        await in_parallel(cell.size, cell.width, one)
        calls = await on.running.calls()
        figures: Figures = {
            "searches": len(tally.seconds),
            "lost": tally.lost,
            "unhandled": len(tally.unhandled),
            "calls": made(calls),
            "blamed": blamed(on.web, calls),
        }
    await asyncio.sleep(0.05)
    return figures | {"leaked": Footprint.now().leaked(before)}


async def soak(cell: Cell) -> Figures:
    """Very many faulted searches: what the process holds in the second half, beside the first."""
    samples: list[Footprint] = []
    async with stage(cell) as on, lateness() as loop:
        tally = on.tally

        async def one(number: int) -> None:
            await on.search(tally, cell.behaviours, cell.case, number)
            if number % 50 == 0:
                samples.append(Footprint.now())

        await in_parallel(cell.size, cell.width, one)
        calls = await on.running.calls()
        figures = told(tally, loop, calls) | await ledger_gap(on.web, calls)
    # The first tenth fills pools and caches.
    samples = samples[len(samples) // 10 :]
    middle = len(samples) // 2
    for held in ("megabytes", "files", "threads"):
        first, second = (
            median(getattr(sample, held) for sample in half) for half in (samples[:middle], samples[middle:])
        )
        figures |= {held: f"{first:.0f}→{second:.0f}", f"{held} grew": round(second / first, 3)}
    return figures


async def two_loops(cell: Cell) -> Figures:
    """One engine, used from two threads, each with an event loop of its own."""
    async with stage(cell) as on, lateness() as loop:
        tallies = [on.tally, on.tally]

        def thread(place: int) -> None:
            search = partial(on.search, tallies[place], cell.behaviours, f"loop {place}")
            asyncio.run(in_parallel(cell.size, cell.width, search))

        threads = [threading.Thread(target=thread, args=(place,)) for place in range(2)]
        for one in threads:
            one.start()
        for one in threads:
            await asyncio.to_thread(one.join)
        calls = await on.running.calls()
        both = on.tally
        for tally in tallies:
            both.seconds += tally.seconds
            both.ended += tally.ended
            both.unhandled += tally.unhandled
            both.lost += tally.lost
            both.failed += tally.failed
        return told(both, loop, calls) | {"blamed": blamed(on.web, calls), **await ledger_gap(on.web, calls)}


PLAYS: dict[str, Callable[[Cell], Figures]] = {
    "closed": looped(closed),
    "open": looped(opened),
    "storm": looped(storm),
    "cancelled": looped(cancelled),
    "shared flight": looped(shared_flight),
    "soak": looped(soak),
    "two loops": looped(two_loops),
}


def missing(cell: Cell) -> str:
    """Why a cell cannot be run here; empty if it can."""
    return why_not() if cell.store in {"redis", "hung"} else ""
