"""A crawl reads a site whole, and nothing of it for ever."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seekread.batch import Manners, Reader
from seekread.batch.crawl import Crawl, map_site
from seekread.batch.progress import Progress
from seekread.batch.scope import SiteScope
from seekread.clock import SystemClock
from seekread.errors import Unreadable
from seekread.testing.server import Answer, Received
from tests.support.small_site import SmallSite, article, page_of
from tests.support.trap_site import TrapSite

pytestmark = [pytest.mark.anyio, pytest.mark.process]

COUNT = 40


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def traps() -> TrapSite:
    return TrapSite(COUNT)


@pytest.fixture
def site(traps: TrapSite) -> Iterator[SmallSite]:
    with SmallSite(traps.answer) as site:
        yield site


def reader_for(site: SmallSite) -> Reader:
    return Reader(manners=Manners(0.0, 4), settings={"allow_private": [site.endpoint], "store": "memory:"})


async def crawled(site: SmallSite, path: Path, **limits: Any) -> dict[str, dict[str, Any]]:
    """The records of a crawl, by path."""
    start = limits.pop("start", "/")
    async with reader_for(site) as reader:
        await Crawl(SiteScope(site.url + start, **limits), reader, path, Progress(SystemClock())).run()
    return {record["url"].removeprefix(site.url): record for record in pages_in(path)}


def pages_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


async def test_a_crawl_of_a_site_full_of_traps_is_complete_and_ends(
    site: SmallSite, traps: TrapSite, tmp_path: Path
) -> None:
    """Calendar, sessions, redirects in a circle, pages that do not exist, paths that repeat themselves, robots."""
    records = await crawled(site, tmp_path / "pages.jsonl", limit=1000)
    good = {path for path, record in records.items() if record["outcome"] == "ok" and not record["duplicate_of"]}
    assert traps.pages <= good
    assert records["/private"]["outcome"] == "refused"
    assert records["/loop/a"]["outcome"] == "bad_reply"
    assert records["/vanished"]["outcome"] == records["/gone/ship"]["outcome"] == "not_found"
    assert not [path for path in records if "PHPSESSID" in path or path.endswith(".png")]
    assert sum("calendar" in path for path in records) <= 8
    assert sum("visit=" in path for path in records) < COUNT / 2
    assert sum("deeper" in path for path in records) <= 4
    assert len(records) < 2 * len(traps.pages)
    assert "/private" not in site.visits.paths


async def test_a_crawl_goes_on_where_it_was_ended(site: SmallSite, traps: TrapSite, tmp_path: Path) -> None:
    """Cancelled in the middle, with the frontier in its journal, then to the end."""
    path = tmp_path / "pages.jsonl"
    scope = SiteScope(site.url + "/", limit=1000)

    class Enough(Exception):
        """Somebody has seen enough."""

    seen: list[object] = []

    async def stop(record: object) -> None:
        seen.append(record)
        if len(seen) == 15:
            raise Enough

    with pytest.raises(Enough):
        async with reader_for(site) as reader:
            await Crawl(scope, reader, path, Progress(SystemClock())).run(stop)
    before = {page["url"] for page in pages_in(path)}
    site.visits.at.clear()
    records = await crawled(site, path, limit=1000)
    assert traps.pages <= set(records)
    assert before & {site.url + path for path in site.visits.paths} <= {site.url + "/"}


async def test_depth_count_and_patterns_bound_a_crawl(site: SmallSite, tmp_path: Path) -> None:
    near = await crawled(site, tmp_path / "depth.jsonl", depth=1)
    assert "/ships/0" in near
    assert "/ships/1" not in near
    assert near["/ships/0"]["depth"] == 1
    few = await crawled(site, tmp_path / "count.jsonl", limit=7)
    assert len(few) == 7
    ships = await crawled(site, tmp_path / "patterns.jsonl", include=("/ships/*",), exclude=("/ships/*?*", "/ships/3*"))
    assert set(ships) == {"/", *(f"/ships/{n}" for n in range(COUNT) if not str(n).startswith("3"))}


async def test_a_site_that_answers_everything_with_its_first_page_has_no_missing_ones(tmp_path: Path) -> None:
    """An application in one page: its pages are copies, and not said to be missing."""

    def answer(received: Received) -> Answer:
        missing = received.path in {"/robots.txt", "/llms.txt", "/sitemap.xml"}
        return Answer("", status=404) if missing else Answer(article("one page", "<a href='/a'>a</a>"))

    with SmallSite(answer) as site:
        records = await crawled(site, tmp_path / "pages.jsonl")
    assert records["/a"]["outcome"] == "ok"
    assert records["/a"]["duplicate_of"] == f"{site.url}/"


async def test_a_list_of_many_pages_is_no_trap(tmp_path: Path) -> None:
    """Each page of it leads to the next and brings something new."""

    def answer(received: Received) -> Answer:
        if received.path == "/list":
            number = int(received.params.get("page", "1"))
            new = "".join(
                f"<p>{'bcdfghklmn'[number % 10] * 3}{letter * (3 + number // 10)} arrived.</p>"
                for letter in "abcdefghij"
            )
            onward = f"<a href='/list?page={number + 1}'>on</a>" if number < 30 else ""
            return Answer(f"<html><body><h1>Arrivals</h1>{new}{onward}</body></html>")
        return Answer("", status=404)

    with SmallSite(answer) as site:
        records = await crawled(site, tmp_path / "pages.jsonl", start="/list", depth=100)
    assert len(records) == 30


async def test_links_that_lead_elsewhere_are_not_followed(site: SmallSite, tmp_path: Path) -> None:
    records = await crawled(site, tmp_path / "pages.jsonl", depth=1)
    assert not [path for path in records if "elsewhere.example" in path]


async def test_a_map_names_what_the_site_names(site: SmallSite) -> None:
    async with reader_for(site) as reader:
        found = [url.removeprefix(site.url) async for url in map_site(SiteScope(site.url + "/"), reader)]
    assert found[0] == "/"
    assert {"/ships/0", "/only-in-the-sitemap", "/only-in-llms-txt", "/feed.xml"} <= set(found)
    assert len(found) == len(set(found))


async def test_a_packed_sitemap_is_read_and_a_broken_one_is_no_failure() -> None:
    base = ""

    def answer(received: Received) -> Answer:
        if received.path == "/robots.txt":
            named = f"Sitemap: {base}/packed.xml.gz\nSitemap: {base}/broken.xml.gz\n"
            return Answer(named, content_type="text/plain")
        if received.path == "/packed.xml.gz":
            packed = gzip.compress(f"<urlset><url><loc>{base}/a?b=1&amp;c=2</loc></url></urlset>".encode())
            return Answer(packed, content_type="application/gzip")
        if received.path == "/broken.xml.gz":
            return Answer(b"\x1f\x8bnothing of the kind", content_type="application/gzip")
        return Answer("", status=404) if received.path != "/" else page_of(received)

    with SmallSite(answer) as site:
        base = site.url
        async with reader_for(site) as reader:
            found = [url async for url in map_site(SiteScope(site.url + "/"), reader)]
    assert found == [f"{base}/", f"{base}/a?b=1&c=2"]


async def test_the_map_of_a_site_that_cannot_be_read_is_a_failure_unless_a_list_names_its_pages() -> None:
    base = ""

    def answer(received: Received) -> Answer:
        if received.path == "/sitemap.xml" and base:
            return Answer(f"<urlset><url><loc>{base}/a</loc></url></urlset>", content_type="application/xml")
        return Answer("", status=410)

    with SmallSite(answer) as site:
        async with reader_for(site) as reader:
            with pytest.raises(Unreadable):
                assert not [url async for url in map_site(SiteScope(site.url + "/"), reader)]
            base = site.url
            assert [url async for url in map_site(SiteScope(site.url + "/"), reader)] == [f"{base}/a"]
