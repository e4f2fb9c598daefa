"""
What a search costs beside the bare HTTP client: CPU of a call, and of an answer that is kept.

    python benchmarks/overhead.py              seven rounds
    python benchmarks/overhead.py --full       fifteen

Everybody asks the same server on loopback, a process of its own that answers with ten results (11 kB), from one
process, in turns, but for LiteLLM, which has one of its own; CPU time, medians over the rounds, ratios taken round by
round. httpx2 gets a fresh pool of 16 connections in each round, because its cost grows with those that idle, and is
measured twice: how far the two are apart tells how far the machine can be trusted. Our results and the peers' end as
text, as a model gets them. `as shipped` is with the ledger and the cache in a SQLite file, and every query is new; the
peers keep neither. An answer that is kept is the whole `search()`, and not from the few seconds for which a process
believes what it has in memory.
Exits with 1 when a required figure is missed that is not known to be.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, Self, cast

from benchmarks import peers
from benchmarks.promises import Promises
from benchmarks.turns import CALLS, Ask, one_round
from seekread import Seekread
from seekread.render.results import results_text
from seekread.state.front import LruFront
from tests.support.redis_server import RedisServer, why_not

WIDTHS = (1, 16, 64)
LIKE = "seekread, memory, no cache"
"""As the peers run: they keep neither a ledger nor answers."""
PEERS = ("tavily-python", "litellm")
HITS = 1000
AS_SHIPPED, LIKE_FOR_LIKE = 1.5, 0.9
APART = 0.05
"""How far the same client may be from itself, for the figures to mean anything."""
MEMORY_HIT, FILE_HIT, REDIS_HIT = 40.0, 110.0, 2.5
"""Required: beside httpx2, of a call; microseconds of an answer that is kept, and beside a bare `GET` of Redis."""
RESULTS = [
    {"title": f"Tea {n}", "url": f"https://tea.example/{n}?leaf=green", "content": "Tea is an infusion. " * 50}
    for n in range(10)
]
BODY = json.dumps({"query": "tea", "results": RESULTS}).encode()


class Service(asyncio.Protocol):
    """Answers every request with the same bytes; requests here come whole."""

    ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(BODY), BODY)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.unread = b""

    def data_received(self, data: bytes) -> None:
        self.unread += data
        if self.unread.endswith(b"}"):
            self.unread = b""
            self.transport.write(self.ANSWER)


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Service, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    # Until whoever started it ends.
    await asyncio.to_thread(sys.stdin.read)


@contextmanager
def service() -> Iterator[str]:
    command = [sys.executable, "-m", "benchmarks.overhead", "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.stdin.close()


def seekread(url: str, provider: str = "tavily", **settings: object) -> Seekread:
    environ = {"HOME": "/nonexistent", "TAVILY_API_KEY": "k", "SEEKREAD_TAVILY_BASE_URL": url}
    return Seekread(provider, settings=settings, environ=environ)


def told(web: Seekread) -> Ask:
    """A search as an agent's tool does it: ask, and write the results for a model."""

    async def ask(query: str) -> object:
        return results_text(await web.search(query, limit=10))

    return ask


class RawClient:
    """httpx2 as it comes, with a pool that is new in each round."""

    def __init__(self, url: str) -> None:
        self._url = f"{url}/search"
        self._client: Any = None

    async def renew(self) -> None:
        import httpx2

        await self.close()
        limits = httpx2.Limits(max_connections=64, max_keepalive_connections=16)
        self._client = httpx2.AsyncClient(limits=limits, trust_env=False, timeout=30)

    async def __call__(self, query: str) -> object:
        asked = {"query": query, "max_results": 10}
        reply = await self._client.post(self._url, headers={"Authorization": "Bearer k"}, json=asked)
        return reply.json()

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


class Elsewhere:
    """A client that cannot be imported beside ours; its process measures itself, in turns with us."""

    def __init__(self, name: str, environment: str, url: str) -> None:
        command = [str(peers.interpreter(environment)), "-m", f"benchmarks.{name}", url]
        # Where it finds the module: nothing of ours is installed there.
        folder = Path(__file__).parents[1]
        self._process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def one_round(self, width: int) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(width, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # It ends when nothing more can come.
        self._process.communicate()


async def contenders(url: str, folder: str, stack: AsyncExitStack) -> dict[str, Ask | Elsewhere]:
    """Who is measured."""
    aiohttp, tavily = import_module("aiohttp"), import_module("tavily")
    session = await stack.enter_async_context(aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()))
    shipped = await stack.enter_async_context(seekread(url, store=f"{folder}/state.sqlite"))
    plain = await stack.enter_async_context(seekread(url, store="memory:", cache=False))
    peer = tavily.AsyncTavilyClient("k", api_base_url=url)

    async def ask_aiohttp(query: str) -> object:
        asked = {"query": query, "max_results": 10}
        async with session.post(f"{url}/search", headers={"Authorization": "Bearer k"}, json=asked) as reply:
            return await reply.json()

    async def ask_tavily(query: str) -> object:
        return "\n".join(f"{each['title']}\n{each['url']}\n{each['content']}" for each in
                         (await peer.search(query, max_results=10))["results"])  # fmt: skip

    return {
        "httpx2": RawClient(url),
        "httpx2 again": RawClient(url),
        "aiohttp": ask_aiohttp,
        "tavily-python": ask_tavily,
        "litellm": stack.enter_context(Elsewhere("litellm_search", "vendors/litellm", url)),
        "seekread, as shipped": told(shipped),
        LIKE: told(plain),
    }


