"""What other processes use, told by Linux."""

import os
import time
from contextlib import suppress
from pathlib import Path


def cpu_of(pid: int) -> float:
    """Seconds of CPU that a process has used, with all its threads, those that have ended too."""
    # The number of the clock that counts them, as the kernel makes it of a process number.
    return time.clock_gettime(~pid << 3 | 2)


def cpu_of_all() -> float:
    """Seconds of CPU that all processes of the machine have used, ended ones too, and the kernel."""
    user, nice, system, _idle, _waiting, *interrupts = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:8]
    return sum(map(int, (user, nice, system, *interrupts))) / os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                    found += family(int(entry.name))
    return found
