"""The index as a search provider."""

import threading
from pathlib import Path

import pytest

from seekread.errors import BadReply, NotConfigured
from seekread.index.document import Document, DocumentSection, handle_of
from seekread.index.provider import Index
from seekread.index.store import IndexStore
from seekread.options import Query
from seekread.provider import Found, SearchProvider, traits

pytestmark = pytest.mark.anyio

FILE = f"index:///{handle_of('file:///c.md')}/c.md"
"""How the file is addressed in results."""


@pytest.fixture
def index(tmp_path: Path) -> Index:
    path = tmp_path / "index.sqlite"
    IndexStore(path).add(
        [
            Document(
                "https://a.example/1", "Guide", (DocumentSection("Install", "Use apt to install."),), "d", "2024-01-31"
            ),
            Document("https://b.example/2", "Notes", (DocumentSection("", "Install nothing."),), "d", "2020-01-01"),
            Document("file:///c.md", "File", (DocumentSection("", "How to install."),), "d"),
        ]
    )
    return Index(str(path))


def overwrite_pages(path: str) -> None:
    """Leave the first page, which says what the file is, and spoil all others."""
    with Path(path).open("r+b") as file:
        file.seek(4096)
        file.write(b"\xaa" * 100_000)


async def ask(index: Index, text: str, **wishes: object) -> Found:
    return await index.search(Query.model_validate({"text": text, **wishes})).run()


async def test_a_result_names_document_section_date_and_shows_the_text(index: Index) -> None:
    (result,) = (await ask(index, "apt")).results
    assert result.title == "Guide \u203a Install"
    assert (result.url, result.snippet) == ("https://a.example/1", "Use apt to install.")
    assert result.published_date == "2024-01-31"


async def test_nothing_found_is_an_answer(index: Index) -> None:
    assert await ask(index, "zebra") == Found([])


async def test_an_index_that_was_never_made_says_how_to_make_it(tmp_path: Path) -> None:
    path = tmp_path / "none" / "index.sqlite"
    with pytest.raises(NotConfigured, match="seekread index add PATH"):
        await ask(Index(str(path)), "words")
    assert not path.parent.exists()


async def test_an_empty_index_and_an_empty_file_are_not_configured(index: Index, tmp_path: Path) -> None:
    IndexStore(index.index_path).remove(["https://a.example/1", "https://b.example/2", "file:///c.md"])
    (tmp_path / "zero").touch()
    for path in (index.index_path, str(tmp_path / "zero"), ""):
        with pytest.raises(NotConfigured, match="seekread index add"):
            await ask(Index(path), "install")


async def test_a_damaged_index_is_a_failure_not_an_empty_answer(tmp_path: Path) -> None:
    (tmp_path / "index.sqlite").write_bytes(b"garbage" * 1000)
    with pytest.raises(BadReply, match="damaged"):
        await ask(Index(str(tmp_path / "index.sqlite")), "words")


async def test_an_index_damaged_inside_is_a_failure_too(index: Index) -> None:
    overwrite_pages(index.index_path)
    with pytest.raises(BadReply):
        await ask(index, "install")


async def test_every_wish_it_declares_is_fulfilled(index: Index) -> None:
    def urls(found: Found) -> set[str]:
        return {result.url for result in found.results}

    assert traits(index).honours == {"dates", "allowed_domains", "blocked_domains", "page"}
    assert urls(await ask(index, "install", allowed_domains=("a.example",))) == {"https://a.example/1"}
    assert urls(await ask(index, "install", blocked_domains=("a.example",))) == {"https://b.example/2", FILE}
    assert urls(await ask(index, "install", date_from="2024-01-01")) == {"https://a.example/1", FILE}
    assert urls(await ask(index, "install", date_to="2023-12-31")) == {"https://b.example/2", FILE}
    pages = [urls(await ask(index, "install", limit=1, page=page)) for page in (1, 2, 3, 4)]
    assert [len(page) for page in pages] == [1, 1, 1, 0]
    assert len(set.union(*pages)) == 3


async def test_settling_for_some_of_the_words_is_said(index: Index) -> None:
    assert (await ask(index, "install")).notes == ()
    assert "some of them" in (await ask(index, "install zebra")).notes[0]


async def test_the_database_is_not_opened_on_the_event_loop(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    look_up = Index.look_up

    def watched(self: Index, query: Query) -> Found:
        threads.append(threading.get_ident())
        return look_up(self, query)

    monkeypatch.setattr(Index, "look_up", watched)
    await ask(index, "install")
    assert threads != [threading.get_ident()]


def test_it_is_a_search_provider(index: Index) -> None:
    provider: SearchProvider = index
    assert provider.name == "index"
