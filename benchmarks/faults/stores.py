"""
What is done to an engine's store, and by several processes: a store that hangs, is locked, full or read-only, a Redis
that is killed, a clock that jumps, a process that dies in mid-search, a quota that many contest.
"""

import asyncio
import json
import multiprocessing
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.faults.case import Cell, Figures
from benchmarks.faults.kinds import Behaviour
from benchmarks.faults.measure import Tally, in_parallel, lateness, ms
from benchmarks.faults.plays import SEARCH_SECONDS, client, made, store
from benchmarks.faults.server import Vendors, vendors
from seekread import AllFailed, Seekread
from seekread.clock import SystemClock
from tests.support.redis_server import RedisServer

NOBODY = 65_534
QUOTA = 100
CLOSED_SECONDS, MOST_CLOSED = 6.0, 3
"""How long a store that could not be asked is left alone, and how often a contestant waits for that."""
HELD = 60.0
"""Seconds a vendor takes to answer a process that is about to be killed."""
LONGEST = 20.0
"""Seconds after which searches that have one second are given up."""
JUMPS = (0.0, -3600.0, 0.0, 365 * 86_400.0, 0.0)


@dataclass(frozen=True)
class Trouble:
    """A store, as the setting names it, and what begins and ends the trouble with it."""

    url: str
    begin: Callable[[], object] = lambda: None
    end: Callable[[], object] = lambda: None


@contextmanager
def hung(folder: Path) -> Iterator[Trouble]:
    """Redis keeps its connections and answers nothing any more."""
    with RedisServer(folder / "redis") as server:
        process = server._process
        assert process is not None
        stop, go_on = (partial(process.send_signal, number) for number in (signal.SIGSTOP, signal.SIGCONT))
        yield Trouble(server.url, stop, go_on)


@contextmanager
def locked(folder: Path) -> Iterator[Trouble]:
    """Another program holds the file and does not let go."""
    path = str(folder / "state.sqlite")
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        yield Trouble(path, partial(holder.execute, "BEGIN EXCLUSIVE"), holder.rollback)


@contextmanager
def full(folder: Path) -> Iterator[Trouble]:
    """No file may grow any more."""
    yield Trouble(str(folder / "state.sqlite"), partial(resource.setrlimit, resource.RLIMIT_FSIZE, (1, 1)))


@contextmanager
def read_only(folder: Path) -> Iterator[Trouble]:
    """Nobody may write into the folder, not even we."""
    folder.chmod(0o555)
    if os.geteuid() == 0:
        os.setuid(NOBODY)
    yield Trouble(str(folder / "state.sqlite"))


TROUBLES = {"hung": hung, "locked": locked, "full": full, "read-only": read_only}


def trouble(cell: Cell) -> Figures:
    """Searches that cost nothing and searches that cost money, while the store cannot be used."""
    with tempfile.TemporaryDirectory() as outer, vendors() as running:
        folder = Path(outer) / "state"
        folder.mkdir()
        Path(outer).chmod(0o755)
        asyncio.run(warm(running, str(Path(outer) / "warm.sqlite")))
        asyncio.run(running.behave(cell.behaviours))
        try:
            # In a process of its own, because limits and rights that are given up do not come back.
            [figures] = in_children(lambda: asyncio.run(through(cell, running, folder)))
        finally:
            folder.chmod(0o755)
        return figures


async def warm(running: Vendors, path: str) -> None:
    """Load everything that a first search loads, for children to inherit."""
    async with client(running, "brave", store=path, cache=True) as web:
        await web.search("warm")


