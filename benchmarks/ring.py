"""
Search without any key while half of the engines are down, and count the searches that nobody answered.

    python benchmarks/ring.py                every ring of six of the eight, with every three of it down: 1,120 searches
    python benchmarks/ring.py --searches 8   more of each

The eight are DuckDuckGo, Wikipedia, and the services that answer without a key by consent. Whoever is down refuses the
connection, breaks it off, hangs, or answers with 500, 429 or somebody's login page. A search is answered when it brings
results, or says "nothing found" where there is nothing and somebody who searches the web has confirmed it.
Exits with 1 when fewer than 99.9 % are.
"""

import argparse
import asyncio
import json
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import combinations, count
from typing import Any

from benchmarks.promises import Promises
from seekread import AllFailed, Seekread
from seekread.provider import SecretStr
from seekread.providers.registry import Registry
from seekread.testing import simulators
from seekread.testing.hits import NOTHING
from seekread.testing.server import Answer, Fault, LoopbackServer
from seekread.testing.simulators import KEYLESS

PROMISED = 0.999
TIERS = Registry().keyless_names()
RING = ("duckduckgo", "wikipedia", *TIERS)
IN_RING, DOWN = 6, 3
EMPTY_EVERY = 4
"""Each so many-th search is for something that nobody has."""
LOGIN = "<!doctype html><title>Log in</title><p>Please log in to the wireless network."
FAULTS = {
    "breaks off": Fault(how="reset"),
    "hangs": Fault(how="hang"),
    "500": Fault(500, "<h1>Internal Server Error</h1>"),
    "429": Fault(429, {"message": "too many requests"}),
    "login page": Fault(200, LOGIN),
}
REFUSES = "refuses"


@dataclass
class World:
    """Addresses of everybody who is up, and one for each way to be down."""

    up: dict[str, dict[str, Any]] = field(default_factory=dict)
    down: dict[str, str] = field(default_factory=dict)

    def settings(self, name: str, way: str | None) -> dict[str, Any]:
        """The settings of a provider that is up, or down in a way."""
        usual = self.up[name]
        if way is None:
            return usual
        address = self.down[way]
        return {key: moved(key, value, address) for key, value in usual.items()}


def moved(setting: str, value: Any, address: str) -> Any:
    """The same setting, with another address where it is one."""
    if setting == "proxy":
        return SecretStr(address)
    return address if setting.endswith("url") else value


def begun(stack: ExitStack) -> World:
    """Start everybody."""
    world = World()
    for name in RING:
        service = stack.enter_context(simulators.start(f"{name}{KEYLESS}" if name in TIERS else name))
        world.up[name] = {key: value for key, value in service.settings().items() if key != "api_key"}
    for way, fault in FAULTS.items():
        server = stack.enter_context(LoopbackServer(lambda _received: Answer()))
        server.fail(fault)
        world.down[way] = server.url
    refusing = stack.enter_context(socket.socket())
    refusing.bind(("127.0.0.1", 0))
    # Bound and not listening: nobody else gets the port, and nobody answers there.
    world.down[REFUSES] = f"http://127.0.0.1:{refusing.getsockname()[1]}"
    return world


def plights() -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
    """Every ring with every three of it down, each in a way whose turn it is."""
    turn, ways = count(), (*FAULTS, REFUSES)
    for ring in combinations(RING, IN_RING):
        for down in combinations(ring, DOWN):
            yield ring, {name: ways[next(turn) % len(ways)] for name in down}


async def searched(world: World, ring: tuple[str, ...], down: dict[str, str], numbers: range) -> Counter[str]:
    """What became of some searches with one ring."""
    settings = {"store": "memory:", "cache": False, "keyless": [name for name in ring if name in TIERS]}
    providers = {name: world.settings(name, down.get(name)) for name in ring}
    told: Counter[str] = Counter()
    async with Seekread(ring, settings=settings, providers=providers, environ={"HOME": "/nowhere"}) as web:
        for number in numbers:
            nothing = number % EMPTY_EVERY == 0
            try:
                response = await web.search(f"{NOTHING if nothing else 'tea'} {number}")
            except AllFailed as failure:
                told["lost"] += 1
                sys.stderr.write(f"lost {'(empty) ' if nothing else ''}{'+'.join(ring)} down {down}: {failure.tried}\n")
                continue
            right = response.outcome == ("empty" if nothing else "ok")
            told["confirmed empty" if right and nothing else "results" if right else "wrong"] += 1
    return told


async def run(searches: int, at_once: int) -> dict[str, Any]:
    total: Counter[str] = Counter()
    room, numbers = asyncio.Semaphore(at_once), count()
    started = time.perf_counter()
    with ExitStack() as stack:
        world = begun(stack)

        async def one(ring: tuple[str, ...], down: dict[str, str]) -> None:
            async with room:
                first = next(numbers) * searches
                total.update(await searched(world, ring, down, range(first, first + searches)))

        async with asyncio.TaskGroup() as group:
            for ring, down in plights():
                group.create_task(one(ring, down))
    asked, good = total.total(), total["results"] + total["confirmed empty"]
    seconds = round(time.perf_counter() - started)
    return {"searches": asked, **total, "answered": round(good / asked, 5), "seconds": seconds}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--searches", type=int, default=2, help="searches with each ring and each three down (2)")
    parser.add_argument("--at-once", type=int, default=16, help="rings that search at the same time (16)")
    wanted = parser.parse_args()
    figures = asyncio.run(run(wanted.searches, wanted.at_once))
    print(json.dumps(figures))
    promises = Promises("ring")
    promises.at_least("share of searches that are answered", figures["answered"], PROMISED)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
