"""The index under several processes at once, and under the worst end a process can come to."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from seekread.index.store import IndexStore

pytestmark = pytest.mark.process

WRITER = """
import sys
from seekread.index.document import Document, DocumentSection
from seekread.index.store import IndexStore

store, name, rounds = IndexStore(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(rounds):
    text = DocumentSection("", f"{name}word{number} common " + "filler " * 300)
    store.add([
        Document(f"file:///{name}/{number}", f"{name} {number}", (text,), "d"),
        Document("file:///shared", f"by {name}", (text,), "d"),
    ])
    print(number, flush=True)
"""


def start(store: IndexStore, name: str, rounds: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(store.path), name, str(rounds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def assert_sound(store: IndexStore) -> None:
    """Nothing is torn: the file, the words, and that each document has its section."""
    database = sqlite3.connect(store.path)
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 0)")
    (documents,) = database.execute("SELECT count(*) FROM documents").fetchone()
    (sections,) = database.execute("SELECT count(DISTINCT document) FROM sections").fetchone()
    (words,) = database.execute("SELECT count(*) FROM words WHERE words MATCH 'common'").fetchone()
    database.close()
    assert documents == sections == words


def test_two_writers_take_turns_from_the_first_moment_on(tmp_path: Path) -> None:
    store = IndexStore(tmp_path / "new" / "index.sqlite")
    writers = [start(store, name, 40) for name in ("left", "right")]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert (writer.returncode, errors) == (0, "")
    assert len(store.list()) == 81
    assert all(store.search(f"{name}word{number}").hits for name in ("left", "right") for number in (0, 39))
    assert_sound(store)


def test_what_a_killed_writer_had_finished_is_there_and_whole(tmp_path: Path) -> None:
    store = IndexStore(tmp_path / "index.sqlite")
    for run in range(4):
        with start(store, f"run{run}", 100_000) as writer:
            assert writer.stdout is not None
            done = [int(writer.stdout.readline()) for _ in range(5 + 3 * run)]
            writer.kill()
            done += [int(line) for line in writer.stdout.read().split()]
        known = {listed.url for listed in store.list()}
        assert {f"file:///run{run}/{number}" for number in done} <= known
        assert store.search(f"run{run}word{done[-1]}").hits
        assert_sound(store)


def test_a_reader_is_not_held_up_by_a_writer(tmp_path: Path) -> None:
    store = IndexStore(tmp_path / "index.sqlite")
    with start(store, "before", 1) as writer:
        writer.communicate(timeout=60)
    holder = sqlite3.connect(store.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("DELETE FROM documents")
    assert store.search("beforeword0").hits
    holder.rollback()
    holder.close()
