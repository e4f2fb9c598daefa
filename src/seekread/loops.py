"""
What belongs to one event loop: a value of its own for every loop that asks.

Locks, connections and child processes cannot be shared between loops, but one `Seekread` can: whatever it holds of
that kind, it holds once for each loop. The rules:

- A loop gets its value when it first asks.
- When a loop ends as `asyncio.run` ends it, its value is closed on it, while that is still possible. The loop tells an
  asynchronous generator that it started there; no task waits for the end.
- A loop that was closed in another way can close nothing any more: its value is given up when the next loop comes.
- After a fork the values are the parent's. The child neither uses nor collects them: both would reach the parent's.

Only the thread of a loop adds its value, and whoever takes it out of the table is the one who closes it, so that no
lock is needed, which a fork could leave held for ever.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar

import anyio

from seekread.late import dataclass

T = TypeVar("T")

CLOSE_SECONDS = 5.0
"""Seconds another loop gets to close its value before it is given up."""
NOT_ASYNCIO = (
    "seekread runs on asyncio, and no asyncio event loop runs here: start it with asyncio.run, "
    "choose the backend asyncio of anyio, or call seekread.BlockingSeekread in a thread (from trio: trio.to_thread)"
)


def running_loop() -> asyncio.AbstractEventLoop:
    """The event loop this code runs on; under trio, or under none, an error that says what to do."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError(NOT_ASYNCIO) from None


@dataclass(frozen=True)
class _Held(Generic[T]):
    value: T
    watch: AsyncGenerator[None, None]


class PerLoop(Generic[T]):
    """A value for each event loop, made when first asked for and closed with its loop."""

    def __init__(
        self,
        make: Callable[[], T],
        *,
        close: Callable[[T], Awaitable[None]],
        give_up: Callable[[T], None] = lambda _value: None,
    ) -> None:
        """
        make: makes a value, on the loop it is for
        close: closes a value on its loop
        give_up: releases what can be released when the loop is gone, from any thread
        """
        self._make = make
        self._close = close
        self._give_up = give_up
        self._held: dict[asyncio.AbstractEventLoop, _Held[T]] = {}
        self._process = os.getpid()
        self._inherited: list[object] = []

    def here(self) -> T:
        """The value of the running loop."""
        loop = running_loop()
        self._notice_fork()
        held = self._held.get(loop)
        if held is None:
            self._sweep()
            held = self._held[loop] = _Held(self._make(), self._until_the_end_of(loop))
            step(anext(held.watch))
        return held.value

    def values(self) -> list[T]:
        """The value of every loop."""
        return [held.value for held in list(self._held.values())]

    async def close(self) -> None:
        """Close the value of every loop, each on its own."""
        here = running_loop()
        self._notice_fork()
        for loop in list(self._held):
            if loop is here:
                await self._end(loop)
            elif loop.is_running():
                await self._end_there(loop)
            else:
                self._abandon(loop)

    async def _until_the_end_of(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None, None]:
        """Stop at once, and go on when the loop ends, or to do nothing when the value is out of the table."""
        try:
            yield
        finally:
            if held := self._held.pop(loop, None):
                await self._close(held.value)

    async def _end(self, loop: asyncio.AbstractEventLoop) -> None:
        if held := self._held.pop(loop, None):
            step(held.watch.aclose())
            await self._close(held.value)

    async def _end_there(self, loop: asyncio.AbstractEventLoop) -> None:
        """Have another thread's loop close its value; one that does not get round to it loses it."""
        ending = self._end(loop)
        with anyio.CancelScope(shield=True), anyio.move_on_after(CLOSE_SECONDS):
            try:
                await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(ending, loop))
            except RuntimeError:
                # It was closed a moment ago.
                ending.close()
        self._abandon(loop)

    def _abandon(self, loop: asyncio.AbstractEventLoop) -> None:
        if held := self._held.pop(loop, None):
            step(held.watch.aclose())
            self._give_up(held.value)

    def _sweep(self) -> None:
        for loop in list(self._held):
            if loop.is_closed():
                self._abandon(loop)

    def _notice_fork(self) -> None:
        if self._process != os.getpid():
            self._inherited.append(self._held)
            self._held, self._process = {}, os.getpid()


def step(awaitable: Awaitable[None]) -> None:
    """Await what has nothing to wait for, without a task."""
    with suppress(StopIteration):
        next(awaitable.__await__())
