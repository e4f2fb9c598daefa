"""
One Chromium under Playwright: started when first needed, shared by every read, ended with all its children.

The rules:

- Every read has a context of its own, with its own proxy: no cookie, cache or connection outlives it.
- Starting is one task that all readers wait for. Whoever gives up waiting leaves it running for the next.
- A context that does not close in time takes the browser with it: the whole process group is killed.
- Playwright talks to Chromium over a pipe, so no debugging port is open, and Chromium ends when we do.
- Chromium sees no environment of ours: the keys of the operator are not its to lose.
"""

import asyncio
import contextlib
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import anyio

from seekread.errors import NotConfigured, TimedOut, Unreachable
from seekread.readers.browser import chromium
from seekread.readers.browser.chromium import DID_NOT_START, START_SECONDS, kill_group

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright

NO_SANDBOX = re.compile(r"no usable sandbox|suid sandbox helper|move to new namespace", re.IGNORECASE)
CLOSE_SECONDS = 3.0
"""Seconds a context or a browser gets to close before it is killed."""


@dataclass(frozen=True)
class Running:
    """A browser that was started."""

    playwright: "Playwright"
    browser: "Browser"
    process_id: int
    home: "TemporaryDirectory[str]"


class BrowserProcess:
    """The browser that all reads share."""

    def __init__(self, executable: str | None = None, *, size: int = 4) -> None:
        self.executable = executable
        self._slots = anyio.CapacityLimiter(size)
        self._starting: asyncio.Task[Running] | None = None
        self._closed = False

    @asynccontextmanager
    async def context(self, proxy: str, user_agent: str = "") -> AsyncIterator["BrowserContext"]:
        """A context of its own behind a proxy of its own, for one read."""
        async with self._slots:
            running = await self._running()
            context = await self._open(running, proxy, user_agent)
            try:
                yield context
            finally:
                with anyio.CancelScope(shield=True):
                    await self._shut(running, context)

    async def close(self) -> None:
        """End the browser, busy or not, and wait for it."""
        self._closed = True
        with anyio.CancelScope(shield=True):
            await self._end()

    async def _running(self) -> Running:
        started = self._starting
        if started is not None and started.done() and (failed(started) or not started.result().browser.is_connected()):
            await self._end()
        if self._closed:
            raise Unreachable("the reader is closed")
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
        await self._end()
        raise TimedOut("the browser does not answer")

    async def _shut(self, running: Running, context: "BrowserContext") -> None:
        from playwright.async_api import Error

        with anyio.move_on_after(CLOSE_SECONDS) as patience, contextlib.suppress(Error):
            await context.close()
        if patience.cancelled_caught:
            kill_group(running.process_id)
            await self._end()

    async def _end(self) -> None:
        """Forget the browser, so that the next read starts another, and make sure that it is gone."""
        starting, self._starting = self._starting, None
        if starting is None:
            return
        with contextlib.suppress(Exception):  # Whoever waited for it has been told.
            await end(await starting)


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
            env={"HOME": home.name, "TMPDIR": home.name, "PATH": os.defpath},
            timeout=START_SECONDS * 1000,
        )
        session = await browser.new_browser_cdp_session()
        processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
    except Error as error:
        await driver.stop()
        home.cleanup()
        raise NotConfigured(why_not_started(str(error))) from None
    process_id = next(process["id"] for process in processes if process["type"] == "browser")
    return Running(driver, browser, process_id, home)


async def end(running: Running) -> None:
    """Close a browser, or kill it when it does not listen."""
    from playwright.async_api import Error

    with anyio.move_on_after(CLOSE_SECONDS), contextlib.suppress(Error):
        await running.browser.close()
    kill_group(running.process_id)
    with anyio.move_on_after(CLOSE_SECONDS), contextlib.suppress(Error):
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
