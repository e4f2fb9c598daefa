"""
The parent's side of the worker processes: a few children, started when needed, killed when late.

The rules:

- A child has one task at a time. Cancelled, late or dead, it is killed and waited for; it is never handed on.
- There are never more children than the pool's size: who starts one holds the lock, and has counted before.
- A page whose child somebody killed is tried once more; that is nothing the page did.
- Whatever a page does to a child, the page is tried once more in a fresh one by the reader of last resort.
- Only a bounded part of a document is on its way at any moment, so the parent holds no second copy.
- Children see no environment of ours: the keys of the operator are not theirs to lose.
- A child belongs to the event loop it was started on: every loop has a pool of its own, which ends with it.
"""

import os
from collections.abc import Mapping
from dataclasses import field, replace
from types import TracebackType
from typing import Self

import anyio

from seekread.errors import BadReply, TimedOut, Unreachable, Unreadable
from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.late import dataclass
from seekread.loops import PerLoop
from seekread.models import USUAL, PageShape
from seekread.outcomes import Outcome
from seekread.readers.builtin.frames import NO_MEMORY, BadFrame, Task, TaskResult
from seekread.readers.builtin.process import BROKEN, Cause, Failure, Worker, python_environment

LEAVING = 0.15
"""Seconds a child gets to end by itself when it said that it will, or seems to have ended."""
TRIES = 2
"""Children that a page is given to when it is not the page that ended the first."""
CLOSED = "the reader is closed"
NO_SHEETS: Mapping[str, str] = {}
TOLD_AS: dict[Cause, Outcome] = {
    "rested": Unreachable.outcome,
    "killed": Unreachable.outcome,
    "bounds": "too_large",
    "crash": BadReply.outcome,
    "late": TimedOut.outcome,
}
"""What a page is told to be that nobody could read. Only one that passed a bound is too large."""


@dataclass(frozen=True)
class WorkerLimits:
    """
    How many children, and what one document may cost.

    `share` is the part of the seconds that the real reader gets; the rest is kept for the reader of last resort.
    """

    size: int = field(default_factory=lambda: max(1, min(4, os.cpu_count() or 1)))
    seconds: float = 12.0
    cpu_seconds: float = 5.0
    share: float = 0.75


