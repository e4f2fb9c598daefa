"""
The SQLite file: how it is opened, and what is in it.

Write-ahead log with `synchronous=NORMAL`: a killed process loses at most its unfinished transaction, a power cut may
lose the last few. Rowid tables, because values are blobs. Triggers keep the totals, so that the size is known without
counting.
"""

import os
import sqlite3
import time
from pathlib import Path

from seekread.state.rules import HOLD_SECONDS, HORIZON

APPLICATION = 0x5EEC5EAD
VERSION = 1

SCHEMA = """
CREATE TABLE entries(
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, packed BLOB NOT NULL, size INTEGER NOT NULL,
    expires_at REAL, used_at REAL NOT NULL);
CREATE INDEX entries_expires_at ON entries(expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX entries_used_at ON entries(used_at);

CREATE TABLE totals(id INTEGER PRIMARY KEY, entries INTEGER NOT NULL, bytes INTEGER NOT NULL, fence INTEGER NOT NULL);
INSERT INTO totals VALUES(1, 0, 0, 0);
CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
    UPDATE totals SET entries = entries + 1, bytes = bytes + NEW.size; END;
CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
    UPDATE totals SET entries = entries - 1, bytes = bytes - OLD.size; END;
CREATE TRIGGER entry_replaced AFTER UPDATE OF size ON entries BEGIN
    UPDATE totals SET bytes = bytes + NEW.size - OLD.size; END;

CREATE TABLE counters(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, used REAL NOT NULL, forget_at REAL);
CREATE TABLE holds(
    id INTEGER PRIMARY KEY, token TEXT NOT NULL, key BLOB NOT NULL, amount REAL NOT NULL, taken_at REAL NOT NULL,
    UNIQUE(token, key));
CREATE TABLE hits(
    id INTEGER PRIMARY KEY, token TEXT NOT NULL, key BLOB NOT NULL, at REAL NOT NULL, until REAL NOT NULL,
    amount REAL NOT NULL);
CREATE INDEX hits_key_at ON hits(key, at);
CREATE INDEX hits_token ON hits(token);
CREATE TABLE locks(
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, token TEXT NOT NULL, expires_at REAL NOT NULL,
    lifetime REAL NOT NULL);
"""


class ForeignFile(sqlite3.DatabaseError):
    """The file is a database, but not one this version can use."""


def open_database(path: Path, *, busy_seconds: float) -> sqlite3.Connection:
    """Open the file, creating it (0600, in a directory of 0700) and its tables where they are missing."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, busy_seconds)
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    """Open a prepared file for reading. It waits next to nothing: a reader may be on the event loop."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=0.02, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA query_only=ON")
    except BaseException:
        connection.close()
        raise
    return connection


def forget_expired(connection: sqlite3.Connection, now: float) -> None:
    """Forget what nobody can ask for any more."""
    connection.execute("DELETE FROM holds WHERE NOT taken_at BETWEEN ? AND ?", (now - HOLD_SECONDS, now + HORIZON))
    # Somebody who asked a while ago and waits for its turn still needs the hits of that time.
    connection.execute("DELETE FROM hits WHERE until < ?", (now - HORIZON,))
    connection.execute("DELETE FROM counters WHERE forget_at < ?", (now,))
    connection.execute("DELETE FROM locks WHERE expires_at < ?", (now - HOLD_SECONDS,))


def _prepare(connection: sqlite3.Connection, busy_seconds: float) -> None:
    _use_write_ahead_log(connection, busy_seconds)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA journal_size_limit=16777216")
    if _version(connection) == (APPLICATION, VERSION):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        _create_tables(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _create_tables(connection: sqlite3.Connection) -> None:
    application, version = _version(connection)
    if application == 0 and not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        for statement in _statements(SCHEMA):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION}")
        connection.execute(f"PRAGMA user_version={VERSION}")
    elif application != APPLICATION:
        raise ForeignFile("the file belongs to another program; name another one")
    elif version != VERSION:
        raise ForeignFile(f"the file has layout {version}, this seekread reads layout {VERSION}; name another file")


def _use_write_ahead_log(connection: sqlite3.Connection, busy_seconds: float) -> None:
    # SQLite does not wait while another process switches a fresh file over, it says "locked" at once.
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
                connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.005)
        else:
            return


def _version(connection: sqlite3.Connection) -> tuple[int, int]:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    return application, connection.execute("PRAGMA user_version").fetchone()[0]


def _statements(script: str) -> list[str]:
    """Split a script, because `executescript` would commit the transaction around it."""
    statements, statement = [], ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            statements.append(statement)
            statement = ""
    return statements
