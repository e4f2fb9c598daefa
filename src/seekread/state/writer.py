"""
How the SQLite file is written to: where it is asked for if that costs no waiting, in a thread if it would.

A hop to a thread and back costs five times what a small transaction does. So a transaction is first tried on the event
loop, on a connection that never waits. Whatever is in the way (another process writes, the file is not open yet or was
replaced, the disk is slow, any error) sends it to the thread, which waits for a bounded time and tells what is wrong.

What nobody waits for (a settlement, a cached value, a lock given back) rides along with the next transaction, and has
one of its own after a few milliseconds, when there are many, when the event loop ends, at `close` and at exit.
A process that is killed loses its riders: what was not settled stays spent, what was not kept is asked for again.

Checkpoints, the only moments at which SQLite waits for the disk, belong to the thread.
A forked child leaves its parent's connections alone and opens its own; so does a writer used after `close`, and one
whose file was deleted or replaced.
"""

import asyncio
import logging
import math
import os
import sqlite3
import threading
import time
import weakref
from collections import deque
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import TypeVar

from seekread.late import dataclass
from seekread.ports import Clock, StoreUnavailable
from seekread.state.bounded import patiently
from seekread.state.database import NotCounted, forget_expired, inode, open_together, replace_damaged
from seekread.state.outage import Outage
from seekread.state.rescue import is_damaged
from seekread.state.rules import Rounds

T = TypeVar("T")

SOON, CROWD = 0.005, 64
"""Seconds after which riders are written at the latest, and the number of them that is not kept waiting."""

MOST, MOST_LASTING = 256, 4096
"""Riders kept while the file cannot be written: of those that may be lost, and of those that should not."""

SLOW, SLOW_FOR = 0.1, 10.0
"""
Seconds a transaction may hold up the event loop. If one takes longer twice within so many seconds, all go to the thread
for as long. Once may be a busy machine, on which a hop to another thread makes it worse.
"""

MOMENT, STUCK = 0.01, 1.0
"""
Seconds the event loop waits for the thread to be through with a transaction. A job that went to the thread instead
would wait for a processor there, and find others like it: from then on everything would. If the moment is not enough,
the disk is slow, and nobody waits for so many seconds.
"""

CHECKPOINT = 200
"""Transactions between two checkpoints; one that writes much counts as several."""

LONGEST = 2.0
"""
Seconds that the thread waits at most, as long as others get on: patience is over sooner if nobody does.
The same for opening: a new file is opened by all who start together.
"""

SPARE = 0.5
"""Seconds beyond that after which the thread is not waited for any more: the disk hangs."""

FIRST_PAUSE, LONGEST_PAUSE = 0.0005, 0.008
"""Seconds between two tries of the thread while another process writes."""


class Hindered(Exception):
    """Something is in the way of writing at once."""


def nothing() -> None:
    """Nobody wants to know."""


@dataclass(frozen=True)
class Rider:
    """A write that nobody waits for. `over` is called when it is written or given up."""

    write: Callable[[sqlite3.Connection], object]
    over: Callable[[], None] = nothing
    lasting: bool = False
    """Kept while the file cannot be written; the others are given up."""
    weight: int = 0


@dataclass
class Connections:
    """What is open in this process: one connection to write, one for each way to read."""

    inode: tuple[int, int]
    writer: sqlite3.Connection
    reader: sqlite3.Connection
    far_reader: sqlite3.Connection
    writing: threading.Lock = field(default_factory=threading.Lock)
    reading: threading.Lock = field(default_factory=threading.Lock)
    far_reading: threading.Lock = field(default_factory=threading.Lock)
    far_thread: ThreadPoolExecutor = field(default_factory=lambda: _one_thread("read"))

    def close(self) -> None:
        self.far_thread.shutdown(wait=False)
        with self.writing, self.reading, self.far_reading:
            for connection in (self.reader, self.far_reader, self.writer):
                connection.close()


