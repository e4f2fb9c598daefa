"""
The service under many clients: ordinary ones, slow ones, ones that leave, and agents.

    python benchmarks/service_load.py                     every scenario, at full size
    python benchmarks/service_load.py --scale 0.1 slow    only some, smaller

The service and the engines run as processes of their own; this one is the clients. A bare Starlette application is
measured in the same run, because times move with the machine. It exits with 1 when a promise is missed.
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
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

CLIENTS = 300
SECONDS = 20.0
LATENCY = 0.8
ROOMS = 2 * 64
"""Calls two engines are asked at a time, by default."""
REPEATED = 40
PAGE = "<html><head><title>Tea</title></head><body><main><h1>Tea</h1>" + "".join(
    f"<h2>Part {number}</h2><p>{'Green tea is made from leaves that were not oxidised. ' * 8}</p>"
    for number in range(40)
)
AGENT = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}

Address = tuple[str, int]
Answer = tuple[str, bytes]
Ask = Callable[[asyncio.StreamReader, asyncio.StreamWriter, random.Random], Awaitable[Answer]]


# The engines, and what a bare application would answer: a process of its own.


def vendor(name: str) -> list[dict[str, Any]]:
    text = {"brave": "description", "tavily": "content"}[name]
    return [
        {"title": f"Tea {number}", "url": f"https://tea.example/{number}", text: "Green tea is made from leaves."}
        for number in range(10)
    ]


def side(delay: float) -> Starlette:
    """Two engines that take their time, a page, a bare answer, and how often the engines were asked."""
    calls: Counter[str] = Counter()

    async def brave(_request: Request) -> Response:
        return await answered("brave", {"web": {"results": vendor("brave")}})

    async def tavily(_request: Request) -> Response:
        return await answered("tavily", {"query": "tea", "results": vendor("tavily")})

    async def answered(name: str, body: Any) -> Response:
        calls[name] += 1
        await asyncio.sleep(delay)
        return JSONResponse(body)

    async def bare(_request: Request) -> Response:
        return JSONResponse({"results": vendor("brave")})

    async def page(_request: Request) -> Response:
        return Response(PAGE, media_type="text/html")

    async def count(_request: Request) -> Response:
        return JSONResponse(dict(calls))

    return Starlette(
        routes=[
            Route("/res/v1/web/search", brave),
            Route("/search", tavily, methods=["POST"]),
            Route("/bare", bare),
            Route("/page", page),
            Route("/count", count),
        ]
    )


def serve_side(delay: float) -> None:
    """Serve it, and say where."""
    import socket

    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(side(delay), log_config=None, access_log=False)).run(sockets=[listening])


@contextmanager
def running(command: list[str], env: dict[str, str]) -> Iterator[tuple[str, int]]:
    """A process that says where it listens; its address and its number."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1], process.pid
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


@dataclass(frozen=True)
class Setting:
    """A service over two engines."""

    service: Address
    side: Address
    pid: int
    site: str


@contextmanager
def setting(delay: float) -> Iterator[Setting]:
    """Start everything, and end it."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}
        with running([sys.executable, __file__, "--side", str(delay)], env) as (beside, _):
            env |= {
                "WEB_SEARCH_PROVIDER": "brave,tavily",
                "BRAVE_SEARCH_API_KEY": "simulated",
                "SEEKREAD_BRAVE_BASE_URL": f"{beside}/res/v1",
                "TAVILY_API_KEY": "simulated",
                "SEEKREAD_TAVILY_BASE_URL": beside,
                "SEEKREAD_ALLOW_PRIVATE": beside.removeprefix("http://"),
            }
            with running([sys.executable, "-m", "seekread.server", "--port", "0"], env) as (url, pid):
                for path in ("readyz", "v1/search?query=tea"):
                    # What is measured begins when everything is loaded.
                    urlopen(f"{url}/{path}", timeout=60).close()
                yield Setting(address(url), address(beside), pid, f"{beside}/page")


def address(url: str) -> Address:
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 80)


# The clients.


@dataclass
class Tally:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    memory: list[float] = field(default_factory=list)
    lateness: float = 0.0
    """How late the clients' own loop was at worst; beyond that, nobody can tell who was slow."""
    asked_for: float = 1.0
    """Seconds in which all clients asked."""
    meanwhile: int = 0
    """Answers in that time: afterwards fewer and fewer clients wait, and that is no load any more."""

    @property
    def errors(self) -> int:
        return sum(count for status, count in self.statuses.items() if status != "200")

    @property
    def rate(self) -> float:
        return self.meanwhile / self.asked_for

    @property
    def told(self) -> str:
        cuts = [1000 * cut for cut in quantiles(self.seconds, n=100)] if len(self.seconds) > 1 else [0.0] * 99
        grown = f", {self.memory[0]:.0f} → {self.memory[-1]:.0f} MB" if self.memory else ""
        return (
            f"{len(self.seconds)} answers, {self.rate:.0f}/s, p50 {cuts[49]:.0f} ms, p99 {cuts[98]:.0f} ms{grown}, "
            f"own loop late by {1000 * self.lateness:.0f} ms, {dict(self.statuses)}"
        )


