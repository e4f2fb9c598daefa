"""Bringing the index up to date with its sources."""

import os
import sys
from pathlib import Path

import pytest

from seekread.index import sources
from seekread.index.store import IndexStore
from seekread.index.update import UpdateReport, add_files, add_pages
from seekread.models import Page

pytestmark = pytest.mark.anyio


@pytest.fixture
def store(tmp_path: Path) -> IndexStore:
    return IndexStore(tmp_path / "state" / "index.sqlite")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "sub dir").mkdir(parents=True)
    (folder / "a.md").write_text("# A\n\nalpha")
    (folder / "sub dir" / "b.md").write_text("# B\n\nbeta")
    return folder


def titles(store: IndexStore) -> list[str]:
    return [listed.title for listed in store.list()]


async def test_what_has_not_changed_is_not_read_again(store: IndexStore, notes: Path) -> None:
    assert add_files(store, [notes]) == UpdateReport(added=2)
    written = [listed.indexed_at for listed in store.list()]
    assert add_files(store, [notes]) == UpdateReport(unchanged=2)
    assert [listed.indexed_at for listed in store.list()] == written


async def test_what_has_changed_is_updated_and_what_is_new_is_added(store: IndexStore, notes: Path) -> None:
    add_files(store, [notes])
    (notes / "a.md").write_text("# A\n\ngamma")
    (notes / "c.md").write_text("# C\n\ndelta")
    assert add_files(store, [notes]) == UpdateReport(added=1, updated=1, unchanged=1)
    assert not store.search("alpha").hits
    assert store.search("gamma").hits


async def test_what_has_vanished_from_a_folder_vanishes_from_the_index(store: IndexStore, notes: Path) -> None:
    add_files(store, [notes])
    (notes / "sub dir" / "b.md").unlink()
    assert add_files(store, [notes / "a.md"]) == UpdateReport(unchanged=1)
    assert titles(store) == ["A", "B"]
    assert add_files(store, [notes]) == UpdateReport(unchanged=1, removed=1)
    assert titles(store) == ["A"]


async def test_a_hidden_file_added_by_name_survives_its_folder_being_added(store: IndexStore, notes: Path) -> None:
    hidden = notes / ".plan.md"
    hidden.write_text("# Plan")
    add_files(store, [hidden])
    assert add_files(store, [notes]) == UpdateReport(added=2)
    assert "Plan" in titles(store)


async def test_a_file_named_twice_is_added_once(store: IndexStore, notes: Path) -> None:
    assert add_files(store, [notes, notes / "a.md", notes / "sub dir" / ".." / "a.md"]) == UpdateReport(added=2)


async def test_one_unreadable_file_does_not_stop_the_others(store: IndexStore, notes: Path) -> None:
    (notes / "binary.txt").write_bytes(b"\0\1\2")
    report = add_files(store, [notes])
    assert (report.added, len(report.skipped)) == (2, 1)
    assert "binary.txt" in report.skipped[0]


async def test_an_improved_reader_reads_unchanged_files_again(
    store: IndexStore, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_files(store, [notes])
    monkeypatch.setattr(sources, "EDITION", b"next")
    assert add_files(store, [notes]) == UpdateReport(updated=2)


async def test_every_file_is_reported_as_it_is_reached(store: IndexStore, notes: Path) -> None:
    seen: list[str] = []
    add_files(store, [notes], on_file=lambda path: seen.append(path.name))
    assert seen == ["a.md", "b.md"]


async def test_pages_are_read_by_the_function_that_was_handed_over(store: IndexStore) -> None:
    pages = {
        "https://a.example/1": Page(url="https://a.example/1", title="One", content="first text"),
        "https://a.example/2": Page(url="https://a.example/2", success=False, outcome="timeout", error="too slow"),
    }

    async def open_page(url: str) -> Page:
        return pages[url]

    report = await add_pages(store, [*pages, "https://a.example/1"], open_page)
    assert report == UpdateReport(added=1, skipped=["https://a.example/2 could not be read: too slow"])
    assert await add_pages(store, ["https://a.example/1"], open_page) == UpdateReport(unchanged=1)
    assert [hit.url for hit in store.search("text", allowed_domains=("a.example",)).hits] == ["https://a.example/1"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux file systems take such names")
async def test_a_file_name_that_is_no_text_is_no_obstacle(store: IndexStore, notes: Path) -> None:
    (notes / os.fsdecode(b"caf\xe9.txt")).write_text("words without a heading")
    assert add_files(store, [notes]).added == 3
    (hit,) = store.search("heading").hits
    assert hit.title == "caf\ufffd"
    assert add_files(store, [notes]) == UpdateReport(unchanged=3)
