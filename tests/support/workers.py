"""The processes of a service with several workers, as the system lists them."""

from pathlib import Path


def children(pid: int) -> list[int]:
    """The workers of a process."""
    return below(forked_from(pid))


def forked_from(pid: int) -> int:
    """The process that workers are forked from."""
    [found] = [
        child for child in below(pid) if "multiprocessing.forkserver" in Path(f"/proc/{child}/cmdline").read_text()
    ]
    return found


def below(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    """Whether a process is there and not only waits to be noticed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
