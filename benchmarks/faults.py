"""
What happens when providers fail, hang, lie and vanish: the figures of the engine under faults, on loopback.

    python benchmarks/faults.py [--scale 1.0] [NAME…]

A server process of its own plays three vendors. Which fault a query meets at which vendor follows from the query, so
that every run is alike and it is known for each query who could have answered it.
"""

import argparse
import asyncio
import hashlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from seekread import AllFailed, Seekread

VENDORS = ("brave", "tavily", "searxng")
FAULTS = ("429", "500", "reset", "hang", "slow", "truncated", "schema", "html")
SHARE = 0.2
SLOW = 0.4


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
        {"title": f"{query} {n}", "url": f"https://e.org/{n}/{query}", "description": "d", "content": "c"}
        for n in range(5)
    ]
    if vendor == "brave":
        return json.dumps({"query": {"original": query}, "web": {"results": rows}}).encode()
    return json.dumps({"query": query, "results": rows}).encode()


class Server:
    """Plays the vendors, counts calls, and misbehaves as the query says."""

    def __init__(self) -> None:
        self.calls: dict[str, int] = dict.fromkeys(VENDORS, 0)
        self.down: set[str] = set()
        self.share = SHARE

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


def client(running: Vendors, *names: str, **settings: Any) -> Seekread:
    wanted = {"store": "memory:", "cache": False, "attempt_seconds": 1.0, "search_seconds": 5.0, **settings}
    return Seekread(names or VENDORS, settings=wanted, providers=running.providers(), environ={"HOME": "/nonexistent"})


@dataclass
class Tally:
    """What happened to a number of searches."""

    seconds: list[float] = field(default_factory=list)
    answered: int = 0
    lost: int = 0
    failed: int = 0
    unhandled: list[str] = field(default_factory=list)

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


async def mixed(scale: float) -> dict[str, Any]:
    """10,000 searches over three providers of which each fails in one call out of five."""
    count = max(200, int(10_000 * scale))
    with vendors() as running:
        await running.control(share="0")
        async with client(running, route="hedge") as web:
            healthy = await searches(web, max(100, count // 10), "healthy", 0)
        await running.control(share=str(SHARE))
        async with client(running, route="hedge") as web:
            tally = await searches(web, count, "mixed", SHARE)
            delay = max(web._parts.gate.slow_after(provider) for provider in web._parts.chain())
        calls = sum((await running.control()).values())
    limit = 3 * healthy.percentile(0.5) + delay
    return {
        "searches": count,
        "unhandled": len(tally.unhandled),
        "lost": tally.lost,
        "nobody could": tally.failed - tally.lost,
        "p50 healthy ms": ms(healthy.percentile(0.5)),
        "p50 ms": ms(tally.percentile(0.5)),
        "p99 ms": ms(tally.percentile(0.99)),
        "p99 limit ms": ms(limit),
        "calls beyond failover %": round(100 * (calls / necessary("mixed", count) - 1), 1),
    }


async def black_hole(scale: float) -> dict[str, Any]:
    """The preferred provider accepts connections and never answers."""
    count = max(100, int(1000 * scale))
    with vendors() as running:
        await running.control(share="0")
        async with client(running, "tavily") as web:
            healthy = await searches(web, count, "healthy", 0)
        await running.control(down="brave")
        async with client(running, "brave", "tavily", attempt_seconds=0.3) as web:
            opened = 0
            while not web._parts.gate.breaker("brave").is_open and opened < 100:
                await web.search(f"hole {opened}")
                opened += 1
            after = await searches(web, count, "after", 0)
        calls = await running.control()
    return {
        "calls until the breaker opened": opened,
        "calls to the hole": calls["brave"],
        "p50 healthy ms": ms(healthy.percentile(0.5)),
        "p50 after ms": ms(after.percentile(0.5)),
        "ratio": round(after.percentile(0.5) / healthy.percentile(0.5), 2),
    }


async def all_down(scale: float) -> dict[str, Any]:
    """Everybody hangs: a typed error by the deadline, and nothing left behind."""
    count = max(20, int(200 * scale))
    with vendors() as running:
        await running.control(share="0", down=",".join(VENDORS))
        before = leaks()
        late: list[float] = []
        typed = 0
        async with client(running, search_seconds=0.5, attempt_seconds=0.2) as web:

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
        "typed errors": typed,
        "latest after deadline ms": ms(max(late)),
        "leaked": changed(before, after),
    }


async def cancelled(scale: float) -> dict[str, Any]:
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


def leaks() -> dict[str, int]:
    """Open files and unfinished tasks of this process."""
    files = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    return {"files": files, "tasks": len(asyncio.all_tasks())}


def changed(before: dict[str, int], after: dict[str, int], connections: int = 0) -> int:
    """What is there more than before; pooled connections are kept on purpose."""
    return max(0, after["files"] - before["files"] - connections) + max(0, after["tasks"] - before["tasks"])


def ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


SCENARIOS: dict[str, Callable[[float], Coroutine[Any, Any, dict[str, Any]]]] = {
    "mixed": mixed,
    "black_hole": black_hole,
    "all_down": all_down,
    "cancelled": cancelled,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of {', '.join(SCENARIOS)} (default: all)")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the run; 1 is the full size")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.serve:
        asyncio.run(Server().serve())
        return
    for name in wanted.names or SCENARIOS:
        started = time.perf_counter()
        figures = asyncio.run(SCENARIOS[name](wanted.scale))
        print(f"\n{name}: {SCENARIOS[name].__doc__}  ({time.perf_counter() - started:.0f} s)")
        for label, value in figures.items():
            print(f"  {label:<32} {value}")


if __name__ == "__main__":
    main()
