"""
Spend at simulated services from two processes, and compare the ledger with what the services charged.

    python -m benchmarks.money                 10,000 mixed calls, 60 kills
    python -m benchmarks.money --calls 600     a small run

Three plays. `mixed`: searches one after another, hedged and fused, with tries again, and pages, while engines fail and
are slow; the ledger must equal the services' own counters. `killed`: workers die by kill -9 and calls are cancelled;
the ledger may not be below the counters, and above them by no more than the calls whose reply was never read.
`capped`: a day's cap is not passed by more than the calls in flight.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import anyio

from benchmarks.promises import Promises
from seekread.client import Seekread
from seekread.errors import SeekreadError
from seekread.options import Query
from seekread.provider import ONE_UNIT, traits
from seekread.providers.registry import provider_class
from seekread.state.ledger import amounts_of
from seekread.testing import simulators
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator

ROOT = Path(__file__).parents[1]
PAID = tuple(name for name in simulators.names() if traits(provider_class(name)).plans)
"""Whoever sells a plan, each counted by its own prices."""
READERS = ("exa", "firecrawl", "jina", "serper", "tavily")
PAGE = "http://127.0.0.1:9/page"
LIMITS = (5, 10, 20, 50)
PROCESSES, WIDTH = 2, 8
CENT = 0.01
EXACT = 1e-6
"""Dollars that rounding may make of ten thousand sums: a ten-thousandth of a cent."""
NO_CAP = 1e6
FAULTS: Mapping[float, Fault] = {0.03: Fault(503), 0.04: Fault(429), 0.06: Fault(delay=0.4)}
"""Faults by the share of the calls that meet one of them or one before it."""


@dataclass
class Work:
    """What one worker is to do; it travels as JSON."""

    play: str
    store: str
    services: dict[str, dict[str, str]]
    log: str
    seed: int
    calls: int
    cap: float = NO_CAP

    def settings(self, **more: Any) -> dict[str, Any]:
        private = {"allow_private": ["127.0.0.1:9"], "allowed_ports": [9]}
        return {"store": self.store, "cache": False, "daily_dollars": self.cap, **private, **more}


@asynccontextmanager
async def engines(work: Work, *routes: str, attempts: int = 2) -> AsyncIterator[dict[str, Seekread]]:
    async with AsyncExitStack() as stack:
        yield {
            route: await stack.enter_async_context(
                Seekread(settings=work.settings(route=route, attempts=attempts), providers=work.services, environ={})
            )
            for route in routes
        }


async def in_turns(calls: int, one: Callable[[int], Any]) -> None:
    """So many calls, some at a time; that one fails is part of the play."""
    numbers = iter(range(calls)) if calls else count()

    async def lane() -> None:
        for number in numbers:
            try:
                await one(number)
            except SeekreadError:
                continue

    async with anyio.create_task_group() as group:
        for _ in range(WIDTH):
            group.start_soon(lane)


async def mixed(work: Work) -> None:
    dice = random.Random(work.seed)
    async with engines(work, "first", "hedge", "fuse") as webs:

        async def one(number: int) -> None:
            route = dice.choices(["first", "hedge", "fuse", "read"], [5, 3, 1, 1])[0]
            if route == "read":
                reader = dice.choice(READERS)
                await webs["first"].open_page(f"{PAGE}/{work.seed}/{number}", reader=reader)
                return
            asked = dice.sample(PAID, {"first": 1, "hedge": 3, "fuse": 2}[route])
            await webs[route].search(f"tea {number}", provider=asked, limit=dice.choice(LIMITS))

        await in_turns(work.calls, one)


async def killed(work: Work) -> None:
    """Never ends; what was begun and what was ended is written down as it happens."""
    dice, log = random.Random(work.seed), os.open(work.log, os.O_WRONLY | os.O_APPEND)
    async with engines(work, "first", attempts=1) as webs:
        web = webs["first"]

        async def one(number: int) -> None:
            name, limit = dice.choice(PAID), dice.choice(LIMITS)
            patience = dice.uniform(0, 0.05) if dice.random() < 0.3 else 60
            os.write(log, f"begun {work.seed}.{number} {expected(web, name, limit)!r}\n".encode())
            with anyio.move_on_after(patience) as scope:
                with suppress(SeekreadError):
                    await web.search(f"tea {number}", provider=name, limit=limit)
            if not scope.cancelled_caught:
                os.write(log, f"ended {work.seed}.{number}\n".encode())

        await in_turns(0, one)


async def capped(work: Work) -> None:
    dice = random.Random(work.seed)
    async with engines(work, "first") as webs:

        async def one(number: int) -> None:
            await webs["first"].search(f"tea {number}", provider=dice.choice(PAID), limit=dice.choice(LIMITS))

        await in_turns(work.calls, one)


PLAYS = {play.__name__: play for play in (mixed, killed, capped)}


def expected(web: Seekread, name: str, limit: int) -> float:
    """Dollars that a search may cost at most."""
    provider = web._parts.registry.searcher(name)
    query = Query(text="tea", limit=min(limit, getattr(provider, "max_results", limit)))
    cost = getattr(provider.search(query), "cost", ONE_UNIT)
    return amounts_of(cost, web._parts.ledger.plan(name))["dollars"]


class Bench:
    """The services, the folder, and what both sides counted."""

    def __init__(self, folder: Path, services: Mapping[str, Simulator], seed: int) -> None:
        self.folder = folder
        self.services = services
        self.dice = random.Random(seed)
        self.seeds = count(seed)
        for service in services.values():
            service.next_fault = self.fault  # type: ignore[method-assign]

    def fault(self) -> Fault | None:
        met = self.dice.random()
        return next((fault for share, fault in FAULTS.items() if met < share), None)

    @property
    def charged(self) -> float:
        return sum(service.charged for service in self.services.values())

    def work(self, play: str, calls: int, cap: float = NO_CAP) -> Work:
        named = {
            name: {
                field: value.get_secret_value() if field == "api_key" else value
                for field, value in service.settings().items()
            }
            for name, service in self.services.items()
        }
        log = self.folder / f"{play}.log"
        log.touch()
        return Work(play, str(self.folder / f"{play}.sqlite"), named, str(log), next(self.seeds), calls, cap)

    def booked(self, work: Work) -> float:
        async def asked() -> float:
            async with Seekread(settings=work.settings(), environ={}) as web:
                return sum(usage.dollars for usage in await web._parts.ledger.usage())

        return asyncio.run(asked())

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count from zero, until the last answer was charged."""
        for service in self.services.values():
            service.prices.clear()
        yield
        time.sleep(1)


