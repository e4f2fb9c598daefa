"""A process of its own for the contention tests: `store_worker.py URL` takes from a quota and books slots."""

import asyncio
import json
import sys

from seekread.clock import SystemClock
from seekread.ports import Limit, Store, Want
from seekread.state import open_store


class NotedClock(SystemClock):
    """The system's clock, with the time it told last."""

    told = 0.0

    def time(self) -> float:
        self.told = super().time()
        return self.told


async def quota(store: Store) -> list[float]:
    """Take until refused; report what was granted."""
    granted: list[float] = []
    while (answer := await store.reserve(Want("plan", 1, Limit(100)))).granted:
        granted += answer.used
    return granted


async def slots(store: Store, clock: NotedClock) -> list[float]:
    """Book twelve slots of a pace of 100 a second; report when they are."""
    booked: list[float] = []
    for _ in range(12):
        answer = await store.reserve(Want("pace", 1, Limit(1, seconds=0.01)), ahead=300)
        assert answer.granted
        booked.append(clock.told + answer.starts_in)
    return booked


async def main(url: str) -> None:
    clock = NotedClock()
    store = open_store(url, clock=clock)
    # Everybody starts when the parent says so.
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    report = {"granted": await quota(store), "slots": await slots(store, clock)}
    await store.close()
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
