"""
Rooms: how many calls may be under way at once, for each provider and for each site.

A room is no one's fault: whoever finds it full goes elsewhere, or queues for a bounded time, and nobody is blamed.
Each event loop has rooms of its own, because a waiter can only be woken on the loop it waits on.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import anyio

from seekread.errors import Overloaded

QUEUE_SHARE = 0.5
"""Part of the time left that a call may queue: it must still be made afterwards."""


@dataclass
class Rooms:
    """Places for calls, by name."""

    _by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, anyio.CapacityLimiter]] = field(
        default_factory=WeakKeyDictionary
    )

    @asynccontextmanager
    async def place(self, name: str, size: int, *, seconds: float, usual: float = 1.0) -> AsyncIterator[None]:
        """
        Take a place in a room of this size, queueing for at most so many seconds; `Overloaded` if none came free.

        `usual` is how long a call takes there as a rule: it tells those who are turned away when to come back.
        """
        room, caller = self._room(name, size), object()
        try:
            room.acquire_on_behalf_of_nowait(caller)
        except anyio.WouldBlock:
            await self._queue(room, caller, name, seconds, usual)
        try:
            yield
        finally:
            room.release_on_behalf_of(caller)

    async def _queue(
        self, room: anyio.CapacityLimiter, caller: object, name: str, seconds: float, usual: float
    ) -> None:
        if seconds > 0:
            with anyio.move_on_after(seconds):
                await room.acquire_on_behalf_of(caller)
                return
        waiting = room.statistics().tasks_waiting + 1
        raise Overloaded(
            f"{room.borrowed_tokens} calls to {name} are under way here, and there is no room for another",
            retry_after=max(1.0, usual * waiting / room.total_tokens),
            sent=False,
        )

    def _room(self, name: str, size: int) -> anyio.CapacityLimiter:
        rooms = self._by_loop.setdefault(asyncio.get_running_loop(), {})
        if name not in rooms:
            rooms[name] = anyio.CapacityLimiter(size)
        elif rooms[name].total_tokens != size:
            rooms[name].total_tokens = size
        return rooms[name]
