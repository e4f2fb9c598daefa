"""
What happens when providers fail, hang, lie and vanish: the figures of the engine under faults, on loopback.

    python benchmarks/faults.py [--scale 1.0] [--json] [NAME…]

A server process of its own plays three vendors. Which fault a query meets at which vendor follows from the query, so
that every run is alike and it is known for each query who could have answered it. Where a figure is compared with a
healthy one, both are measured in turns. Each figure with a target is printed with it; times move with the machine,
counts must not.
"""

import argparse
import asyncio
import hashlib
import json
import logging
import multiprocessing
import os
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial, wraps
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, quote, urlsplit

from seekread import AllFailed, Seekread
from seekread.clock import SystemClock
from tests.support.redis_server import RedisServer, why_not

VENDORS = ("brave", "tavily", "searxng")
FAULTS = ("429", "500", "reset", "hang", "slow", "truncated", "schema", "html")
SHARE = 0.2
SLOW = 0.4
NOBODY = 65_534

Figures = dict[str, Any]


def fault(vendor: str, query: str, share: float = SHARE) -> str | None:
    """The fault a query meets at a vendor, or none."""
    digest = hashlib.sha256(f"{vendor}/{query}".encode()).digest()
    if int.from_bytes(digest[:4]) / 2**32 >= share:
        return None
    return FAULTS[digest[4] % len(FAULTS)]


def fatal(kind: str | None) -> bool:
    """Whether a fault keeps a vendor from answering at all; a slow answer is an answer."""
    return kind not in {None, "slow"}


def answer(vendor: str, query: str) -> bytes:
    rows = [
        {"title": f"{query} {n}", "url": f"https://e.org/{n}/{quote(query)}", "description": "d", "content": "c"}
        for n in range(5)
    ]
    if vendor == "brave":
        return json.dumps({"query": {"original": query}, "web": {"results": rows}}).encode()
    return json.dumps({"query": query, "results": rows}).encode()


