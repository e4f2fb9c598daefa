"""
The SQLite file: how it is opened, and what is in it.

Write-ahead log with `synchronous=NORMAL`: a killed process loses at most its unfinished transaction, a power cut may
lose the last few. Rowid tables, because values are blobs. Triggers keep the totals, so that the size is known without
counting.

Opening happens one process at a time, because it may do more: a new file gets its tables, an older layout is brought up
to date (a copy stays beside it), a damaged file is replaced. A file that a newer seekread has written is left alone:
what it would have held is kept in memory, and nothing is counted, so that nothing is spent twice.
"""

import logging
import os
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from seekread.late import dataclass
from seekread.platforms import private_file, private_folder
from seekread.state.rescue import alone, aside, family, forget, is_damaged, read_sums, replace, write_sums
from seekread.state.rules import HOLD_SECONDS, HORIZON

log = logging.getLogger("seekread.state")

APPLICATION = 0x5EEC5EAD
MAGIC = b"SQLite format 3\0"
HEAD = struct.Struct(">16s44xi4xi")
"""How every SQLite file begins: its magic, and further on the layout and the application its program wrote there."""

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


@dataclass(frozen=True)
class Layouts:
    """The tables of a new file, and the steps that lead to them: the first makes layout 2 of layout 1, and so on."""

    schema: str
    steps: tuple[str, ...] = ()

    @property
    def newest(self) -> int:
        return len(self.steps) + 1


LAYOUTS = Layouts(SCHEMA)


class ForeignFile(sqlite3.DatabaseError):
    """The file is a database, but not one this version can use."""


class NewerFile(ForeignFile):
    """A newer seekread has written the file."""


class NotCounted(sqlite3.IntegrityError):
    """Nothing can be counted, because the counters are in a file of a newer seekread."""

    told = True


class Connection(sqlite3.Connection):
    """A connection that nobody has to close: what drops it closes it, of which Python 3.13 warns otherwise."""

    def __del__(self) -> None:
        with suppress(sqlite3.Error):
            # One that could not be opened cannot be closed either.
            self.close()


