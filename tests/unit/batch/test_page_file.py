"""A file of pages survives whoever writes it: nothing twice, nothing torn, nothing lost that was whole."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from seekread.batch.journal import TOGETHER
from seekread.batch.page_file import PageFile
from seekread.batch.record import PageRecord
from seekread.batch.record_file import Learner
from seekread.batch.search_record import SearchFile, SearchRecord
from seekread.errors import Misconfigured

SITE = "https://harbour.example"


def record(path: str, text: str = "", **more: Any) -> PageRecord:
    text = text or f"About {path}."
    return PageRecord(url=SITE + path, final_url=SITE + path, markdown=text, sha256=text, **more)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def begun(path: Path, *records: PageRecord) -> None:
    """A file whose writer ended without a word: its journal still there, and only written now and then."""
    file = PageFile(path)
    for one in records:
        file.add(one)
    file.close(complete=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pages.jsonl"


def test_a_file_that_is_complete_leaves_no_journal(path: Path) -> None:
    with PageFile(path) as file:
        file.add(record("/one"))
    assert [entry.name for entry in path.parent.iterdir()] == ["pages.jsonl"]
    assert lines_of(path)[0]["markdown"] == "About /one."


def test_what_is_there_is_known_in_any_spelling(path: Path) -> None:
    begun(path, record("/one"))
    with PageFile(path) as file:
        assert file.has(f"{SITE}/one?utm_source=letter#top")
        assert not file.has(f"{SITE}/two")


def test_a_torn_line_is_cut_off_and_its_page_read_again(path: Path) -> None:
    begun(path, record("/one"), record("/two"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with PageFile(path) as file:
        assert (file.has(f"{SITE}/one"), file.has(f"{SITE}/two")) == (True, False)
        file.add(record("/two"))
    assert path.read_bytes() == whole


def test_lines_after_the_last_word_of_the_journal_are_learnt_from_the_file(path: Path) -> None:
    """As after kill -9: the journal was not written since."""
    begun(path, *(record(f"/{number}") for number in range(3)))
    kept = path.with_name("pages.jsonl.journal").read_bytes()
    begun(path, *(record(f"/{number}") for number in range(3, 6)))
    path.with_name("pages.jsonl.journal").write_bytes(kept)
    with PageFile(path) as file:
        assert all(file.has(f"{SITE}/{number}") for number in range(6))


@pytest.mark.parametrize("damage", ["lost", "no database", "about a longer file"])
def test_a_journal_that_is_no_use_is_made_anew(path: Path, damage: str) -> None:
    begun(path, record("/one"), record("/two"))
    journal = path.with_name("pages.jsonl.journal")
    match damage:
        case "lost":
            journal.unlink()
        case "no database":
            journal.write_bytes(b"no database" * 1000)
        case _:
            path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    with PageFile(path) as file:
        assert file.has(f"{SITE}/one")
        assert file.has(f"{SITE}/two") == (damage != "about a longer file")


def test_the_same_text_is_kept_once(path: Path) -> None:
    with PageFile(path) as file:
        file.add(record("/one", "The harbour."))
        second = file.add(record("/copy", "The harbour."))
    assert (second.duplicate_of, second.markdown) == (f"{SITE}/one", "")
    assert [line["duplicate_of"] for line in lines_of(path)] == [None, f"{SITE}/one"]


def test_the_same_text_is_kept_once_after_any_end(path: Path) -> None:
    begun(path, record("/one", "The harbour."))
    with PageFile(path) as file:
        assert file.add(record("/copy", "The harbour.")).duplicate_of == f"{SITE}/one"
        assert file.add(record("/third", "The harbour.")).duplicate_of == f"{SITE}/one"


def test_two_addresses_that_lead_to_one_page_are_one_page(path: Path) -> None:
    """Even where its text differs a little each time."""
    with PageFile(path) as file:
        file.add(record("/one", "It is noon."))
        moved = record("/old", "It is one.").model_copy(update={"final_url": f"{SITE}/one"})
        assert file.add(moved).duplicate_of == f"{SITE}/one"


def test_pages_without_text_are_no_copies_of_each_other(path: Path) -> None:
    with PageFile(path) as file:
        for name in ("/a", "/b"):
            gone = PageRecord(url=SITE + name, outcome="not_found", error="gone")
            assert file.add(gone).duplicate_of is None


@pytest.mark.parametrize("text", ['{"name": "somebody else\'s"}\n', "https://harbour.example/one", '{"name":'])
def test_a_file_of_something_else_is_left_alone(path: Path, text: str) -> None:
    """One without an end of line too, as a list of one address may be: that is no torn line of ours."""
    path.write_text(text)
    with pytest.raises(Misconfigured, match="something else than pages"):
        PageFile(path)
    assert path.read_text() == text
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("torn", ["{", '{"url":', '{"url":"https://harb'])
def test_a_first_line_that_was_torn_is_cut_off(path: Path, torn: str) -> None:
    path.write_text(torn)
    with PageFile(path) as file:
        file.add(record("/one"))
    assert len(lines_of(path)) == 1


def test_two_writers_of_one_file_are_one_too_many(path: Path) -> None:
    with PageFile(path) as file:
        file.add(record("/one"))
        with pytest.raises(Misconfigured, match=r"another process writes .*pages\.jsonl: wait"):
            PageFile(path)


def test_the_journal_is_written_now_and_then(path: Path) -> None:
    """So that whoever goes on after a crash reads little of a large file again."""
    file = PageFile(path)
    for number in range(TOGETHER + 5):
        file.add(record(f"/{number}"))
    # As another process would find it after kill -9: without the last commit.
    journal = path.with_name("pages.jsonl.journal")
    copy = journal.with_name("copy")
    copy.write_bytes(journal.read_bytes())
    file.close(complete=False)
    with closing(sqlite3.connect(copy)) as found:
        assert found.execute("SELECT count(*) FROM records").fetchone()[0] >= TOGETHER


def test_whoever_learns_from_the_file_is_told_of_every_record_in_it(path: Path) -> None:
    """Of those it holds already, unless the journal knows them, and of new ones."""
    begun(path, record("/one", links=("https://harbour.example/two",)))
    path.with_name("pages.jsonl.journal").unlink()
    learnt: list[tuple[str, tuple[str, ...]]] = []

    def learner(_database: sqlite3.Connection) -> Learner[PageRecord]:
        return lambda record: learnt.append((record.url, record.links))

    with PageFile(path, learner) as file:
        file.add(record("/two"))
    assert learnt == [(f"{SITE}/one", (f"{SITE}/two",)), (f"{SITE}/two", ())]


def test_a_journal_whose_end_is_the_middle_of_a_line_is_about_another_file(path: Path) -> None:
    begun(path, record("/one"), record("/two"))
    path.write_text(path.read_text().replace("/one", "/first"))
    with PageFile(path) as file:
        assert not file.has(f"{SITE}/one")
        assert file.has(f"{SITE}/first")
        assert file.has(f"{SITE}/two")


def test_a_file_of_searches_that_was_begun_is_no_file_of_pages(path: Path) -> None:
    """Though its journal stands beside it."""
    file = SearchFile(path)
    file.add(SearchRecord(query="harbours"))
    file.close(complete=False)
    whole = path.read_bytes()
    with pytest.raises(Misconfigured, match="something else than pages"):
        PageFile(path)
    assert path.read_bytes() == whole


def test_what_is_no_file_cannot_be_gone_on_with(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(Misconfigured, match="no file that can be gone on with"):
        PageFile(path)
    with pytest.raises(Misconfigured, match="there is no folder"):
        PageFile(path.parent / "nowhere" / "pages.jsonl")
