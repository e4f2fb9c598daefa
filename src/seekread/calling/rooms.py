"""
Rooms: how many calls may be under way at once, for each provider and for each site.

A room is no one's fault: whoever finds it full goes elsewhere, or queues for a bounded time, and nobody is blamed.
Each event loop has rooms of its own, because a waiter can only be woken on the loop it waits on.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import anyio

from seekread.errors import Overloaded

QUEUE_SHARE = 0.5
"""Part of the time left that a call may queue: it must still be made afterwards."""


@dataclass
class CallRoom:
    """The places for one provider or site, and how many callers hold or want one."""

    places: anyio.CapacityLimiter
    callers: int = 0


@dataclass
class Rooms:
    """Places for calls, by name. A room is forgotten with its last caller: there are many sites."""

    _by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, CallRoom]] = field(
        default_factory=WeakKeyDictionary
    )

    @asynccontextmanager
    async def place(self, name: str, size: int, *, seconds: float, usual: float = 1.0) -> AsyncIterator[None]:
        """
        Take a place in a room of this size, queueing for at most so many seconds; `Overloaded` if none came free.

        `usual` is how long a call takes there as a rule: it tells those who are turned away when to come back.
        """
        with self._entered(name, size) as places:
            caller = object()
            try:
                places.acquire_on_behalf_of_nowait(caller)
            except anyio.WouldBlock:
                await self._queue(places, caller, name, seconds, usual)
            try:
                yield
            finally:
                places.release_on_behalf_of(caller)

    def queue_seconds(self, name: str, size: int, *, usual: float) -> float:
        """Seconds whoever joins the queue for a room will probably wait."""
        with self._entered(name, size) as places:
            return expected(places, usual) if places.available_tokens <= 0 else 0.0

    @contextmanager
    def _entered(self, name: str, size: int) -> Iterator[anyio.CapacityLimiter]:
        rooms = self._by_loop.setdefault(asyncio.get_running_loop(), {})
        if (room := rooms.get(name)) is None:
            room = rooms[name] = CallRoom(anyio.CapacityLimiter(size))
        if room.places.total_tokens != size:
            room.places.total_tokens = size
        room.callers += 1
        try:
            yield room.places
        finally:
            room.callers -= 1
            if not room.callers:
                del rooms[name]

    async def _queue(
        self, places: anyio.CapacityLimiter, caller: object, name: str, seconds: float, usual: float
    ) -> None:
        if seconds > 0:
            with anyio.move_on_after(seconds):
                await places.acquire_on_behalf_of(caller)
                return
        raise Overloaded(
            f"{places.borrowed_tokens} calls to {name} are under way here, and there is no room for another",
            retry_after=expected(places, usual),
            sent=False,
        )


def expected(places: anyio.CapacityLimiter, usual: float) -> float:
    """Seconds until another caller gets a place, where a call takes as long as usual."""
    return usual * (places.statistics().tasks_waiting + 1) / places.total_tokens
