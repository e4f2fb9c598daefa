"""Copies of pages that are gone: dated, through the guard, and only where somebody named the archive."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import pytest

from seekread.client import Seekread
from seekread.errors import Refused, Unreadable
from seekread.http.guard import Guard, GuardPolicy
from seekread.models import Page
from seekread.readers.builtin.fetch import Fetcher
from seekread.readers.builtin.workers import WorkerLimits, Workers
from seekread.readers.wayback import Wayback
from seekread.testing import reader_contract
from seekread.testing.reader_contract import ARTICLE, ReaderCase
from seekread.testing.server import Answer, LoopbackServer, Received

pytestmark = [pytest.mark.anyio, pytest.mark.process]

GONE = "https://harbour-wall.org/gone?a=b&c=d"
CAPTURE = "/web/20260919044612id_/"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def workers() -> AsyncIterator[Workers]:
    async with Workers(WorkerLimits(size=1, seconds=60)) as running:
        yield running


@pytest.fixture
def archive() -> Iterator[LoopbackServer]:
    """An archive with a copy of everything but what is called missing; `moved` was a redirect to another site."""

    def answer(received: Received) -> Answer:
        kept = received.path.partition("id_/")[2]
        if "missing" in kept:
            return Answer("<h1>Not found</h1>", 404)
        if CAPTURE in received.path:
            return Answer(ARTICLE.replace("Tea is", '<a href="/tea">Tea</a> is'))
        asked = f"{kept}?{urlencode(received.params)}" if received.params else kept
        target = "https://harbour-news.org/new" if "moved" in kept else asked
        return Answer("", 302, {"location": CAPTURE + target})

    with LoopbackServer(answer) as server:
        yield server


@asynccontextmanager
async def reading(server: LoopbackServer, workers: Workers, **policy: tuple[str, ...]) -> AsyncIterator[Wayback]:
    guard = Guard(GuardPolicy(allow_private=(server.url.removeprefix("http://"),), **policy))  # type: ignore[arg-type]
    async with Fetcher(guard) as fetcher:
        yield Wayback(fetcher, workers, base_url=server.url)


async def read(server: LoopbackServer, workers: Workers, url: str = GONE, **policy: tuple[str, ...]) -> Page:
    async with reading(server, workers, **policy) as wayback:
        return await wayback.read(url).run()


async def test_a_copy_is_marked_with_its_date(archive: LoopbackServer, workers: Workers) -> None:
    page = await read(archive, workers)
    assert (page.url, page.title, page.fetched_at) == (GONE, "Tea", "2026-09-19T04:46:12Z")
    assert page.final_url == f"{archive.url}{CAPTURE}{GONE}"
    assert page.metadata["archived"] == "2026-09-19"
    assert "archived" in {signal.kind for signal in page.signals}
    assert page.notes == ("This is a copy of 2026-09-19 from the Wayback Machine, not the page of today.",)


async def test_links_of_a_copy_lead_to_the_site_and_not_to_the_archive(
    archive: LoopbackServer, workers: Workers
) -> None:
    page = await read(archive, workers)
    assert "https://harbour-wall.org/tea" in {link.url for link in page.links}


async def test_a_page_without_a_copy_is_not_found(archive: LoopbackServer, workers: Workers) -> None:
    with pytest.raises(Unreadable, match="has no copy") as caught:
        await read(archive, workers, "https://harbour-wall.org/missing")
    assert caught.value.outcome == "not_found"


async def test_nobody_reads_a_blocked_site_through_the_archive(archive: LoopbackServer, workers: Workers) -> None:
    with pytest.raises(Refused):
        await read(archive, workers, "https://harbour-wall.org/moved", blocked_domains=("harbour-news.org",))


async def test_the_engine_judges_the_address_before_the_archive_hears_of_it(
    archive: LoopbackServer, workers: Workers
) -> None:
    async with reading(archive, workers) as wayback, Seekread(settings={"store": "memory:"}) as web:
        web.register(wayback)
        page = await web.open_page("http://10.0.0.1/gone", reader="wayback")
    assert page.outcome == "refused"
    assert archive.received == []


async def test_the_archive_is_asked_for_a_page_that_is_gone_only_where_it_is_named(
    archive: LoopbackServer, workers: Workers
) -> None:
    def nothing(_received: Received) -> Answer:
        return Answer("gone", 404)

    with LoopbackServer(nothing) as site:
        hosts = [server.url.removeprefix("http://") for server in (site, archive)]
        settings = {"store": "memory:", "allow_private": hosts, "page_seconds": 60}
        providers = {"wayback": {"base_url": archive.url}}
        async with Seekread(settings=settings, providers=providers) as web:
            alone = await web.open_page(f"{site.url}/gone")
            assert (alone.outcome, archive.received) == ("not_found", [])
            page = await web.open_page(f"{site.url}/gone", reader=["builtin", "wayback"], max_age=0)
    assert (page.success, page.reader, page.metadata["archived"]) == (True, "wayback", "2026-09-19")
    assert [(attempt.provider, attempt.outcome) for attempt in page.attempts] == [
        ("builtin", "not_found"),
        ("wayback", "ok"),
    ]


@pytest.mark.parametrize("outage", reader_contract.OUTAGES)
async def test_an_outage_of_the_archive_is_never_a_page(archive: LoopbackServer, workers: Workers, outage: str) -> None:
    async with reading(archive, workers) as wayback:
        case = ReaderCase(wayback, archive, local=True, impatience=0.5)
        await reader_contract.check_outage(case, outage)
