"""The processes of this machine, as Linux tells of them."""

import time
from pathlib import Path


def members(group: int) -> list[str]:
    """The living processes of a group."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, own = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(own) == group and state != "Z":
            found.append(folder.name)
    return found


def ended(*groups: int, within: float = 30) -> bool:
    """Whether the groups have no living process, after as long as the system needs to end those it was told to."""
    last = time.monotonic() + within
    while any(members(group) for group in groups):
        if time.monotonic() > last:
            return False
    return True


def parent_of(process: int) -> int:
    """The process that started one."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
