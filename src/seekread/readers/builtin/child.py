"""
The child process that reads documents: `python -m seekread.readers.builtin.child`.

It takes tasks on standard input and gives results on standard output, both as frames, one at a time.
Memory is limited for its whole life and CPU time for each task; whoever passes a limit dies, and the parent goes on.
It ends when its input ends, so no child outlives its parent, and when it has had nothing to do for a while.
"""

import gc
import os
import sys
from typing import BinaryIO

from seekread import platforms
from seekread.extraction.document import read_document
from seekread.readers.builtin.frames import (
    LENGTHS,
    MEMORY,
    NO_MEMORY,
    OUT_OF_MEMORY,
    TaskResult,
    lengths_of,
    pack_result,
    unpack_task,
)

GROWN = 300 * 1024**2
"""Resident memory at which a worker asks to be replaced: what a large page took does not come back by itself."""
IDLE_SECONDS = 300
"""Seconds after which the memory of a worker without a task is better given back."""
COLLECTED = (100_000, 10, 10)
"""Objects made, and collections of the young, after which Python looks for cycles; nearly all pages make fewer."""


def main(arguments: list[str]) -> int:
    """Serve until the input ends, within bounds."""
    requests, replies = take_over_pipes()
    platforms.HERE.bound_memory(MEMORY)
    if "--plain" not in arguments:
        load_extractor()
        collect_rarely()
    platforms.HERE.forbid_writing()
    try:
        return serve(requests, replies)
    except MemoryError:
        return OUT_OF_MEMORY


def serve(requests: BinaryIO, replies: BinaryIO) -> int:
    """Do one task after the other."""
    while frame := read_frame(requests):
        result = work(*frame)
        head, body = pack_result(result)
        replies.write(head)
        replies.write(body)
        replies.flush()
        if result.retire:
            return 0
    return 0


def take_over_pipes() -> tuple[BinaryIO, BinaryIO]:
    """
    Keep the pipes for frames alone: whatever a library prints goes nowhere.

    Only the end of the process closes them. Whoever sees them closed kills what still lives a moment later, and a
    Python that tidies up for that long would be taken for one that somebody else killed.
    """
    requests = os.fdopen(os.dup(0), "rb", buffering=0, closefd=False)
    replies = os.fdopen(os.dup(1), "wb", closefd=False)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return requests, replies


def load_extractor() -> None:
    """Import the heavy packages and load the model while the parent still waits for the network."""
    import seekread.extraction.html  # noqa: F401 the import is the point
    from seekread.extraction.block_model import block_model

    block_model()


def collect_rarely() -> None:
    """Look for cycles of objects only when many were made: reading leaves none behind, so that looking is in vain."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED)


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
    with platforms.HERE.rest(requests, IDLE_SECONDS):
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
    platforms.HERE.allow_processor(task.cpu_seconds)
    try:
        extracted = read_document(body, task.content_type, task.url, task.options)
    except MemoryError:
        return TaskResult(None, failed=NO_MEMORY, retire=True)
    except Exception as error:  # noqa: BLE001 the edge of the process: the parent reports it and goes on
        return TaskResult(None, failed=type(error).__name__, retire=True)
    finally:
        platforms.HERE.allow_processor(0)
    return TaskResult(extracted, retire=grown())


def grown() -> bool:
    """Say whether the process once held much more memory than it needs."""
    return platforms.HERE.peak_memory() > GROWN


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
