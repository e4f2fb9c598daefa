"""
The blocking API: one thin file over the async one.

Calls run on one portal thread per process, started when the first call needs it; that thread is the only state a
module of ours keeps. So they work anywhere, inside a running event loop too.
"""

import atexit
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from anyio.from_thread import BlockingPortal, start_blocking_portal

from seekread.models import Page, SearchResponse
from seekread.reader.snapshot import Snapshot
from seekread.web import OpenOptions, SearchOptions, Seekread

T = TypeVar("T")


@dataclass
class Portal:
    """The thread, and the process it belongs to: a forked child starts its own."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    process: int = 0
    portal: BlockingPortal | None = None
    context: AbstractContextManager[BlockingPortal] | None = None

    def call(self, function: Callable[[], Awaitable[T]]) -> T:
        with self.lock:
            if self.portal is None or self.process != os.getpid():
                self.context = start_blocking_portal("asyncio", name="seekread")
                self.portal, self.process = self.context.__enter__(), os.getpid()
                atexit.register(self.stop, os.getpid())
        return self.portal.call(function)

    def stop(self, process: int) -> None:
        if self.context is not None and process == os.getpid() == self.process:
            self.context.__exit__(None, None, None)
            self.portal = self.context = None


portal = Portal()


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