class FileWriter:
    """Writes to one file, and knows when it cannot."""

    def __init__(self, path: Path, *, clock: Clock, patience: float) -> None:
        self.path = path
        self.opened: Connections | None = None
        self.riding = Outage(clock, f"writing to the store {path}")
        self._name = str(path)
        self._clock = clock
        self._patience = patience
        # Whoever asks is told by an error; that is no news for the log.
        self._deciding = Outage(clock, f"counting in the store {path}", level=logging.DEBUG)
        self._process = os.getpid()
        self._abandoned: list[object] = []
        self._thread = _one_thread("write")
        self._riders: deque[Rider] = deque()
        self._flushing = False
        self._timer: tuple[asyncio.AbstractEventLoop, asyncio.TimerHandle] | None = None
        self._loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[None, None]] = (
            weakref.WeakKeyDictionary()
        )
        self._slow_at = self._slow_until = self._stuck_until = -math.inf
        self._since_checkpoint = 0
        self._rounds = Rounds()

    async def run(
        self, job: Callable[[sqlite3.Connection], T], *, undo: Callable[[sqlite3.Connection], object] | None = None
    ) -> T:
        """Do in a transaction what must be right or not at all. `undo` takes it back when its caller has left."""
        self.check()
        try:
            result = self._at_once(job)
        except Hindered:
            return await self._patiently(job, undo)
        self._deciding.worked()
        return result

    async def look(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Read a little, riders included."""
        if self._riders or not (opened := self.opened) or not opened.writing.acquire(blocking=False):
            return await self.read(job)
        try:
            # What is wrong the thread will find out, and tell.
            with suppress(sqlite3.Error, OSError):
                return job(opened.writer)
        finally:
            opened.writing.release()
        return await self.read(job)

    async def read(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Read what may take a while, riders included."""
        self.check()
        return await self._patiently(job, turn=self._in_turn if self._riders else self._alone)

    async def labour(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """The same as `run` for what is too much for the event loop."""
        self.check()
        return await self._patiently(job)

    async def tidy(self, job: Callable[[sqlite3.Connection], bool]) -> bool:
        """Do in the thread, outside of a transaction, what need not succeed; says whether there is more to do."""
        try:
            return await self.in_thread(self._alone, job, time.monotonic())
        except (sqlite3.Error, OSError):
            return False

    async def write(self, job: Callable[[sqlite3.Connection], T]) -> T | None:
        """Write in the thread what may be lost, and wait for it; `None` if it is."""
        self.leave_parent()
        if self.riding.lasts():
            return None
        try:
            result: T = await self.in_thread(self._in_turn, job, time.monotonic())
        except (sqlite3.Error, OSError) as error:
            self.riding.failed(error)
            return None
        self.riding.worked()
        return result

    def check(self) -> None:
        """Refuse at once while the file cannot be used; every few seconds callers are let through until one fails."""
        self.leave_parent()
        if self._deciding.lasts():
            raise StoreUnavailable(f"the store {self.path} cannot be used: {self._deciding.reason}")

    def ride(self, rider: Rider) -> None:
        """Write it with the next transaction, or soon."""
        self.leave_parent()
        if len(self._riders) >= (MOST_LASTING if rider.lasting else MOST):
            rider.over()
            raise StoreUnavailable(f"the store {self.path} cannot be used: too much waits to be written to it")
        self._riders.append(rider)
        if len(self._riders) >= CROWD and not self.riding.is_on:
            self._flush()
        else:
            self._flush_soon()

    def later(self, job: Callable[[sqlite3.Connection], object]) -> None:
        """Write in the thread, behind what it was given before; nobody wants to know how it went."""
        # At the end of the interpreter there is no thread any more.
        with suppress(RuntimeError):
            self._thread.submit(self._quietly, job)

    def now(self, job: Callable[[sqlite3.Connection], object]) -> None:
        """Write in the thread and wait for it, for callers in a thread of their own."""
        self.leave_parent()
        with suppress(RuntimeError, TimeoutError):
            self._thread.submit(self._quietly, job).result(LONGEST)

    async def connections(self) -> Connections:
        """What is open, opened first where nothing is."""
        self.leave_parent()
        if self.opened:
            return self.opened
        return await self.in_thread(self._connected)

    async def mend(self, error: Exception) -> bool:
        """Replace the file if that is what an error calls for; says whether it was."""
        return is_damaged(error) and await self.in_thread(self._forget_if_broken, error)

    async def in_thread(self, function: Callable[..., T], *arguments: object) -> T:
        """Run a function in the thread, and wait for it for a bounded time."""
        return await self._bounded(self._thread.submit(function, *arguments))

    async def close(self) -> None:
        """Write what waits and close the file."""
        self.leave_parent()
        await asyncio.wrap_future(self._thread.submit(self._finish_and_close))

    def finish(self) -> None:
        """Write what waits, from whatever thread this is; what cannot be written is given up."""
        if self._process == os.getpid():
            self._flush_patiently()

    def leave_parent(self) -> None:
        """In a forked child: neither use nor close what belongs to the parent, nor write for it."""
        if self._process != os.getpid():
            self._abandoned += [self.opened, self._thread, self._riders]
            self._process, self.opened, self._thread = os.getpid(), None, _one_thread("write")
            for rider in self._riders:
                rider.over()
            self._riders, self._flushing, self._timer = deque(), False, None

    def _at_once(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Do it here and now, or say that something is in the way."""
        opened, begun = self.opened, self._clock.monotonic()
        if opened is None or begun < self._slow_until or not self._has_turn(opened.writing, begun):
            raise Hindered
        try:
            if opened.inode != self._inode():
                raise Hindered
            return self._transaction(opened, job)
        except (sqlite3.Error, OSError) as error:
            # The thread tries again, and tells.
            raise Hindered from error
        finally:
            opened.writing.release()
            if (now := self._clock.monotonic()) - begun > SLOW:
                self._slow_until = now + SLOW_FOR if now < self._slow_at + SLOW_FOR else now
                self._slow_at = now

    def _has_turn(self, writing: threading.Lock, now: float) -> bool:
        """Take the lock on the connection, if it can be had in a moment."""
        if writing.acquire(blocking=False):
            return True
        if now < self._stuck_until:
            return False
        if writing.acquire(timeout=MOMENT):
            return True
        self._stuck_until = now + STUCK
        return False

    async def _patiently(
        self,
        job: Callable[[sqlite3.Connection], T],
        undo: Callable[[sqlite3.Connection], object] | None = None,
        *,
        turn: Callable[[Callable[[sqlite3.Connection], T], float], T] | None = None,
    ) -> T:
        """Do it in the thread, which waits while others write."""
        future = self._thread.submit(turn or self._in_turn, job, time.monotonic())
        # Noted where it happens, for the caller may have left by then.
        future.add_done_callback(self._note)
        try:
            return await self._bounded(future)
        except (asyncio.CancelledError, TimeoutError) as error:
            # The thread may have taken it already; nobody is left to give it back but us. No-op if it never did.
            if undo:
                self.later(undo)
            if isinstance(error, asyncio.CancelledError):
                raise
            problem = TimeoutError("the disk does not answer")
            self._deciding.failed(problem)
            raise self._unavailable(problem) from error
        except (sqlite3.Error, OSError) as error:
            raise self._unavailable(error) from error

    async def _bounded(self, future: "Future[T]") -> T:
        return await patiently(asyncio.wrap_future(future), max(self._patience, LONGEST) + SPARE)

    def _note(self, future: "Future[T]") -> None:
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._deciding.worked()
        elif isinstance(error, (sqlite3.Error, OSError)) and not isinstance(error, NotCounted):
            self._deciding.failed(error)

    def _in_turn(self, job: Callable[[sqlite3.Connection], T], begun: float) -> T:
        """Do it as soon as nobody else writes. Riders that stand in the way are written, or given up, first."""
        pause, until, seen, mended = FIRST_PAUSE, begun + self._patience, self._commits_of_others(), False
        while True:
            try:
                opened = self._connected()
                with opened.writing:
                    return self._transaction(opened, job)
            except (sqlite3.Error, OSError) as error:
                if not _is_busy(error):
                    if not mended and (mended := self._forget_if_broken(error)):
                        continue
                    if not self._riders:
                        raise
                    self._one_by_one()
                    continue
                now, before, seen = time.monotonic(), seen, self._commits_of_others()
                if seen != before:
                    until = max(until, min(now + self._patience, begun + LONGEST))
                if now >= until:
                    raise
            # Nobody is kept from trying meanwhile: the lock on the connection is not held.
            time.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)

    def _commits_of_others(self) -> int:
        """A number that changes whenever another connection has written."""
        if not (opened := self.opened):
            return 0
        with opened.writing, suppress(sqlite3.Error):
            changes: int = opened.writer.execute("PRAGMA data_version").fetchone()[0]
            return changes
        return 0

    def _alone(self, job: Callable[[sqlite3.Connection], T], _begun: float) -> T:
        """Do what needs no transaction, once more if the file had to be replaced."""
        try:
            return self._reading(job)
        except sqlite3.DatabaseError as error:
            if not self._forget_if_broken(error):
                raise
        return self._reading(job)

    def _reading(self, job: Callable[[sqlite3.Connection], T]) -> T:
        opened = self._connected()
        with opened.writing:
            return job(opened.writer)

    def _transaction(self, opened: Connections, job: Callable[[sqlite3.Connection], T]) -> T:
        """The riders and the job in one transaction. Whoever comes here holds the lock on the connection."""
        writer = opened.writer
        writer.execute("BEGIN IMMEDIATE")
        riders = self._take()
        try:
            for rider in riders:
                rider.write(writer)
            if self._rounds.due(self._clock.monotonic()):
                forget_expired(writer, self._clock.time())
            result = job(writer)
            writer.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
            self._riders.extendleft(reversed(riders))
            raise
        self._written(riders)
        return result

    def _one_by_one(self) -> None:
        """Write each rider in a transaction of its own, because one of them may be what cannot be written."""
        for rider in self._take():
            try:
                opened = self._connected()
                with opened.writing:
                    _alone_in_transaction(opened.writer, rider)
            except (sqlite3.Error, OSError) as error:
                self.riding.failed(error)
            rider.over()

    def _take(self) -> list[Rider]:
        """Everybody who waits; another event loop may add to them meanwhile."""
        taken = []
        with suppress(IndexError):
            while True:
                taken.append(self._riders.popleft())
        return taken

    def _written(self, riders: list[Rider]) -> None:
        for rider in riders:
            rider.over()
        if riders:
            self.riding.worked()
        self._since_checkpoint += 1 + sum(rider.weight for rider in riders)
        if self._since_checkpoint >= CHECKPOINT:
            self._since_checkpoint = 0
            with suppress(RuntimeError):
                self._thread.submit(self._checkpoint)

    def _checkpoint(self) -> None:
        if opened := self.opened:
            # Not on the writing connection, so that nobody who writes waits for it.
            with suppress(sqlite3.Error), opened.far_reading:
                opened.far_reader.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _flush_soon(self) -> None:
        """See to it that the riders of this event loop are written, even when no transaction comes by or it ends."""
        loop = asyncio.get_running_loop()
        if self._timer and self._timer[0] is loop:
            return
        if loop not in self._loops:
            self._loops[loop] = ending = self._at_loop_end()
            # Its first step has nothing to wait for.
            with suppress(StopIteration):
                ending.__anext__().send(None)
        seconds = 1.0 if self.riding.is_on else SOON
        self._timer = (loop, loop.call_later(seconds, self._flush))

    async def _at_loop_end(self) -> AsyncGenerator[None, None]:
        """Asyncio closes generators when a loop ends, whether or not anybody closed the store."""
        try:
            yield
        finally:
            self.finish()

    def _flush(self) -> None:
        self._timer = None
        if not self._riders or self._flushing or self._process != os.getpid():
            return
        try:
            self._at_once(_nothing_more)
        except Hindered:
            self._flushing = True
            try:
                self._thread.submit(self._flush_patiently)
            except RuntimeError:
                # The interpreter is about to end; riders are written at exit.
                self._flushing = False

    def _flush_patiently(self) -> None:
        try:
            if self._riders:
                self._in_turn(_nothing_more, time.monotonic())
        except (sqlite3.Error, OSError) as error:
            self.riding.failed(error)
            self._give_up()
        finally:
            self._flushing = False

    def _give_up(self) -> None:
        """Keep the riders that should last; one after the other, because an event loop may add to them meanwhile."""
        for _ in range(len(self._riders)):
            rider = self._riders.popleft()
            if rider.lasting:
                self._riders.append(rider)
            else:
                rider.over()

    def _quietly(self, job: Callable[[sqlite3.Connection], object]) -> None:
        with suppress(sqlite3.Error, OSError):
            self._in_turn(job, time.monotonic())

    def _connected(self) -> Connections:
        """What is open, opened first where nothing is or where the file is not the same any more."""
        if self.opened and self.opened.inode != self._inode():
            self._close()
        if self.opened is None:
            opened = Connections(*open_together(self.path, busy_seconds=max(self._patience, LONGEST)))
            opened.writer.execute("PRAGMA busy_timeout=0")
            opened.writer.execute("PRAGMA wal_autocheckpoint=0")
            self.opened = opened
        return self.opened

    def _finish_and_close(self) -> None:
        self.finish()
        self._close()

    def _close(self) -> None:
        opened, self.opened = self.opened, None
        if opened:
            opened.close()

    def _forget_if_broken(self, error: Exception) -> bool:
        """Open afresh next time, unless the file is only busy or full; says whether a damaged file was replaced."""
        passing = isinstance(error, sqlite3.IntegrityError | sqlite3.DataError) or _code(error) == sqlite3.SQLITE_FULL
        if not isinstance(error, sqlite3.DatabaseError) or passing or _is_busy(error):
            return False
        opened = self.opened
        self._close()
        if opened and is_damaged(error):
            with suppress(sqlite3.Error, OSError):
                replace_damaged(self.path, opened.inode, error, busy_seconds=max(self._patience, LONGEST))
                return True
        return False

    def _inode(self) -> tuple[int, int]:
        return inode(self._name)

    def _unavailable(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(f"the store {self.path} cannot be used: {error}")


def _one_thread(what: str) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix=f"seekread-store-{what}")


def _nothing_more(_connection: sqlite3.Connection) -> None:
    """The riders are all there is to write."""


def _alone_in_transaction(connection: sqlite3.Connection, rider: Rider) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        rider.write(connection)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _is_busy(error: Exception) -> bool:
    return _code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
