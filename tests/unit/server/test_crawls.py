"""Crawls as jobs of the service: begun, looked at, cancelled, and gone on with after a restart."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from seekread.batch import Manners, Reader
from seekread.batch.scope import SiteScope
from seekread.calling.unwatched import UNWATCHED
from seekread.clock import SystemClock
from seekread.compose import compose
from seekread.config.sources import load
from seekread.ports import Entry
from seekread.server import jobs
from seekread.server.app import ServiceOptions, create_app
from seekread.server.jobs import Jobs
from seekread.server.tokens import Tokens
from seekread.state import open_store
from seekread.state.front import LruFront
from seekread.testing.clock import FakeClock
from seekread.testing.server import Answer, Received
from tests.support.small_site import SmallSite
from tests.support.trap_site import TrapSite
from tests.unit.server.conftest import Running, serving

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("patient_store")]

COUNT = 12


@pytest.fixture
def traps() -> TrapSite:
    return TrapSite(COUNT)


@pytest.fixture
def harbour(traps: TrapSite) -> Iterator[SmallSite]:
    with SmallSite(traps.answer) as site:
        yield site


@contextmanager
def service_for(site: SmallSite, folder: Path, options: ServiceOptions | None = None) -> Iterator[Running]:
    settings = {
        "store": str(folder / "state.sqlite"),
        "allow_private": [site.endpoint],
        "bulk_delay": 0.0,
        "providers": ["wikipedia"],
    }
    tokens = Tokens(folder / "tokens.json")
    with serving(create_app(compose(load(settings, environ={})), tokens, options), tokens) as running:
        yield running


def crawl(running: Running, url: str, **wanted: Any) -> str:
    begun = running.post("/v1/crawl", {"url": url, **wanted})
    assert begun.status_code == 200, begun.text
    return str(begun.json()["id"])


def seen(running: Running, job: str, *states: str, pages: int = 0) -> dict[str, Any]:
    """How a crawl is as soon as it is in one of these states, and has so many pages."""
    last = time.monotonic() + 120
    while time.monotonic() < last:
        found: dict[str, Any] = running.get(f"/v1/crawl/{job}", params={"limit": 100}).json()
        if found["state"] in states and found["pages"] >= pages:
            return found
    raise AssertionError(found)


def test_a_crawl_is_begun_and_its_pages_are_there_one_part_after_the_other(
    harbour: SmallSite, traps: TrapSite, tmp_path: Path
) -> None:
    with service_for(harbour, tmp_path) as running:
        job = crawl(running, harbour.url)
        whole = seen(running, job, "done")
        parts: list[dict[str, Any]] = []
        offset: int | None = 0
        while offset is not None:
            part = running.get(f"/v1/crawl/{job}", params={"offset": offset, "limit": 7}).json()
            parts += part["results"]
            offset = part["next_offset"]
    assert parts == whole["results"]
    assert len(parts) == whole["pages"]
    urls = [page["url"].removeprefix(harbour.url) for page in parts]
    assert len(urls) == len(set(urls))
    assert traps.pages <= set(urls)


def test_a_crawl_that_is_cancelled_asks_for_nothing_more(traps: TrapSite, tmp_path: Path) -> None:
    held = threading.Event()

    def answer(received: Received) -> Answer:
        if received.path == "/ships/3":
            held.wait(60)
        return traps.answer(received)

    with SmallSite(answer) as harbour, service_for(harbour, tmp_path) as running:
        job = crawl(running, harbour.url, include=["/ships/*"], exclude=["*?*"])
        seen(running, job, "running", pages=1)
        assert running.post(f"/v1/crawl/{job}/cancel").json()["state"] == "cancelled"
        held.set()
        ended = seen(running, job, "cancelled")
        assert ended["pages"] < COUNT
        assert running.post(f"/v1/crawl/{job}/cancel").json()["state"] == "cancelled"


def test_a_crawl_is_gone_on_with_after_a_restart(traps: TrapSite, tmp_path: Path) -> None:
    """What was read before is there, and not read again but for the first page."""
    held = threading.Event()

    def answer(received: Received) -> Answer:
        if received.path == "/ships/7" and not held.is_set():
            held.wait(30)
        return traps.answer(received)

    with SmallSite(answer) as harbour:
        with service_for(harbour, tmp_path) as running:
            job = crawl(running, harbour.url, exclude=["*?*"])
            before = {page["url"] for page in seen(running, job, "running", pages=5)["results"]}
        held.set()
        harbour.visits.at.clear()
        with service_for(harbour, tmp_path) as running:
            after = seen(running, job, "done")
    urls = [page["url"] for page in after["results"]]
    assert before < set(urls)
    assert len(urls) == len(set(urls))
    assert traps.pages <= {url.removeprefix(harbour.url) for url in urls}
    assert before & {harbour.url + path for path in harbour.visits.paths} <= {harbour.url, harbour.url + "/"}


def test_a_crawl_belongs_to_the_token_that_began_it(harbour: SmallSite, tmp_path: Path) -> None:
    with service_for(harbour, tmp_path, ServiceOptions(require_token=True)) as running:
        mine, other = (running.tokens.create(name) for name in ("mine", "other"))
        begun = running.post("/v1/crawl", {"url": harbour.url, "limit": 2}, headers=bearer(mine))
        place = f"/v1/crawl/{begun.json()['id']}"
        assert running.get(place, headers=bearer(mine)).status_code == 200
        assert running.get(place, headers=bearer(other)).status_code == 404
        assert running.post(f"{place}/cancel", headers=bearer(other)).status_code == 404


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.mark.parametrize(("url", "status"), [("http://10.0.0.1/", 403), ("ftp://a.example/", 400), ("", 400)])
def test_a_site_that_may_not_be_read_is_refused_at_once(
    harbour: SmallSite, tmp_path: Path, url: str, status: int
) -> None:
    with service_for(harbour, tmp_path) as running:
        assert running.post("/v1/crawl", {"url": url}).status_code == status
        assert running.post("/v1/map", {"url": url}).status_code == status


def test_a_crawl_that_nobody_began_is_not_found(harbour: SmallSite, tmp_path: Path) -> None:
    with service_for(harbour, tmp_path) as running:
        assert running.get("/v1/crawl/abc").status_code == 404
        assert running.get("/v1/crawl/..%2Fx").status_code == 404


def test_the_map_of_a_site_names_its_addresses(harbour: SmallSite, tmp_path: Path) -> None:
    with service_for(harbour, tmp_path) as running:
        found = running.get("/v1/map", params={"url": harbour.url, "exclude": "/calendar*"}).json()
    assert found["complete"]
    assert f"{harbour.url}/only-in-the-sitemap" in found["urls"]
    assert not [url for url in found["urls"] if "calendar" in url]


def gone(_received: Received) -> Answer:
    return Answer("gone", status=410)


def test_a_site_of_which_nothing_can_be_read_is_a_failure_and_no_site_without_pages(tmp_path: Path) -> None:
    with SmallSite(gone) as site, service_for(site, tmp_path) as running:
        mapped = running.get("/v1/map", params={"url": site.url})
        crawled = seen(running, crawl(running, site.url), "failed", "done")
    assert (mapped.status_code, mapped.json()["outcome"]) == (404, "not_found")
    assert (crawled["state"], crawled["pages"], crawled["failed"]) == ("failed", 1, 1)
    assert crawled["error"]


class Watching(LruFront):
    """A store that counts how often it is looked through."""

    scans = gets = 0

    async def scan(self, prefix: str, *, limit: int = 1000) -> list[Entry]:
        self.scans += 1
        return await super().scan(prefix, limit=limit)

    async def get(self, key: str) -> Entry | None:
        self.gets += 1
        return await super().get(key)


@pytest.mark.anyio
async def test_who_stood_still_while_another_process_took_its_crawl_writes_nothing_more(
    traps: TrapSite,
) -> None:
    """A machine that sleeps renews no lease."""
    reached, held = threading.Event(), threading.Event()

    def answer(received: Received) -> Answer:
        if received.path == "/ships/3" and not held.is_set():
            reached.set()
            held.wait(60)
        return traps.answer(received)

    with SmallSite(answer) as harbour:
        store, clock = open_store("memory:", clock=SystemClock()), SystemClock()
        settings = {"store": "memory:", "allow_private": [harbour.endpoint]}
        working = Jobs(store, clock, lambda: Reader(manners=Manners(0.0, 1), settings=settings), UNWATCHED)
        async with anyio.create_task_group() as group:
            group.start_soon(working.working)
            begun = await working.start("ada", SiteScope(harbour.url))
            await anyio.to_thread.run_sync(reached.wait)
            job = await working.get("ada", begun.id)
            assert job is not None
            taken = job.model_copy(update={"starts": job.starts + 1})
            await store.put(f"job/{job.name}", taken.model_dump_json().encode())
            held.set()
            while working._running:
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        assert await working.get("ada", begun.id) == taken
        assert len(await working.pages(taken, 0, 100)) == taken.pages


@pytest.mark.anyio
async def test_a_store_is_not_looked_through_again_and_again_where_nobody_crawls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To find a job among millions of keys takes long, and every process looks for some twice a minute."""
    monkeypatch.setattr(jobs, "LOOK_SECONDS", 0.001)
    clock = FakeClock()
    store = Watching(open_store("memory:", clock=clock), clock, max_age=0)
    working = Jobs(store, clock, lambda: pytest.fail("there is nothing to read"), UNWATCHED)
    with anyio.move_on_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(working.working)
            while store.gets < 20:
                await anyio.lowlevel.checkpoint()
            assert store.scans == 1
            await store.put(jobs.OPEN, b"", lifetime=60)
            while store.scans < 3:
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
    assert store.scans >= 3
