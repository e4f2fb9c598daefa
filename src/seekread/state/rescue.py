"""
What becomes of a damaged state file: it is moved aside, and a new one takes its place with the sums it still tells.

Answers and pages are asked for again. What was spent is not, so counters and holds are read from both ends of their
tables, as far as they can be. The newest few damaged files stay beside the new one.
"""

import logging
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

log = logging.getLogger("seekread.state")

DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

KEPT = 5
"""Damaged files kept: a failing disk damages one after the other, and must not be filled by them."""

FAMILY = ("", "-wal", "-shm")
"""The endings of the files that belong together."""

SUMS = {
    """SELECT key, used, forget_at FROM counters
        WHERE typeof(key) = 'blob' AND typeof(used) = 'real' AND abs(used) < 1e300
            AND typeof(forget_at) IN ('real', 'null')
        ORDER BY id""": "INSERT OR IGNORE INTO counters(key, used, forget_at) VALUES(?, ?, ?)",
    """SELECT token, key, amount, taken_at FROM holds
        WHERE typeof(token) = 'text' AND typeof(key) = 'blob' AND typeof(amount) = 'real' AND abs(amount) < 1e300
            AND typeof(taken_at) = 'real'
        ORDER BY id""": "INSERT OR IGNORE INTO holds(token, key, amount, taken_at) VALUES(?, ?, ?, ?)",
    """SELECT fence FROM totals
        WHERE typeof(fence) = 'integer'
        ORDER BY id""": "UPDATE totals SET fence = max(fence, ?)",
}
"""What must not be forgotten: how it is read from a damaged file, where anything may stand, and how it is written."""

SumRows = list[tuple[Any, ...]]


def is_damaged(error: BaseException) -> bool:
    """Whether an error says that the file itself is not what it should be."""
    return isinstance(error, sqlite3.DatabaseError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED


@contextmanager
def alone(path: Path, *, seconds: float) -> Iterator[None]:
    """
    Wait until nobody else opens, changes the layout of or replaces a file, and keep others from it meanwhile.

    The lock is an empty file beside it. SQLite locks it, because SQLite can on every system, and a lock ends with its
    process.
    """
    guard = path.with_name(f"{path.name}.lock")
    os.close(os.open(guard, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
    with closing(sqlite3.connect(guard, timeout=seconds, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


def aside(path: Path, what: str) -> Path:
    """A name beside a file that nobody has yet: what it is, and since when."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    name, number = path.with_name(f"{path.name}.{what}-{stamp}"), 1
    while name.exists():
        number += 1
        name = path.with_name(f"{path.name}.{what}-{stamp}-{number}")
    return name


def damaged_files(path: Path) -> list[Path]:
    """The files that were moved aside, the oldest first."""
    found = [each for each in path.parent.glob(f"{path.name}.broken-*") if not each.name.endswith(FAMILY[1:])]
    return sorted(found, key=lambda each: (each.stat().st_mtime, each.name))


def read_sums(path: Path) -> dict[str, SumRows]:
    """What a damaged file still tells, by the statement that writes it down again."""
    sums: dict[str, SumRows] = {}
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as damaged:
        # Lets SQLite read what is left of a file that was cut off.
        damaged.execute("PRAGMA writable_schema=ON")
        for read, write in SUMS.items():
            forwards, backwards = _readable(damaged, read), _readable(damaged, f"{read} DESC")
            sums[write] = list(dict.fromkeys([*forwards, *backwards]))
    return sums


def write_sums(connection: sqlite3.Connection, sums: dict[str, SumRows]) -> None:
    """Write down what a damaged file told."""
    for write, rows in sums.items():
        connection.executemany(write, rows)


def replace(path: Path, new: Path, sums: dict[str, SumRows], error: Exception) -> None:
    """Move a damaged file aside, put a new one in its place, and say so once."""
    broken = aside(path, "broken")
    for old, name in zip(family(path), family(broken), strict=True):
        with suppress(FileNotFoundError):
            old.rename(name)
    new.rename(path)
    counters = len(next(iter(sums.values()), []))
    log.warning(
        "the state file %s was damaged (%s): it is %s now, and a new one was begun; %s",
        path,
        error,
        broken.name,
        f"{counters} counters of what was spent were kept" if counters else "what was spent could not be read from it",
    )
    forget(each for old in damaged_files(path)[:-KEPT] for each in family(old))


def family(path: Path) -> list[Path]:
    """A database file and what SQLite keeps beside it."""
    return [path.with_name(path.name + ending) for ending in FAMILY]


def forget(paths: Iterable[Path]) -> None:
    """Remove files, where they are there."""
    for path in paths:
        path.unlink(missing_ok=True)


def _readable(damaged: sqlite3.Connection, statement: str) -> SumRows:
    """The rows up to the first that cannot be read."""
    rows: SumRows = []
    with suppress(sqlite3.Error):
        rows.extend(damaged.execute(statement))
    return rows
