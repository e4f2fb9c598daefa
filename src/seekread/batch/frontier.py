"""
What a crawl has found and not read yet, in the journal of its file: it survives the crawl, and needs no memory.

It follows from the file like the rest of the journal: whoever goes on adds the links of each record again.
"""

import sqlite3
from collections.abc import Iterable

from seekread.batch.record import page_key
from seekread.late import dataclass

TOGETHER = 50
TABLES = """
CREATE TABLE IF NOT EXISTS frontier (
    number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, url TEXT NOT NULL,
    depth INTEGER NOT NULL, stale INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS begun (one INTEGER PRIMARY KEY)
"""


@dataclass(frozen=True)
class Lead:
    """An address, how many links from the start, and after how many pages in a row without anything new."""

    url: str
    depth: int
    stale: int = 0


class Frontier:
    """Addresses in the order in which they were found, each once."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._last = 0
        for statement in TABLES.split(";"):
            database.execute(statement)

    @property
    def is_begun(self) -> bool:
        """Whether everything that the site names was added."""
        return self._database.execute("SELECT 1 FROM begun").fetchone() is not None

    def begin(self) -> None:
        """Note that everything was added that the site names."""
        self._database.execute("INSERT OR IGNORE INTO begun VALUES (1)")

    def add(self, found: Iterable[Lead]) -> None:
        """Add what was not found before."""
        self._database.executemany(
            "INSERT OR IGNORE INTO frontier (key, url, depth, stale) VALUES (?, ?, ?, ?)",
            [(page_key(one.url), one.url, one.depth, one.stale) for one in found],
        )

    def known(self, url: str) -> Lead | None:
        """How an address was found."""
        question = "SELECT url, depth, stale FROM frontier WHERE key = ?"
        row = self._database.execute(question, (page_key(url),)).fetchone()
        return Lead(*row) if row else None

    def following(self) -> list[Lead]:
        """The next few, which are handed out once."""
        question = "SELECT number, url, depth, stale FROM frontier WHERE number > ? ORDER BY number LIMIT ?"
        rows = self._database.execute(question, (self._last, TOGETHER)).fetchall()
        if rows:
            self._last = rows[-1][0]
        return [Lead(*row[1:]) for row in rows]
