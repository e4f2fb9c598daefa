"""
The index itself: documents and their words in one SQLite file.

What keeps it safe: every change is one short `IMMEDIATE` transaction in write-ahead mode, so that two writers queue,
readers never wait, and a process that is killed leaves the last complete change behind.
Changes open a connection each. Searches share one, which is kept until `close` and opened anew when the file at the
path is another one; a lock lets one thread at a time use it.

The text stands in `sections` as it was read, and in the full-text table as `words.indexed` spells it, folded and
stemmed, so that what was found can be counted and compared without doing that again.
Whoever changes `words.py`, `fold_words` or the schema raises `VERSION`.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from seekread.errors import BadReply, NotConfigured, Unreachable
from seekread.hostnames import host_of, matches_any
from seekread.index.document import Document, DocumentSection, handle_of
from seekread.index.expression import Expression, any_of, parse
from seekread.index.ranking import READ_AGAIN, Candidate, Sought, in_order
from seekread.index.snippet import snippet
from seekread.index.words import indexed
from seekread.late import dataclass
from seekread.page.languages import Language
from seekread.page.stemming import kinship, language_of
from seekread.platforms import private_file, private_folder
from seekread.state.database import Connection
from seekread.state.rescue import alone

APPLICATION = 0x5EE4EAD
VERSION = 6
BUSY_SECONDS = 30
SECTION_BITS = 20
"""The number of a section is that of its document, shifted by so many bits, and its place in it."""
BATCH_CHARACTERS = 1_000_000
"""How much goes into one transaction: enough to be fast, little enough that another writer gets its turn."""

SCHEMA = f"""
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    handle TEXT NOT NULL UNIQUE,
    host TEXT NOT NULL,
    title TEXT NOT NULL,
    date TEXT,
    language TEXT NOT NULL,
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
    title, heading, text, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""

WEIGHTS = "bm25(3.0, 1.5, 0.6)"
"""
What a word counts in a title, in a heading and in the text.

SQLite's BM25 has a fixed k1 of 1.2; weights below 1 for the text have the effect of a larger one.
"""
FIND = """
SELECT rowid, rank FROM words WHERE words MATCH :words AND rank MATCH :weights {filters} ORDER BY rank LIMIT :most
"""
ANY = """
SELECT 1 FROM words WHERE words MATCH :words {filters} LIMIT 1
"""
FILTERED = """
AND (rowid >> :bits) IN (
    SELECT id FROM documents
    WHERE may_show(host)
        AND (:date_from IS NULL OR date IS NULL OR date >= :date_from)
        AND (:date_to IS NULL OR date IS NULL OR date <= :date_to)
)
"""
QUOTED = """
AND EXISTS (
    SELECT 1 FROM sections JOIN documents ON documents.id = sections.document
    WHERE sections.id = words.rowid AND says(documents.title, sections.heading, sections.text)
)
"""
SHORTEST_RELATIVE, SAME_LETTERS = 6, 4
"""Letters of a word that has relatives, and how many of them they share at least."""
MOST_ALIKE, MOST_RELATIVES = 500, 8
"""How many words are looked at for relatives, and how many of these are taken."""
SECTIONS_EACH = 4
"""How many sections are looked at for one document that is wanted; more if that is not enough."""
LEAST_WEIGHED, WEIGHED = 5000, 0.05
"""
How many sections, and which share of an index, are weighed for a long question at least, if so many have its words.

The rarest words of the question have to be enough to find them. To weigh every section that has any of its words would
be most of the index and most of the time, for the sake of texts that have only the most frequent ones.
"""
MOST_COUNTS = 20_000
"""Of how many words it is kept in how many sections they stand."""


@dataclass(frozen=True)
class IndexHit:
    """A document that was found, by its best section. `handle` names it for whoever wants to read it whole."""

    url: str
    handle: str
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
class KeptDocument:
    """A document as the index holds it."""

    title: str
    date: str | None
    indexed_at: str
    sections: tuple[DocumentSection, ...]


@dataclass(frozen=True)
class Listed:
    """A document in the index, as it is listed."""

    url: str
    handle: str
    title: str
    date: str | None
    sections: int
    characters: int
    indexed_at: str