async def get(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> Answer:
    """One GET on a connection that is kept; a client library would cost more than the service does."""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return await reply(reader)


async def post(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: Any, **headers: str
) -> Answer:
    """One POST of JSON."""
    content = json.dumps(body)
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, f"Content-Length: {len(content)}", "", content]).encode())
    return await reply(reader)


async def reply(reader: asyncio.StreamReader) -> Answer:
    """The status and the body of an answer, whole or in chunks."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    status = head.split(" ", 2)[1]
    if "transfer-encoding: chunked" not in head:
        return status, await reader.readexactly(int(head.partition("content-length:")[2].split("\r\n", 1)[0]))
    body = b""
    while size := int((await reader.readuntil(b"\r\n")).strip(), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readexactly(2)
    return status, body


async def mixed(site: str, snapshot: str, reader: Any, writer: Any, chance: random.Random) -> Answer:
    """Of ten requests, six repeat a search, two ask something new, one opens a page, one looks something up on it."""
    match chance.randrange(10):
        case 0 | 1:
            path = f"/v1/search?query=tea+{chance.randrange(10**9)}&limit=5"
        case 2:
            path = f"/v1/open?url={quote(site, safe='')}"
        case 3:
            path = f"/v1/snapshots/{snapshot}/find?text=oxidised&limit=5"
        case _:
            path = f"/compat/searxng/search?format=json&q=tea+{chance.randrange(REPEATED)}"
    return await get(reader, writer, path)


async def new_search(reader: Any, writer: Any, chance: random.Random) -> Answer:
    return await get(reader, writer, f"/v1/search?query=tea+{chance.randrange(10**9)}&limit=5")


async def tool_call(reader: Any, writer: Any, chance: random.Random) -> Answer:
    """A call of an agent; one that failed has a status of its own."""
    params = {"name": "web_search", "arguments": {"query": f"tea {chance.randrange(10**9)}"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    status, answer = await post(reader, writer, "/mcp", body, **AGENT)
    return status if b'"isError":false' in answer else "failed call", answer


async def bare(reader: Any, writer: Any, _chance: random.Random) -> Answer:
    return await get(reader, writer, "/bare")


async def client(number: int, where: Address, ask: Ask, until: float, tally: Tally) -> None:
    """One client until the time is over."""
    chance = random.Random(number)
    reader, writer = await asyncio.open_connection(*where)
    while time.perf_counter() < until:
        started = time.perf_counter()
        try:
            status, _ = await ask(reader, writer, chance)
        except (OSError, EOFError, ValueError) as error:
            tally.statuses[type(error).__name__] += 1
            reader, writer = await asyncio.open_connection(*where)
            continue
        tally.statuses[status] += 1
        tally.meanwhile += status == "200" and time.perf_counter() <= until
        tally.seconds.append(time.perf_counter() - started)
    writer.close()


async def load(where: Address, ask: Ask, clients: int, seconds: float, pid: int | None = None) -> Tally:
    """So many clients at once."""
    tally = Tally(asked_for=seconds)
    started = time.perf_counter()
    watching = asyncio.create_task(watch(tally, pid))
    await asyncio.gather(*(client(number, where, ask, started + seconds, tally) for number in range(clients)))
    watching.cancel()
    return tally


async def watch(tally: Tally, pid: int | None) -> None:
    """Look at the memory of the service, and at how late we are ourselves."""
    while True:
        if pid and (now := megabytes(pid)):
            tally.memory.append(now)
        due = time.perf_counter() + 0.25
        await asyncio.sleep(0.25)
        tally.lateness = max(tally.lateness, time.perf_counter() - due)


def megabytes(pid: int) -> float | None:
    """Resident memory of a process, where the system tells."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return None
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


async def once(where: Address, path: str) -> Any:
    """One question on a connection of its own."""
    reader, writer = await asyncio.open_connection(*where)
    _, body = await get(reader, writer, path)
    writer.close()
    return json.loads(body)


async def at_rest(where: Address) -> None:
    """Wait until the service has noticed that everybody has left: a busy machine takes its time."""
    reader, writer = await asyncio.open_connection(*where)
    while b"seekread_http_requests_in_flight 0\n" not in (await get(reader, writer, "/metrics"))[1]:
        pass
    writer.close()


# The scenarios: each a line of figures, and promises that are kept or missed.


@dataclass(frozen=True)
class Promise:
    """What was promised, and what was measured."""

    what: str
    measured: float
    target: str
    kept: bool


@dataclass(frozen=True)
class Size:
    """How large a scenario is."""

    scale: float

    @property
    def clients(self) -> int:
        return max(4, round(CLIENTS * self.scale))

    @property
    def seconds(self) -> float:
        return max(2.0, SECONDS * self.scale)


