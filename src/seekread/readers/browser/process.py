"""
One Chromium under Playwright for each event loop: started when first needed, shared by every read, ended with all its
children.

The rules:

- Every read has a context of its own, with its own proxy: no cookie, cache or connection outlives it.
- Starting is one task that all readers wait for. Whoever gives up waiting leaves it running for the next.
- A context that does not close in time takes the browser with it: the whole process group is killed.
- While a page is read, the browser is asked now and then whether it is still there, because Playwright does not tell
  everybody who waits. One that is silent is killed.
- Whatever takes a page away (a browser, a driver or a renderer that ended) is `PageLost`: it says nothing about the
  page, which can be read again. The browser is kept if it still answers, and otherwise replaced.
- Playwright's objects belong to an event loop, so each loop has a browser of its own.
- Playwright talks to Chromium over a pipe, so no debugging port is open, and Chromium ends when we do.
- Chromium sees no environment of ours: the keys of the operator are not its to lose.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import anyio

from seekread import platforms
from seekread.errors import NotConfigured, Unreachable
from seekread.late import dataclass
from seekread.loops import PerLoop
from seekread.readers.browser import chromium
from seekread.readers.browser.chromium import DID_NOT_START, START_SECONDS

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Playwright

NO_SANDBOX = re.compile(r"no usable sandbox|suid sandbox helper|move to new namespace", re.IGNORECASE)
CLOSED = "the reader is closed"
CLOSE_SECONDS = 3.0
"""Seconds a context or a browser gets to close before it is killed."""
ANSWER_SECONDS = 5.0
"""Seconds a browser gets to say that it is there; the busiest of pages does not keep it from that."""
PULSE = 1.0
"""Seconds between two questions whether it is."""


class PageLost(Exception):
    """The browser, or the process of the page in it, ended or does not answer."""


@dataclass(frozen=True)
class Running:
    """A browser that was started."""

    playwright: "Playwright"
    browser: "Browser"
    session: "CDPSession"
    process_id: int
    home: "TemporaryDirectory[str]"

    async def answers(self) -> bool:
        """Whether the browser is there and listens."""
        from playwright.async_api import Error

        with anyio.move_on_after(ANSWER_SECONDS), contextlib.suppress(Error):
            await self.session.send("Browser.getVersion")
            return True
        return False

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Leave the context with `PageLost` as soon as the browser is silent, and kill it."""
        with anyio.CancelScope() as scope:
            watching = asyncio.create_task(self._cancel_when_silent(scope), name="seekread browser watch")
            try:
                yield
            finally:
                watching.cancel()
                with anyio.CancelScope(shield=True):
                    await asyncio.wait([watching])
        if scope.cancelled_caught:
            raise PageLost

    async def _cancel_when_silent(self, scope: anyio.CancelScope) -> None:
        while await self.answers():  # noqa: ASYNC110 a silent browser announces nothing
            await anyio.sleep(PULSE)
        platforms.HERE.kill_family(self.process_id)
        scope.cancel()


class Browsers:
    """The browsers of all event loops."""

    def __init__(self, executable: str | None = None) -> None:
        self._processes = PerLoop(
            lambda: BrowserProcess(executable), close=BrowserProcess.close, give_up=BrowserProcess.abandon
        )
        self._closed = False

    def here(self) -> "BrowserProcess":
        """The browser of the running loop, started or not."""
        if self._closed:
            raise Unreachable(CLOSED)
        return self._processes.here()

    async def close(self) -> None:
        """End every browser, busy or not, and wait for them."""
        self._closed = True
        await self._processes.close()


