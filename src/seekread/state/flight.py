"""
Single flight: callers that want the same thing at the same time share one piece of work.

Whoever comes first starts it, in a task that belongs to nobody: a caller who is cancelled only stops waiting.
When the last one has left, the work is cancelled, and leaves before they do.

Everybody keeps their own time: whoever joins stops waiting when it is over, and when the work failed because the time
of the one who started it was over, those who have some left start it again, together.

Between processes a lock says who works. It is a short lease, renewed for as long as its holder lives, so that nobody
waits long for the dead.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar

import anyio

from seekread.late import dataclass
from seekread.ports import Store, StoreUnavailable
from seekread.state.pulse import LEASE, Pulse

T = TypeVar("T")

GRACE = 0.05
"""Seconds a piece of work gets to tell by itself that its time was over, because it knows more."""


def forever() -> float:
    """Nothing limits the time."""
    return math.inf


@dataclass
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    remaining: Callable[[], float]
    """Seconds left to the caller who started it."""
    waiting: int = 0


class SingleFlight(Generic[T]):
    """Shares the work that is under way in this process."""

    def __init__(self) -> None:
        self._flights: dict[tuple[asyncio.AbstractEventLoop, str], _Flight[T]] = {}

    def __len__(self) -> int:
        """How many pieces of work are under way."""
        return len(self._flights)

    async def run(
        self, key: str, work: Callable[[], Coroutine[Any, Any, T]], remaining: Callable[[], float] = forever
    ) -> T:
        """
        The result of the work under `key`: of the one under way, or of `work` if there is none.

        `remaining` says how many seconds the caller has left; `TimeoutError` when they are over.
        """
        place = (asyncio.get_running_loop(), key)
        while True:
            flight = self._flights.get(place)
            if flight is None:
                task = asyncio.create_task(work(), name=f"flight {key}")
                flight = self._flights[place] = _Flight(task, remaining)
            await self._wait(place, flight, remaining())
            if flight.remaining is remaining or not _ran_out(flight) or remaining() <= GRACE:
                return flight.task.result()

    async def _wait(self, place: tuple[asyncio.AbstractEventLoop, str], flight: _Flight[T], seconds: float) -> None:
        """Wait for work under way; the last one to leave ends it."""
        flight.waiting += 1
        try:
            await asyncio.wait([flight.task], timeout=None if seconds == math.inf else seconds + GRACE)
            late = not flight.task.done()
        except BaseException:
            late = False
            raise
        finally:
            flight.waiting -= 1
            if flight.task.done() or flight.waiting == 0:
                # Gone from the table first, so that nobody joins work that is being cancelled.
                if self._flights.get(place) is flight:
                    del self._flights[place]
                await _end(flight.task, GRACE if late else None)
        if late:
            raise TimeoutError


def _ran_out(flight: _Flight[T]) -> bool:
    """Whether work failed because the time of the one who started it was over."""
    return flight.remaining() <= GRACE and (flight.task.cancelled() or flight.task.exception() is not None)


async def _end(task: asyncio.Task[T], seconds: float | None) -> None:
    """Cancel work nobody waits for and see it out; whoever is late already does not wait for long."""
    if task.done():
        _heard(task)
    else:
        task.add_done_callback(_heard)
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task], timeout=seconds)


def _heard(task: asyncio.Task[T]) -> None:
    """Nobody may be left to look at a failure; that is no reason for a complaint about it."""
    if not task.cancelled():
        task.exception()


async def once(
    store: Store,
    key: str,
    *,
    look: Callable[[], Awaitable[T | None]],
    work: Callable[[], Awaitable[T]],
    pulse: Pulse,
    wait: float,
    lease_seconds: float = LEASE,
) -> T:
    """
    The same between processes and machines: one works, the others look at what it left. Whoever comes has looked
    already; here it is looked again only by those who hold the lock, because somebody may have finished meanwhile.

    Sharing saves work, it does not protect anything: without the lock (the store fails, or the holder takes longer
    than `wait`) everybody works.
    """
    lock = store.lock(key, lifetime=lease_seconds, wait=wait)
    try:
        lease = await lock.__aenter__()
    except StoreUnavailable:
        return await work()
    try:
        with pulse.holding(store, lease, lease_seconds):
            found = await look() if lease else None
            return await work() if found is None else found
    finally:
        await lock.__aexit__(None, None, None)