Outcome = tuple[str, list[Promise]]


def no_errors(tally: Tally) -> Promise:
    return Promise("errors", tally.errors, "0", tally.errors == 0)


async def ordinary(size: Size) -> Outcome:
    """Clients that repeat themselves, beside a bare application under the same clients."""
    with setting(0.0) as here:
        opened = await once(here.service, f"/v1/open?url={quote(here.site, safe='')}")
        ask = partial(mixed, here.site, opened["snapshot"])
        tally = await load(here.service, ask, size.clients, size.seconds, here.pid)
        anchor = await load(here.side, bare, size.clients, size.seconds / 4)
    growth = tally.memory[-1] / tally.memory[len(tally.memory) // 2] if tally.memory else 1.0
    told = f"{tally.told}; bare Starlette {anchor.rate:.0f}/s, {anchor.rate / max(tally.rate, 1):.1f} times as many"
    return told, [no_errors(tally), Promise("memory, second half", round(growth, 3), "<= 1.05", growth <= 1.05)]


async def latency(size: Size) -> Outcome:
    """Clients that ask something new all the time, over two engines that take their time."""
    with setting(LATENCY) as here:
        tally = await load(here.service, new_search, size.clients, size.seconds, here.pid)
        calls = await once(here.side, "/count")
    # Nobody can have an answer before the first one is due.
    possible = min(ROOMS, size.clients) / LATENCY * (1 - LATENCY / size.seconds)
    share = tally.rate / possible
    return f"{tally.told}; {possible:.0f}/s were possible; calls {calls}", [
        no_errors(tally),
        Promise("share of what is possible", round(share, 2), ">= 0.9", share >= 0.9),
    ]


async def slow(size: Size) -> Outcome:
    """Twice as many clients as may be at work send half a head or half a body; others are served meanwhile."""
    half_a_head = b"GET /healthz HTTP/1.1\r\n"
    half_a_body = b"POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"
    with setting(0.0) as here:
        stalled = []
        for number in range(max(20, round(1200 * size.scale))):
            _, writer = await asyncio.open_connection(*here.service)
            writer.write(half_a_head if number % 8 == 0 else half_a_body)
            stalled.append(writer)
        tally = await load(here.service, new_search, 10, size.seconds / 2, here.pid)
        for writer in stalled:
            writer.close()
    return f"{len(stalled)} stalled; {tally.told}", [no_errors(tally)]


async def leaving(size: Size) -> Outcome:
    """Clients that are gone before their answer: no call is made for them afterwards."""
    count = max(20, round(200 * size.scale))
    with setting(LATENCY) as here:
        before = sum((await once(here.side, "/count")).values())
        left = []
        for number in range(count):
            _, writer = await asyncio.open_connection(*here.service)
            writer.write(f"GET /v1/search?query=leaving+{number} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            left.append(writer)
        await asyncio.sleep(LATENCY / 4)
        for writer in reversed(left):
            writer.close()
        await at_rest(here.service)
        made = sum((await once(here.side, "/count")).values()) - before
        await asyncio.sleep(4 * LATENCY)
        later = sum((await once(here.side, "/count")).values()) - before - made
    return f"{count} left, {made} calls made for them", [
        Promise("calls made for those who had left", later, "0", later == 0),
        Promise("calls for all who left", made, f"<= {ROOMS}", made <= ROOMS),
    ]


async def agents(size: Size) -> Outcome:
    """Agents that call a tool again and again."""
    with setting(LATENCY) as here:
        tally = await load(here.service, tool_call, max(4, size.clients // 3), size.seconds, here.pid)
    return tally.told, [no_errors(tally)]


SCENARIOS: dict[str, Callable[[Size], Coroutine[Any, Any, Outcome]]] = {
    scenario.__name__: scenario for scenario in (ordinary, latency, slow, leaving, agents)
}


def run(names: list[str], scale: float) -> list[Promise]:
    """Run scenarios, print their figures, and return what was promised."""
    promises = []
    for name in names or list(SCENARIOS):
        told, kept = asyncio.run(SCENARIOS[name](Size(scale)))
        print(f"{name}: {told}")
        for promise in kept:
            verdict = "kept" if promise.kept else "MISSED"
            print(f"  {verdict:<7} {name}: {promise.what}: {promise.measured:g} (promised {promise.target})")
        promises += kept
    return promises


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *SCENARIOS], metavar="NAME", help=", ".join(SCENARIOS))
    parser.add_argument("--scale", type=float, default=1.0, help=f"1 is {CLIENTS} clients for {SECONDS:g} s")
    parser.add_argument("--side", type=float, metavar="DELAY", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side is not None:
        serve_side(arguments.side)
        return
    if not all(promise.kept for promise in run(arguments.names, arguments.scale)):
        sys.exit(1)


if __name__ == "__main__":
    main()
