"""Fetching from servers that are slow, rude or lying, over real sockets."""

import gzip
import os
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import format_datetime

import anyio
import httpx2
import pytest

from seekread.errors import BadReply, RateLimited, Refused, TimedOut, Unreachable, Unreadable
from seekread.http.guard import Guard, GuardPolicy
from seekread.http.pinned import page_transport
from seekread.readers.builtin.fetch import Fetched, Fetcher, FetchLimits, refresh_target
from seekread.readers.builtin.gunzip import BadGzip, Gunzip
from seekread.testing.clock import FakeClock
from seekread.testing.rude_web import FOREVER, Asked, RudeWeb, Script, reply
from seekread.version import user_agent
from tests.support.hostile_pages import PAGE, chunked, encoded, flood, pdf, pdf_text, redirect, then
from tests.support.office_files import docx, paragraph

pytestmark = pytest.mark.anyio

TLS = ssl.create_default_context()
"""Made once: loading certificates is most of what a short fetch costs."""

PATIENT = FetchLimits(seconds=20, first_byte_seconds=20, grace_seconds=20)
SHORT = FetchLimits(seconds=0.4, first_byte_seconds=10, grace_seconds=10)


@asynccontextmanager
async def fetching(web: RudeWeb, limits: FetchLimits = PATIENT, **policy: tuple[str, ...]) -> AsyncIterator[Fetcher]:
    guard = Guard(GuardPolicy(allow_private=(web.endpoint,), **policy))  # type: ignore[arg-type]
    async with Fetcher(guard, page_transport(guard, ssl_context=TLS), limits=limits) as fetcher:
        yield fetcher


async def fetched(script: Script | bytes, limits: FetchLimits = PATIENT) -> Fetched:
    """Fetch one page from a server that answers so."""
    with RudeWeb({"/": script}) as web:
        async with fetching(web, limits) as fetcher:
            return await fetcher.fetch(web.url("/"))


async def test_a_page_arrives_with_everything_that_is_known_about_it() -> None:
    headers = {"ETag": '"v1"', "Last-Modified": "Mon, 02 Mar 2026 10:00:00 GMT", "X-Odd": "1"}
    with RudeWeb({"/start": redirect("/page?q=1#part"), "/page": reply(PAGE, headers=headers)}) as web:
        async with fetching(web) as fetcher:
            page = await fetcher.fetch(web.url("/start"))
    assert page.url == web.url("/start")
    assert page.final_url == web.url("/page?q=1")
    assert page.hops == (web.url("/start"),)
    assert page.status == 200
    assert page.body == PAGE
    assert page.content_type == "text/html; charset=utf-8"
    assert page.headers["x-odd"] == "1"
    assert (page.etag, page.last_modified) == ('"v1"', "Mon, 02 Mar 2026 10:00:00 GMT")
    assert page.fetched_at.endswith("Z")
    assert not page.truncated
    assert page.flags == ()


@pytest.mark.proves("S3-32")
async def test_it_says_who_asks_wants_markdown_first_and_carries_nothing_else() -> None:
    """No cookie of one answer and no credential travels with the next request."""
    start = reply(status="302 Found", headers={"Location": "/page", "Set-Cookie": "id=1"})
    with RudeWeb({"/start": start, "/page": reply(PAGE)}) as web:
        async with fetching(web) as fetcher:
            await fetcher.fetch(web.url("/start"))
            await fetcher.fetch(web.url("/start"))
    for asked in web.asked:
        assert set(asked.headers) == {
            "host", "accept", "accept-language", "accept-encoding", "user-agent", "connection",
        }  # fmt: skip
        assert asked.headers["accept"].startswith("text/markdown,")
        assert asked.headers["accept-encoding"] == "gzip"
        assert asked.headers["user-agent"] == user_agent()


async def test_gzip_is_decoded() -> None:
    assert (await fetched(encoded(gzip.compress(PAGE), "gzip"))).body == PAGE


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "br, gzip", "rot13"])
async def test_an_encoding_that_was_not_asked_for_is_refused(encoding: str) -> None:
    with pytest.raises(BadReply, match="only gzip"):
        await fetched(encoded(PAGE, encoding))


