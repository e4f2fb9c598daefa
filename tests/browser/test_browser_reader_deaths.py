"""
The browser reader when something of it is killed or stopped: that page is read all the same, and so is the next.

Each test has an event loop of its own: of a driver that was killed, Playwright leaves an error behind that nobody asks
for, and the loop of a fixture would hold it against a test.
"""

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from seekread.errors import Unreachable
from seekread.platforms import HERE
from seekread.readers.browser.process import Browsers, Running
from seekread.readers.browser.reader import Browser
from seekread.readers.builtin.workers import WorkerLimits, Workers
from seekread.testing.certificates import certificates
from tests.support.canary import HOST, Internet, Served, small_internet
from tests.support.processes import ended, parent_of

pytestmark = pytest.mark.process

WORDS = "The harbour wall was built in stone, and the boats that came in were counted every morning. "
HELD = f"<title>Held</title><article><p>{WORDS * 4}</p></article><script src=/hang></script>"
ONE = WorkerLimits(size=1, seconds=60)
FINE = f"<title>Fine</title><article><p>{WORDS * 4}</p></article>"


async def kill_driver(running: Running) -> None:
    """Chromium was started by the driver, perhaps through a script, and the driver by us."""
    process = running.process_id
    while parent_of(process) != os.getpid():
        process = parent_of(process)
    os.kill(process, signal.SIGKILL)


async def kill_renderers(running: Running) -> None:
    found = (await running.session.send("SystemInfo.getProcessInfo"))["processInfo"]
    for process in found:
        if process["type"] == "renderer":
            os.kill(process["id"], signal.SIGKILL)


async def kill_chromium(running: Running) -> None:
    HERE.kill_family(running.process_id)


async def stop_chromium(running: Running) -> None:
    os.killpg(os.getpgid(running.process_id), signal.SIGSTOP)


Harm = Callable[[Running], Awaitable[None]]
HARMS = [kill_driver, kill_renderers, kill_chromium, stop_chromium]


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[Browser, Internet]]:
    """A reader that never gives up waiting for a script, and an internet for it."""
    async with small_internet(certificates([HOST], folder).context) as internet, Workers(ONE) as workers:
        browser = Browser(internet.guard(), workers, wait_seconds=1000)
        yield browser, internet
        await browser.close()


async def title(browser: Browser, internet: Internet) -> str:
    # A hang guard: what is noticed only when some deadline is over would hang here.
    with anyio.fail_after(100):
        return (await browser.read(internet.url("/page")).run()).title


@pytest.mark.parametrize("harm", HARMS)
def test_a_page_that_was_lost_is_visited_once_more(harm: Harm, tmp_path: Path) -> None:
    """The driver, the renderer or the browser is gone, or silent; the caller sees nothing of it."""

    async def main() -> None:
        titles: list[str] = []

        async def one() -> None:
            titles.append(await title(browser, internet))

        async with opened(tmp_path) as (browser, internet), anyio.create_task_group() as group:
            internet.pages = {"/page": Served(HELD), "/hang": Served(hangs=True)}
            group.start_soon(one)
            await internet.hanging.wait()
            internet.pages["/page"] = Served(FINE)
            running = await browser.browsers.here()._running()
            await harm(running)
            with anyio.fail_after(100):
                while not titles:  # noqa: ASYNC110 hang guard
                    await anyio.sleep(0.05)
            assert await title(browser, internet) == "Fine"
            assert (await browser.browsers.here()._running() is running) == (harm is kill_renderers)
        assert titles == ["Fine"]

    asyncio.run(main())


@pytest.mark.parametrize("harm", HARMS)
def test_a_browser_that_came_to_harm_while_nobody_used_it_is_replaced(harm: Harm, tmp_path: Path) -> None:
    async def main() -> None:
        titles: list[str] = []

        async def one() -> None:
            titles.append(await title(browser, internet))

        async with opened(tmp_path) as (browser, internet):
            internet.pages = {"/page": Served(FINE)}
            await one()
            await harm(await browser.browsers.here()._running())
            async with anyio.create_task_group() as group:
                for _ in range(3):
                    group.start_soon(one)
        assert titles == ["Fine"] * 4

    asyncio.run(main())


def test_a_page_that_is_lost_twice_is_an_error(tmp_path: Path) -> None:
    async def main() -> None:
        async def one() -> None:
            with pytest.raises(Unreachable, match="lost the page"):
                await title(browser, internet)

        async with opened(tmp_path) as (browser, internet), anyio.create_task_group() as group:
            internet.pages = {"/page": Served(HELD), "/hang": Served(hangs=True)}
            group.start_soon(one)
            for _ in range(2):
                await internet.hanging.wait()
                internet.hanging.clear()
                await kill_chromium(await browser.browsers.here()._running())

    asyncio.run(main())


def test_every_event_loop_has_a_browser_of_its_own_which_ends_with_it(tmp_path: Path) -> None:
    """Two loops that live at the same time, in threads of their own; nobody closes the reader."""
    together = threading.Barrier(2)
    groups: set[int] = set()
    titles: list[str] = []

    async def main() -> None:
        async with small_internet(tls) as internet:
            internet.pages = {"/page": Served(FINE)}
            reader = Browser(internet.guard(), workers)
            object.__setattr__(reader, "browsers", browsers)
            titles.append(await title(reader, internet))
            groups.add(os.getpgid((await browsers.here()._running()).process_id))
            await asyncio.to_thread(together.wait, 60)
            titles.append(await title(reader, internet))

    workers, browsers, tls = Workers(ONE), Browsers(), certificates([HOST], tmp_path).context
    with ThreadPoolExecutor(2) as threads:
        for future in [threads.submit(asyncio.run, main()) for _ in range(2)]:
            future.result(timeout=120)
    assert titles == ["Fine"] * 4
    assert len(groups) == 2
    assert ended(*groups)
