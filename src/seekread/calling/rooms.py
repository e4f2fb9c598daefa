"""
Rooms: how many calls may be under way at once, for each provider and for each site.

A room is no one's fault: whoever finds it full goes elsewhere, or queues for a bounded time, and nobody is blamed.
Each event loop has rooms of its own, because a waiter can only be woken on the loop it waits on.
"""

import asyncio
from collections.abc import Callable
from dataclasses import field
from weakref import WeakKeyDictionary

import anyio

from seekread.errors import Overloaded
from seekread.late import dataclass

KEPT = 16
"""Rooms of an event loop that are kept while nobody is in them: as many as there are providers in use."""
QUEUE_SHARE = 0.5
"""Part of the time left that a call may queue: it must still be made afterwards."""


def a_second() -> float:
    """How long a call takes where nobody timed one."""
    return 1.0


@dataclass
class CallRoom:
    """The places for one provider or site, and how many callers hold or want one."""

    places: anyio.CapacityLimiter
    among: "dict[str, CallRoom]"
    """The rooms it is one of."""
    callers: int = 0


@dataclass
class Rooms:
    """Places for calls, by name. Beyond a few, a room is forgotten with its last caller: there are many sites."""

    _by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, CallRoom]] = field(
        default_factory=WeakKeyDictionary
    )

    def place(self, name: str, size: int, *, seconds: float, usual: Callable[[], float] = a_second) -> "RoomPlace":
        """
        A place in a room of this size, queueing for at most so many seconds; `Overloaded` if none came free.

        `usual` says how long a call takes there as a rule: it tells those who are turned away when to come back.
        """
        return RoomPlace(self, name, size, seconds, usual)

    def queue_seconds(self, name: str, size: int, *, usual: float) -> float:
        """Seconds whoever joins the queue for a room will probably wait."""
        room = self.enter(name, size)
        try:
            return expected(room.places, usual) if room.places.available_tokens <= 0 else 0.0
        finally:
            self.leave(name, room)

    def enter(self, name: str, size: int) -> CallRoom:
        """The room of this name, with one caller more in it or before its door."""
        rooms = self._by_loop.setdefault(asyncio.get_running_loop(), {})
        if (room := rooms.get(name)) is None:
            room = rooms[name] = CallRoom(anyio.CapacityLimiter(size), rooms)
        if room.places.total_tokens != size:
            room.places.total_tokens = size
        room.callers += 1
        return room

    def leave(self, name: str, room: CallRoom) -> None:
        """One caller less."""
        room.callers -= 1
        if not room.callers and len(room.among) > KEPT:
            del room.among[name]


@dataclass(eq=False)
class RoomPlace:
    """A place in a room, for as long as the block lasts."""

    rooms: Rooms
    name: str
    size: int
    seconds: float
    usual: Callable[[], float]

    async def __aenter__(self) -> None:
        """Take it, or queue for it."""
        self._room = self.rooms.enter(self.name, self.size)
        try:
            try:
                self._room.places.acquire_on_behalf_of_nowait(self)
            except anyio.WouldBlock:
                await self._queue(self._room.places)
        except BaseException:
            self.rooms.leave(self.name, self._room)
            raise

    async def __aexit__(self, *_: object) -> None:
        """Give it back."""
        self._room.places.release_on_behalf_of(self)
        self.rooms.leave(self.name, self._room)

    async def _queue(self, places: anyio.CapacityLimiter) -> None:
        if self.seconds > 0:
            with anyio.move_on_after(self.seconds):
                await places.acquire_on_behalf_of(self)
                return
        raise Overloaded(
            f"{places.borrowed_tokens} calls to {self.name} are under way here, and there is no room for another",
            retry_after=expected(places, self.usual()),
            sent=False,
        )


def expected(places: anyio.CapacityLimiter, usual: float) -> float:
    """Seconds until another caller gets a place, where a call takes as long as usual."""
    return usual * (places.statistics().tasks_waiting + 1) / places.total_tokens