class BrowserProcess:
    """The browser that all reads of a loop share."""

    def __init__(self, executable: str | None = None, *, size: int = 4) -> None:
        self.executable = executable
        self._slots = anyio.CapacityLimiter(size)
        self._starting: asyncio.Task[Running] | None = None
        self._closed = False

    @asynccontextmanager
    async def context(self, proxy: str, user_agent: str = "") -> AsyncIterator["BrowserContext"]:
        """A context of its own behind a proxy of its own, for one read. `PageLost` if the browser does not last."""
        from playwright.async_api import Error

        async with self._slots:
            running = await self._running()
            try:
                context = await self._open(running, proxy, user_agent)
                try:
                    async with running.watched():
                        yield context
                finally:
                    with anyio.CancelScope(shield=True):
                        await self._shut(running, context)
            except (Error, PageLost) as error:
                if not await running.answers():
                    await self._replace(running)
                raise PageLost from error

    async def close(self) -> None:
        """End the browser, busy or not, and wait for it."""
        self._closed = True
        with anyio.CancelScope(shield=True):
            await self._end()

    def abandon(self) -> None:
        """Kill the browser without waiting: its loop is gone."""
        started, self._starting = self._starting, None
        if started is not None and started.done() and not failed(started):
            platforms.HERE.kill_family(started.result().process_id)
            started.result().home.cleanup()

    async def _running(self) -> Running:
        started = self._starting
        if started is not None and started.done() and (failed(started) or not started.result().browser.is_connected()):
            await self._end()
        if self._closed:
            raise Unreachable(CLOSED)
        if self._starting is None:
            self._starting = asyncio.create_task(start(self.executable), name="seekread browser")
            self._starting.add_done_callback(failed)
        return await asyncio.shield(self._starting)

    async def _open(self, running: Running, proxy: str, user_agent: str) -> "BrowserContext":
        # A cancellation between request and answer would lose the context.
        with anyio.CancelScope(shield=True), anyio.move_on_after(CLOSE_SECONDS):
            return await running.browser.new_context(
                proxy={"server": proxy, "bypass": "<-loopback>"},
                service_workers="block",
                accept_downloads=False,
                permissions=[],
                user_agent=user_agent or None,
            )
        await self._replace(running)
        raise PageLost

    async def _shut(self, running: Running, context: "BrowserContext") -> None:
        from playwright.async_api import Error

        with anyio.move_on_after(CLOSE_SECONDS) as patience, contextlib.suppress(Error):
            await context.close()
        if patience.cancelled_caught:
            platforms.HERE.kill_family(running.process_id)
            await self._replace(running)

    async def _replace(self, running: Running) -> None:
        """Have the next read start another browser, unless somebody else who lost a page did so already."""
        started = self._starting
        if started is not None and started.done() and not failed(started) and started.result() is running:
            await self._end()

    async def _end(self) -> None:
        """Forget the browser, so that the next read starts another, and make sure that it is gone."""
        starting, self._starting = self._starting, None
        if starting is None:
            return
        await asyncio.wait([starting])
        if not failed(starting):
            await end(starting.result())


async def load() -> None:
    """Import Playwright, which takes long enough to be done off the event loop."""
    await anyio.to_thread.run_sync(import_module, "playwright.async_api")


async def start(executable: str | None) -> Running:
    """Start Playwright's driver and Chromium."""
    await load()
    path = chromium.require_executable(executable)
    from playwright.async_api import Error, async_playwright

    home = TemporaryDirectory(prefix="seekread-browser-", ignore_cleanup_errors=True)
    driver = await async_playwright().start()
    try:
        browser = await driver.chromium.launch(
            executable_path=path,
            args=[*chromium.SWITCHES, f"--proxy-server={chromium.NOWHERE}"],
            chromium_sandbox=chromium.sandboxed(),
            env={**platforms.HERE.environment(home.name)},
            timeout=START_SECONDS * 1000,
        )
        session = await browser.new_browser_cdp_session()
        processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
    except Error as error:
        await driver.stop()
        home.cleanup()
        raise NotConfigured(why_not_started(str(error))) from None
    process_id = next(process["id"] for process in processes if process["type"] == "browser")
    return Running(driver, browser, session, process_id, home)


async def end(running: Running) -> None:
    """Close a browser, or kill it when it does not listen."""
    from playwright.async_api import Error

    with anyio.move_on_after(CLOSE_SECONDS), contextlib.suppress(Error):
        await running.browser.close()
    platforms.HERE.kill_family(running.process_id)
    # A driver that was killed is told by errors of Python's own, and by none of Playwright's.
    with anyio.move_on_after(CLOSE_SECONDS), contextlib.suppress(Exception):
        await running.playwright.stop()
    running.home.cleanup()


def failed(task: "asyncio.Task[Running]") -> bool:
    """Whether a start failed; looking at it also tells asyncio that somebody did."""
    return task.cancelled() or task.exception() is not None


def why_not_started(message: str) -> str:
    """The reason in our words; Chromium's own fill a screen and name paths."""
    if NO_SANDBOX.search(message):
        return "Chromium cannot use its sandbox here: allow unprivileged user namespaces, or install its setuid helper"
    return DID_NOT_START
