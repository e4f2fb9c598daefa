"""The processes of a service with several workers, as the system lists them."""

import time
from pathlib import Path

from tests.support.service_process import PATIENCE


def children(pid: int) -> list[int]:
    """The workers of a process: none while what they are forked from is not there, or not yet again."""
    return [worker for parent in forking(pid) for worker in below(parent)]


def all_children(pid: int, count: int) -> list[int]:
    """The workers of a process as soon as so many are there: the first may answer before the last is forked."""
    for _ in range(PATIENCE * 100):
        if len(found := children(pid)) == count:
            return found
        time.sleep(0.01)
    raise AssertionError(f"{len(children(pid))} of {count} workers are there")


def forked_from(pid: int) -> int:
    """The process that workers are forked from."""
    [found] = forking(pid)
    return found


def forking(pid: int) -> list[int]:
    return [child for child in below(pid) if "multiprocessing.forkserver" in told(f"/proc/{child}/cmdline")]


def below(pid: int) -> list[int]:
    return [int(child) for child in told(f"/proc/{pid}/task/{pid}/children").split()]


def told(path: str) -> str:
    """What the system says of a process; nothing of one that has ended meanwhile."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def alive(pid: int) -> bool:
    """Whether a process is there and not only waits to be noticed."""
    state = told(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return bool(state) and state[0] != "Z"
