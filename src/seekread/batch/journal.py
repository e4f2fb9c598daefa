"""
What a file of records holds, kept beside it while it is written: which records, which contents, and up to which byte.

The journal follows from the file and is only there so that nobody keeps a million names in memory. One that is lost,
damaged or about another file is made anew by reading the file; one that lags behind reads the rest of it.
"""

import sqlite3
from contextlib import suppress
from pathlib import Path

from seekread.errors import Misconfigured

TOGETHER = 200
"""Records that are written together: those after the last time are read again from the file."""
TABLES = """
CREATE TABLE IF NOT EXISTS records (key BLOB PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contents (sha256 TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS written (one INTEGER PRIMARY KEY CHECK (one = 1), bytes INTEGER NOT NULL);
"""


class Journal:
    """Which records and contents a file holds. One process at a time may write it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unwritten = 0
        try:
            self.database = self._opened()
        except sqlite3.OperationalError as error:
            raise Misconfigured(why_not(path, error)) from None
        except sqlite3.DatabaseError:
            path.unlink()
            self.database = self._opened()

    def _opened(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=0.5, isolation_level=None)
        try:
            # What a crash of the machine damages is made anew; nobody else may write meanwhile.
            database.executescript("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF;")
            database.execute("BEGIN EXCLUSIVE")
            for statement in TABLES.split(";"):
                database.execute(statement)
        except sqlite3.Error:
            database.close()
            raise
        return database

    @property
    def reached(self) -> int:
        """The bytes of the file that are known here."""
        row = self.database.execute("SELECT bytes FROM written").fetchone()
        return int(row[0]) if row else 0

    def count(self) -> int:
        """How many records the file holds."""
        return int(self.database.execute("SELECT count(*) FROM records").fetchone()[0])

    def name_of(self, key: bytes) -> str | None:
        """The name a record stands under in the file."""
        return self._one("SELECT name FROM records WHERE key = ?", key)

    def name_with(self, sha256: str) -> str | None:
        """The name a content stands under."""
        return self._one("SELECT name FROM contents WHERE sha256 = ?", sha256)

    def add(self, key: bytes, name: str, sha256: str, reached: int) -> None:
        """Take note of a record, and of where it ends."""
        try:
            self.database.execute("INSERT OR IGNORE INTO records VALUES (?, ?)", (key, name))
            if sha256:
                self.database.execute("INSERT OR IGNORE INTO contents VALUES (?, ?)", (sha256, name))
            self.database.execute("INSERT OR REPLACE INTO written VALUES (1, ?)", (reached,))
            self._unwritten += 1
            if self._unwritten >= TOGETHER:
                self._write()
        except sqlite3.OperationalError as error:
            raise Misconfigured(f"{self.path} cannot be written: {error}") from None

    def forget(self) -> None:
        """Begin anew."""
        tables = self.database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            self.database.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names

    def close(self, *, remove: bool) -> None:
        """Write what is left; a file that is complete needs no journal."""
        try:
            # The file says it all: whoever goes on without what is lost here reads a little more of it.
            with suppress(sqlite3.Error):
                self.database.execute("COMMIT")
        finally:
            self.database.close()
        if remove:
            self.path.unlink(missing_ok=True)

    def _write(self) -> None:
        self.database.execute("COMMIT")
        self.database.execute("BEGIN EXCLUSIVE")
        self._unwritten = 0

    def _one(self, question: str, value: bytes | str) -> str | None:
        row = self.database.execute(question, (value,)).fetchone()
        return str(row[0]) if row else None


def why_not(path: Path, error: sqlite3.OperationalError) -> str:
    """Why a journal cannot be opened, in words."""
    file = path.with_suffix("")
    if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
        return f"another process writes {file}: wait for it, or name another file"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return f"{file} cannot be written: {error}"