async def round_of(asked: Ask | Elsewhere, width: int, numbers: "count[int]") -> float:
    """Milliseconds of CPU for one search."""
    if isinstance(asked, Elsewhere):
        return await asyncio.to_thread(asked.one_round, width)
    if isinstance(asked, RawClient):
        await asked.renew()
    spent = await one_round(asked, width, numbers)
    if isinstance(asked, RawClient):
        await asked.close()
    return spent


async def calls(rounds: int, promises: Promises) -> None:
    """Print what a call costs."""
    numbers = count()
    with service() as url, tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            asks = await contenders(url, folder, stack)
            spent: dict[tuple[str, int], list[float]] = {(name, width): [] for width in WIDTHS for name in asks}
            for _ in range(rounds):
                for (name, width), times in spent.items():
                    times.append(await round_of(asks[name], width, numbers))
    print(f"CPU of a search with new words: ms, and beside httpx2; {rounds} rounds of {CALLS}")
    print(f"  {'':<30}" + "".join(f"{f'{width} at once':>20}" for width in WIDTHS))
    required = {"seekread, as shipped": AS_SHIPPED, LIKE: LIKE_FOR_LIKE}
    for name in asks:
        cells = ""
        for width in WIDTHS:
            ratio = beside(spent[name, width], spent["httpx2", width])
            cells += f"{statistics.median(spent[name, width]):>12.2f} {ratio:>6.2f}x"
            if name in required:
                promises.at_most(f"{name}, {width} at once, beside httpx2", ratio, required[name])
        print(f"  {name:<30}{cells}")
    for width in WIDTHS:
        again = beside(spent["httpx2 again", width], spent["httpx2", width])
        promises.at_most(f"httpx2 beside itself, {width} at once, apart", abs(again - 1), APART)
        for peer in PEERS:
            ahead = beside(spent[LIKE, width], spent[peer, width])
            promises.at_most(f"{LIKE}, {width} at once, beside {peer}", ahead, 1.0)


def beside(mine: list[float], base: list[float]) -> float:
    """The median of the ratios of each round."""
    return statistics.median(one / other for one, other in zip(mine, base, strict=True))


async def hits(rounds: int, promises: Promises) -> None:
    """Print what an answer costs that is kept."""
    spent: dict[str, list[float]] = {}
    with service() as url, ExitStack() as processes:
        folder = processes.enter_context(tempfile.TemporaryDirectory())
        stores = {"memory": "memory:", "SQLite": f"{folder}/state.sqlite"}
        redis = why_not()
        if not redis:
            stores["Redis"] = processes.enter_context(RedisServer(Path(folder), durable=False)).url
        async with AsyncExitStack() as stack:
            asks = {}
            for name, store in stores.items():
                for whom in ("tavily", "") if name == "memory" else ("tavily",):
                    web = await stack.enter_async_context(seekread(url, whom, store=store))
                    await web.search("tea", limit=10)
                    asks[f"{name}{'' if whom else ', default chain'}"] = kept(web, past_front=name != "memory")
            if not redis:
                client = import_module("redis.asyncio").from_url(stores["Redis"])
                stack.push_async_callback(client.aclose)
                await client.set("raw", BODY)
                asks["bare GET of Redis"] = lambda: client.get("raw")
            asks["json.loads of the reply, for comparison"] = reading
            for _ in range(rounds):
                for name, ask in asks.items():
                    spent.setdefault(name, []).append(await microseconds(ask))
    print(f"\nCPU of a search() whose answer is kept: µs, medians of {rounds} rounds of {HITS}")
    middle = {name: statistics.median(times) for name, times in spent.items()}
    for name, figure in middle.items():
        print(f"  {name:<42}{figure:>8.0f}")
    promises.at_most("kept in memory, µs", middle["memory"], MEMORY_HIT)
    promises.at_most("kept in memory, default chain, µs", middle["memory, default chain"], MEMORY_HIT)
    promises.at_most("kept in SQLite, µs", middle["SQLite"], FILE_HIT)
    if not redis:
        promises.at_most(
            "kept in Redis, beside a bare GET", beside(spent["Redis"], spent["bare GET of Redis"]), REDIS_HIT
        )
    else:
        print(f"  Redis: {redis}")


def kept(web: Seekread, *, past_front: bool) -> Callable[[], Awaitable[object]]:
    """Ask again for an answer that is kept, where the store itself has to be looked into if `past_front`."""
    front = web._parts.store
    assert isinstance(front, LruFront)

    async def ask() -> object:
        if past_front:
            front._seen.clear()
        response = await web.search("tea", limit=10)
        assert response.cached
        return response

    return ask


async def reading() -> object:
    return json.loads(BODY)


async def microseconds(ask: Callable[[], Awaitable[object]]) -> float:
    await ask()
    started = time.process_time()
    for _ in range(HITS):
        await ask()
    return (time.process_time() - started) * 1e6 / HITS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more rounds")
    parser.add_argument("--serve", action="store_true", help="be the server")
    wanted = parser.parse_args()
    if wanted.serve:
        asyncio.run(serve())
        return 0
    peers.importable()
    rounds, promises = 15 if wanted.full else 7, Promises("overhead")
    asyncio.run(calls(rounds, promises))
    asyncio.run(hits(rounds, promises))
    print()
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