def started(work: Work) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "benchmarks.money", "--worker", json.dumps(vars(work))]
    return subprocess.Popen(command, cwd=ROOT)


def run_to_the_end(bench: Bench, play: str, calls: int, cap: float = NO_CAP) -> Work:
    works = [bench.work(play, calls // PROCESSES, cap) for _ in range(PROCESSES)]
    with bench.counting():
        workers = [started(work) for work in works]
        codes = [worker.wait() for worker in workers]
        if any(codes):
            raise SystemExit(f"a worker of {play} failed")
    return works[0]


def run_and_kill(bench: Bench, kills: int) -> Work:
    with bench.counting():
        workers = [started(bench.work("killed", 0)) for _ in range(PROCESSES)]
        for number in range(kills):
            time.sleep(bench.dice.uniform(1.0, 2.0))
            place = number % PROCESSES
            workers[place].send_signal(signal.SIGKILL)
            workers[place].wait()
            workers[place] = started(bench.work("killed", 0))
        for worker in workers:
            worker.send_signal(signal.SIGKILL)
            worker.wait()
    return bench.work("killed", 0)


def unread(log: str) -> float:
    """Dollars of the calls that were begun and never ended."""
    lines = [line.split() for line in Path(log).read_text().splitlines()]
    ended = {words[1] for words in lines if words[0] == "ended"}
    return sum(float(words[2]) for words in lines if words[0] == "begun" and words[1] not in ended)


def report(play: str, kept: bool, **sums: float) -> bool:
    told = "".join(f"  {name.replace('_', ' ')} ${value:.6f}" for name, value in sums.items())
    print(f"{play:<8}{told}{'' if kept else '  MISSED'}", flush=True)
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.worker:
        work = Work(**json.loads(wanted.worker))
        anyio.run(PLAYS[work.play], work)
        return 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        services = {name: stack.enter_context(simulators.start(name)) for name in PAID}
        bench = Bench(folder, services, wanted.seed)
        promises = Promises("money")
        promises.at_least("plays in which the books are right", sum(played(bench, wanted.calls)), 3)
        return promises.told()


def played(bench: Bench, calls: int) -> Iterator[bool]:
    work = run_to_the_end(bench, "mixed", calls)
    booked, charged = bench.booked(work), bench.charged
    # Whoever loses a race may be called off before its service has counted anything.
    yield report("mixed", charged - EXACT <= booked < charged + CENT, booked=booked, charged=charged)

    work = run_and_kill(bench, max(4, calls * 6 // 1_000))
    booked, charged, never_read = bench.booked(work), bench.charged, unread(work.log)
    kept = charged - EXACT <= booked <= charged + never_read + EXACT
    yield report("killed", kept, booked=booked, charged=charged, never_read=never_read)

    cap = calls / 10_000
    work = run_to_the_end(bench, "capped", calls, cap)
    dearest = max(max(service.prices, default=0.0) for service in bench.services.values())
    booked, charged, in_flight = bench.booked(work), bench.charged, PROCESSES * WIDTH * dearest
    kept = 0.5 * cap < charged <= cap + in_flight
    yield report("capped", kept, booked=booked, charged=charged, cap=cap, in_flight=in_flight)


if __name__ == "__main__":
    sys.exit(main())
