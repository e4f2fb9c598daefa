"""A person at a terminal: a command in a process of its own, what it shows, and what is typed when it asks."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

SECONDS = 90


def fresh_home(home: Path, **further: str) -> dict[str, str]:
    """The environment of a person with nothing set up; where Python finds its packages stays as it is."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {"HOME": str(home), **kept, **further}


def at_a_terminal(
    environ: Mapping[str, str], *arguments: str, answers: Sequence[tuple[str, str | Callable[[], object]]] = ()
) -> str:
    """Everything that was shown; each answer is typed, or done, once the words before it were shown."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "seekread", *arguments]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environ, close_fds=True)
    os.close(theirs)
    seen, waiting, until = "", list(answers), time.monotonic() + SECONDS
    read_to = 0
    while time.monotonic() < until:
        if not select.select([ours], [], [], 1)[0]:
            continue
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part.decode(errors="replace")
        if waiting and waiting[0][0] in seen[read_to:]:
            _, answer = waiting.pop(0)
            if isinstance(answer, str):
                os.write(ours, answer.encode())
            else:
                answer()
            read_to = len(seen)
    os.close(ours)
    process.wait(SECONDS)
    return seen