async def test_broken_gzip_is_asked_for_again_without() -> None:
    def script(asked: Asked) -> Iterator[bytes]:
        broken = encoded(b"\x1f\x8b\x08" + b"\xff" * 300, "gzip")
        yield broken if asked.headers["accept-encoding"] == "gzip" else reply(PAGE)

    page = await fetched(script)
    assert page.body == PAGE
    assert page.flags == ("identity-retry",)


async def test_gzip_broken_twice_is_a_bad_reply() -> None:
    with pytest.raises(BadReply, match="compression"):
        await fetched(encoded(b"\x1f\x8b\x08" + b"\xff" * 300, "gzip"))


async def test_gzip_that_stops_early_is_kept_and_flagged() -> None:
    page = await fetched(encoded(gzip.compress(PAGE * 20)[:-100], "gzip"))
    assert page.truncated
    assert page.body.startswith(PAGE[:100])


async def test_the_decoded_size_is_capped_however_small_the_wire_size() -> None:
    bomb = gzip.compress(b"<p>boom</p>" * 1_000_000)
    page = await fetched(encoded(bomb, "gzip"), FetchLimits(decoded_bytes=100_000))
    assert len(page.body) == 100_000
    assert page.truncated
    assert set(page.flags) == {"too-large", "truncated"}


async def test_the_wire_size_is_capped() -> None:
    page = await fetched(
        flood(chunked(end=False), b"400\r\n" + b"a b " * 256 + b"\r\n"), FetchLimits(wire_bytes=50_000)
    )
    assert 50_000 <= len(page.body) < 200_000
    assert "too-large" in page.flags


async def test_half_an_office_file_is_no_file() -> None:
    body = docx(paragraph("words"), parts={"word/media/image1.png": os.urandom(50_000)})
    with pytest.raises(Unreadable, match="the file was not read: it is larger") as caught:
        await fetched(reply(body), FetchLimits(wire_bytes=20_000))
    assert caught.value.outcome == "too_large"
    with pytest.raises(Unreadable, match="the file was not read: the connection broke"):
        await fetched(reply(body[:30_000], length=len(body)))


async def test_half_a_pdf_is_not_a_pdf() -> None:
    body = pdf(pdf_text(b"words"), kids=200)
    with pytest.raises(Unreadable, match="larger than") as caught:
        await fetched(reply(body, content_type="application/pdf"), FetchLimits(wire_bytes=5_000))
    assert caught.value.outcome == "too_large"


@pytest.mark.parametrize(
    "script",
    [then(reply(PAGE, length=len(PAGE) + 10)), then(chunked(PAGE, end=False))],
    ids=["length", "chunked"],
)
async def test_what_arrived_before_the_connection_broke_is_kept_and_flagged(script: Script) -> None:
    page = await fetched(script)
    assert page.body == PAGE
    assert page.truncated


async def test_one_deadline_covers_redirects_and_body() -> None:
    def slow(asked: Asked) -> Iterator[bytes | float]:
        yield 0.15
        yield redirect(f"{asked.path}x")

    with RudeWeb({f"/{'x' * n}": slow for n in range(9)}) as web:
        async with fetching(web, SHORT) as fetcher:
            with pytest.raises(TimedOut, match=r"within 0\.4 s"):
                await fetcher.fetch(web.url("/"))
    assert len(web.asked) <= 4


async def test_a_caller_may_give_less_time() -> None:
    with RudeWeb({"/": then(FOREVER)}) as web:
        async with fetching(web) as fetcher:
            with pytest.raises(TimedOut, match=r"within 0\.2 s"):
                await fetcher.fetch(web.url("/"), seconds=0.2)


async def test_a_server_that_does_not_begin_is_given_up() -> None:
    with pytest.raises(TimedOut, match="did not begin"):
        await fetched(then(FOREVER), FetchLimits(first_byte_seconds=0.2))


