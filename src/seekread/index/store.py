"""
The index itself: documents and their words in one SQLite file.

What keeps it safe: every change is one short `IMMEDIATE` transaction in write-ahead mode, so that two writers queue,
readers never wait, and a process that is killed leaves the last complete change behind.
Connections live as long as one operation, so that a store can be used from any thread and leaves nothing open.

The full-text table holds words only (`content=''`); the text stands once, in `sections`, as it was read.
To take words out again SQLite must be told exactly what was put in, which `words.indexed` makes from that text:
whoever changes `words.py`, `fold_words` or the schema raises `VERSION`.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from math import log
from pathlib import Path

from seekread.errors import BadReply, NotConfigured, Unreachable
from seekread.hostnames import host_of, matches_any
from seekread.index.document import Document
from seekread.index.expression import Expression, parse
from seekread.index.snippet import snippet
from seekread.index.words import indexed
from seekread.platforms import private_file, private_folder

APPLICATION = 0x5EE4EAD
VERSION = 3
BUSY_SECONDS = 30
BATCH_CHARACTERS = 1_000_000
"""How much goes into one transaction: enough to be fast, little enough that another writer gets its turn."""

SCHEMA = f"""
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    host TEXT NOT NULL,
    title TEXT NOT NULL,
    date TEXT,
    digest TEXT NOT NULL,
    indexed_at TEXT NOT NULL
);
CREATE TABLE sections (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (id),
    heading TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX sections_by_document ON sections (document);
CREATE VIRTUAL TABLE words USING fts5 (
    title, heading, text, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""

SEARCH = """
WITH matched AS MATERIALIZED (
    -- A word in a title says more about a text than the same word inside it.
    SELECT rowid AS section, bm25(words, 6.0, 3.0, 1.0) AS score FROM words WHERE words MATCH :words
),
worth AS ({worth}),
best AS (
    -- With a lone min(), SQLite takes the other columns from the row that has the minimum.
    SELECT sections.document AS document, matched.section AS section,
        min(matched.score * :share - ifnull(worth.worth, 0)) AS score
    FROM matched JOIN sections ON sections.id = matched.section LEFT JOIN worth ON worth.section = matched.section
    WHERE NOT :filtered OR sections.document IN (
        SELECT id FROM documents
        WHERE may_show(host)
            AND (:date_from IS NULL OR date IS NULL OR date >= :date_from)
            AND (:date_to IS NULL OR date IS NULL OR date <= :date_to)
    )
    GROUP BY sections.document
    ORDER BY score, document
    LIMIT :limit OFFSET :offset
)
SELECT documents.url, documents.title, documents.date, sections.heading, sections.text, best.score
FROM best JOIN documents ON documents.id = best.document JOIN sections ON sections.id = best.section
ORDER BY best.score, best.document
"""
ALIKE = "SELECT NULL AS section, NULL AS worth WHERE false"
"""Every match has all the words, so BM25 alone decides."""
TIE_BREAK = 0.001


@dataclass(frozen=True)
class IndexHit:
    """A document that was found, by its best section."""

    url: str
    title: str
    heading: str
    snippet: str
    date: str | None
    score: float


@dataclass(frozen=True)
class IndexHits:
    """What a search found. `loosened` says that no document has all the words, so some had to do."""

    hits: tuple[IndexHit, ...]
    loosened: bool = False


@dataclass(frozen=True)
class Listed:
    """A document in the index, as it is listed."""

    url: str
    title: str
    date: str | None
    sections: int
    characters: int
    indexed_at: str


Scoring = tuple[str, dict[str, str | float | None]]
"""How sections are scored for a query: the SQL that says what each is worth, and the values for it."""


class IndexStore:
    """A full-text index in one file. Nothing is made or opened before it is needed."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).expanduser().absolute()

    def add(self, documents: Iterable[Document]) -> int:
        """Put documents in, each in place of what its URL had before; returns how many."""
        self._make()
        count = 0
        with self._open() as database:
            for batch in _batches(documents):
                with _change(database):
                    for document in batch:
                        _drop(database, document.url)
                        _put(database, document)
                count += len(batch)
        return count

    def remove(self, urls: Iterable[str]) -> int:
        """Take documents out: the given URLs and everything below them; returns how many."""
        if not self.path.exists():
            return 0
        count = 0
        with self._open() as database:
            for url in urls:
                with _change(database):
                    below = f"{url.rstrip('/')}/"
                    found = database.execute(
                        "SELECT url FROM documents WHERE url = ? OR substr(url, 1, ?) = ?", (url, len(below), below)
                    ).fetchall()
                    for (each,) in found:
                        _drop(database, each)
                count += len(found)
        return count

    def list(self) -> tuple[Listed, ...]:
        """Every document, by URL."""
        if not self.path.exists():
            return ()
        with self._open() as database:
            rows = database.execute(
                """
                SELECT url, title, date, count(sections.id), ifnull(sum(length(text)), 0), indexed_at
                FROM documents LEFT JOIN sections ON sections.document = documents.id
                GROUP BY documents.id ORDER BY url
                """
            )
            return tuple(Listed(*row) for row in rows)

    def digests(self) -> dict[str, str]:
        """The digest of every document by URL, to tell what has changed since."""
        if not self.path.exists():
            return {}
        with self._open() as database:
            return dict(database.execute("SELECT url, digest FROM documents"))

    def rebuild(self) -> int:
        """Make the words anew from the stored text and give unused space back; returns how many documents there are."""
        if not self.path.exists():
            return 0
        with self._open() as database:
            with _change(database):
                database.execute("INSERT INTO words (words) VALUES ('delete-all')")
                texts = database.execute(
                    "SELECT sections.id, title, heading, text FROM sections JOIN documents ON documents.id = document"
                )
                for section, title, heading, text in texts:
                    _put_words(database, section, title, heading, text)
                database.execute("INSERT INTO words (words) VALUES ('optimize')")
            database.execute("VACUUM")
            (count,) = database.execute("SELECT count(*) FROM documents").fetchone()
            return int(count)

    def is_empty(self) -> bool:
        """Say whether there is nothing to find."""
        if not self.path.exists() or self.path.stat().st_size == 0:
            return True
        with self._open() as database:
            return database.execute("SELECT 1 FROM documents LIMIT 1").fetchone() is None

    def search(
        self,
        text: str,
        *,
        limit: int = 10,
        offset: int = 0,
        allowed_domains: tuple[str, ...] = (),
        blocked_domains: tuple[str, ...] = (),
        date_from: str | None = None,
        date_to: str | None = None,
    ) -> IndexHits:
        """
        Find documents with all the words, or, if there is none, with some of them; the best first.

        Dates are `YYYY-MM-DD`, both ends included; a document without a date passes.
        A file has no domain: it is found unless some domains are asked for.
        """
        expression = parse(text)
        if not expression:
            return IndexHits(())

        def may_show(host: str) -> bool:
            allowed = not allowed_domains or matches_any(host, allowed_domains)
            return allowed and not matches_any(host, blocked_domains)

        wanted: dict[str, str | float | None] = {
            "filtered": bool(allowed_domains or blocked_domains or date_from or date_to),
            "date_from": date_from,
            "date_to": date_to,
        }
        with self._open() as database:
            database.create_function("may_show", 1, may_show, deterministic=True)
            for scoring in (_all_words, _some_words):
                worth, values = scoring(database, expression)
                page = {**wanted, **values, "limit": limit, "offset": offset}
                rows = database.execute(SEARCH.format(worth=worth), page).fetchall()
                # An empty later page is the end of the answer, not a reason to ask for less.
                if rows or (offset and _has_any(database, worth, page)):
                    hits = tuple(_hit(row, expression) for row in rows)
                    return IndexHits(hits, loosened=scoring is _some_words)
        return IndexHits(())

    def _make(self) -> None:
        with _explained(self.path):
            private_folder(self.path.parent)
            private_file(self.path)
            with closing(self._connect()) as database:
                if database.execute("PRAGMA journal_mode = WAL").fetchone() and _is_new(database):
                    with _change(database):
                        if _is_new(database):
                            for statement in SCHEMA.split(";\n"):
                                database.execute(statement)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with _explained(self.path), closing(self._connect()) as database:
            if _is_new(database):
                raise NotConfigured(f"the index {self.path} is empty: run `seekread index add PATH` first")
            (application,), (version,) = (
                database.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
            )
            if application != APPLICATION:
                raise BadReply(f"{self.path} is a database of another program: choose another path for the index")
            if version != VERSION:
                raise BadReply(
                    f"{self.path} was written by another version of seekread: delete it and add its documents again"
                )
            yield database

    def _connect(self) -> sqlite3.Connection:
        # `mode=rw` never makes a file: asking must leave no trace.
        database = sqlite3.connect(
            f"{self.path.as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS, isolation_level=None
        )
        database.execute("PRAGMA synchronous = NORMAL")
        return database


def _all_words(_database: sqlite3.Connection, expression: Expression) -> Scoring:
    return ALIKE, {"words": expression.strict, "share": 1.0}


def _some_words(database: sqlite3.Connection, expression: Expression) -> Scoring:
    """
    Sections by how rare the words are that they have, once each; BM25 decides between equals.

    BM25 alone prefers three mentions of one word to one mention of three, and SQLite's gives no weight at all to words
    in more than half of the texts, which in a small index are most words.
    """
    (total,) = database.execute("SELECT count(*) FROM sections").fetchone()
    values: dict[str, str | float | None] = {"words": expression.loose, "share": TIE_BREAK}
    for number, unit in enumerate(expression.units):
        (having,) = database.execute("SELECT count(*) FROM words WHERE words MATCH ?", (unit,)).fetchone()
        values[f"unit{number}"] = unit
        values[f"rarity{number}"] = log(1 + (total - having + 0.5) / (having + 0.5))
    each = " UNION ALL ".join(
        f"SELECT rowid AS section, :rarity{number} AS rarity FROM words WHERE words MATCH :unit{number}"  # noqa: S608
        for number in range(len(expression.units))
    )
    return f"SELECT section, sum(rarity) AS worth FROM ({each}) GROUP BY section", values  # noqa: S608


def _has_any(database: sqlite3.Connection, worth: str, page: Mapping[str, str | float | None]) -> bool:
    first = {**page, "limit": 1, "offset": 0}
    return database.execute(SEARCH.format(worth=worth), first).fetchone() is not None


def _is_new(database: sqlite3.Connection) -> bool:
    return database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


@contextmanager
def _change(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.rollback()
        raise
    database.execute("COMMIT")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise Unreachable(f"the index {path} is being written by another process: try again") from error
        if "unable to open" in str(error) and not path.exists():
            raise NotConfigured(f"there is no index at {path}: run `seekread index add PATH` first") from error
        raise BadReply(f"the index {path} cannot be used: {error}") from error
    except sqlite3.DatabaseError as error:
        raise BadReply(
            f"the index {path} is damaged ({error}): delete it and run `seekread index add PATH` again"
        ) from error
    except OSError as error:
        raise BadReply(f"the index {path} cannot be opened: {error.strerror or error}") from error


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += sum(len(section.text) for section in document.sections)
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _put(database: sqlite3.Connection, document: Document) -> None:
    number = database.execute(
        "INSERT INTO documents (url, host, title, date, digest, indexed_at) VALUES (?, ?, ?, ?, ?, ?)",
        (
            document.url,
            host_of(document.url),
            document.title,
            document.date,
            document.digest,
            datetime.now(UTC).isoformat(timespec="seconds"),
        ),
    ).lastrowid
    for section in document.sections:
        row = (number, section.heading, section.text)
        cursor = database.execute("INSERT INTO sections (document, heading, text) VALUES (?, ?, ?)", row)
        _put_words(database, cursor.lastrowid, document.title, section.heading, section.text)


def _put_words(database: sqlite3.Connection, section: int | None, *texts: str) -> None:
    row = (section, *map(indexed, texts))
    database.execute("INSERT INTO words (rowid, title, heading, text) VALUES (?, ?, ?, ?)", row)


def _drop(database: sqlite3.Connection, url: str) -> None:
    found = database.execute("SELECT id, title FROM documents WHERE url = ?", (url,)).fetchone()
    if found is None:
        return
    number, title = found
    for section, heading, text in database.execute(
        "SELECT id, heading, text FROM sections WHERE document = ?", (number,)
    ).fetchall():
        row = (section, indexed(title), indexed(heading), indexed(text))
        database.execute("INSERT INTO words (words, rowid, title, heading, text) VALUES ('delete', ?, ?, ?, ?)", row)
    database.execute("DELETE FROM sections WHERE document = ?", (number,))
    database.execute("DELETE FROM documents WHERE id = ?", (number,))


def _hit(row: tuple[str, str, str | None, str, str, float], expression: Expression) -> IndexHit:
    url, title, date, heading, text, score = row
    return IndexHit(url, title, heading, snippet(text, expression.terms), date, round(-score, 3))
