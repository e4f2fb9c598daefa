"""Processes for the contention tests: `store_worker.py URL NUMBER` lets so many share a quota and a pace."""

import asyncio
import json
import os
import sys

import pytest

from seekread.clock import SystemClock
from seekread.ports import Limit, Store, Want
from seekread.state import open_store
from tests.support.patience import be_patient


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


async def share(url: str) -> dict[str, list[float]]:
    clock = NotedClock()
    store = open_store(url, clock=clock)
    report = {"granted": await quota(store), "slots": await slots(store, clock)}
    await store.close()
    return report


def start(url: str, gate: int) -> int:
    """Fork a child that waits at the gate; returns the pipe its report comes through."""
    reading, writing = os.pipe()
    if os.fork():
        os.close(writing)
        return reading
    try:
        os.read(gate, 1)
        os.write(writing, json.dumps(asyncio.run(share(url))).encode())
    finally:
        os._exit(0)


def main(url: str, processes: int) -> None:
    be_patient(pytest.MonkeyPatch())
    # Loading is done once, before the children are there.
    open_store(url, clock=SystemClock())
    gate, key = os.pipe()
    pipes = [start(url, gate) for _ in range(processes)]
    os.write(key, b"!" * processes)
    reports = [json.loads(os.fdopen(pipe).read()) for pipe in pipes]
    sys.stdout.write(json.dumps(reports))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