class StandIn(Connection):
    """A database in memory, in place of a file that must be left alone. What is counted there nobody may count here."""

    reason = ""

    def execute(self, statement: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if "counters" in statement:
            raise NotCounted(self.reason)
        return super().execute(statement, parameters)


def open_together(
    path: Path, *, busy_seconds: float, layouts: Layouts = LAYOUTS
) -> tuple[tuple[int, int], sqlite3.Connection, sqlite3.Connection, sqlite3.Connection]:
    """
    Open a file for one who writes and two who read, and say which it is; nobody replaces it in between.

    It is created (0600, in a directory of 0700), and its tables, where they are missing.
    """
    private_folder(path.parent)
    with alone(path, seconds=busy_seconds):
        writer = _open_or_replace(path, busy_seconds, layouts)
        try:
            return inode(path), writer, _open_reader(path, writer), _open_reader(path, writer)
        except BaseException:
            writer.close()
            raise


def replace_damaged(path: Path, known: tuple[int, int], error: Exception, *, busy_seconds: float) -> None:
    """Begin a new file in place of the damaged one, which is known by its inode, unless another process has done so."""
    with alone(path, seconds=busy_seconds):
        if inode(path) == known:
            _begin_anew(path, LAYOUTS, error)


def inode(path: Path | str) -> tuple[int, int]:
    """Which file stands under a name: its device and number, or zeros where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a path object costs more than the question
    except FileNotFoundError:
        return 0, 0
    return found.st_dev, found.st_ino


def _open_reader(path: Path, writer: sqlite3.Connection) -> sqlite3.Connection:
    """Open a prepared file for reading. It waits next to nothing: a reader may be on the event loop."""
    if isinstance(writer, StandIn):
        return writer
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=0.02,
        isolation_level=None,
        check_same_thread=False,
        factory=Connection,
    )
    try:
        connection.execute("PRAGMA query_only=ON")
    except BaseException:
        connection.close()
        raise
    return connection


def forget_expired(connection: sqlite3.Connection, now: float) -> None:
    """Forget what nobody can ask for any more."""
    if isinstance(connection, StandIn):
        return
    connection.execute("DELETE FROM holds WHERE NOT taken_at BETWEEN ? AND ?", (now - HOLD_SECONDS, now + HORIZON))
    # Somebody who asked a while ago and waits for its turn still needs the hits of that time.
    connection.execute("DELETE FROM hits WHERE until < ?", (now - HORIZON,))
    connection.execute("DELETE FROM counters WHERE forget_at < ?", (now,))
    connection.execute("DELETE FROM locks WHERE expires_at < ?", (now - HOLD_SECONDS,))


def _open_or_replace(path: Path, busy_seconds: float, layouts: Layouts) -> sqlite3.Connection:
    try:
        return _open(path, busy_seconds, layouts)
    except NewerFile as error:
        return _stand_in(path, layouts, error)
    except sqlite3.DatabaseError as error:
        if not is_damaged(error):
            raise
        _begin_anew(path, layouts, error)
    return _open(path, busy_seconds, layouts)


def _open(path: Path, busy_seconds: float, layouts: Layouts) -> sqlite3.Connection:
    private_file(path)
    for beside in filter(Path.exists, (path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))):
        private_file(beside)
    # Read without SQLite, which would write beside the file and into it.
    _check_age(*_told_layout(path), layouts)
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False, factory=Connection
    )
    try:
        _prepare(connection, path, layouts)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, layouts: Layouts) -> None:
    application, version = _version(connection)
    _check_age(application, version, layouts)
    is_new = application == 0 and not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    if not is_new and (application != APPLICATION or version < 1):
        raise ForeignFile("the file belongs to another program; name another one")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA journal_size_limit=16777216")
    if is_new:
        with _transaction(connection):
            _create_tables(connection, layouts)
    elif version < layouts.newest:
        _migrate(connection, path, version, layouts)


def _check_age(application: int, version: int, layouts: Layouts) -> None:
    if application == APPLICATION and version > layouts.newest:
        raise NewerFile(
            f"the file has layout {version} of a newer seekread, this one reads layout {layouts.newest}; "
            "update seekread or name another file"
        )


def _create_tables(connection: sqlite3.Connection, layouts: Layouts) -> None:
    for statement in _statements(layouts.schema):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={layouts.newest}")


def _migrate(connection: sqlite3.Connection, path: Path, version: int, layouts: Layouts) -> None:
    """Take an older layout to the newest one, all steps or none; a copy of the file stays beside it."""
    copy = aside(path, f"layout-{version}")
    try:
        with _transaction(connection):
            _copy(path, copy)
            for step in layouts.steps[version - 1 :]:
                for statement in _statements(step):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version={layouts.newest}")
    except BaseException:
        forget(family(copy))
        raise
    log.info("the state file %s has layout %d now; a copy with layout %d is %s", path, layouts.newest, version, copy)


def _copy(path: Path, copy: Path) -> None:
    """Copy what was committed, whether it is in the file yet or only in its log."""
    os.close(os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def _begin_anew(path: Path, layouts: Layouts, error: Exception) -> None:
    """Replace a damaged file by a new one with the sums that can still be read."""
    if not path.is_file():
        raise error
    sums = read_sums(path)
    new = path.with_name(f"{path.name}.new")
    # Somebody may have been killed here before.
    forget(family(new))
    with closing(_open(new, 0.0, layouts)) as connection, _transaction(connection):
        write_sums(connection, sums)
    replace(path, new, sums, error)


def _stand_in(path: Path, layouts: Layouts, error: NewerFile) -> StandIn:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, factory=StandIn)
    connection.executescript(layouts.schema)
    connection.reason = str(error)
    log.warning("%s is left alone, state is kept in memory and nothing that costs money is asked: %s", path, error)
    return connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _told_layout(path: Path) -> tuple[int, int]:
    """Application and layout as the file's first bytes say; what is not checkpointed yet SQLite knows better."""
    with path.open("rb") as file:
        head = file.read(HEAD.size)
    if not head:
        return 0, 0
    magic, version, application = HEAD.unpack(head.ljust(HEAD.size, b"\0"))
    if magic != MAGIC:
        error = sqlite3.DatabaseError("file is not a database")
        error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise error
    return application, version


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
