"""Reading in bulk: every address gets its record, and every site is treated politely, whoever reads it."""

import hashlib
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from seekread.batch import Manners, PageRecord, Reader
from seekread.batch.kept import TOGETHER
from seekread.errors import Misconfigured
from seekread.testing.server import Answer, Fault, Received
from tests.support.small_site import ROBOTS, SmallSite, page_of

pytestmark = [pytest.mark.anyio, pytest.mark.process, pytest.mark.usefixtures("patient_store")]

QUICK = Manners(delay=0.0, at_once=4)


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with SmallSite() as site:
        yield site


def settings_for(*sites: SmallSite, store: str = "memory:") -> dict[str, object]:
    return {"allow_private": [site.endpoint for site in sites], "store": store}


async def records_of(
    site: SmallSite, *paths: str, manners: Manners = QUICK, tries: int = 3, store: str = "memory:"
) -> dict[str, PageRecord]:
    """The records of paths of a site, by path."""
    async with Reader(manners=manners, tries=tries, settings=settings_for(site, store=store)) as reader:
        records = await reader.read([site.url + path for path in paths])
    return {record.url.removeprefix(site.url): record for record in records}


async def test_a_record_holds_the_page_its_hash_and_how_it_went(site: SmallSite) -> None:
    record = (await records_of(site, "/harbour"))["/harbour"]
    assert (record.outcome, record.status, record.tries, record.title) == ("ok", 200, 1, "About harbour")
    assert "Paragraph 7 of harbour" in record.markdown
    assert record.sha256 == hashlib.sha256(record.markdown.encode()).hexdigest()
    assert [(attempt.provider, attempt.outcome) for attempt in record.attempts] == [("builtin", "ok")]


async def test_what_was_read_for_a_run_is_not_read_for_it_again(site: SmallSite) -> None:
    """Whoever does the same batch again finds its pages in the store, until they are where they belong."""
    urls = [site.url + path for path in ("/harbour", "/gone", "/ships")]
    async with Reader(manners=QUICK, settings=settings_for(site)) as reader:
        first = await reader.read(urls, run="one")
        again = await reader.read(urls, run="one")
        await reader.read(urls, run="two")
        await reader.forget(again, run="one")
        await reader.read(urls, run="one")
    assert again == first
    assert [site.visits.paths[path] for path in ("/harbour", "/gone", "/ships")] == [3, 3, 3]


async def test_whoever_follows_one_that_died_reads_only_its_last_pages(tmp_path: Path) -> None:
    """Pages are kept a few together: those before the last few are there, and each has one record in its place."""
    reached, store = threading.Event(), str(tmp_path / "state.sqlite")
    paths = [f"/{number}" for number in range(2 * TOGETHER)]

    def answer(received: Received) -> Answer:
        if received.path == paths[TOGETHER + 2] and not reached.is_set():
            reached.set()
            harbour.closing.wait(60)
        return page_of(received)

    with SmallSite(answer) as harbour:
        urls = [harbour.url + path for path in paths]
        options: dict[str, Any] = {"manners": QUICK, "at_once": 1, "settings": settings_for(harbour, store=store)}
        async with Reader(**options) as reader, anyio.create_task_group() as group:
            group.start_soon(partial(reader.read, urls, run="one"))
            await anyio.to_thread.run_sync(reached.wait)
            group.cancel_scope.cancel()
        async with Reader(**options) as reader:
            records = await reader.read(urls, run="one")
    assert [(record.url, record.outcome) for record in records] == [(url, "ok") for url in urls]
    assert [path for path in paths if harbour.visits.paths[path] > 1] == paths[TOGETHER : TOGETHER + 3]


async def test_every_address_gets_its_record_whatever_is_wrong_with_it(site: SmallSite) -> None:
    async with Reader(manners=QUICK, settings=settings_for(site)) as reader:
        records = await reader.read(["nonsense", site.url + "/gone", "http://10.0.0.1/", site.url + "/harbour"])
    assert [record.outcome for record in records] == ["not_found", "not_found", "refused", "ok"]
    assert all(record.error for record in records[:3])


