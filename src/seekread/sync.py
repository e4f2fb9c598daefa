"""
The blocking API: one thin file over the async one.

Calls run on one portal thread per process, started when the first call needs it; that thread is the only state a
module of ours keeps. So they work anywhere, inside a running event loop too.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from seekread.client import Seekread
from seekread.models import Page, SearchResponse
from seekread.options import BudgetUnit, OpenOptions, SearchOptions
from seekread.page.snapshot import Snapshot

if TYPE_CHECKING:
    from seekread.gathering.evidence import Gathered

T = TypeVar("T")

LEAVING = 5.0
"""Seconds the thread gets to end what it is doing when the process ends."""


@dataclass
class Portal:
    """The thread of this process, with its event loop: a forked child does not inherit it and starts its own."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    loop: asyncio.AbstractEventLoop | None = None
    thread: threading.Thread | None = None

    def call(self, function: Callable[[], Awaitable[T]]) -> T:
        """Run on the thread, and wait. Whoever stops waiting, as with Ctrl-C, stops the work too."""
        if threading.current_thread() is self.thread:
            raise RuntimeError("the blocking API cannot be used by what runs on its thread: use the async one there")
        with self.lock:
            loop = self.loop or self._start()
        future = asyncio.run_coroutine_threadsafe(awaited(function), loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """End the thread, and what still runs on it."""
        loop, thread = self.loop, self.thread
        self.loop = self.thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(LEAVING)

    def forget(self) -> None:
        """Start anew in a forked child: the thread stayed with the parent, the lock may be held by one that did."""
        self.lock, self.loop, self.thread = threading.Lock(), None, None

    def _start(self) -> asyncio.AbstractEventLoop:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=serve, args=(self.loop,), name="seekread", daemon=True)
        self.thread.start()
        return self.loop


def serve(loop: asyncio.AbstractEventLoop) -> None:
    """Be the thread: run the loop until it is stopped, then end what is left."""
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(end_the_rest())
    finally:
        # Not as `asyncio.Runner` does it: that ends the threads for names with one more thread, and a process that is
        # about to end may start none.
        loop.close()


async def end_the_rest() -> None:
    """Cancel what is still under way, and close what the loop holds open."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()


async def awaited(function: Callable[[], Awaitable[T]]) -> T:
    return await function()


portal = Portal()
atexit.register(portal.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=portal.forget)


class BlockingSeekread:
    """`Seekread` for code that does not await. Takes the same arguments."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._web = Seekread(*arguments, **options)

    def register(self, provider: Any, *, default: bool = False) -> None:
        """Add a provider of your own."""
        self._web.register(provider, default=default)

    def trust(self, *urls: str) -> None:
        """Say that the user gave these addresses."""
        self._web.trust(*urls)

    def search(
        self,
        query: str,
        *,
        provider: str | Sequence[str] = (),
        max_age: float | None = None,
        **options: Unpack[SearchOptions],
    ) -> SearchResponse:
        """Search, and wait for the answer."""
        return portal.call(lambda: self._web.search(query, provider=provider, max_age=max_age, **options))

    def open_page(self, url: str, *, reader: str | Sequence[str] = (), **options: Unpack[OpenOptions]) -> Page:
        """Read a page, and wait for it."""
        return portal.call(lambda: self._web.open_page(url, reader=reader, **options))

    def open_pages(
        self, urls: Sequence[str], *, reader: str | Sequence[str] = (), **options: Unpack[OpenOptions]
    ) -> tuple[Page, ...]:
        """Read several pages, and wait for all of them."""
        return portal.call(lambda: self._web.open_pages(urls, reader=reader, **options))

    def gather(
        self,
        question: str,
        *,
        budget: int = 2000,
        unit: BudgetUnit = "characters",
        phrasings: Sequence[str] = (),
        pages: int = 5,
        provider: str | Sequence[str] = (),
        **options: Unpack[SearchOptions],
    ) -> "Gathered":
        """Gather evidence, and wait for it."""
        return portal.call(
            lambda: self._web.gather(
                question, budget=budget, unit=unit, phrasings=phrasings, pages=pages, provider=provider, **options
            )
        )

    def snapshot(self, handle: str) -> Snapshot:
        """A page that was read before, by its handle."""
        return portal.call(lambda: self._web.snapshot(handle))

    def close(self) -> None:
        """Release connections."""
        portal.call(self._web.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def search(query: str, *, provider: str | Sequence[str] = (), **options: Unpack[SearchOptions]) -> SearchResponse:
    """Search once with the settings of the environment, and wait for the answer."""
    with BlockingSeekread(provider) as web:
        return web.search(query, **options)


def open_page(url: str, *, reader: str | Sequence[str] = (), **options: Unpack[OpenOptions]) -> Page:
    """Read one page with the settings of the environment, and wait for it."""
    with BlockingSeekread() as web:
        return web.open_page(url, reader=reader, **options)