class Server:
    """Plays the vendors, counts calls, and misbehaves as the query says."""

    def __init__(self, share: float = SHARE) -> None:
        self.calls: dict[str, int] = dict.fromkeys(VENDORS, 0)
        self.down: set[str] = set()
        self.share = share

    async def serve(self) -> None:
        server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
        sys.stdout.flush()
        loop = asyncio.get_running_loop()
        # The parent's end of the pipe closes when it is done or dead.
        await loop.run_in_executor(None, sys.stdin.read)
        os._exit(0)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self.exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        target = head.split(b" ", 2)[1].decode()
        length = next(
            (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")), 0
        )
        body = await reader.readexactly(length)
        parts = urlsplit(target)
        vendor = parts.path.split("/")[1]
        if vendor == "control":
            return self.control(parts.query, writer)
        query = json.loads(body)["query"] if body else parse_qs(parts.query)["q"][0]
        self.calls[vendor] += 1
        if vendor in self.down:
            await asyncio.sleep(60)
        return await self.misbehave(fault(vendor, query, self.share), vendor, query, writer)

    def control(self, query: str, writer: asyncio.StreamWriter) -> bool:
        wanted = parse_qs(query)
        self.share = float(wanted.get("share", [str(self.share)])[0])
        self.down = set(filter(None, wanted.get("down", [",".join(self.down)])[0].split(",")))
        send(writer, json.dumps(self.calls).encode())
        self.calls = dict.fromkeys(VENDORS, 0)
        return True

    async def misbehave(self, kind: str | None, vendor: str, query: str, writer: asyncio.StreamWriter) -> bool:
        match kind:
            case "429" | "500":
                send(writer, b"{}", status=kind)
            case "reset":
                writer.transport.abort()
                return False
            case "hang":
                await asyncio.sleep(60)
            case "truncated":
                send(writer, answer(vendor, query)[:-40], length=len(answer(vendor, query)))
                return False
            case "schema":
                send(writer, b'{"web": 3, "results": "none"}')
            case "html":
                send(writer, b"<html>unusual traffic</html>")
            case _:
                if kind == "slow":
                    await asyncio.sleep(SLOW)
                send(writer, answer(vendor, query))
        return True


def send(writer: asyncio.StreamWriter, body: bytes, *, status: str = "200", length: int | None = None) -> None:
    size = len(body) if length is None else length
    writer.write(
        f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n".encode() + body
    )


@dataclass
class Vendors:
    """The server process, as the benchmark sees it."""

    port: int

    def providers(self) -> dict[str, dict[str, str]]:
        return {name: {"base_url": f"http://127.0.0.1:{self.port}/{name}", "api_key": "k"} for name in VENDORS}

    async def control(self, **wanted: str) -> dict[str, int]:
        """Change how the vendors behave; returns the calls since the last time."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        query = "&".join(f"{name}={value}" for name, value in wanted.items())
        writer.write(f"GET /control/?{query} HTTP/1.1\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(
            next(line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
        )
        calls: dict[str, int] = json.loads(await reader.readexactly(size))
        writer.close()
        return calls


@contextmanager
def vendors() -> Iterator[Vendors]:
    process = subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Vendors(int(process.stdout.readline()))
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait()


def client(running: Vendors, *names: str, clock: SystemClock | None = None, **settings: Any) -> Seekread:
    wanted = {"store": "memory:", "cache": False, "attempt_seconds": 3.0, "search_seconds": 10.0, **settings}
    providers = running.providers()
    return Seekread(
        names or VENDORS, settings=wanted, providers=providers, environ={"HOME": "/nonexistent"}, clock=clock
    )


@dataclass
class Tally:
    """What happened to a number of searches."""

    seconds: list[float] = field(default_factory=list)
    answered: int = 0
    lost: int = 0
    failed: int = 0
    unhandled: list[str] = field(default_factory=list)

    def __iadd__(self, other: Self) -> Self:
        self.seconds += other.seconds
        self.unhandled += other.unhandled
        self.answered, self.lost, self.failed = (
            self.answered + other.answered, self.lost + other.lost, self.failed + other.failed,
        )  # fmt: skip
        return self

    def percentile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def in_parallel(count: int, work: Callable[[int], Awaitable[None]], width: int = 6) -> None:
    numbers = iter(range(count))

    async def worker() -> None:
        for number in numbers:
            await work(number)

    await asyncio.gather(*(worker() for _ in range(width)))


async def searches(web: Seekread, count: int, name: str, share: float) -> Tally:
    tally = Tally()

    async def one(number: int) -> None:
        query = f"{name} {number}"
        possible = any(not fatal(fault(vendor, query, share)) for vendor in VENDORS)
        started = time.perf_counter()
        try:
            response = await web.search(query, limit=5)
            tally.answered += 1
            tally.lost += not response.results
        except AllFailed:
            tally.failed += 1
            tally.lost += possible
        except Exception as error:  # noqa: BLE001 - this is what is counted
            tally.unhandled.append(repr(error))
        tally.seconds.append(time.perf_counter() - started)

    await in_parallel(count, one)
    return tally


def necessary(name: str, count: int) -> int:
    """Calls a perfect failover makes: everyone in order up to the first who can answer."""
    total = 0
    for number in range(count):
        kinds = [fault(vendor, f"{name} {number}") for vendor in VENDORS]
        total += next((place for place, kind in enumerate(kinds, start=1) if not fatal(kind)), len(kinds))
    return total


def looped(work: Callable[[float], Coroutine[Any, Any, Figures]]) -> Callable[[float], Figures]:
    """A scenario that runs in an event loop of its own."""

    @wraps(work)
    def run(scale: float) -> Figures:
        return asyncio.run(work(scale))

    return run


@looped
async def mixed(scale: float) -> Figures:
    """10,000 searches over three providers, each of which fails in one call out of five; route hedge."""
    count, rounds = max(200, int(10_000 * scale)), 5
    healthy, tally, calls = Tally(), Tally(), 0
    slowest, limits = [], []
    with vendors() as running:
        async with client(running, route="hedge") as well, client(running, route="hedge") as web:
            for part in range(rounds):
                await running.control(share="0")
                good = await searches(well, max(40, count // 50), f"healthy {part}", 0)
                await running.control(share=str(SHARE))
                bad = await searches(web, count // rounds, f"mixed {part}", SHARE)
                calls += sum((await running.control()).values())
                delay = max(web._parts.gate.slow_after(provider) for provider in web._parts.chain(()))
                slowest.append(bad.percentile(0.99))
                limits.append(3 * good.percentile(0.5) + delay)
                healthy += good
                tally += bad
    needed = sum(necessary(f"mixed {part}", count // rounds) for part in range(rounds))
    return {
        "searches": len(tally.seconds),
        "unhandled": len(tally.unhandled),
        "lost": tally.lost,
        "nobody could": tally.failed - tally.lost,
        "p50 healthy ms": ms(healthy.percentile(0.5)),
        "p99 healthy ms": ms(healthy.percentile(0.99)),
        "p50 ms": ms(tally.percentile(0.5)),
        "p99 ms": ms(statistics.median(slowest)),
        "p99 limit ms": ms(statistics.median(limits)),
        "calls beyond failover %": round(100 * (calls / needed - 1), 1),
    }


@looped
async def black_hole(scale: float) -> Figures:
    """The preferred provider accepts connections and never answers; route first."""
    return await hole(scale, "first")


@looped
async def hedged_hole(scale: float) -> Figures:
    """The same under hedge, where the silent provider is always the loser that is cancelled."""
    return await hole(scale, "hedge")


async def hole(scale: float, route: str) -> Figures:
    count, rounds = max(100, int(1000 * scale)), 5
    healthy, after = Tally(), Tally()
    with vendors() as running:
        await running.control(share="0", down="brave")
        settings: Figures = {"route": route, "attempt_seconds": 2.0}
        async with client(running, "tavily", **settings) as well, client(running, "brave", "tavily", **settings) as web:
            before = 0
            while not web._parts.gate.breaker("brave").is_open and before < 100:
                after += await searches(web, 5, f"hole {before}", 0)
                before += 5
            after.seconds.clear()
            for part in range(rounds):
                healthy += await searches(well, count // rounds, f"healthy {part}", 0)
                after += await searches(web, count // rounds, f"after {part}", 0)
        calls = await running.control()
    return {
        "searches until the breaker opened": before,
        "calls to the hole": calls["brave"],
        "unhandled": len(after.unhandled),
        "lost": after.lost,
        "p50 healthy ms": ms(healthy.percentile(0.5)),
        "p50 after ms": ms(after.percentile(0.5)),
        "ratio": round(after.percentile(0.5) / healthy.percentile(0.5), 2),
    }


@looped
async def all_down(scale: float) -> Figures:
    """Everybody hangs: a typed error by the deadline, and nothing left behind."""
    count = max(20, int(200 * scale))
    with vendors() as running:
        await running.control(share="0")
        before = leaks()
        late: list[float] = []
        typed = 0
        async with client(running, search_seconds=0.5, attempt_seconds=0.2) as web:
            # The first search of a process loads modules and certificates; that is the cold start, not the deadline.
            with suppress(AllFailed):
                await web.search("warm")
            await running.control(down=",".join(VENDORS))

            async def one(number: int) -> None:
                nonlocal typed
                started = time.perf_counter()
                try:
                    await web.search(f"down {number}")
                except AllFailed:
                    typed += 1
                late.append(time.perf_counter() - started - 0.5)

            await in_parallel(count, one)
        await asyncio.sleep(0.05)
        after = leaks()
    return {
        "searches": count,
        "not typed": count - typed,
        "99 of 100 after deadline ms": ms(sorted(late)[int(0.99 * len(late)) - 1]),
        "latest after deadline ms": ms(max(late)),
        "leaked": changed(before, after),
    }


@looped
async def cancelled(scale: float) -> Figures:
    """5,000 searches cancelled at random points, while others wait for the same answers."""
    count = max(100, int(5000 * scale))
    with vendors() as running:
        await running.control(share="0")
        chance = random.Random(7)
        async with client(running, cache=True) as web:
            await web.search("warm")
            before = leaks()
            harmed = 0

            async def one(number: int) -> None:
                nonlocal harmed
                query = f"shared {number // 2}"
                task = asyncio.create_task(web.search(query, max_age=0 if number % 2 else None))
                waiter = asyncio.create_task(web.search(query, max_age=0 if number % 2 else None))
                await asyncio.sleep(chance.random() * 0.01)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                [response] = await asyncio.gather(waiter, return_exceptions=True)
                harmed += isinstance(response, BaseException) or not response.results

            await in_parallel(count, one)
            await asyncio.sleep(0.05)
            after = leaks()
    return {"cancellations": count, "waiters harmed": harmed, "leaked": changed(before, after, connections=6)}


@looped
async def redis_restart(scale: float) -> Figures:
    """Redis is killed and started again: the cache fails open, what costs money fails closed, no count is lost."""
    if missing := why_not():
        return {"skipped": missing}
    count = max(10, int(200 * scale))
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as folder, vendors() as running, RedisServer(Path(folder)) as server:
        await running.control(share="0")
        shared: Figures = {"store": server.url, "cache": True}
        async with (
            client(running, "brave", **shared) as paid,
            client(running, "tavily", quota_fails_closed=False, **shared) as trusting,
            client(running, "searxng", **shared) as free,
        ):
            for phase in ("before", "down", "after"):
                if phase == "down":
                    server.kill()
                elif phase == "after":
                    server.start()
                    # Nobody tries a store again within five seconds of its failure.
                    await asyncio.sleep(5.5)
                for name, web in (("paid", paid), ("trusting", trusting), ("free", free)):
                    tally = await searches(web, count, f"{phase} {name}", 0)
                    figures[f"{name}, answered {phase} %"] = round(100 * tally.answered / count)
                    figures["unhandled"] = figures.get("unhandled", 0) + len(tally.unhandled)
                calls = await running.control()
                figures[f"paid calls {phase}"] = calls["brave"]
            counted = {usage.provider: usage.calls for usage in await paid._parts.ledger.usage()}
    figures["paid calls not counted"] = figures["paid calls before"] + figures["paid calls after"] - counted["brave"]
    return figures


def report(work: Callable[[], Figures], writing: "Connection[Figures, Any]") -> None:
    writing.send(work())


def in_children(*works: Callable[[], Figures]) -> list[Figures]:
    """Run pieces of work at once, each in a process of its own; one that dies is counted as unhandled."""
    context = multiprocessing.get_context("fork")
    pipes = []
    for work in works:
        reading, writing = context.Pipe(duplex=False)
        process = context.Process(target=report, args=(work, writing))
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


def quota(_scale: float) -> Figures:
    """100 calls contested by eight processes."""
    figures: Figures = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        running = stack.enter_context(vendors())
        asyncio.run(running.control(share="0"))
        stores = {"SQLite": str(folder / "state.sqlite")}
        if not why_not():
            stores["Redis"] = stack.enter_context(RedisServer(folder / "redis")).url
        for name, url in stores.items():
            results = in_children(*[partial(contestant, running, url, number) for number in range(8)])
            figures[f"calls, {name}"] = asyncio.run(running.control())["brave"]
            figures[f"answers, {name}"] = sum(result.get("answers", 0) for result in results)
            figures["unhandled"] = figures.get("unhandled", 0) + sum(result["unhandled"] for result in results)
    return figures


def contestant(running: Vendors, url: str, number: int) -> Figures:
    return asyncio.run(contest(running, url, number))


async def contest(running: Vendors, url: str, number: int) -> Figures:
    """Search until the plan is used up."""
    figures = {"answers": 0, "unhandled": 0}
    async with client(running, "brave", store=url, daily_calls=100, search_seconds=60.0, attempt_seconds=30.0) as web:

        async def one(worker: int) -> None:
            for turn in range(200):
                try:
                    await web.search(f"{number} {worker} {turn}")
                    figures["answers"] += 1
                except AllFailed as error:
                    figures["unhandled"] += error.outcome != "quota_exhausted"
                    return

        await in_parallel(4, one, 4)
    return figures


def pace(scale: float) -> Figures:
    """Eight processes share ten requests a second for a minute."""
    return script("pace.py", "--seconds", str(max(3.0, 60 * scale)))


def kill9(scale: float) -> Figures:
    """1,000 times kill -9 while four processes write to one store."""
    return script("kill9.py", "--kills", str(max(30, int(1000 * scale))))


def script(name: str, *arguments: str) -> Figures:
    """The figures of another benchmark."""
    command = [sys.executable, str(Path(__file__).with_name(name)), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    figures: Figures = json.loads(done.stdout)
    return figures | {"failed its own check": int(done.returncode != 0)}


def disk(scale: float) -> Figures:
    """The state file cannot be used: disk full, read-only folder, locked file, and a clock that jumps."""
    count = max(3, int(50 * scale))
    figures: Figures = {"unhandled": 0}
    with tempfile.TemporaryDirectory() as folder, vendors() as running:
        asyncio.run(running.control(share="0"))
        for name, trouble in TROUBLES.items():
            place = Path(folder) / name
            place.mkdir()
            Path(folder).chmod(0o755)
            [result] = in_children(partial(trouble, running, place, count))
            figures["unhandled"] += result.pop("unhandled")
            figures |= {f"{name}: {what}": value for what, value in result.items()}
            place.chmod(0o755)
    return figures


def full(running: Vendors, place: Path, count: int) -> Figures:
    """No file may grow beyond what SQLite needs to begin."""
    asyncio.run(through_trouble(running, "memory:", 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
    return asyncio.run(through_trouble(running, str(place / "state.sqlite"), count))


def read_only(running: Vendors, place: Path, count: int) -> Figures:
    """Nobody may write into the folder, not even we."""
    # Everything is loaded before the rights are given up, for then even Python may be out of reach.
    asyncio.run(through_trouble(running, str(place.with_suffix(".sqlite")), 1))
    place.chmod(0o555)
    if os.geteuid() == 0:
        os.setuid(NOBODY)
    return asyncio.run(through_trouble(running, str(place / "state.sqlite"), count))


def locked(running: Vendors, place: Path, count: int) -> Figures:
    """Another program holds the file and does not let go."""
    path = str(place / "state.sqlite")
    asyncio.run(through_trouble(running, path, 1))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    # Every write waits two seconds for the holder, so a few searches are enough.
    return asyncio.run(through_trouble(running, path, min(count // 3 + 1, 5)))


def jumping(running: Vendors, place: Path, count: int) -> Figures:
    """The clock is set back an hour, then a year ahead, then right again."""
    clock = Jumping()
    path = str(place / "state.sqlite")
    results = []
    for jump in (0.0, -3600.0, 0.0, 365 * 86_400.0, 0.0):
        clock.off = jump
        results.append(asyncio.run(through_trouble(running, path, count, clock)))
    return {what: sum(result[what] for result in results) for what in results[0]}


@dataclass
class Jumping(SystemClock):
    """A clock that is off."""

    off: float = 0.0

    def time(self) -> float:
        return time.time() + self.off


TROUBLES: dict[str, Callable[[Vendors, Path, int], Figures]] = {
    "full": full,
    "read-only": read_only,
    "locked": locked,
    "jumping": jumping,
}


async def through_trouble(running: Vendors, store: str, count: int, clock: Jumping | None = None) -> Figures:
    """Searches that cost nothing must be answered; what costs money may stop, with a typed error."""
    figures = {"free searches": count, "free not answered": 0, "paid answered": 0, "paid stopped": 0, "unhandled": 0}
    settings: Figures = {"store": store, "cache": True, "search_seconds": 30.0, "attempt_seconds": 10.0}
    async with client(running, "searxng", clock=clock, **settings) as free:
        tally = await searches(free, count, "free", 0)
        again = await searches(free, count, "free", 0)
    async with client(running, "brave", clock=clock, **settings) as paid:
        paid_for = await searches(paid, 1, f"paid {store} {time.time()}", 0)
    figures["free not answered"] = 2 * count - tally.answered - again.answered
    figures["paid answered"], figures["paid stopped"] = paid_for.answered, paid_for.failed
    figures["unhandled"] = len(tally.unhandled + again.unhandled + paid_for.unhandled)
    return figures


def leaks() -> dict[str, int]:
    """Open files and unfinished tasks of this process."""
    files = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    return {"files": files, "tasks": len(asyncio.all_tasks())}


def changed(before: dict[str, int], after: dict[str, int], connections: int = 0) -> int:
    """What is there more than before; pooled connections are kept on purpose."""
    return max(0, after["files"] - before["files"] - connections) + max(0, after["tasks"] - before["tasks"])


def ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


SCENARIOS: dict[str, Callable[[float], Figures]] = {
    "mixed": mixed,
    "black_hole": black_hole,
    "hedged_hole": hedged_hole,
    "all_down": all_down,
    "cancelled": cancelled,
    "kill9": kill9,
    "disk": disk,
    "pace": pace,
    "quota": quota,
    "redis_restart": redis_restart,
}

TARGETS: dict[str, dict[str, float | str]] = {
    "mixed": {"unhandled": 0, "lost": 0, "p99 ms": "p99 limit ms", "calls beyond failover %": 5.0},
    "black_hole": {"calls to the hole": 20, "unhandled": 0, "lost": 0, "ratio": 1.1},
    "hedged_hole": {"calls to the hole": 20, "unhandled": 0, "lost": 0, "ratio": 1.1},
    "all_down": {"not typed": 0, "latest after deadline ms": 100, "leaked": 0},
    "cancelled": {"waiters harmed": 0, "leaked": 0},
    "kill9": {"failed": 0, "corrupt": 0, "lost": 0, "miscounted": 0},
    "disk": {"unhandled": 0, **{f"{name}: free not answered": 0 for name in TROUBLES}},
    "pace": {"most in a second": 11, "failed its own check": 0},
    "quota": {"unhandled": 0, "calls, SQLite": 100, "calls, Redis": 100},
    "redis_restart": {"unhandled": 0, "paid calls down": 0, "paid calls not counted": 0},
}
"""The most a figure may be: a number, or the name of another figure."""


def judged(name: str, label: str, figures: Figures) -> str:
    """Whether a figure keeps its target; empty if it has none."""
    target = TARGETS[name].get(label)
    if target is None:
        return ""
    most = figures[target] if isinstance(target, str) else target
    return f"at most {most}" + ("" if figures[label] <= most else "  MISSED")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of {', '.join(SCENARIOS)} (default: all)")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the run; 1 is the full size")
    parser.add_argument("--json", action="store_true", help="one JSON object per scenario")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--healthy", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.serve:
        asyncio.run(Server(0.0 if wanted.healthy else SHARE).serve())
        return
    # That the store fails is what is measured here, not news.
    logging.getLogger("seekread").setLevel(logging.ERROR)
    for name in wanted.names or SCENARIOS:
        started = time.perf_counter()
        figures = SCENARIOS[name](wanted.scale)
        if wanted.json:
            print(json.dumps({"scenario": name, **figures}))
            continue
        print(f"\n{name}: {SCENARIOS[name].__doc__}  ({time.perf_counter() - started:.0f} s)")
        for label, value in figures.items():
            print(f"  {label:<32} {value!s:<10} {judged(name, label, figures)}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
