"""One child process that reads documents, seen from its parent: asked, ended, and what its end says about the page."""

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, Self

import anyio
import anyio.abc

from seekread import platforms
from seekread.errors import Unreachable
from seekread.late import dataclass
from seekread.platforms import ProcessEnd
from seekread.readers.builtin.frames import (
    LENGTHS,
    MEMORY,
    OUT_OF_MEMORY,
    BadFrame,
    Task,
    TaskResult,
    lengths_of,
    pack_task,
    unpack_result,
)

SLICE = 65536
LOOK = 0.1
"""Seconds between two looks at the memory of a child."""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""numpy would start a thread for every core, each with memory of its own; a child reads one page at a time."""
BROKEN = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)

Cause = Literal["rested", "killed", "bounds", "crash", "late"]
"""
Why no answer came: the child had gone to rest, somebody killed it, the page passed a bound, the page broke the reader,
or it took longer than we wait. Only of the last three the page may be the reason.
"""


@dataclass(frozen=True)
class Failure:
    """Why a child gave no answer, and how that is told."""

    cause: Cause
    reason: str


OVER_MEMORY = Failure("bounds", "it took too much memory")
DEATHS: dict[ProcessEnd, Failure] = {
    "by itself": Failure("rested", "its reader had gone to rest"),
    "killed": Failure("killed", "its reader was ended from outside"),
    "processor time": Failure("bounds", "it took too much processor time"),
    "crash": Failure("crash", "its reader crashed"),
}
"""What the end of a child says about the page."""


class Worker:
    """One child process."""

    def __init__(self, process: anyio.abc.Process) -> None:
        self.process = process
        self._over_memory = False

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
                    **platforms.HERE.start_options(),
                )
        except OSError as error:
            raise Unreachable(f"no process could be started to read the page: {error.strerror}") from error
        return cls(process)

    async def ask(self, task: Task, body: bytes) -> TaskResult:
        """Hand over a document and wait for the result."""
        async with self._watched():
            return await self._exchange(task, body)

    async def _exchange(self, task: Task, body: bytes) -> TaskResult:
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

    @asynccontextmanager
    async def _watched(self) -> AsyncIterator[None]:
        """Kill the child when it holds more memory than it may, where the system does not see to that itself."""
        if platforms.HERE.memory_to_watch(self.process.pid) is None:
            yield
            return
        watching = asyncio.create_task(self._kill_when_large(), name="seekread worker watch")
        try:
            yield
        finally:
            watching.cancel()

    async def _kill_when_large(self) -> None:
        while (held := platforms.HERE.memory_to_watch(self.process.pid)) is not None:
            if held > MEMORY:
                self._over_memory = True
                with contextlib.suppress(ProcessLookupError):
                    self.process.kill()
                return
            await anyio.sleep(LOOK)

    def death(self) -> Failure:
        """What the end of the child says about the page."""
        if self._over_memory or self.process.returncode == OUT_OF_MEMORY:
            return OVER_MEMORY
        return DEATHS[platforms.HERE.end_of(self.process.returncode)]

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


def python_environment() -> dict[str, str]:
    """What a child needs to find the same packages as its parent, and nothing else."""
    packages = os.pathsep.join(path for path in sys.path if Path(path).is_absolute())
    return {**platforms.HERE.environment(), **ONE_THREAD, "PYTHONPATH": packages, "PYTHONUTF8": "1"}