async def test_a_body_slower_than_the_minimum_rate_is_given_up() -> None:
    limits = FetchLimits(grace_seconds=0.2, bytes_per_second=10_000)
    with pytest.raises(TimedOut, match="10000 bytes per second"):
        await fetched(then(reply(PAGE, length=100_000), FOREVER), limits)


async def test_a_body_at_a_fair_rate_may_pause_longer_than_the_grace() -> None:
    limits = FetchLimits(grace_seconds=0.05, bytes_per_second=1)
    page = await fetched(then(reply(PAGE, length=len(PAGE) + 3), 0.3, b"end"), limits)
    assert page.body.endswith(b"end")


@pytest.mark.proves("S3-30")
async def test_every_hop_goes_through_the_guard() -> None:
    """The second place is checked like the first, the operator's lists (S3-24) included."""
    with RudeWeb({"/": b""}) as canary, RudeWeb({"/": redirect(canary.url("/"))}) as web:
        async with fetching(web) as fetcher:
            with pytest.raises(Refused) as caught:
                await fetcher.fetch(web.url("/"))
        assert caught.value.code in {"private_address", "port_not_allowed"}
        async with fetching(web, blocked_domains=("blocked.example",)) as fetcher:
            web.scripts["/"] = redirect("https://www.blocked.example/")
            with pytest.raises(Refused, match="blocked_domains"):
                await fetcher.fetch(web.url("/"))
    assert canary.asked == []


@pytest.mark.parametrize("hops", [0, 1, 5])
async def test_five_redirects_are_followed(hops: int) -> None:
    scripts: dict[str, Script | bytes] = {f"/{n}": redirect(f"/{n - 1}") for n in range(1, 7)}
    with RudeWeb({**scripts, "/0": reply(PAGE)}) as web:
        async with fetching(web) as fetcher:
            assert len((await fetcher.fetch(web.url(f"/{hops}"))).hops) == hops


async def test_the_sixth_redirect_and_circles_are_not_followed() -> None:
    scripts: dict[str, Script | bytes] = {f"/{n}": redirect(f"/{n - 1}") for n in range(1, 7)}
    with RudeWeb({**scripts, "/0": reply(PAGE), "/a": redirect("/b"), "/b": redirect("/a")}) as web:
        async with fetching(web) as fetcher:
            with pytest.raises(BadReply, match="more than 5 times"):
                await fetcher.fetch(web.url("/6"))
            with pytest.raises(BadReply, match="circle"):
                await fetcher.fetch(web.url("/a"))


