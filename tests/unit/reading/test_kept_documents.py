"""Documents that a provider keeps itself: found by a search, opened by their handle, without the web."""

from pathlib import Path

import pytest

from seekread import Seekread
from seekread.index.store import IndexStore
from seekread.index.update import add_files
from seekread.toolkit.answer import Budget
from seekread.toolkit.lookup import page_lookup

pytestmark = [pytest.mark.anyio, pytest.mark.process]

NOTE = "# Tea\n\nGreen tea has caffeine.\n\n## Amounts\n\nA cup has about 30 mg of caffeine.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text(NOTE)
    add_files(IndexStore(tmp_path / "index.sqlite"), [notes])
    return tmp_path


def seekread(folder: Path, **settings: object) -> Seekread:
    chosen = {"index_path": str(folder / "index.sqlite"), "store": "memory:", **settings}
    return Seekread("index", settings=chosen, environ={})


async def test_what_the_index_found_can_be_opened_whole(folder: Path) -> None:
    async with seekread(folder) as web:
        (result,) = (await web.search("caffeine cup")).results
        assert result.url.startswith("index:")
        assert str(folder) not in result.url
        page = await web.open_page(result.url)
    assert page.success, page.error
    assert "A cup has about 30 mg of caffeine." in page.content
    assert page.title == "Tea"


async def test_a_quotation_is_checked_in_a_document_of_the_index(folder: Path) -> None:
    async with seekread(folder) as web:
        (result,) = (await web.search("caffeine cup")).results
        asked = {"page": result.url, "action": "quote", "text": "about 30 mg of caffeine"}
        answer = await page_lookup(web, asked, Budget())
        again = await page_lookup(web, {**asked, "page": answer.values["snapshot"]}, Budget())
    assert "exact" in answer.text
    assert answer.values["found"] == again.values["found"]


async def test_a_document_that_changed_is_read_as_it_is_now(folder: Path) -> None:
    async with seekread(folder) as web:
        (result,) = (await web.search("caffeine cup")).results
        await web.open_page(result.url)
        (folder / "notes" / "tea.md").write_text(NOTE.replace("30 mg", "35 mg"))
        add_files(IndexStore(folder / "index.sqlite"), [folder / "notes"])
        assert "35 mg" in (await web.open_page(result.url)).content


async def test_a_handle_nobody_knows_is_not_found_and_a_file_is_refused(folder: Path) -> None:
    async with seekread(folder) as web:
        missing = await web.open_page("index:0000000000000000/tea.md")
        refused = await web.open_page((folder / "notes" / "tea.md").as_uri())
    assert (missing.success, missing.outcome) == (False, "not_found")
    assert (refused.success, refused.content) == (False, "")


async def test_under_the_policy_seen_only_a_handle_that_was_found_is_opened(folder: Path) -> None:
    async with seekread(folder, url_policy="seen") as web:
        (listed,) = IndexStore(folder / "index.sqlite").list()
        assert (await web.open_page(f"index:{listed.handle}")).outcome == "refused"
        (result,) = (await web.search("caffeine cup")).results
        assert (await web.open_page(result.url)).success
