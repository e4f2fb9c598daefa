"""What the browser reader does not show a model: Chromium is asked about every text, by pictures too."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from benchmarks.hidden import DATA, TOLD, WORDS, Case, cases, rendered
from seekread.extraction.document import read_html
from seekread.extraction.wash import CLOSED_MARK
from seekread.readers.browser import ink
from seekread.readers.browser.chromium import NOWHERE
from seekread.readers.browser.ink import MAX_TEXTS
from seekread.readers.browser.process import BrowserProcess
from seekread.readers.browser.rendered import copy_document
from tests.support.patience import PATIENCE

if TYPE_CHECKING:
    from playwright.async_api import CDPSession
    from playwright.async_api import Page as BrowserPage

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
    "dressed: white on an inner shadow",
    "colours: white over a neighbour that is placed",
    "colours: letters cut out of a gradient",
    "sizes: inline blocks without gaps",
    "sizes: scroll box",
    "rules: overflow that is not cut",
    "rules: faded in by a script",
    "rules: visible inside hidden",
    "colours: transparent with a shadow",
    "screens: sticky header",
    "screens: cookie bar",
    "screens: scroll box far down",
    "screens: wide page",
    "screens: line height tight",
    "screens: far down",
    "screens: revealed far down",
    "screens: content visibility auto",
    "screens: vertical",
    "screens: drop shadow far",
    "screens: word spaced",
    "screens: overlapping a little",
    "screens: spinner beside",
    "screens: paragraph of many lines",
}
UNUSUAL = {
    "conditions: starting style that lasts",
    "conditions: between two widths, pointing",
    "values: wide tab",
    "values: font of blank glyphs",
    "colours: gradient through the letters",
    "colours: stroke over the fill",
    "effects: brightness of nought",
    "effects: filter in the page",
    "effects: dark glass in front",
    "effects: behind the camera",
    "effects: timeline of a box that scrolls",
    "effects: paused half way",
    "boxes: after the ellipsis",
    "boxes: start of a line from right to left",
    "covers: outline turned inside",
    "covers: shadow of the one before",
    "elements: contents of open details",
}


def named(names: set[str], file: str) -> dict[str, Case]:
    known = {case.name: case for case in cases(DATA / file)}
    return {name: known[name] for name in sorted(names)}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def patient_eyes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is looked at, however slowly a busy machine takes pictures."""
    monkeypatch.setattr(ink, "ORDINARY_SECONDS", PATIENCE)


@asynccontextmanager
async def a_page(body: str) -> AsyncIterator[tuple["BrowserPage", "CDPSession"]]:
    """A page in a browser of its own."""
    process = BrowserProcess()
    try:
        async with process.context(NOWHERE) as context:
            page = await context.new_page()
            await page.set_content(f"<!doctype html><main>{body}</main>", wait_until="load")
            yield page, await context.new_cdp_session(page)
    finally:
        await process.close()


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
                found[name] = (await copy_document(session, seconds=PATIENCE)).html
                await page.close()
    finally:
        await process.close()
    return found


async def test_what_chromium_does_not_show_reaches_no_model() -> None:
    found = await copies({name: case.page(WORDS[0]) for name, case in named(HIDDEN, "tricks.toml").items()})
    assert [name for name, html in found.items() if TOLD.search(rendered(html))] == []


@pytest.mark.parametrize(
    "tricks", [named(UNUSUAL, "fresh.toml"), {case.name: case for case in cases(DATA / "drawn.toml")}]
)
async def test_what_leaves_no_ink_reaches_no_model(tricks: dict[str, Case]) -> None:
    """No rule knows these tricks: the page looks the same with their words and without."""
    found = await copies({name: case.page(WORDS[0]) for name, case in tricks.items()})
    assert [name for name, html in found.items() if TOLD.search(rendered(html))] == []


async def test_what_chromium_shows_is_kept() -> None:
    found = await copies({name: case.page(WORDS[0]) for name, case in named(SHOWN, "controls.toml").items()})
    assert [name for name, html in found.items() if not TOLD.search(rendered(html))] == []


async def test_closed_details_are_kept_and_marked_if_somebody_can_open_them() -> None:
    details = "<details><summary style='{}'>More</summary><p>WORDS</p></details>"
    seen = ("color:#123", "visibility:hidden'><b style='visibility:visible")
    styles = (*seen, "display:none", "visibility:hidden", "visibility:hidden'><b")
    found = await copies({style: Case(style, details.format(style)).page(WORDS[0]) for style in styles})
    for style in styles:
        kept = f"{CLOSED_MARK} {WORDS[0]}" in rendered(found[style])
        assert (kept, bool(TOLD.search(rendered(found[style])))) == (style in seen,) * 2, style


