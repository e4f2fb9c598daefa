"""Style sheets of a page's own site, fetched with it where the operator wants hidden text looked for strictly."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from seekread.http.guard import Guard, GuardPolicy
from seekread.http.pinned import page_transport
from seekread.models import Page
from seekread.readers.builtin.fetch import Fetched, Fetcher
from seekread.readers.builtin.reader import Builtin
from seekread.readers.builtin.sheets import MAX_BYTES, MAX_SHEETS, addresses
from seekread.readers.builtin.workers import WorkerLimits, Workers
from seekread.testing.rude_web import RudeWeb, reply
from tests.support.hostile_pages import redirect

pytestmark = pytest.mark.anyio

TEXT = b"<p>The reservoir stood at sixty per cent this spring, and the repairs went on through the summer.</p>" * 4
HIDING = b".secret{display:none}"


def linking(*hrefs: str) -> bytes:
    links = "".join(f'<link rel="stylesheet" href="{href}">' for href in hrefs).encode()
    return b"<!doctype html>" + links + b"<main><article>" + TEXT + b"<p class=secret>PAYLOAD</p>" + TEXT


def sheet(body: bytes) -> bytes:
    return reply(body, content_type="text/css")


@asynccontextmanager
async def reader(web: RudeWeb, *, strict: bool = True) -> AsyncIterator[Builtin]:
    guard = Guard(GuardPolicy(allow_private=(web.endpoint,)))
    transport = page_transport(guard, ssl_context=ssl.create_default_context())
    with web:
        async with (
            Fetcher(guard, transport, sheets=strict) as fetcher,
            Workers(WorkerLimits(size=1, seconds=60)) as workers,
        ):
            yield Builtin(fetcher, workers)


def unread(page: Page) -> int:
    return sum(signal.count for signal in page.signals if signal.kind == "styles-unread")


@pytest.mark.process
@pytest.mark.parametrize(("strict", "told", "left"), [(True, False, 0), (False, True, 1)])
async def test_text_that_a_linked_sheet_hides_is_found_under_the_strict_policy(
    strict: bool, told: bool, left: int
) -> None:
    web = RudeWeb({"/page": reply(linking("/a.css?v=1&amp;x")), "/a.css?v=1&x": sheet(HIDING), "/a.css": sheet(HIDING)})
    async with reader(web, strict=strict) as builtin:
        page = await builtin.read(web.url("/page")).run()
    assert ("PAYLOAD" in page.content) is told
    assert unread(page) == left


@pytest.mark.process
async def test_sheets_elsewhere_or_beyond_the_limits_are_left_out_and_counted() -> None:
    hrefs = ["https://other.example/a.css", "/private.css", "/late.css", *(f"/{n}.css" for n in range(MAX_SHEETS + 1))]
    sheets = {f"/{n}.css": sheet(b".x{color:red}") for n in range(MAX_SHEETS)}
    web = RudeWeb(
        {
            "/page": reply(linking(*hrefs)),
            "/private.css": redirect("http://169.254.169.254/a.css"),
            "/late.css": sheet(b" " * MAX_BYTES + HIDING),
            **sheets,
        }
    )
    async with reader(web) as builtin:
        page = await builtin.read(web.url("/page")).run()
    assert "PAYLOAD" in page.content
    assert unread(page) == len(hrefs) - MAX_SHEETS


def test_only_sheets_of_the_own_site_are_asked_for() -> None:
    hrefs = ["a.css", "//cdn.site.example/b.css", "https://evil.example/c.css", "data:text/css,x", "http://[/d.css", ""]
    page = Fetched("", "https://www.site.example/deep/page", 200, {}, linking(*hrefs))
    assert [address for _, address in addresses(page)] == [
        "https://www.site.example/deep/a.css",
        "https://cdn.site.example/b.css",
    ]
