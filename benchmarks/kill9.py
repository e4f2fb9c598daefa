"""
Kill writers of one store at random moments, start others, and look whether anything was damaged.

    python benchmarks/kill9.py                 1,000 kills, four writers
    python benchmarks/kill9.py --kills 40      a small run

Every writer puts values and counts them, and reports each one that the store said was written. At the end every row
must be whole, every reported value must be there, the counters must hold what was reported and at most one more
for each kill, and no writer may have failed to open the file.
"""

import argparse
import asyncio
import json
import math
import os
import random
import select
import signal
import sqlite3
import struct
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from seekread.clock import SystemClock
from seekread.ports import Limit, Want
from seekread.state.packing import decode_key, unpack
from seekread.state.sqlite import SqliteStore

KEYS = 200
REPORT = struct.Struct("<Q")


@dataclass
class Writer:
    """A child process, and what it has reported so far."""

    number: int
    process: int
    pipe: int
    reported: list[int] = field(default_factory=list)

    def drain(self) -> None:
        """Read everything the child reported, to the end of the pipe."""
        received = b""
        while chunk := os.read(self.pipe, 65_536):
            received += chunk
        os.close(self.pipe)
        whole = len(received) // REPORT.size * REPORT.size
        self.reported += [number for (number,) in REPORT.iter_unpack(received[:whole])]


def body(writer: int, number: int) -> bytes:
    """A value that can be checked: its number, then text that only this number has."""
    generator = random.Random(f"{writer}/{number}")
    return REPORT.pack(number) + generator.randbytes(generator.randrange(3_000)).hex().encode()


async def write_forever(path: Path, writer: int, first: int, pipe: int) -> None:
    store = SqliteStore(path, clock=SystemClock(), max_bytes=1 << 30, strict=True, busy_seconds=30.0)
    number = first
    while True:
        await store.reserve(Want(f"count/{writer}", 1, Limit(math.inf)))
        await store.put(f"{writer}/{number % KEYS}", body(writer, number))
        os.write(pipe, REPORT.pack(number))
        number += 1


def start(path: Path, number: int, first: int) -> Writer:
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return Writer(number, process, reading)
    os.close(reading)
    try:
        asyncio.run(write_forever(path, number, first, writing))
    finally:
        # Only an error ends a writer; `_exit` keeps the parent's exit work out of the child.
        os._exit(3)


def run(path: Path, kills: int, writers: int) -> dict[str, int | float]:
    chance = random.Random(9)
    begun = time.monotonic()
    numbers: dict[int, list[int]] = {number: [] for number in range(writers)}
    running = [start(path, number, 0) for number in range(writers)]
    failed = 0
    for _ in range(kills):
        victim = running.pop(chance.randrange(len(running)))
        # The kill comes at any moment after the first report: a writer that is still starting is not writing.
        select.select([victim.pipe], [], [], 60)
        time.sleep(chance.uniform(0, 0.02))
        failed += end(victim)
        numbers[victim.number] += victim.reported
        running.append(start(path, victim.number, max(numbers[victim.number], default=-1) + 1))
    for survivor in running:
        failed += end(survivor)
        numbers[survivor.number] += survivor.reported
    return {"kills": kills, "failed": failed, "seconds": round(time.monotonic() - begun, 1)} | check(
        path, numbers, kills + writers
    )


def end(writer: Writer) -> int:
    """Kill a writer; say whether it had already died by itself."""
    os.kill(writer.process, signal.SIGKILL)
    _, status = os.waitpid(writer.process, 0)
    writer.drain()
    return int(not os.WIFSIGNALED(status))


def check(path: Path, numbers: dict[int, list[int]], kills: int) -> dict[str, int | float]:
    connection = sqlite3.connect(path)
    sound = connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    corrupt = 0
    found: dict[str, int] = {}
    for key, packed in connection.execute("SELECT key, packed FROM entries"):
        entry = unpack(decode_key(key), packed)
        number = REPORT.unpack_from(entry.value)[0] if entry else -1
        writer = int(decode_key(key).split("/")[0])
        if entry is None or entry.value != body(writer, number):
            corrupt += 1
        found[decode_key(key)] = number
    counted = connection.execute("SELECT sum(used) FROM counters").fetchone()[0] or 0
    entries, stored = connection.execute("SELECT entries, bytes FROM totals").fetchone()
    really = connection.execute("SELECT count(*), sum(size) FROM entries").fetchone()
    connection.close()
    reported = sum(len(values) for values in numbers.values())
    latest = {f"{writer}/{number % KEYS}": number for writer, values in numbers.items() for number in sorted(values)}
    return {
        "reported": reported,
        "rows": len(found),
        "corrupt": corrupt + (not sound),
        "lost": sum(found.get(key, -1) < number for key, number in latest.items()),
        "miscounted": int(not reported <= counted <= reported + kills) + int((entries, stored) != really),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--writers", type=int, default=4)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        figures = run(Path(directory) / "store.db", arguments.kills, arguments.writers)
    print(json.dumps(figures))
    return int(any(figures[name] for name in ("failed", "corrupt", "lost", "miscounted")))


if __name__ == "__main__":
    sys.exit(main())
