"""One built-in reader, several event loops, each in a thread of its own: every page is read."""

import asyncio
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest

from seekread.http.guard import Guard, GuardPolicy
from seekread.http.pinned import page_transport
from seekread.models import Page
from seekread.readers.builtin.fetch import Fetcher
from seekread.readers.builtin.reader import Builtin
from seekread.readers.builtin.workers import WorkerLimits, Workers
from seekread.testing.rude_web import RudeWeb, reply
from tests.support.hostile_pages import PAGE

LOOPS, PAGES = 3, 12
ROBOTS = reply(b"User-agent: *\nAllow: /", content_type="text/plain")


@pytest.mark.process
def test_one_reader_reads_pages_from_several_event_loops_at_once() -> None:
    pages: list[Page] = []
    together = threading.Barrier(LOOPS)
    scripts = {"/robots.txt": ROBOTS, **{f"/{number}": reply(PAGE) for number in range(PAGES)}}
    with RudeWeb(scripts) as web, ThreadPoolExecutor(LOOPS) as threads:
        guard = Guard(GuardPolicy(allow_private=(web.endpoint,)))
        transport = page_transport(guard, ssl_context=ssl.create_default_context())
        workers = Workers(WorkerLimits(size=2, seconds=60))
        reader = Builtin(Fetcher(guard, transport, respect_robots=True), workers)

        async def one(path: str) -> None:
            pages.append(await reader.read(web.url(path)).run())

        async def many() -> None:
            for _ in range(2):
                await asyncio.to_thread(together.wait, 60)
                async with anyio.create_task_group() as group:
                    for number in range(PAGES):
                        group.start_soon(one, f"/{number}")
            assert len(workers.pools.here().children) <= 2

        for future in [threads.submit(asyncio.run, many()) for _ in range(LOOPS)]:
            future.result(timeout=120)
        assert workers.pools.values() == []
    assert [(page.title, page.signals) for page in pages] == [("The harbour wall", ())] * LOOPS * PAGES * 2