async def through(cell: Cell, running: Vendors, folder: Path) -> Figures:
    limit = cell.settings.get("search_seconds", SEARCH_SECONDS)
    free, paid = Tally(limit), Tally(limit)
    with TROUBLES[cell.store](folder) as with_it:
        engine = partial(client, running, store=with_it.url, cache=True, **cell.settings)
        async with engine("searxng") as costs_nothing, engine("brave") as costs_money, lateness() as loop:
            for web in (costs_nothing, costs_money):
                with suppress(AllFailed):
                    await web.search("before")
            with_it.begin()
            await running.calls(forget=True)
            for tally, web in ((free, costs_nothing), (paid, costs_money)):
                with suppress(TimeoutError):
                    async with asyncio.timeout(LONGEST):
                        await in_parallel(cell.size, cell.width, partial(numbered, tally, web))
            calls = await running.calls()
            with_it.end()
    return {
        "searches": len(free.seconds) + len(paid.seconds),
        "free lost": free.lost,
        "paid calls": made({"brave": calls["brave"]}),
        "unhandled": len(free.unhandled) + len(paid.unhandled),
        "free late ms": ms(free.late(loop)),
        "paid late ms": ms(paid.late(loop)),
        "free p50 ms": ms(free.percentile(0.5)),
        "paid p50 ms": ms(paid.percentile(0.5)),
        "loop ms": ms(loop.worst),
        "blocked ms": ms(loop.blocked),
    }


async def numbered(tally: Tally, web: Seekread, number: int) -> None:
    await tally.ask(web, f"question {number}")


async def killed(cell: Cell) -> Figures:
    """A process is ended in mid-search; how much longer the same search then takes than any other."""
    figures: Figures = {}
    with vendors() as running, store(cell.store) as url:
        engine = partial(client, running, *cell.providers, store=url, cache=True, **cell.settings)
        for name in ("SIGTERM", "SIGKILL"):
            query = f"asked by the dead of {name}"
            await running.calls(forget=True)
            await running.behave({provider: Behaviour(latency=HELD) for provider in cell.providers})
            victim = multiprocessing.get_context("fork").Process(target=search_once, args=(engine, query))
            victim.start()
            while not made(await running.calls()):
                pass
            assert victim.pid is not None
            os.kill(victim.pid, getattr(signal, name))
            await asyncio.to_thread(victim.join)
            await running.behave(cell.healthy)
            async with engine() as web, lateness() as loop:
                await web.search(f"warm {name}")
                started = time.perf_counter()
                await web.search(f"another {name}")
                usual = time.perf_counter() - started
                started = time.perf_counter()
                await web.search(query)
                ended = time.perf_counter()
            figures[f"after {name} ms"] = ms(ended - started - usual - loop.between(started, ended))
    return figures


def search_once(engine: Callable[[], Seekread], query: str) -> None:
    # Forked from a running loop, whose handlers are not ours.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    async def search() -> None:
        async with engine() as web:
            await web.search(query)

    asyncio.run(search())


def quota(cell: Cell) -> Figures:
    """A plan of 100 calls, contested by as many processes as the cell is wide."""
    with vendors() as running, store(cell.store) as url:
        results = in_children(*(partial(contestant, running, url, number) for number in range(cell.width)))
        calls = asyncio.run(running.calls())
    return {
        "calls": made(calls),
        "answers": sum(result.get("answers", 0) for result in results),
        "unhandled": sum(result["unhandled"] for result in results),
    }


def contestant(running: Vendors, url: str, number: int) -> Figures:
    return asyncio.run(contest(running, url, number))


async def contest(running: Vendors, url: str, number: int) -> Figures:
    """Search until the plan is used up; while a busy machine keeps the store from being asked, a little later again."""
    figures: Figures = {"answers": 0, "unhandled": 0}
    async with client(running, "brave", store=url, daily_calls=QUOTA, search_seconds=60.0, attempt_seconds=30.0) as web:

        async def one(worker: int) -> None:
            closed = 0
            for turn in range(2 * QUOTA):
                try:
                    await web.search(f"{number} {worker} {turn}")
                    figures["answers"] += 1
                except AllFailed as error:
                    if error.outcome == "quota_exhausted":
                        return
                    if closed == MOST_CLOSED:
                        figures["unhandled"] += 1
                        return
                    closed += 1
                    await asyncio.sleep(CLOSED_SECONDS)

        await in_parallel(4, 4, one)
    return figures


