"""
The parent's side of the worker processes: a few children, started when needed, killed when late.

The rules:

- A child has one task at a time. Cancelled, late or dead, it is killed and waited for; it is never handed on.
- Whatever a page does to a child, the page is tried once more in a fresh one by the reader of last resort.
- Only a bounded part of a document is on its way at any moment, so the parent holds no second copy.
- Children see no environment of ours: the keys of the operator are not theirs to lose.
- A child belongs to the event loop it was started on: a call from another loop kills the old children and starts anew.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio
import anyio.abc

from seekread.errors import TimedOut, Unreachable, Unreadable
from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.readers.builtin.frames import LENGTHS, BadFrame, Task, TaskResult, lengths_of, pack_task, unpack_result

SLICE = 65536
LEAVING = 0.15
"""Seconds a child gets to end by itself when it said that it will, or seems to have ended."""
BROKEN = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, BadFrame, OSError)


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


class Worker:
    """One child process."""

    def __init__(self, process: anyio.abc.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, environment: Mapping[str, str], *, plain: bool) -> Self:
        """Start a child without waiting until it is ready: it reads its first task when it is."""
        command = [sys.executable, "-P", "-m", "seekread.readers.builtin.child", *(["--plain"] if plain else [])]
        try:
            # A cancellation between fork and return would lose the process.
            with anyio.CancelScope(shield=True):
                process = await anyio.open_process(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=environment,
                    start_new_session=True,
                )
        except OSError as error:
            raise Unreachable(f"no process could be started to read the page: {error.strerror}") from error
        return cls(process)

    async def ask(self, task: Task, body: bytes) -> TaskResult:
        """Hand over a document and wait for the result."""
        stdin = self.process.stdin
        if stdin is None:
            raise BadFrame("the process has no input")
        await stdin.send(pack_task(task, len(body)))
        for start in range(0, len(body), SLICE):
            await stdin.send(body[start : start + SLICE])
        head_length, body_length = lengths_of(await self.receive(LENGTHS.size))
        head = await self.receive(head_length)
        return unpack_result(head, await self.receive(body_length))

    async def receive(self, length: int) -> bytes:
        """So many bytes of the child's output."""
        stdout = self.process.stdout
        if stdout is None:
            raise BadFrame("the process has no output")
        received = bytearray()
        while len(received) < length:
            received += await stdout.receive(length - len(received))
        return bytes(received)

    @property
    def alive(self) -> bool:
        return self.process.returncode is None

    async def end(self, *, patience: float = 0.0) -> None:
        """
        Wait so long for the child to end by itself, then kill it; wait for it in any case, so that no zombie stays.

        Killing a child that is just ending would take its exit code away from whoever waits for it.
        """
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(patience):
                await self.process.wait()
            if self.alive:
                # It may be gone by now.
                with contextlib.suppress(ProcessLookupError):
                    self.process.kill()
            await self.process.aclose()

    def abandon(self) -> None:
        """Kill a child whose event loop is gone, without waiting on that loop."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        # A transport left open would complain, when it is collected, that its loop is closed.
        transport = getattr(getattr(self.process, "_process", None), "_transport", None)
        if transport is not None:
            with contextlib.suppress(RuntimeError):
                transport.close()
        # Later versions of asyncio leave the exit code to the loop; up to 3.11 a thread takes it.
        if sys.version_info >= (3, 12) and hasattr(os, "waitpid"):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.process.pid, 0)


class Workers:
    """A pool of children that read documents."""

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
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._slots = anyio.CapacityLimiter(self.limits.size)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def warm(self) -> None:
        """Start a child if none is free, so that it gets ready while a page is being fetched."""
        self._settle()
        if not self._closed and not self._free() and len(self._all) < self.limits.size:
            self._idle.append(await self._start(plain=False))

    async def read(self, body: bytes, content_type: str, url: str, *, seconds: float | None = None) -> Extracted:
        """
        Read a document in a child.

        A document that kills its child or takes too long is read again without its tags, and flagged.
        If that fails too, `TimedOut` or `Unreadable` says so.
        """
        self._settle()
        seconds = self.limits.seconds if seconds is None else min(seconds, self.limits.seconds)
        try:
            with anyio.fail_after(seconds) as scope:
                async with self._slots:
                    left = scope.deadline - anyio.current_time()
                    result = await self._attempt(body, content_type, url, left * self.limits.share, self.options)
                    if result.extracted is not None:
                        return result.extracted
                    return await self._last_resort(body, content_type, url, result.failed)
        except TimeoutError:
            raise TimedOut(f"the page could not be read within {seconds:.3g} s") from None

    async def close(self) -> None:
        """End every child, busy ones too, and wait for them."""
        self._settle()
        self._closed = True
        self._idle.clear()
        for worker in list(self._all):
            await self._discard(worker)

    def _settle(self) -> None:
        """Belong to the running loop; what belongs to another is given up."""
        loop = asyncio.get_running_loop()
        if self._loop is loop:
            return
        for worker in self._all:
            worker.abandon()
        self._idle, self._all, self._loop = [], set(), loop
        self._slots = anyio.CapacityLimiter(self.limits.size)

    async def _last_resort(self, body: bytes, content_type: str, url: str, reason: str) -> Extracted:
        options = replace(self.options, plain=f"the page could not be parsed ({reason})")
        result = await self._attempt(body, content_type, url, float("inf"), options)
        if result.extracted is None:
            raise Unreadable("too_large", f"the document could not be read: {reason}, then {result.failed}")
        return result.extracted

    async def _attempt(
        self, body: bytes, content_type: str, url: str, seconds: float, options: ExtractOptions
    ) -> TaskResult:
        """Have a child try; its death or delay is a result that says what failed."""
        task = Task(content_type, url, self.limits.cpu_seconds, options)
        with anyio.move_on_after(seconds):
            result = await self._ask(task, body)
            # A child that went to rest just now has not seen the page; a new one will.
            return result or await self._ask(task, body) or TaskResult(None, "no process stayed alive")
        return TaskResult(None, "it took too long")

    async def _ask(self, task: Task, body: bytes) -> TaskResult | None:
        """Ask one child; `None` when it had ended by itself before."""
        worker = await self._take(plain=bool(task.options.plain))
        healthy, patience = False, 0.0
        try:
            result = await worker.ask(task, body)
            healthy, patience = not result.retire, LEAVING
        except BROKEN:
            await self._discard(worker, patience=LEAVING)
            code = worker.process.returncode
            return None if code == 0 else TaskResult(None, cause_of_death(code))
        finally:
            if healthy and not self._closed:
                self._idle.append(worker)
            else:
                await self._discard(worker, patience=patience)
        return result

    async def _take(self, *, plain: bool) -> Worker:
        """A free child, the most recently used first, or a new one; the reader of last resort gets a new one."""
        if not plain and self._free():
            return self._idle.pop()
        return await self._start(plain=plain)

    def _free(self) -> bool:
        """Say whether a child is free, after forgetting those that went to rest."""
        for worker in [worker for worker in self._idle if not worker.alive]:
            self._idle.remove(worker)
            self._all.discard(worker)
        return bool(self._idle)

    async def _start(self, *, plain: bool) -> Worker:
        if self._closed:
            raise Unreachable("the reader is closed")
        worker = await Worker.start(self._environment, plain=plain)
        self._all.add(worker)
        return worker

    async def _discard(self, worker: Worker, *, patience: float = 0.0) -> None:
        if worker in self._all:
            self._all.discard(worker)
            await worker.end(patience=patience)


def cause_of_death(code: int | None) -> str:
    """What a child's exit code says about the page."""
    if code is not None and hasattr(signal, "SIGPROF") and code == -signal.SIGPROF:
        return "it took too much processor time"
    return "its reader crashed"


def python_environment() -> dict[str, str]:
    """What a child needs to find the same packages as its parent, and nothing else."""
    return {"PYTHONPATH": os.pathsep.join(path for path in sys.path if Path(path).is_absolute()), "PYTHONUTF8": "1"}
