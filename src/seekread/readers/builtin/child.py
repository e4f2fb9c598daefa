"""
The child process that reads documents: `python -m seekread.readers.builtin.child`.

It takes tasks on standard input and gives results on standard output, both as frames, one at a time.
Memory is limited for its whole life and CPU time for each task; whoever passes a limit dies, and the parent goes on.
It ends when its input ends, so no child outlives its parent, and when it has had nothing to do for a while.
"""

import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import BinaryIO

from seekread.extraction.document import read_document
from seekread.readers.builtin.frames import (
    LENGTHS,
    NO_MEMORY,
    OUT_OF_MEMORY,
    TaskResult,
    lengths_of,
    pack_result,
    unpack_task,
)

MEMORY = 1024**3
"""Address space in bytes, libraries included."""
GROWN = 300 * 1024**2
"""Resident memory at which a worker asks to be replaced: what a large page took does not come back by itself."""
IDLE_SECONDS = 300


def main(arguments: list[str]) -> int:
    """Serve until the input ends, within bounds."""
    requests, replies = take_over_pipes()
    limit_memory()
    if "--plain" not in arguments:
        load_extractor()
    forbid_writing()
    try:
        return serve(requests, replies)
    except MemoryError:
        return OUT_OF_MEMORY


def serve(requests: BinaryIO, replies: BinaryIO) -> int:
    """Do one task after the other."""
    while wait_for_input(requests):
        frame = read_frame(requests)
        if frame is None:
            return 0
        result = work(*frame)
        head, body = pack_result(result)
        replies.write(head)
        replies.write(body)
        replies.flush()
        if result.retire:
            return 0
    return 0


def take_over_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Keep the pipes for frames alone: whatever a library prints goes nowhere."""
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return requests, replies


def limit_memory() -> None:
    """Bound address space and forbid core dumps, where the system can."""
    with contextlib.suppress(ImportError):
        import resource

        # A hard limit below ours, set by the operator, stays.
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        bound = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def forbid_writing() -> None:
    """Let no file grow from now on; pipes are not files."""
    with contextlib.suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def load_extractor() -> None:
    """Import the heavy packages while the parent still waits for the network."""
    import seekread.extraction.html  # noqa: F401 the import is the point


def wait_for_input(requests: BinaryIO) -> bool:
    """Wait for a task; `False` when none came for so long that the memory is better given back."""
    if sys.platform == "win32":
        return True
    import select

    return bool(select.select([requests], [], [], IDLE_SECONDS)[0])


def read_exactly(requests: BinaryIO, length: int) -> bytes | None:
    """So many bytes, or `None` when the input ended before."""
    buffer = bytearray(length)
    view = memoryview(buffer)
    filled = 0
    while filled < length:
        count = requests.readinto(view[filled:])  # type: ignore[attr-defined]
        if not count:
            return None
        filled += count
    return bytes(buffer)


def read_frame(requests: BinaryIO) -> tuple[bytes, bytes] | None:
    """The head and the body of the next frame, or `None` at the end of the input."""
    prefix = read_exactly(requests, LENGTHS.size)
    if prefix is None:
        return None
    head_length, body_length = lengths_of(prefix)
    head = read_exactly(requests, head_length)
    body = read_exactly(requests, body_length)
    return None if head is None or body is None else (head, body)


def work(head: bytes, body: bytes) -> TaskResult:
    """Do one task within its CPU time."""
    task = unpack_task(head)
    if not task.options.plain:
        load_extractor()
    allow_cpu(task.cpu_seconds)
    try:
        extracted = read_document(body, task.content_type, task.url, task.options)
    except MemoryError:
        return TaskResult(None, failed=NO_MEMORY, retire=True)
    except Exception as error:  # noqa: BLE001 the edge of the process: the parent reports it and goes on
        return TaskResult(None, failed=type(error).__name__, retire=True)
    finally:
        allow_cpu(0)
    return TaskResult(extracted, retire=grown())


def allow_cpu(seconds: float) -> None:
    """Arm the timer that ends the process after so much CPU time; 0 disarms it."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def grown() -> bool:
    """Say whether the process once held much more memory than it needs."""
    return peak_memory() > GROWN


def peak_memory() -> int:
    """The most bytes this process ever held."""
    with contextlib.suppress(OSError, StopIteration, ValueError):
        # Linux: the usual figure (ru_maxrss) is inherited, so the child of a large process would look large too.
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmHWM:"))) * 1024
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
