"""The built-in reader: from a URL to a whole page, over real sockets and in real child processes."""

import hashlib
import ssl
from collections.abc import AsyncIterator

import pytest

from seekread.errors import Refused, Unreadable
from seekread.extraction.document import extract
from seekread.http.guard import Guard, GuardPolicy
from seekread.http.pinned import page_transport
from seekread.models import Page, estimated_tokens
from seekread.provider import traits
from seekread.readers.builtin.fetch import Fetcher
from seekread.readers.builtin.reader import Builtin
from seekread.readers.builtin.workers import WorkerLimits, Workers
from seekread.testing.rude_web import RudeWeb, reply
from tests.support.hostile_pages import PAGE, redirect

pytestmark = pytest.mark.anyio

LONG = b"<!doctype html><title>Long</title><main><article><h1>Long</h1>" + b"".join(
    b"<p>Paragraph %d tells about the harbour, its wall, and the boats that came in on day %d.</p>" % (n, n * 7)
    for n in range(400)
)


@pytest.fixture
def web() -> RudeWeb:
    validators = {"ETag": '"v1"', "Last-Modified": "Mon, 02 Mar 2026 10:00:00 GMT"}
    return RudeWeb(
        {
            "/start": redirect("/page"),
            "/page": reply(PAGE, headers=validators),
            "/long": reply(LONG),
            "/nothing": reply(status="204 No Content", length=None),
            "/picture": reply(b"\x89PNG\r\n\x1a\n" + b"\0" * 100),
            "/damaged": reply(b"%PDF-1.7 garbage", content_type="application/pdf"),
            "/broken-off": reply(PAGE, length=len(PAGE) + 1),
            "/private": redirect("http://169.254.169.254/"),
        }
    )


@pytest.fixture
async def builtin(web: RudeWeb) -> AsyncIterator[Builtin]:
    guard = Guard(GuardPolicy(allow_private=(web.endpoint,)))
    transport = page_transport(guard, ssl_context=ssl.create_default_context())
    with web:
        async with Fetcher(guard, transport) as fetcher, Workers(WorkerLimits(size=1, seconds=60)) as workers:
            yield Builtin(fetcher, workers)


async def read(builtin: Builtin, url: str) -> Page:
    return await builtin.read(url).run()


@pytest.mark.proves("S3-7", "S3-33", "S3-36")
@pytest.mark.process
async def test_a_page_comes_whole_with_everything_known_about_it(builtin: Builtin, web: RudeWeb) -> None:
    page = await read(builtin, web.url("/start"))
    assert page.success
    assert page.outcome == "ok"
    assert (page.url, page.final_url) == (web.url("/start"), web.url("/page"))
    assert page.title == "The harbour wall"
    assert page.content_length == page.original_length == len(page.content)
    assert page.tokens == page.original_tokens == estimated_tokens(page.content)
    assert not page.truncated
    assert page.status == 200
    assert page.content_type == "text/html"
    assert page.sha256 == hashlib.sha256(page.content.encode()).hexdigest()
    assert page.metadata["etag"] == '"v1"'
    assert page.metadata["last_modified"] == "Mon, 02 Mar 2026 10:00:00 GMT"
    assert page.fetched_at
    assert page.reader == "builtin"
    assert "<p>" not in page.content


@pytest.mark.process
async def test_a_long_page_is_not_cut_by_the_reader(builtin: Builtin, web: RudeWeb) -> None:
    """Cutting belongs to whoever shows the page."""
    page = await read(builtin, web.url("/long"))
    assert "Paragraph 399" in page.content
    assert page.content_length > 15_000
    assert not page.truncated


@pytest.mark.proves("S3-26")
@pytest.mark.process
async def test_what_is_not_text_costs_no_tokens(builtin: Builtin, web: RudeWeb) -> None:
    """Scripts, styles and navigation stay behind."""
    furniture = b"<script>var state = {a: 1};</script><style>p { color: red }</style><nav><a href='/x'>Menu</a></nav>"
    body = PAGE.replace(b"<main>", furniture * 500 + b"<main>")
    web.scripts["/furnished"] = reply(body)
    page = await read(builtin, web.url("/furnished"))
    assert "the first boats came in" in page.content
    assert page.content_length < 0.1 * len(body)


@pytest.mark.process
async def test_an_empty_page_is_an_answer(builtin: Builtin, web: RudeWeb) -> None:
    page = await read(builtin, web.url("/nothing"))
    assert (page.outcome, page.content, page.success) == ("empty", "", True)


@pytest.mark.process
async def test_a_page_that_broke_off_says_so(builtin: Builtin, web: RudeWeb) -> None:
    assert "truncated" in {signal.kind for signal in (await read(builtin, web.url("/broken-off"))).signals}


@pytest.mark.process
async def test_page_problems_are_errors_that_name_their_outcome(builtin: Builtin, web: RudeWeb) -> None:
    with pytest.raises(Unreadable) as caught:
        await read(builtin, web.url("/picture"))
    assert caught.value.outcome == "unsupported_type"
    with pytest.raises(Unreadable) as caught:
        await read(builtin, web.url("/missing"))
    assert caught.value.outcome == "not_found"
    with pytest.raises(Unreadable, match="damaged") as caught:
        await read(builtin, web.url("/damaged"))
    assert (caught.value.outcome, caught.value.status) == ("bad_reply", 200)


@pytest.mark.proves("S3-30")
@pytest.mark.process
async def test_the_guard_stands_before_the_reader_and_every_hop(builtin: Builtin, web: RudeWeb) -> None:
    for url in (web.url("/private"), "http://127.0.0.1:1/", "file:///etc/passwd", "http://localhost/"):
        with pytest.raises(Refused):
            await read(builtin, url)


def test_it_says_its_name() -> None:
    assert traits(Builtin).name == "builtin"


def test_html_at_hand_is_read_without_network_and_process() -> None:
    page = extract(PAGE.decode(), "https://a.example/page")
    assert page.success
    assert page.url == "https://a.example/page"
    assert page.title == "The harbour wall"
    assert "the first boats came in" in page.content
    assert page.content_length == page.original_length == len(page.content)


def test_html_at_hand_without_text_is_empty_and_a_bomb_is_tamed() -> None:
    assert extract(" ").outcome == "empty"
    bomb = extract("<p>words</p>" + "<div>" * 1_000)
    assert bomb.signals[0].kind == "page-tamed"
    assert bomb.content == "words"
