"""One instance, several event loops, each in a thread of its own: every page is read."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest

from seekread import Seekread
from seekread.models import Page
from seekread.testing.server import Answer, LoopbackServer, Received

LOOPS, PAGES = 3, 12
WORDS = "Tea is brewed with water that is hot, and patience that is long, in every country that grows it. "


def answer(received: Received) -> Answer:
    return Answer(f"<title>{received.path}</title><article><p>{WORDS * 5}</p></article>")


@pytest.mark.process
@pytest.mark.parametrize("store", ["memory:", ""], ids=["memory", "sqlite"])
def test_one_instance_opens_pages_from_several_event_loops_at_once(store: str) -> None:
    pages: list[Page] = []
    together = threading.Barrier(LOOPS)
    with LoopbackServer(answer) as site, ThreadPoolExecutor(LOOPS) as threads:
        web = Seekread(settings={"store": store, "allow_private": [site.url.removeprefix("http://")]})

        async def one(path: str) -> None:
            pages.append(await web.open_page(f"{site.url}/{path}"))

        async def many(loop: int) -> None:
            await asyncio.to_thread(together.wait, 60)
            async with anyio.create_task_group() as group:
                for number in range(PAGES):
                    group.start_soon(one, f"{loop}/{number}")

        for future in [threads.submit(asyncio.run, many(loop)) for loop in range(LOOPS)]:
            future.result(timeout=120)
        asyncio.run(web.close())
    assert [(page.outcome, page.error) for page in pages] == [("ok", "")] * LOOPS * PAGES