async def test_spellings_of_one_address_are_one_page(site: SmallSite) -> None:
    """Tracking, fragments and a last slash make no other page; a route of a script does."""
    paths = ["/harbour", "/harbour#quay", "/ships", "/harbour/?utm_source=letter", "/harbour#/quay"]
    records = await records_of(site, *paths)
    assert list(records) == ["/harbour", "/ships", "/harbour#/quay"]
    assert site.visits.paths["/harbour"] == 2


async def test_what_robots_forbid_is_refused_and_never_asked_for(site: SmallSite) -> None:
    records = await records_of(site, "/private", "/harbour")
    assert (records["/private"].outcome, records["/harbour"].outcome) == ("refused", "ok")
    assert site.visits.paths == {"/robots.txt": 1, "/harbour": 1}


async def test_robots_can_be_ignored(site: SmallSite) -> None:
    records = await records_of(site, "/private", manners=Manners(0.0, 2, robots=False))
    assert records["/private"].outcome == "ok"
    assert site.visits.paths == {"/private": 1}


async def test_a_site_whose_robots_cannot_be_had_is_not_read_for_now() -> None:
    """That is its failure, told as such, and not its rule."""

    def answer(received: Received) -> Answer:
        return Answer("", status=503) if received.path == "/robots.txt" else page_of(received)

    with SmallSite(answer) as site:
        records = await records_of(site, "/harbour", tries=1)
    assert records["/harbour"].outcome == "unreachable"
    assert "robots.txt" in records["/harbour"].error
    assert "/harbour" not in site.visits.paths


async def test_the_rules_of_a_site_are_asked_for_once_by_all_who_share_a_store(site: SmallSite, tmp_path: Path) -> None:
    store = str(tmp_path / "state.sqlite")
    await records_of(site, "/one", store=store)
    await records_of(site, "/two", store=store)
    assert site.visits.paths["/robots.txt"] == 1


async def test_a_page_that_may_still_come_is_tried_again(site: SmallSite) -> None:
    await records_of(site, "/warm")
    site.fail(Fault(how="reset"), times=2)
    records = await records_of(site, "/harbour", manners=Manners(0.0, 2, robots=False))
    assert (records["/harbour"].outcome, records["/harbour"].tries) == ("ok", 3)


async def test_a_page_is_given_up_after_its_tries(site: SmallSite) -> None:
    site.fail(Fault(how="reset"))
    records = await records_of(site, "/harbour", manners=Manners(0.0, 2, robots=False), tries=2)
    assert (records["/harbour"].outcome, records["/harbour"].tries) == ("unreachable", 2)
    assert records["/harbour"].error


async def test_what_will_never_come_is_asked_for_once(site: SmallSite) -> None:
    records = await records_of(site, "/gone")
    assert (records["/gone"].tries, site.visits.paths["/gone"]) == (1, 1)


async def test_a_pause_that_a_site_asks_for_is_kept_by_every_process_on_the_store(tmp_path: Path) -> None:
    """While it lasts nothing of the site is asked for, by whichever of two readers."""
    turned_away: list[int] = []

    def answer(received: Received) -> Answer:
        if not turned_away:
            turned_away.append(1)
            return Answer("slow down", status=429, headers={"retry-after": "1"})
        return page_of(received)

    store = str(tmp_path / "state.sqlite")
    manners = Manners(0.0, 1, robots=False)
    with SmallSite(answer) as site:
        first, second = (Reader(manners=manners, settings=settings_for(site, store=store)) for _ in range(2))
        async with first, second:
            found: list[PageRecord] = []

            async def keep(record: PageRecord) -> None:
                found.append(record)

            async with anyio.create_task_group() as group:
                group.start_soon(first.read_all, [f"{site.url}/first-{n}" for n in range(3)], keep)
                group.start_soon(second.read_all, [f"{site.url}/second-{n}" for n in range(3)], keep)
    assert {record.outcome for record in found} == {"ok"}
    assert sorted(record.tries for record in found) == [1, 1, 1, 1, 1, 2]
    before, after, *_ = site.visits.times
    assert after - before > 0.9


