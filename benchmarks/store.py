"""
What the stores cost: microseconds at the median for values of 8 KB and 60 KB, counters and locks.

    python benchmarks/store.py                 memory and SQLite, and Redis where redis-server is installed

Backends are measured in turns, five rounds each; the median of the rounds' medians is printed.
"""

import asyncio
import json
import math
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path

from seekread.clock import SystemClock
from seekread.ports import Limit, Store, Want
from seekread.providers.brave import PLANS
from seekread.state import open_store
from seekread.state.front import LruFront
from seekread.state.ledger import Ledger
from tests.support.redis_server import RedisServer, why_not

ROUNDS, TIMES = 5, 200


def page(size: int) -> bytes:
    """Text that compresses about as well as search results do."""
    chance = random.Random(size)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10))) for _ in range(2000)]
    text = json.dumps({"results": [" ".join(chance.choices(words, k=12)) for _ in range(size // 40)]})
    return text.encode()[:size]


async def median(work: Callable[[int], Awaitable[object]]) -> float:
    spent: list[float] = []
    for number in range(TIMES):
        begun = time.perf_counter()
        await work(number)
        spent.append((time.perf_counter() - begun) * 1e6)
    return statistics.median(spent)


async def measure(store: Store) -> dict[str, float]:
    small, large = page(8_000), page(60_000)
    ledger = Ledger(store, SystemClock(), {"brave": PLANS[0]})

    async def locked(_: int) -> None:
        async with store.lock("lock", lifetime=10, wait=0):
            pass

    async def spend(_: int) -> None:
        await ledger.settle(await ledger.reserve("brave", "0a1b2c3d"))

    figures = {
        "put 8 KB": await median(lambda number: store.put(f"small/{number}", small, lifetime=3600)),
        "put 60 KB": await median(lambda number: store.put(f"large/{number}", large, lifetime=3600)),
        "get 8 KB": await median(lambda number: store.get(f"small/{number}")),
        "get 60 KB": await median(lambda number: store.get(f"large/{number}")),
        "again 8 KB": await median(lambda number: store.get(f"small/{number}")),
        "miss": await median(lambda number: store.get(f"none/{number}")),
        "reserve": await median(lambda _: store.reserve(Want("plan", 1, Limit(math.inf)))),
        "lock": await median(locked),
        "ledger": await median(spend),
    }
    await store.clear()
    return figures


async def compare(urls: dict[str, str]) -> dict[str, dict[str, float]]:
    clock = SystemClock()
    stores = {name: open_store(url, clock=clock) for name, url in urls.items()}
    stores["sqlite + front"] = LruFront(open_store(urls["sqlite"] + "2", clock=clock), clock, max_entries=1000)
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in stores}
    for _ in range(ROUNDS):
        for name, store in stores.items():
            rounds[name].append(await measure(store))
    for store in stores.values():
        await store.close()
    return {
        name: {what: statistics.median(one[what] for one in measured) for what in measured[0]}
        for name, measured in rounds.items()
    }


def main() -> int:
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        urls = {"memory": "memory:", "sqlite": str(directory / "store.db")}
        if not why_not():
            urls["redis"] = stack.enter_context(RedisServer(directory / "redis", durable=False)).url
        figures = asyncio.run(compare(urls))
    columns = list(figures["memory"])
    print("µs at the median".ljust(18), *(column.rjust(10) for column in columns))
    for name, measured in figures.items():
        print(name.ljust(18), *(f"{measured[column]:10.0f}" for column in columns))
    return 0


if __name__ == "__main__":
    sys.exit(main())