UNBOXED = {
    "<div style='display:contents'>WORDS</div>": True,
    "<div style='opacity:0'><div style='display:contents'>WORDS</div></div>": False,
    "<div style='display:contents;opacity:0;filter:invert(1)'>WORDS</div>": True,
    "<div style='display:contents;transform:scale(0);mask:linear-gradient(#0000,#0000)'><p>WORDS</p></div>": True,
    "<div style='display:contents;visibility:hidden'><p>WORDS</p></div>": False,
    "<div style='display:contents;background:#000'><p style='color:#fff'>WORDS</p></div>": False,
    "<div><template shadowrootmode=open><style>*{opacity:0}</style><slot></slot></template><p>WORDS</p></div>": True,
}


async def test_an_element_without_a_box_of_its_own_neither_hides_nor_shows_what_it_holds() -> None:
    found = await copies({piece: Case(piece, piece).page(WORDS[0]) for piece in UNBOXED})
    assert {piece: bool(TOLD.search(rendered(copied))) for piece, copied in found.items()} == UNBOXED


async def test_marks_that_a_page_brings_along_count_for_nothing() -> None:
    """Neither can a page have its words removed by a mark, nor does the static reader know marks at all."""
    words = "The reservoir stood at sixty per cent this spring, and the repairs went on through the summer. " * 3
    html = f"<!doctype html><main><p>{words}</p><p data-seekread-unseen='display none'>Marked. {words}</p></main>"
    found = await copies({"page": html})
    assert "Marked." in rendered(found["page"])
    assert "Marked." in read_html(html, None).markdown


async def test_words_that_are_cut_off_a_line_are_left_out_and_the_others_stay() -> None:
    line = "The keeper of the gauge writes down every reading of the day, and then WORDS"
    cut = f'<p style="width:14em;overflow:hidden;white-space:nowrap">{line}</p>'
    found = await copies({"page": Case("cut", cut).page(WORDS[0])})
    assert "The keeper of the gauge" in rendered(found["page"])
    assert not TOLD.search(rendered(found["page"]))


async def test_what_there_was_no_time_to_look_at_is_said() -> None:
    """A page that takes longer than the time there is keeps its words, and a signal counts them."""
    async with a_page('<p style="-webkit-text-stroke:24px #fff;margin:60px">Marigold quarries.</p>') as (_, session):
        copied = await copy_document(session, seconds=0)
        looked_at = await copy_document(session, seconds=PATIENCE)
    assert [signal.kind for signal in copied.signals] == ["hidden-text-unchecked"]
    assert "no ink" not in copied.html
    assert looked_at.signals == ()
    assert "no ink" in looked_at.html


async def test_a_flood_of_texts_is_no_way_to_hide_one_behind_them() -> None:
    """Beyond the texts that are looked at closely, what is hidden by its own style is found all the same."""
    flood = "".join(f"<i>{number}</i> " for number in range(MAX_TEXTS + 10))
    hidden = f'<div style="opacity:0"><p>{WORDS[0]}</p></div>'
    async with a_page(f"<p>{flood}</p>{hidden}") as (_, session):
        copied = await copy_document(session, seconds=0)
    assert not TOLD.search(rendered(copied.html))
    assert "hidden-text-unchecked" in [signal.kind for signal in copied.signals]


async def test_a_page_stands_still_only_while_it_is_looked_at() -> None:
    """A background that a script or an animation changes all the time is no ink, and goes on changing afterwards."""
    moving = (
        "<style>@keyframes x{from{background:#fff}to{background:#000}}</style>"
        "<svg width=0 height=0><filter id=f><feOffset dx=9999 /></filter></svg>"
        "<div id=a style='animation:x 1s infinite'><p style='filter:url(#f)'>Marigold quarries.</p>"
        "<p id=n>0</p></div><script>setInterval(() => { n.textContent = 1 + Number(n.textContent);"
        " a.style.outline = `${n.textContent % 9}px solid red` }, 5)</script>"
    )
    async with a_page(moving) as (page, session):
        copied = await copy_document(session, seconds=PATIENCE)
        first = await page.evaluate("n.textContent")
        await page.wait_for_function(f"n.textContent > {first}")
    assert "no ink" in copied.html


async def test_nothing_of_ours_is_left_in_the_page() -> None:
    page_text = '<p style="text-shadow:1px 1px red">Marigold.</p><div style="height:3000px"></div><p>Quarries.</p>'
    async with a_page(page_text) as (page, session):
        before = await page.content()
        await page.evaluate("scrollTo(0, 500)")
        await copy_document(session, seconds=PATIENCE)
        assert await page.content() == before
        assert await page.evaluate("[scrollY, CSS.highlights.size, document.adoptedStyleSheets.length]") == [500, 0, 0]
