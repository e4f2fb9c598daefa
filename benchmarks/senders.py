"""
What one call to a service costs in the HTTP client alone: ours beside httpx2 and aiohttp.

    python benchmarks/senders.py               seven rounds
    python benchmarks/senders.py --full        fifteen

Everybody asks the same server on loopback, a process of its own that answers with the size of a real reply, from one
process, in turns; CPU time, medians over the rounds, ratios taken round by round. Ours includes the building of the
request, the deadline and the check of the connection before it is used again.
Exits with 1 when ours costs more than half of httpx2 at any width, or more to import.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from importlib import import_module

from benchmarks import peers
from benchmarks.promises import Promises

WIDTHS = (1, 16, 64)
CALLS = 320
"""Calls of one round."""
PROMISE = 0.5
RESULT = {"title": "A page about tea", "url": "https://example.org/tea", "content": "Tea is an infusion. " * 50}
BODY = json.dumps({"query": "tea", "results": [RESULT] * 10}).encode()
QUESTION = {"query": "tea", "max_results": 10, "search_depth": "basic"}
HEADERS = {"Authorization": "Bearer key"}
IMPORTS = {
    "nothing": "import asyncio",
    "httpx2": "import asyncio, httpx2",
    "aiohttp": "import asyncio, aiohttp",
    "seekread": "import asyncio, seekread.provider; from seekread.http.client import ServiceClient",
    "what seekread's needs anyway": "import asyncio, seekread.provider",
}
Ask = Callable[[], Awaitable[object]]


class Service(asyncio.Protocol):
    """Answers every request with the same bytes; requests here come whole."""

    ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(BODY), BODY)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.unread = b""

    def data_received(self, data: bytes) -> None:
        self.unread += data
        if self.unread.endswith(b"}"):
            self.unread = b""
            self.transport.write(self.ANSWER)  # type: ignore[attr-defined]


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Service, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    # Until whoever started it ends.
    await asyncio.to_thread(sys.stdin.read)


@contextmanager
def service() -> Iterator[str]:
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/search"
        process.stdin.close()


@asynccontextmanager
async def ours(url: str) -> AsyncIterator[Ask]:
    from seekread.http.client import ServiceClient
    from seekread.provider import Request

    client = ServiceClient(proxies={})

    async def ask() -> object:
        return (await client.send(Request("POST", url, headers=HEADERS, json=QUESTION), seconds=30)).body

    yield ask
    await client.close()


@asynccontextmanager
async def raw_httpx2(url: str) -> AsyncIterator[Ask]:
    import httpx2

    limits = httpx2.Limits(max_connections=64, max_keepalive_connections=16)
    async with httpx2.AsyncClient(limits=limits, trust_env=False, timeout=30) as client:

        async def ask() -> object:
            return (await client.post(url, headers=HEADERS, json=QUESTION)).content

        yield ask


@asynccontextmanager
async def raw_aiohttp(url: str) -> AsyncIterator[Ask]:
    aiohttp = import_module("aiohttp")
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:

        async def ask() -> object:
            async with session.post(url, headers=HEADERS, json=QUESTION) as response:
                return await response.read()

        yield ask


CONTENDERS = {"httpx2": raw_httpx2, "aiohttp": raw_aiohttp, "seekread": ours}


async def cpu(ask: Ask, width: int) -> float:
    """Microseconds of CPU for one call."""
    turns = iter(range(CALLS))

    async def worker() -> None:
        for _ in turns:
            if await ask() != BODY:
                raise SystemExit("a reply was not the one that was sent")

    started = time.process_time()
    await asyncio.gather(*(worker() for _ in range(width)))
    return (time.process_time() - started) * 1e6 / CALLS


async def calls(rounds: int, promises: Promises) -> None:
    """Print what a call costs."""
    spent: dict[tuple[str, int], list[float]] = {(name, width): [] for width in WIDTHS for name in CONTENDERS}
    with service() as url:
        async with AsyncExitStack() as stack:
            asks = {name: await stack.enter_async_context(contender(url)) for name, contender in CONTENDERS.items()}
            for name, width in spent:
                await cpu(asks[name], width)
            for _ in range(rounds):
                for (name, width), times in spent.items():
                    times.append(await cpu(asks[name], width))
    print(f"CPU of one call in microseconds, and beside httpx2; {rounds} rounds of {CALLS} calls")
    print(f"  {'':<12}" + "".join(f"{f'{width} at once':>20}" for width in WIDTHS))
    for name in CONTENDERS:
        cells = ""
        for width in WIDTHS:
            pairs = zip(spent[name, width], spent["httpx2", width], strict=True)
            ratio = statistics.median(mine / base for mine, base in pairs)
            if name == "seekread":
                promises.at_most(f"CPU of a call beside httpx2, {width} at once", ratio, PROMISE)
            cells += f"{statistics.median(spent[name, width]):>12.0f} {ratio:>6.2f}x"
        print(f"  {name:<12}{cells}")


def imports(rounds: int, promises: Promises) -> None:
    """Print what it costs to import each."""
    spent: dict[str, list[float]] = {name: [] for name in IMPORTS}
    for _ in range(rounds):
        for name, times in spent.items():
            code = (
                f"import sys, time; sys.path[:] = {sys.path}; "
                f"a = time.process_time(); {IMPORTS[name]}; print(time.process_time() - a)"
            )
            times.append(float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout))
    middle = {name: statistics.median(times) * 1000 for name, times in spent.items()}
    added = middle["seekread"] - middle["what seekread's needs anyway"]
    print("\nCPU of the import in milliseconds, beyond asyncio's")
    for name in spent:
        print(f"  {name:<30}{middle[name] - middle['nothing']:>8.0f}")
    print(f"  {'the client of seekread alone':<30}{added:>8.0f}")
    httpx2 = middle["httpx2"] - middle["nothing"]
    promises.at_most("CPU of the import beside httpx2", added / httpx2, 1.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more rounds")
    parser.add_argument("--serve", action="store_true", help="be the server")
    wanted = parser.parse_args()
    if wanted.serve:
        asyncio.run(serve())
        return 0
    peers.importable()
    rounds, promises = 15 if wanted.full else 7, Promises("senders")
    asyncio.run(calls(rounds, promises))
    imports(rounds, promises)
    print()
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