class IndexStore:
    """A full-text index in one file. Nothing is made or opened before it is needed."""

    def __init__(self, path: Path | str) -> None:
        self._kept: tuple[tuple[int, int], sqlite3.Connection] | None = None
        self.path = Path(path).expanduser().absolute()
        self._lock = Lock()
        self._facts: _Facts | None = None

    def close(self) -> None:
        """Close the connection that searches share; the next search opens another."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        if self._kept:
            self._kept[1].close()
        self._kept = self._facts = None

    @contextmanager
    def _reading(self) -> "Iterator[tuple[sqlite3.Connection, _Facts]]":
        """The connection that searches share, and what is known about the index behind it."""
        with self._lock, _explained(self.path):
            try:
                about = self.path.stat()
                here = (about.st_dev, about.st_ino)
                if self._kept is None or self._kept[0] != here:
                    self._forget()
                    self._kept = (here, self._connect())
                    _check(self._kept[1], self.path)
                database = self._kept[1]
                self._facts = _Facts.of(database, self._facts)
                yield database, self._facts
            except BaseException:
                self._forget()
                raise

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
                SELECT url, handle, title, date, count(sections.id), ifnull(sum(length(text)), 0), indexed_at
                FROM documents LEFT JOIN sections ON sections.document = documents.id
                GROUP BY documents.id ORDER BY url
                """
            )
            return tuple(Listed(*row) for row in rows)

    def document(self, handle: str) -> KeptDocument | None:
        """The document of a handle, whole."""
        with self._reading() as (database, _):
            about = database.execute(
                "SELECT id, title, date, indexed_at FROM documents WHERE handle = ?", (handle,)
            ).fetchone()
            if about is None:
                return None
            number, title, date, indexed_at = about
            rows = database.execute("SELECT heading, text FROM sections WHERE document = ? ORDER BY id", (number,))
            return KeptDocument(title, date, indexed_at, tuple(DocumentSection(*row) for row in rows))

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
                database.execute("DELETE FROM words")
                texts = database.execute(
                    "SELECT sections.id, language, title, heading, text "
                    "FROM sections JOIN documents ON documents.id = document"
                )
                for section, language, title, heading, text in texts:
                    _put_words(database, section, language, title, heading, text)
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

        Of a long question some words are enough in any case: which document happens to have all of them says little.

        Dates are `YYYY-MM-DD`, both ends included; a document without a date passes.
        A file has no domain: it is found unless some domains are asked for.
        """
        with self._reading() as (database, facts):
            expression = parse(text, facts.languages)
            if not expression:
                return IndexHits(())
            look = _Look(database, expression, _conditions(allowed_domains, blocked_domains, date_from, date_to))
            found = [] if expression.is_long else look.all_words(offset + limit)
            loosened = not (found or (expression.is_long and look.has_all_words()))
            if not found:
                found = look.some_words(offset + limit, facts)
            # An empty later page is the end of the answer, not a reason to ask for less.
            return IndexHits(look.hits(found[offset : offset + limit]), loosened=loosened and bool(found))

    def _make(self) -> None:
        with _explained(self.path):
            private_folder(self.path.parent)
            private_file(self.path)
            # Of two who ask at once for the log that is written ahead, SQLite refuses one without waiting.
            with alone(self.path, seconds=BUSY_SECONDS), closing(self._connect()) as database:
                if database.execute("PRAGMA journal_mode = WAL").fetchone() and _is_new(database):
                    with _change(database):
                        for statement in SCHEMA.split(";\n"):
                            database.execute(statement)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with _explained(self.path), closing(self._connect()) as database:
            _check(database, self.path)
            yield database

    def _connect(self) -> sqlite3.Connection:
        # `mode=rw` never makes a file: asking must leave no trace.
        database = sqlite3.connect(
            f"{self.path.as_uri()}?mode=rw",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            # Programs end with a search, and close nothing.
            factory=Connection,
        )
        database.execute("PRAGMA synchronous = NORMAL")
        return database


@dataclass(frozen=True)
class _Conditions:
    """What a document has to fulfil beside its words: the SQL, its values, and who may be shown."""

    sql: str
    values: Mapping[str, str | int | None]
    may_show: Callable[[str], bool]


def _conditions(
    allowed: tuple[str, ...], blocked: tuple[str, ...], date_from: str | None, date_to: str | None
) -> _Conditions:
    def may_show(host: str) -> bool:
        return (not allowed or matches_any(host, allowed)) and not matches_any(host, blocked)

    if not (allowed or blocked or date_from or date_to):
        return _Conditions("", {}, may_show)
    return _Conditions(FILTERED, {"bits": SECTION_BITS, "date_from": date_from, "date_to": date_to}, may_show)


@dataclass(frozen=True)
class _Look:
    """One search in an open index."""

    database: sqlite3.Connection
    expression: Expression
    conditions: _Conditions

    def all_words(self, most: int) -> list[tuple[int, float]]:
        """Sections that have every word, the best of each document, by SQLite's BM25."""
        return self._find(self.expression.strict, most)

    def has_all_words(self) -> bool:
        """Say whether a section has every word."""
        values = {**self.conditions.values, "words": self.expression.strict}
        return self.database.execute(ANY.format(filters=self._filters()), values).fetchone() is not None

    def some_words(self, most: int, facts: "_Facts") -> list[tuple[int, float]]:
        """Sections that have some of the words: found by SQLite, the first of them put in order by `ranking.py`."""
        sought = [self._sought(words, spellings, facts) for words, spellings in self.expression.words]
        kin = {word for (_, spellings), each in zip(self.expression.words, sought, strict=True)
               for word in each.spellings - spellings}  # fmt: skip
        telling = self._telling(sought, facts)
        found = self._find(self.expression.loose(kin, telling), max(most, READ_AGAIN))
        if telling and len(found) < max(most, READ_AGAIN):
            found = self._find(self.expression.loose(kin), max(most, READ_AGAIN))
        first = dict(found[:READ_AGAIN])
        ordered = in_order([Candidate(*row) for row in self._words(first)], sought, facts.sections)
        return [(candidate.section, round(score, 3)) for candidate, score in ordered] + found[READ_AGAIN:]

    def _sought(self, words: str, spellings: frozenset[str], facts: "_Facts") -> Sought:
        """A word that is looked for; one that stands nowhere is looked for by its relatives."""
        if having := facts.count(self.database, words):
            return Sought(spellings, having)
        relatives = self._relatives(max(spellings, key=len))
        return Sought(relatives or spellings, facts.count(self.database, any_of(relatives)) if relatives else 0)

    @staticmethod
    def _telling(sought: Sequence[Sought], facts: "_Facts") -> list[str]:
        """The rarest words, as many as find enough sections; none where it takes all of them."""
        enough = max(LEAST_WEIGHED, WEIGHED * facts.sections)
        having = sorted((each for each in sought if each.texts), key=lambda each: each.texts)
        telling: list[Sought] = []
        for each in having:
            if sum(one.texts for one in telling) >= enough:
                return [any_of(one.spellings) for one in telling]
            telling.append(each)
        return []

    def _relatives(self, word: str) -> frozenset[str]:
        """Words of the index that are like one it does not have: another form of it, or a part of a compound."""
        if len(word) < SHORTEST_RELATIVE or not word.isalpha():
            return frozenset()
        beginning = word[:SAME_LETTERS]
        alike = self.database.execute(
            "SELECT term FROM vocabulary WHERE term >= ? AND term < ? LIMIT ?",
            (beginning, beginning[:-1] + chr(ord(beginning[-1]) + 1), MOST_ALIKE),
        )
        near = {term: near for (term,) in alike if (near := kinship(word, term))}
        ends = [word[start:] for start in range(SAME_LETTERS, len(word) - SAME_LETTERS)]
        places = ",".join("?" * len(ends))
        parts = self.database.execute(f"SELECT term FROM vocabulary WHERE term IN ({places})", ends)  # noqa: S608
        longest = max((term for (term,) in parts), key=len, default="")
        return frozenset(filter(None, [*sorted(near, key=lambda term: -near[term])[:MOST_RELATIVES], longest]))

    def _filters(self) -> str:
        """What a section has to fulfil beside its words, with the functions that takes."""
        sql = self.conditions.sql
        if sql:
            self.database.create_function("may_show", 1, self.conditions.may_show, deterministic=True)
        if self.expression.quoted:
            self.database.create_function("says", 3, self.expression.says, deterministic=True)
            sql += QUOTED
        return sql

    def _find(self, words: str, most: int) -> list[tuple[int, float]]:
        sql = self._filters()
        rows = most * SECTIONS_EACH
        while True:
            values = {**self.conditions.values, "words": words, "weights": WEIGHTS, "most": rows}
            found = self.database.execute(FIND.format(filters=sql), values).fetchall()
            best: dict[int, tuple[int, float]] = {}
            for section, rank in found:
                best.setdefault(section >> SECTION_BITS, (section, round(-rank, 3)))
            if len(best) >= most or len(found) < rows:
                return list(best.values())[:most]
            rows *= SECTIONS_EACH

    def _words(self, numbers: Iterable[int]) -> list[tuple[int, str, str, str]]:
        """Sections, in their order, with the words of their titles, headings and texts."""
        wanted = list(numbers)
        places = ",".join("?" * len(wanted))
        rows = self.database.execute(
            f"SELECT rowid, title, heading, text FROM words WHERE rowid IN ({places})",  # noqa: S608
            wanted,
        )
        found = {row[0]: row for row in rows}
        return [found[number] for number in wanted]

    def hits(self, found: Sequence[tuple[int, float]]) -> tuple[IndexHit, ...]:
        """What was found, as it is shown."""
        return tuple(self._hit(section, score) for section, score in found)

    def _hit(self, section: int, score: float) -> IndexHit:
        url, handle, title, date, heading, text = self.database.execute(
            "SELECT url, handle, title, date, heading, text FROM sections JOIN documents ON documents.id = document "
            "WHERE sections.id = ?",
            (section,),
        ).fetchone()
        return IndexHit(url, handle, title, heading, snippet(text, self.expression.terms), date, score)


