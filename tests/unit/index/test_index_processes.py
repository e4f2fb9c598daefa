"""The index under several processes at once, and under the worst end a process can come to."""

import sqlite3
import subprocess
import sys
from contextlib import ExitStack
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


BEGINNER = """
import sys
from seekread.index.document import Document, DocumentSection
from seekread.index.store import IndexStore

for line in sys.stdin:
    store = IndexStore(line.strip())
    store.add([Document(f"file:///{sys.argv[1]}", "tea", (DocumentSection("", "leaves"),), "d")])
    print("done", flush=True)
"""


def start(store: IndexStore, name: str, rounds: int) -> "subprocess.Popen[str]":
    return process(WRITER, str(store.path), name, str(rounds))


def process(program: str, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", program, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


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
    with start(store, "left", 40) as left, start(store, "right", 40) as right:
        for writer in (left, right):
            _, errors = writer.communicate(timeout=60)
            assert (writer.returncode, errors) == (0, "")
    assert len(store.list()) == 81
    assert all(store.search(f"{name}word{number}").hits for name in ("left", "right") for number in (0, 39))
    assert_sound(store)


def test_of_many_who_make_a_new_index_at_once_nobody_is_refused(tmp_path: Path) -> None:
    with ExitStack() as stack:
        writers = [stack.enter_context(process(BEGINNER, str(number))) for number in range(4)]
        for number in range(60):
            for writer in writers:
                assert writer.stdin is not None
                print(tmp_path / str(number) / "index.sqlite", file=writer.stdin, flush=True)
            for writer in writers:
                assert writer.stdout is not None
                assert writer.stdout.readline() == "done\n"
            assert len(IndexStore(tmp_path / str(number) / "index.sqlite").list()) == len(writers)


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
