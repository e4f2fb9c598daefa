"""What the browser reader does not show a model: Chromium is asked about every text, and the wash decides."""

import pytest

from benchmarks.hidden import DATA, TOLD, WORDS, Case, cases, rendered
from seekread.extraction.document import read_html
from seekread.readers.browser.chromium import NOWHERE
from seekread.readers.browser.process import BrowserProcess
from seekread.readers.browser.rendered import copy_document

pytestmark = [pytest.mark.anyio, pytest.mark.process]

HIDDEN = {
    "selectors: has",
    "values: skewed to a line",
    "values: content not rendered",
    "values: letters replaced by discs",
    "clips: clip path inset",
    "clips: mask",
    "boxes: column of a table",
    "boxes: scroll box without height",
    "places: below the window",
    "places: out of a box that cuts",
    "colours: oklch",
    "colours: first line",
    "colours: filter to white",
    "colours: cover by a neighbour",
    "colours: cover by a generated box",
    "colours: below everything",
    "colours: by a script",
    "colours: by a sheet that a script makes",
}
SHOWN = {
    "colours: white on a dark section",
    "colours: white over a neighbour that is placed",
    "colours: letters cut out of a gradient",
    "sizes: inline blocks without gaps",
    "sizes: scroll box",
    "rules: overflow that is not cut",
    "rules: faded in by a script",
    "rules: visible inside hidden",
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def copies(pages: dict[str, str]) -> dict[str, str]:
    """What the browser reader gets of pages."""
    process = BrowserProcess()
    found: dict[str, str] = {}
    try:
        async with process.context(NOWHERE) as context:
            for name, html in pages.items():
                page = await context.new_page()
                await page.set_content(html, wait_until="load")
                session = await context.new_cdp_session(page)
                found[name] = (await copy_document(session)).html
                await page.close()
    finally:
        await process.close()
    return found


def named(names: set[str], file: str) -> dict[str, Case]:
    known = {case.name: case for case in cases(DATA / file)}
    return {name: known[name] for name in sorted(names)}


async def test_what_chromium_does_not_show_reaches_no_model() -> None:
    found = await copies({name: case.page(WORDS[0]) for name, case in named(HIDDEN, "tricks.toml").items()})
    assert [name for name, html in found.items() if TOLD.search(rendered(html))] == []


async def test_what_chromium_shows_is_kept() -> None:
    found = await copies({name: case.page(WORDS[0]) for name, case in named(SHOWN, "controls.toml").items()})
    assert [name for name, html in found.items() if not TOLD.search(rendered(html))] == []


async def test_marks_that_a_page_brings_along_count_for_nothing() -> None:
    """Neither can a page have its words removed by a mark, nor does the static reader know marks at all."""
    words = "The reservoir stood at sixty per cent this spring, and the repairs went on through the summer. " * 3
    html = f"<!doctype html><main><p>{words}</p><p data-seekread-unseen='display none'>Marked. {words}</p></main>"
    found = await copies({"page": html})
    assert "Marked." in rendered(found["page"])
    assert "Marked." in read_html(html, None).markdown
