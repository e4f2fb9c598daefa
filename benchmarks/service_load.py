"""
Many clients at once against the service: errors, latency, and whether memory stays bounded.

    python benchmarks/service_load.py --clients 200 --seconds 30

The service and the simulated engine run as processes of their own; this one is the clients, each with a connection it
keeps. Of ten requests, six repeat a search, two ask something new, one opens a page, one looks something up on it.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from urllib.parse import quote, urlsplit

from seekread.testing.server import Answer, LoopbackServer, Received

REPEATED = 40
PAGE = "<html><head><title>Tea</title></head><body><main><h1>Tea</h1>" + "".join(
    f"<h2>Part {number}</h2><p>{'Green tea is made from leaves that were not oxidised. ' * 8}</p>"
    for number in range(40)
)


@dataclass
class Tally:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    memory: list[float] = field(default_factory=list)

    @property
    def errors(self) -> int:
        return sum(count for status, count in self.statuses.items() if status != "200")

    def table(self, clients: int, wall: float) -> str:
        cuts = quantiles(self.seconds, n=100)
        rows = {
            "clients": clients,
            "requests": len(self.seconds),
            "requests/s": round(len(self.seconds) / wall),
            "errors": f"{self.errors} {dict(self.statuses)}",
            "p50 ms": round(cuts[49] * 1000, 1),
            "p99 ms": round(cuts[98] * 1000, 1),
            "memory MB": " → ".join(f"{megabytes:.0f}" for megabytes in self.memory) or "unknown",
        }
        return "\n".join(f"{name:<11} {value}" for name, value in rows.items())


def page(_received: Received) -> Answer:
    return Answer(PAGE)


@contextmanager
def running(command: list[str], env: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)
        if process.stdout:
            process.stdout.close()


def line_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def megabytes(pid: int) -> float | None:
    """Resident memory of a process, where the system tells."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return None
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


async def fetch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> tuple[str, bytes]:
    """One GET on a connection that is kept; a client library would cost more than the service does."""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = int(head.partition("content-length:")[2].split("\r\n", 1)[0])
    return head.split(" ", 2)[1], await reader.readexactly(length)


def wish(chance: random.Random, site: str, snapshot: str) -> str:
    """What one client asks for next."""
    match chance.randrange(10):
        case 0 | 1:
            return f"/v1/search?query=tea+{chance.randrange(10**9)}&limit=5"
        case 2:
            return f"/v1/open?url={quote(site, safe='')}"
        case 3:
            return f"/v1/snapshots/{snapshot}/find?text=oxidised&limit=5"
        case _:
            return f"/compat/searxng/search?format=json&q=tea+{chance.randrange(REPEATED)}"


async def client(number: int, address: tuple[str, int], until: float, wanted: tuple[str, str], tally: Tally) -> None:
    """One client until the time is over."""
    chance = random.Random(number)
    reader, writer = await asyncio.open_connection(*address)
    while time.perf_counter() < until:
        started = time.perf_counter()
        try:
            status, _ = await fetch(reader, writer, wish(chance, *wanted))
        except (OSError, EOFError, ValueError) as error:
            tally.statuses[type(error).__name__] += 1
            reader, writer = await asyncio.open_connection(*address)
            continue
        tally.statuses[status] += 1
        tally.seconds.append(time.perf_counter() - started)
    writer.close()


async def watch(pid: int, seconds: float, tally: Tally) -> None:
    """Look at the memory five times."""
    for _ in range(5):
        await asyncio.sleep(seconds / 5)
        if (now := megabytes(pid)) is not None:
            tally.memory.append(now)


async def load(url: str, pid: int, site: str, clients: int, seconds: float) -> Tally:
    """All clients at once."""
    parts = urlsplit(url)
    address = (str(parts.hostname), int(parts.port or 80))
    reader, writer = await asyncio.open_connection(*address)
    _, opened = await fetch(reader, writer, f"/v1/open?url={quote(site, safe='')}")
    writer.close()
    snapshot = json.loads(opened)["snapshot"]
    tally = Tally()
    until = time.perf_counter() + seconds
    everybody = [client(number, address, until, (site, snapshot), tally) for number in range(clients)]
    await asyncio.gather(watch(pid, seconds, tally), *everybody)
    return tally


def measure(clients: int, seconds: float) -> Tally:
    """Start everything, load it, and end it."""
    with tempfile.TemporaryDirectory() as folder, LoopbackServer(page) as site:
        env = {**os.environ, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder, "WEB_SEARCH_PROVIDER": "brave"}
        with running([sys.executable, "-m", "seekread.testing.simulators", "brave"], env) as engine:
            pointed = dict(line_of(engine).removeprefix("export ").split("=", 1) for _ in range(2))
            env |= {**pointed, "SEEKREAD_ALLOW_PRIVATE": site.url.removeprefix("http://")}
            with running([sys.executable, "-m", "seekread.server", "--port", "0"], env) as service:
                url = line_of(service).split()[-1]
                return asyncio.run(load(url, service.pid, site.url, clients, seconds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30.0)
    arguments = parser.parse_args()
    tally = measure(arguments.clients, arguments.seconds)
    print(tally.table(arguments.clients, arguments.seconds))
    if tally.errors:
        sys.exit(1)


if __name__ == "__main__":
    main()