async def test_requests_keep_their_distance_redirects_and_robots_included(tmp_path: Path) -> None:
    """Two readers on one store, and each page redirects once: the site's own log shows one pace."""
    delay, places = 0.1, 2
    with SmallSite() as site:
        readers = [
            Reader(manners=Manners(delay, places), settings=settings_for(site, store=str(tmp_path / "state.sqlite")))
            for _ in range(2)
        ]
        async with readers[0], readers[1], anyio.create_task_group() as group:
            for number, reader in enumerate(readers):
                group.start_soon(reader.read, [f"{site.url}/moved/{number}-{page}" for page in range(5)])
        assert sum(count for path, count in site.visits.paths.items() if path != "/robots.txt") == 20
        # At most as many in a second as the pace says, and one more; and those that were held up on their way.
        assert site.visits.most_within(1.0) <= 1 / delay + 1 + places


async def test_a_site_may_ask_for_a_longer_distance() -> None:
    def answer(received: Received) -> Answer:
        slow = Answer(ROBOTS + "Crawl-delay: 0.4\n", content_type="text/plain")
        return slow if received.path == "/robots.txt" else page_of(received)

    with SmallSite(answer) as site:
        await records_of(site, "/one", "/two", "/three")
        first, *_, last = site.visits.times[1:]
    assert last - first > 0.7


async def test_few_pages_of_a_site_are_under_way_at_once_over_all_readers(tmp_path: Path) -> None:
    """Three readers with two places each are given two places together."""

    def answer(received: Received) -> Answer:
        harbour.closing.wait(0.05)
        return page_of(received)

    store = str(tmp_path / "state.sqlite")
    with SmallSite(answer) as harbour:
        readers = [Reader(manners=Manners(0.0, 2), settings=settings_for(harbour, store=store)) for _ in range(3)]
        async with readers[0], readers[1], readers[2], anyio.create_task_group() as group:
            for number, reader in enumerate(readers):
                group.start_soon(reader.read, [f"{harbour.url}/{number}-{page}" for page in range(6)])
    assert len(harbour.visits.paths) == 19
    assert harbour.visits.most_at_once == 2


async def test_a_slow_site_holds_no_other_up() -> None:
    """While one site lets everybody wait, all pages of the other are read."""
    waiting = anyio.Event()

    def hang(received: Received) -> Answer:
        slow.closing.wait(60)
        return page_of(received)

    with SmallSite(hang) as slow, SmallSite() as quick:
        urls = [f"{slow.url}/{n}" for n in range(4)] + [f"{quick.url}/{n}" for n in range(8)]
        manners = Manners(0.0, 2, robots=False)
        async with Reader(manners=manners, at_once=8, settings=settings_for(slow, quick)) as reader:
            found: list[PageRecord] = []

            async def keep(record: PageRecord) -> None:
                found.append(record)
                if len(found) == 8:
                    waiting.set()

            async with anyio.create_task_group() as group:
                group.start_soon(reader.read_all, urls, keep)
                await waiting.wait()
                group.cancel_scope.cancel()
        slow.closing.set()
    assert {record.url.startswith(quick.url) for record in found} == {True}


async def test_addresses_are_taken_as_there_is_room_for_them(site: SmallSite) -> None:
    """Of an endless list only a window is ever in memory."""
    taken, done, ahead = 0, 0, 0

    async def endless() -> AsyncIterator[str]:
        nonlocal taken, ahead
        while taken < 60:
            taken += 1
            ahead = max(ahead, taken - done)
            yield f"{site.url}/{taken}"

    async def keep(_record: PageRecord) -> None:
        nonlocal done
        done += 1

    async with Reader(manners=QUICK, window=10, settings=settings_for(site)) as reader:
        await reader.read_all(endless(), keep)
    assert done == 60
    assert ahead <= 11


async def test_a_site_that_is_down_costs_one_try_a_page_after_a_while(site: SmallSite) -> None:
    site.fail(Fault(how="reset"))
    manners = Manners(0.0, 1, robots=False)
    async with Reader(manners=manners, tries=2, settings=settings_for(site)) as reader:
        records = await reader.read([f"{site.url}/{n}" for n in range(30)])
    assert {record.outcome for record in records} == {"unreachable"}
    assert sum(record.tries for record in records) < 50


async def test_without_the_package_for_robots_a_sentence_says_what_to_do(
    site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "protego", None)
    async with Reader(manners=QUICK, settings=settings_for(site)) as reader:
        with pytest.raises(Misconfigured, match=r"seekread\[robots\]"):
            await reader.read([site.url])
