"""
Read hostile pages with the built-in reader and measure what they do to the process that reads them.

    python benchmarks/hostile.py [--only NAME] [--seconds 4] [--together 8] [--json]

The pages come from another process over loopback. A heartbeat task on the reader's own event loop measures how long the
loop was blocked: the processor time its thread spent between two beats, which a busy machine does not change, and the
wall time beside it. Memory is that of the reading process; its workers are limited on their own.

Targets: no block over 50 ms, no growth over 64 MB, no page later than its deadline by more than 200 ms.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import anyio

from benchmarks.promises import Promises
from seekread.errors import SeekreadError
from seekread.http.guard import Guard, GuardPolicy
from seekread.readers.builtin.fetch import Fetcher, FetchLimits
from seekread.readers.builtin.reader import Builtin
from seekread.readers.builtin.workers import WorkerLimits, Workers
from tests.support.hostile_pages import CASES, HostileCase

BEAT = 0.004
PAGE_SIZE = 4096
TARGETS = {"block_ms": 50.0, "growth_mb": 64.0, "late_ms": 200.0}


@dataclass
class Row:
    """What one page did."""

    name: str
    outcome: str
    right: bool
    seconds: float
    late_ms: float
    block_ms: float
    wall_block_ms: float
    growth_mb: float
    signals: str

    @property
    def passed(self) -> bool:
        return self.right and all(getattr(self, name) <= target for name, target in TARGETS.items())


class Heartbeat:
    """Beats on the loop and remembers the longest time between two beats and the most memory seen."""

    def __init__(self) -> None:
        self.cpu = self.wall = self.peak = 0.0

    def reset(self) -> None:
        self.cpu = self.wall = 0.0
        self.peak = resident()

    async def beat(self) -> None:
        while True:
            wall, cpu = time.perf_counter(), time.thread_time()
            await anyio.sleep(BEAT)
            self.wall = max(self.wall, time.perf_counter() - wall - BEAT)
            self.cpu = max(self.cpu, time.thread_time() - cpu)
            self.peak = max(self.peak, resident())


def resident() -> float:
    """Megabytes of resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_SIZE / 1e6


async def read(builtin: Builtin, url: str) -> tuple[str, set[str]]:
    """The outcome of reading a page and the kinds of its signals."""
    try:
        page = await builtin.read(url).run()
    except SeekreadError as error:
        return str(getattr(error, "outcome", type(error).__name__)), set()
    return page.outcome, {signal.kind for signal in page.signals}


async def measure(builtin: Builtin, heart: Heartbeat, case: HostileCase, base: str, deadline: float) -> Row:
    await anyio.sleep(2 * BEAT)
    heart.reset()
    before, started = heart.peak, time.perf_counter()
    outcome, signals = await read(builtin, base + case.path)
    seconds = time.perf_counter() - started
    await anyio.sleep(2 * BEAT)
    right = outcome in case.outcomes and (outcome != "ok" or case.flags <= signals)
    return Row(
        case.name,
        outcome,
        right,
        seconds,
        max(0.0, (seconds - deadline) * 1000),
        heart.cpu * 1000,
        heart.wall * 1000,
        heart.peak - before,
        " ".join(sorted(signals)),
    )


async def run(cases: list[HostileCase], port: int, seconds: float, together: int) -> tuple[list[Row], Row]:
    """Read the pages one by one, then all of them again, several at a time."""
    base = f"http://127.0.0.1:{port}"
    limits = FetchLimits(seconds=seconds, first_byte_seconds=seconds / 2, grace_seconds=seconds / 4)
    workers = WorkerLimits(size=2)
    guard = Guard(GuardPolicy(allow_private=(f"127.0.0.1:{port}",)))
    deadline = seconds + workers.seconds
    heart, rows = Heartbeat(), []
    async with Fetcher(guard, limits=limits) as fetcher, Workers(workers) as pool, anyio.create_task_group() as group:
        builtin = Builtin(fetcher, pool)
        group.start_soon(heart.beat)
        await read(builtin, f"{base}/page")
        for case in cases:
            rows.append(await measure(builtin, heart, case, base, deadline))
            show(rows[-1])
        crowd = await all_at_once(builtin, heart, cases, base, together)
        group.cancel_scope.cancel()
    return rows, crowd


async def all_at_once(builtin: Builtin, heart: Heartbeat, cases: list[HostileCase], base: str, together: int) -> Row:
    heart.reset()
    before, started = heart.peak, time.perf_counter()
    slots, outcomes = anyio.Semaphore(together), Counter[str]()

    async def one(case: HostileCase) -> None:
        async with slots:
            outcomes[(await read(builtin, base + case.path))[0]] += 1

    async with anyio.create_task_group() as group:
        for case in cases:
            group.start_soon(one, case)
    summary = " ".join(f"{name}={count}" for name, count in outcomes.most_common())
    return Row(
        f"all, {together} at a time",
        "",
        True,
        time.perf_counter() - started,
        0.0,
        heart.cpu * 1000,
        heart.wall * 1000,
        heart.peak - before,
        summary,
    )


def show(row: Row) -> None:
    mark = " " if row.passed else "!"
    print(
        f"{mark} {row.name:<32} {row.outcome:<17} {row.seconds:6.2f} s {row.late_ms:6.0f} ms late "
        f"{row.block_ms:6.1f} / {row.wall_block_ms:6.1f} ms blocked {row.growth_mb:+6.1f} MB  {row.signals}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what hostile pages do to the reader.")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--seconds", type=float, default=4.0, help="deadline of one fetch")
    parser.add_argument("--together", type=int, default=8, help="pages at a time in the last round")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON at the end")
    arguments = parser.parse_args()
    cases = [case for case in CASES if arguments.only in case.name]
    command = [sys.executable, "-m", "tests.support.hostile_pages"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        if server.stdout is None or server.stdin is None:
            return 2
        port = int(server.stdout.readline())
        rows, crowd = anyio.run(run, cases, port, arguments.seconds, arguments.together)
        server.stdin.close()
    show(crowd)
    failed = [row.name for row in rows if not row.passed]
    print(
        f"\n{len(rows)} pages: most blocked {max(row.block_ms for row in rows):.1f} ms, "
        f"most memory {max(row.growth_mb for row in rows):+.1f} MB, latest {max(row.late_ms for row in rows):.0f} ms, "
        f"{len(failed)} missed a target {' '.join(failed)}"
    )
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
    promises = Promises("hostile")
    promises.at_most("pages that miss a target", len(failed), 0)
    return promises.told()


if __name__ == "__main__":
    sys.exit(main())
