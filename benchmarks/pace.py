"""
Share one pace between processes and count what each second really saw.

    python benchmarks/pace.py                              8 processes, 10 a second, 60 seconds, one SQLite file
    python benchmarks/pace.py --store redis://127.0.0.1/0  the same through Redis

No window of a second may hold more than the limit and one, and nobody may wait longer than two rounds of everybody.
"""

import argparse
import asyncio
import json
import multiprocessing
import sys
import tempfile
import time
from itertools import pairwise
from multiprocessing.queues import Queue
from pathlib import Path

from seekread.clock import SystemClock
from seekread.state import open_store
from seekread.state.pace import Pace

Report = tuple[int, list[float]]


async def ask(url: str, per_second: float, until: float) -> list[float]:
    clock = SystemClock()
    store = open_store(url, clock=clock)
    pace = Pace(store, clock)
    times: list[float] = []
    while time.time() < until:
        await pace.wait("service", per_second, seconds=60)
        times.append(time.time())
    await store.close()
    return times


def work(number: int, url: str, per_second: float, until: float, reports: "Queue[Report]") -> None:
    reports.put((number, asyncio.run(ask(url, per_second, until))))


def run(url: str, processes: int, per_second: float, seconds: float) -> dict[str, float]:
    # Loading takes seconds on a busy machine, so it is done once, before the children are there.
    open_store(url, clock=SystemClock())
    context = multiprocessing.get_context("fork")
    reports: Queue[Report] = context.Queue()
    until = time.time() + seconds
    workers = [
        context.Process(target=work, args=(number, url, per_second, until, reports)) for number in range(processes)
    ]
    for worker in workers:
        worker.start()
    told = dict(reports.get(timeout=seconds + 120) for _ in workers)
    for worker in workers:
        worker.join()
    times = sorted(moment for report in told.values() for moment in report)
    return {
        "requests": len(times),
        "rate": round(len(times) / (times[-1] - times[0]), 2),
        "most in a second": max(sum(start <= moment < start + 1 for moment in times) for start in times),
        "fewest by one": min(len(report) for report in told.values()),
        "most by one": max(len(report) for report in told.values()),
        "longest wait": round(max(b - a for report in told.values() for a, b in pairwise(report)), 2),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--per-second", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        url = arguments.store or str(Path(directory) / "store.db")
        figures = run(url, arguments.processes, arguments.per_second, arguments.seconds)
    print(json.dumps(figures))
    fair = figures["longest wait"] <= 2 * arguments.processes / arguments.per_second + 1
    return int(figures["most in a second"] > arguments.per_second + 1 or not fair)


if __name__ == "__main__":
    sys.exit(main())