@dataclass(frozen=True)
class _Facts:
    """What is known about an index as long as it does not change."""

    version: int
    sections: int
    languages: tuple[Language, ...]
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, database: sqlite3.Connection, words: str) -> int:
        """In how many sections an expression is found."""
        if (having := self.counts.get(words)) is None:
            (having,) = database.execute("SELECT count(*) FROM words WHERE words MATCH ?", (words,)).fetchone()
            if len(self.counts) >= MOST_COUNTS:
                self.counts.clear()
            self.counts[words] = having
        return having

    @classmethod
    def of(cls, database: sqlite3.Connection, before: "_Facts | None") -> "_Facts":
        """The facts of now."""
        (version,) = database.execute("PRAGMA data_version").fetchone()
        if before and before.version == version:
            return before
        (sections,) = database.execute("SELECT count(*) FROM sections").fetchone()
        languages = tuple(row[0] for row in database.execute("SELECT DISTINCT language FROM documents"))
        return cls(version, sections, languages)


def _check(database: sqlite3.Connection, path: Path) -> None:
    """Raise unless a database is an index of ours."""
    if _is_new(database):
        raise NotConfigured(f"the index {path} is empty: run `seekread index add PATH` first")
    (application,), (version,) = (
        database.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
    )
    if application != APPLICATION:
        raise BadReply(f"{path} is a database of another program: choose another path for the index")
    if version != VERSION:
        raise BadReply(f"{path} was written by another version of seekread: delete it and add its documents again")


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
    except FileNotFoundError as error:
        raise NotConfigured(f"there is no index at {path}: run `seekread index add PATH` first") from error
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
    language = language_of("\n".join(section.text for section in document.sections))
    number = database.execute(
        "INSERT INTO documents (url, handle, host, title, date, language, digest, indexed_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            document.url,
            handle_of(document.url),
            host_of(document.url),
            document.title,
            document.date,
            language,
            document.digest,
            datetime.now(UTC).isoformat(timespec="seconds"),
        ),
    ).lastrowid
    for place, section in enumerate(document.sections):
        row = ((number or 0) << SECTION_BITS | place, number, section.heading, section.text)
        database.execute("INSERT INTO sections (id, document, heading, text) VALUES (?, ?, ?, ?)", row)
        _put_words(database, row[0], language, document.title, section.heading, section.text)


def _put_words(database: sqlite3.Connection, section: int, language: Language, *texts: str) -> None:
    row = (section, *(indexed(text, language) for text in texts))
    database.execute("INSERT INTO words (rowid, title, heading, text) VALUES (?, ?, ?, ?)", row)


def _drop(database: sqlite3.Connection, url: str) -> None:
    number = database.execute("SELECT id FROM documents WHERE url = ?", (url,)).fetchone()
    if number is None:
        return
    database.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM sections WHERE document = ?)", number)
    database.execute("DELETE FROM sections WHERE document = ?", number)
    database.execute("DELETE FROM documents WHERE id = ?", number)