async def restart(cell: Cell) -> Figures:
    """Redis is killed and started again: the cache fails open, what costs money fails closed, all is counted."""
    figures: Figures = {"unhandled": 0}
    with tempfile.TemporaryDirectory() as folder, vendors() as running, RedisServer(Path(folder)) as server:
        engine = partial(client, running, store=server.url, cache=True)
        async with (
            engine("brave") as paid,
            engine("tavily", quota_fails_closed=False) as trusting,
            engine("searxng") as free,
        ):
            calls: dict[str, int] = {}
            for phase, change in (("before", None), ("down", server.kill), ("after", server.start)):
                if change:
                    change()
                if phase == "after":
                    # Nobody tries a store again within five seconds of its failure.
                    await asyncio.sleep(5.5)
                for name, web in (("paid", paid), ("trusting", trusting), ("free", free)):
                    tally = Tally(SEARCH_SECONDS)
                    await in_parallel(cell.size, cell.width, partial(phased, tally, web, phase))
                    figures[f"{name} {phase} %"] = round(100 * tally.answered / cell.size)
                    figures["unhandled"] += len(tally.unhandled)
                calls[phase] = made({"brave": (await running.calls(forget=True))["brave"]})
            counted = sum(usage.calls for usage in await paid._parts.ledger.usage() if usage.provider == "brave")
    return figures | {"paid calls down": calls["down"], "not counted": sum(calls.values()) - round(counted)}


async def phased(tally: Tally, web: Seekread, phase: str, number: int) -> None:
    await tally.ask(web, f"{phase} {number}")


@dataclass
class Jumping(SystemClock):
    """A clock that is off."""

    off: float = 0.0

    def time(self) -> float:
        """The wrong time."""
        return time.time() + self.off


async def clock(cell: Cell) -> Figures:
    """The clock is set back an hour, then right, then a year ahead, then right again."""
    wrong, tally = Jumping(), Tally(SEARCH_SECONDS)
    with vendors() as running, store(cell.store) as url:
        for place, wrong.off in enumerate(JUMPS):
            async with client(running, *cell.providers, store=url, cache=True, clock=wrong) as web:
                await in_parallel(cell.size, cell.width, partial(phased, tally, web, str(place)))
    return {"searches": len(tally.seconds), "lost": tally.lost, "unhandled": len(tally.unhandled)}


def script(cell: Cell) -> Figures:
    """Another benchmark, with a check of its own."""
    options = cell.options
    amount = max(options["least"], options["amount"] * options["scale"])
    command = [sys.executable, str(Path(__file__).parents[1] / options["script"]), options["option"], f"{amount:.0f}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    figures: Figures = json.loads(done.stdout)
    return figures | {"exit code": done.returncode}


def in_children(*works: Callable[[], Figures]) -> list[Figures]:
    """Run pieces of work at once, each in a process of its own; one that dies is counted as unhandled."""
    context = multiprocessing.get_context("fork")
    pipes = []
    for work in works:
        reading, writing = context.Pipe(duplex=False)
        process = context.Process(target=send_back, args=(work, writing))
        process.start()
        writing.close()
        pipes.append((process, reading))
    results = []
    for process, reading in pipes:
        try:
            results.append(reading.recv())
        except EOFError:
            results.append({"unhandled": 1})
        process.join()
    return results


def send_back(work: Callable[[], Figures], writing: "Connection[Figures, object]") -> None:
    writing.send(work())


STORE_PLAYS: dict[str, Callable[[Cell], Figures]] = {
    "trouble": trouble,
    "killed": lambda cell: asyncio.run(killed(cell)),
    "quota": quota,
    "restart": lambda cell: asyncio.run(restart(cell)),
    "clock": lambda cell: asyncio.run(clock(cell)),
    "script": script,
}