async def test_a_redirect_from_https_to_http_is_followed_and_flagged() -> None:
    """The transport is the library's own stand-in, because the downgrade needs two public names."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.scheme == "https":
            return httpx2.Response(301, headers={"Location": "http://harbour.org/plain"})
        return httpx2.Response(200, stream=httpx2.ByteStream(PAGE))

    async with Fetcher(Guard(), httpx2.MockTransport(answer)) as fetcher:
        page = await fetcher.fetch("https://harbour.org/")
    assert page.final_url == "http://harbour.org/plain"
    assert page.flags == ("https-to-http",)


async def test_a_redirect_with_a_space_in_its_path_is_followed_as_browsers_do() -> None:
    with RudeWeb({"/": redirect("/two words"), "/two%20words": reply(PAGE)}) as web:
        async with fetching(web) as fetcher:
            assert (await fetcher.fetch(web.url("/"))).final_url == web.url("/two%20words")


async def test_redirects_and_robots_wait_for_their_turn_like_a_page() -> None:
    turns: list[str] = []

    async def turn(site: str) -> None:
        turns.append(site)

    answers = {
        "/robots.txt": reply(b"User-agent: *", content_type="text/plain"),
        "/": redirect("/next"),
        "/next": reply(PAGE),
    }
    with RudeWeb(answers) as web:
        guard = Guard(GuardPolicy(allow_private=(web.endpoint,)))
        async with Fetcher(guard, respect_robots=True, turn=turn) as fetcher:
            await fetcher.fetch(web.url("/"))
    assert [asked.path for asked in web.asked] == ["/robots.txt", "/", "/next"]
    assert turns == [web.endpoint] * 3


@pytest.mark.parametrize(
    "page",
    [
        b'<html><meta http-equiv="refresh" content="0; url=/next">',
        b"<META content='3;URL=\"/next\"' HTTP-EQUIV=Refresh>",
        b"<noscript><meta http-equiv=refresh content=0;url=/next></noscript>",
    ],
)
async def test_a_quick_refresh_is_followed_once(page: bytes) -> None:
    with RudeWeb({"/": reply(page), "/next": reply(page + b"<p>here</p>")}) as web:
        async with fetching(web) as fetcher:
            arrived = await fetcher.fetch(web.url("/"))
    assert arrived.final_url == web.url("/next")
    assert arrived.flags == ("meta-refresh",)
    assert [asked.path for asked in web.asked] == ["/", "/next"]


async def test_a_second_refresh_is_a_page() -> None:
    scripts = {
        f"/{n}": reply(f'<meta http-equiv="refresh" content="0; url=/{n + 1}">page {n}'.encode()) for n in range(3)
    }
    with RudeWeb(scripts) as web:
        async with fetching(web) as fetcher:
            assert (await fetcher.fetch(web.url("/0"))).final_url == web.url("/1")


@pytest.mark.parametrize(
    "page",
    [
        b'<meta http-equiv="refresh" content="30; url=/next">',
        b'<meta http-equiv="refresh" content="0">',
        b'<!-- <meta http-equiv="refresh" content="0; url=/next"> -->',
        b'<meta http-equiv="refresh" content="0; url=/">',
        b'<meta name="refresh" content="0; url=/next">',
    ],
)
async def test_other_refreshes_are_left_alone(page: bytes) -> None:
    assert (await fetched(reply(page + b"<p>words</p>"))).flags == ()


async def test_a_validator_makes_a_304_an_answer_and_without_one_it_is_an_error() -> None:
    with RudeWeb({"/": reply(status="304 Not Modified", length=None)}) as web:
        async with fetching(web) as fetcher:
            again = await fetcher.fetch(web.url("/"), etag='"v1"', last_modified="yesterday")
            assert (again.status, again.body) == (304, b"")
            assert web.asked[0].headers["if-none-match"] == '"v1"'
            assert web.asked[0].headers["if-modified-since"] == "yesterday"
            with pytest.raises(BadReply, match="304"):
                await fetcher.fetch(web.url("/"))


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (401, "paywalled"), (402, "paywalled"), (403, "blocked"), (404, "not_found"), (407, "blocked"),
        (410, "not_found"), (451, "blocked"), (400, "bad_reply"), (418, "bad_reply"), (408, "timeout"),
        (500, "unreachable"), (503, "unreachable"), (429, "rate_limited"),
    ],
)  # fmt: skip
async def test_a_status_that_is_no_page_becomes_the_outcome_it_stands_for(status: int, outcome: str) -> None:
    with pytest.raises((Unreadable, BadReply, TimedOut, Unreachable, RateLimited)) as caught:
        await fetched(reply(PAGE, status=f"{status} Whatever"))
    assert caught.value.outcome == outcome
    assert caught.value.status == status


async def test_retry_after_reaches_the_caller() -> None:
    with pytest.raises(RateLimited) as caught:
        await fetched(reply(status="429 Slow", headers={"Retry-After": "7"}))
    assert caught.value.retry_after == 7


async def test_a_site_that_asks_for_a_day_gets_an_hour() -> None:
    with pytest.raises(RateLimited) as caught:
        await fetched(reply(status="429 Slow", headers={"Retry-After": "86400"}))
    assert caught.value.retry_after == 3600


async def test_a_date_to_come_back_is_counted_from_the_clock_of_the_engine() -> None:
    clock = FakeClock()
    date = format_datetime(datetime.fromtimestamp(clock.time() + 40, UTC), usegmt=True)
    with RudeWeb({"/": reply(status="503 Busy", headers={"Retry-After": date})}) as web:
        guard = Guard(GuardPolicy(allow_private=(web.endpoint,)))
        async with Fetcher(guard, page_transport(guard, ssl_context=TLS), limits=PATIENT, clock=clock) as fetcher:
            with pytest.raises(Unreachable) as caught:
                await fetcher.fetch(web.url("/"))
    assert caught.value.retry_after == 40


@pytest.mark.parametrize(
    ("value", "target"),
    [("0;url=/x", "/x"), ("5 ; URL = '/x' ", "/x"), ("0, /x", "/x"), (".5;/x", "/x"), ("6;url=/x", None), ("0", None)],
)
def test_the_target_of_a_refresh_is_read_as_browsers_do(value: str, target: str | None) -> None:
    assert refresh_target(value) == target


async def test_a_picture_is_refused_by_its_bytes_before_it_is_downloaded() -> None:
    script = flood(reply(b"\x89PNG\r\n\x1a\n", length=None), b"\0" * 65_536)
    with pytest.raises(Unreadable, match="image/png"):
        await fetched(script, FetchLimits(wire_bytes=10**12, decoded_bytes=10**12))


async def test_a_port_nobody_listens_on_is_unreachable_and_names_no_address() -> None:
    with RudeWeb({}) as web:
        guard = Guard(GuardPolicy(allow_private=(f"localhost:{web.port}",)))
    async with Fetcher(guard) as fetcher:
        with pytest.raises(Unreachable) as caught:
            await fetcher.fetch(f"http://localhost:{web.port}/")
    assert "127.0.0.1" not in str(caught.value)
    assert "localhost" in str(caught.value)
    assert "refused" in str(caught.value)


async def test_cancelling_a_fetch_leaves_the_fetcher_usable() -> None:
    with RudeWeb({"/": then(reply(PAGE, length=100_000), FOREVER), "/page": reply(PAGE)}) as web:
        async with fetching(web) as fetcher:
            with anyio.move_on_after(0.1):
                await fetcher.fetch(web.url("/"))
            assert (await fetcher.fetch(web.url("/page"))).body == PAGE


async def test_robots_are_honoured_when_the_operator_wants_it() -> None:
    rules = b"User-agent: *\nDisallow: /private\n"
    scripts = {"/robots.txt": reply(rules, content_type="text/plain"), "/page": reply(PAGE), "/private": reply(PAGE)}
    with RudeWeb(scripts) as web:
        guard = Guard(GuardPolicy(allow_private=(web.endpoint,)))
        async with Fetcher(guard, respect_robots=True) as fetcher:
            assert (await fetcher.fetch(web.url("/page"))).body == PAGE
            with pytest.raises(Refused, match="respect_robots") as caught:
                await fetcher.fetch(web.url("/private"))
        assert caught.value.code == "robots"
        assert [asked.path for asked in web.asked] == ["/robots.txt", "/page"]
        async with Fetcher(guard) as fetcher:
            assert (await fetcher.fetch(web.url("/private"))).body == PAGE


@pytest.mark.parametrize(("status", "allowed"), [("404 None", True), ("500 Oops", False), ("403 No", True)])
async def test_a_missing_robots_file_allows_and_a_broken_one_forbids(status: str, allowed: bool) -> None:
    with RudeWeb({"/robots.txt": reply(status=status), "/page": reply(PAGE)}) as web:
        guard = Guard(GuardPolicy(allow_private=(web.endpoint,)))
        async with Fetcher(guard, respect_robots=True) as fetcher:
            if allowed:
                assert (await fetcher.fetch(web.url("/page"))).body == PAGE
            else:
                with pytest.raises(Unreachable, match=r"robots\.txt"):
                    await fetcher.fetch(web.url("/page"))


def test_gunzip_gives_small_parts_and_notices_the_end() -> None:
    whole = b"harbour " * 100_000
    squeezed = gzip.compress(whole)
    gunzip = Gunzip()
    parts = [part for byte in (squeezed[:50], squeezed[50:]) for part in gunzip.feed(byte)]
    assert b"".join(parts) == whole
    assert max(map(len, parts)) <= 65_536
    assert gunzip.complete
    assert not list(gunzip.feed(b"garbage behind the end"))
    assert gunzip.complete
    with pytest.raises(BadGzip):
        list(Gunzip().feed(b"not gzip at all"))
