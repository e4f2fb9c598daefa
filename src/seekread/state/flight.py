"""
Single flight: callers that want the same thing at the same time share one piece of work.

Whoever comes first starts it, in a task that belongs to nobody: a caller who is cancelled only stops waiting.
When the last one has left, the work is cancelled, and leaves before they do.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import anyio

from seekread.ports import Store, StoreUnavailable

T = TypeVar("T")


@dataclass
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class SingleFlight(Generic[T]):
    """Shares the work that is under way in this process."""

    def __init__(self) -> None:
        self._flights: dict[tuple[asyncio.AbstractEventLoop, str], _Flight[T]] = {}

    def __len__(self) -> int:
        """How many pieces of work are under way."""
        return len(self._flights)

    async def run(self, key: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of the work under `key`: of the one under way, or of `work` if there is none."""
        place = (asyncio.get_running_loop(), key)
        flight = self._flights.get(place)
        if flight is None:
            flight = self._flights[place] = _Flight(asyncio.create_task(work(), name=f"flight {key}"))
        flight.waiting += 1
        try:
            await asyncio.wait([flight.task])
        finally:
            flight.waiting -= 1
            if flight.task.done() or flight.waiting == 0:
                # Gone from the table first, so that nobody joins work that is being cancelled.
                if self._flights.get(place) is flight:
                    del self._flights[place]
                await _end(flight.task)
        return flight.task.result()


async def _end(task: asyncio.Task[T]) -> None:
    """Cancel work nobody waits for and see it out."""
    if not task.done():
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
    if not task.cancelled():
        # Nobody may be left to look at a failure; that is no reason for a complaint about it.
        task.exception()


async def once(
    store: Store,
    key: str,
    *,
    look: Callable[[], Awaitable[T | None]],
    work: Callable[[], Awaitable[T]],
    lifetime: float,
    wait: float,
) -> T:
    """
    The same between processes and machines: one works, the others look at what it left. Whoever comes has looked
    already; here it is looked again only by those who hold the lock, because somebody may have finished meanwhile.

    Sharing saves work, it does not protect anything: without the lock (the store fails, or the holder takes longer
    than `wait`) everybody works.
    """
    lock = store.lock(key, lifetime=lifetime, wait=wait)
    try:
        lease = await lock.__aenter__()
    except StoreUnavailable:
        return await work()
    try:
        found = await look() if lease else None
        return await work() if found is None else found
    finally:
        await lock.__aexit__(None, None, None)