class Workers:
    """Children that read documents, a pool of them for each event loop."""

    def __init__(
        self,
        limits: WorkerLimits | None = None,
        *,
        options: ExtractOptions | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.limits = limits or WorkerLimits()
        self.options = options or ExtractOptions()
        self._environment = {**(environment or {}), **python_environment()}
        self.pools = PerLoop(self._new_pool, close=WorkerPool.close, give_up=WorkerPool.abandon)
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def warm(self) -> None:
        """Start a child if none is free, so that it gets ready while a page is being fetched."""
        if not self._closed:
            await self.pools.here().warm()

    async def read(
        self,
        body: bytes,
        content_type: str,
        url: str,
        *,
        seconds: float | None = None,
        rendered: bool = False,
        sheets: Mapping[str, str] = NO_SHEETS,
        shape: PageShape = USUAL,
    ) -> Extracted:
        """
        Read a document in a child; `rendered` says that a browser of ours made it, `sheets` are what a page links.

        A document that kills its child or takes too long is read again without its tags, and flagged.
        If that fails too, `TimedOut` or `Unreadable` says so.
        """
        if self._closed:
            raise Unreachable(CLOSED)
        seconds = self.limits.seconds if seconds is None else min(seconds, self.limits.seconds)
        try:
            with anyio.fail_after(seconds):
                options = replace(self.options, rendered=rendered, sheets=sheets, shape=shape)
                return await self.pools.here().read(body, content_type, url, seconds, options)
        except TimeoutError:
            raise TimedOut(f"the page could not be read within {seconds:.3g} s") from None

    async def close(self) -> None:
        """End every child, busy ones too, on whichever loop, and wait for them."""
        self._closed = True
        await self.pools.close()

    def _new_pool(self) -> "WorkerPool":
        return WorkerPool(self.limits, self.options, self._environment)


class WorkerPool:
    """The children of one event loop."""

    def __init__(self, limits: WorkerLimits, options: ExtractOptions, environment: Mapping[str, str]) -> None:
        self.limits = limits
        self.options = options
        self.children: set[Worker] = set()
        """Every child that has not ended."""
        self._environment = environment
        self._idle: list[Worker] = []
        self._slots = anyio.CapacityLimiter(limits.size)
        self._choosing = anyio.Lock()
        """Held by who looks for a free child until there is one, so that nobody counts a child that is on its way."""
        self._closed = False

    async def warm(self) -> None:
        """Start a child if none is free and there is room for one."""
        async with self._choosing:
            if not self._closed and not self._free() and len(self.children) < self.limits.size:
                self._idle.append(await self._start(plain=False))

    async def read(
        self, body: bytes, content_type: str, url: str, seconds: float, options: ExtractOptions
    ) -> Extracted:
        """Read a document in a child that is free within so many seconds."""
        deadline = anyio.current_time() + seconds
        async with self._slots:
            left = deadline - anyio.current_time()
            result = await self._attempt(body, content_type, url, left * self.limits.share, options)
            if isinstance(result, Failure):
                return await self._last_resort(body, content_type, url, result, options.shape)
            return result

    async def close(self) -> None:
        """End every child, busy ones too, and wait for them."""
        self._closed = True
        self._idle.clear()
        for worker in list(self.children):
            await self._discard(worker)

    def abandon(self) -> None:
        """Kill every child without waiting: their loop is gone."""
        self._closed = True
        for worker in self.children:
            worker.abandon()
        self.children.clear()

    async def _last_resort(
        self, body: bytes, content_type: str, url: str, before: Failure, shape: PageShape
    ) -> Extracted:
        if shape.selects:
            # Without tags nothing can be chosen, and all of it is not what was asked for.
            raise Unreadable(TOLD_AS[before.cause], f"nothing could be selected: {before.reason}")
        options = replace(self.options, plain=f"the page could not be parsed ({before.reason})", shape=shape)
        result = await self._attempt(body, content_type, url, float("inf"), options)
        if isinstance(result, Failure):
            message = f"the document could not be read: {before.reason}, then {result.reason}"
            raise Unreadable(TOLD_AS[result.cause], message)
        if result.outcome == "too_large":
            # There is no last resort for a PDF, so what went wrong before is what it is told as.
            return replace(result, outcome=TOLD_AS[before.cause])
        return result

    async def _attempt(
        self, body: bytes, content_type: str, url: str, seconds: float, options: ExtractOptions
    ) -> Extracted | Failure:
        """Have a child try, and a second one when the first ended for no reason of the page's."""
        task = Task(content_type, url, self.limits.cpu_seconds, options)
        with anyio.move_on_after(seconds):
            for _ in range(TRIES):
                result = await self._ask(task, body)
                if not (isinstance(result, Failure) and result.cause in {"rested", "killed"}):
                    break
            return result
        return Failure("late", "it took too long")

    async def _ask(self, task: Task, body: bytes) -> Extracted | Failure:
        """Ask one child; its death is a result that says what failed."""
        worker = await self._take(plain=bool(task.options.plain))
        healthy, patience = False, 0.0
        try:
            result = await worker.ask(task, body)
            healthy, patience = not result.retire, LEAVING
        except BadFrame:
            return Failure("crash", "its reader gave no proper answer")
        except BROKEN:
            await self._discard(worker, patience=LEAVING)
            self._check_open()
            return worker.death()
        finally:
            if healthy and not self._closed:
                self._idle.append(worker)
            else:
                await self._discard(worker, patience=patience)
        return found_in(result)

    async def _take(self, *, plain: bool) -> Worker:
        """
        A free child, the most recently used first, or a new one; the reader of last resort gets a new one.

        Whoever comes here holds one of as many slots as there may be children, and none of the children.
        """
        async with self._choosing:
            if self._free() and not plain:
                return self._idle.pop()
            if self._idle and len(self.children) >= self.limits.size:
                await self._discard(self._idle.pop(0))
            return await self._start(plain=plain)

    def _free(self) -> bool:
        """Say whether a child is free, after forgetting those that went to rest."""
        for worker in [worker for worker in self._idle if not worker.alive]:
            self._idle.remove(worker)
            self.children.discard(worker)
        return bool(self._idle)

    async def _start(self, *, plain: bool) -> Worker:
        self._check_open()
        worker = await Worker.start(self._environment, plain=plain)
        self.children.add(worker)
        try:
            self._check_open()
        except Unreachable:
            await self._discard(worker)
            raise
        return worker

    def _check_open(self) -> None:
        if self._closed:
            raise Unreachable(CLOSED)

    async def _discard(self, worker: Worker, *, patience: float = 0.0) -> None:
        if worker in self.children:
            await worker.end(patience=patience)
            self.children.discard(worker)


def found_in(result: TaskResult) -> Extracted | Failure:
    """What a child made of a page, or how it failed."""
    if result.extracted is not None:
        return result.extracted
    return Failure("bounds" if result.failed == NO_MEMORY else "crash", result.failed)
