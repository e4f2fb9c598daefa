"""
A round of searches, measured the same way in every process; only what any environment has is imported here.

One worker for each search under way at once, all of which take the next number when they were answered.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator

Ask = Callable[[str], Awaitable[object]]
CALLS = 192
"""Searches of one round."""


async def one_round(ask: Ask, width: int, numbers: Iterator[int]) -> float:
    """Milliseconds of CPU for one search; connections are made before it counts."""
    await cpu(ask, 2 * width, width, numbers)
    return await cpu(ask, CALLS, width, numbers)


async def cpu(ask: Ask, calls: int, width: int, numbers: Iterator[int]) -> float:
    """Milliseconds of CPU of this process for one of so many searches."""
    turns = iter(range(calls))

    async def worker() -> None:
        for _ in turns:
            await ask(f"query {next(numbers)}")

    started = time.process_time()
    await asyncio.gather(*(worker() for _ in range(width)))
    return (time.process_time() - started) * 1000 / calls
