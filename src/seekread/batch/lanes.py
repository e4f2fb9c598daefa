"""
Lanes: the addresses of one site wait in one lane, so that no site waits for another.

1. **feed** Addresses come in as there is room for them: only a window of them is in memory.
2. **lane** Each site has a lane with as many walkers as pages of it may be under way.
3. **room** A walker waits until its site can be due, then for one of the places of this process …
4. **visit** … then for a place and a turn with the site, which everybody on the store shares.
5. **read** What passes by itself (a timeout, a busy site) is tried again later; a pause that was asked for is kept.

A site that has not answered for a while gets one try for each of its pages.
"""

import heapq
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field

import anyio

from seekread.batch.record import PageRecord, record_of
from seekread.calling.courtesy import Courtesy
from seekread.calling.trace import Trace
from seekread.errors import Malformed, ProviderError, Refused
from seekread.http.target import Target, parse
from seekread.models import Page
from seekread.outcomes import MEANINGS
from seekread.ports import Clock
from seekread.reading.engine import failed_page
from seekread.tasks import tasks

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before a page is tried again; twice as many each time."""
LOOK = 0.25
"""Seconds between two looks whether a page can be read."""
SILENT = 10
"""Pages in a row without any answer after which a site counts as down."""

Open = Callable[[str], Awaitable[Page]]
CrawlDelay = Callable[[Target], Awaitable[float]]
TakeRecord = Callable[[PageRecord], Awaitable[None]]


@dataclass(order=True)
class Waiting:
    """An address in its lane, from when on it may be read."""

    since: float
    order: int
    url: str = field(compare=False)
    tries: int = field(default=0, compare=False)


@dataclass
class Lane:
    """What is known about one site while pages of it wait."""

    site: str
    target: Target | None
    waiting: list[Waiting] = field(default_factory=list)
    walkers: int = 0
    asked: bool = False
    """Whether the site was asked for its rules."""
    due: float = 0.0
    silent: int = 0
    asking: anyio.Lock = field(default_factory=anyio.Lock)


@dataclass
class Lanes:
    """Reads addresses as they come, each in the lane of its site."""

    open: Open
    courtesy: Courtesy
    crawl_delay: CrawlDelay
    clock: Clock
    at_once: int
    tries: int
    window: int
    _lanes: dict[str, Lane] = field(default_factory=dict)
    _count: int = 0

    async def run(self, urls: AsyncIterator[str], done: TakeRecord) -> None:
        """Read every address, and hand over each record, one at a time."""
        room, places, telling = anyio.Semaphore(self.window), anyio.CapacityLimiter(self.at_once), anyio.Lock()

        async def tell(record: PageRecord) -> None:
            async with telling:
                await done(record)
            room.release()

        async with tasks() as group:
            async for url in urls:
                await room.acquire()
                lane = self._lane_of(url)
                self._put(lane, url)
                if lane.walkers < self.courtesy.manners.at_once:
                    lane.walkers += 1
                    group.start_soon(self._walk, lane, places, tell)

    def _lane_of(self, url: str) -> Lane:
        try:
            target = parse(url)
        except Malformed:
            # Nobody is asked for it: the lane of what is no address.
            return self._lanes.setdefault("", Lane("", None))
        return self._lanes.setdefault(target.authority, Lane(target.authority, target))

    def _put(self, lane: Lane, url: str, tries: int = 0, later: float = 0.0) -> None:
        self._count += 1
        heapq.heappush(lane.waiting, Waiting(self.clock.monotonic() + later if later else 0.0, self._count, url, tries))

    async def _walk(self, lane: Lane, places: anyio.CapacityLimiter, tell: TakeRecord) -> None:
        """Read the pages of a lane, one after another, until none waits."""
        try:
            while lane.waiting:
                left = max(lane.waiting[0].since, lane.due) - self.clock.monotonic()
                if left > 0:
                    # Not for longer: another page may come meanwhile that need not wait.
                    await self.clock.sleep(min(left, LOOK))
                else:
                    await self._step(lane, heapq.heappop(lane.waiting), places, tell)
        finally:
            lane.walkers -= 1
            if not lane.walkers:
                self._lanes.pop(lane.site, None)

    async def _step(self, lane: Lane, waiting: Waiting, places: anyio.CapacityLimiter, tell: TakeRecord) -> None:
        tries = waiting.tries + 1
        page = await self._read(lane, waiting.url, tries, places)
        lane.silent = lane.silent + 1 if page.status is None and passes(page) else 0
        if passes(page) and tries < (self.tries if lane.silent < SILENT else 1):
            self._put(lane, waiting.url, tries, max(asked_for(page), own_pause(tries)))
        else:
            await tell(record_of(page, tries))

    async def _read(self, lane: Lane, url: str, tries: int, places: anyio.CapacityLimiter) -> Page:
        if lane.target is None:
            return await self.open(url)
        try:
            async with places, AsyncExitStack() as visit:
                await self._enter(lane, lane.target, visit)
                lane.due = self.clock.monotonic() + self.courtesy.delay(lane.site)
                page = await self.open(url)
                if page.status is not None and passes(page) and (asked_for(page) or page.outcome == "rate_limited"):
                    # A site that is asked too much is left alone by everybody, whoever gets this place next included.
                    await self.courtesy.pause(lane.site, asked_for(page) or own_pause(tries))
                return page
        except ProviderError as error:
            return failed_page(url, error, Trace("read"))

    async def _enter(self, lane: Lane, target: Target, visit: AsyncExitStack) -> None:
        """Visit a site. Who is first asks for its rules, and nobody follows before they are known."""
        async with lane.asking:
            if not lane.asked:
                await visit.enter_async_context(self.courtesy.visit(lane.site))
                with suppress(ProviderError, Refused):
                    # Where they cannot be had, reading the page says why.
                    self.courtesy.slow_down(lane.site, await self.crawl_delay(target))
                    lane.asked = True
                return
        await visit.enter_async_context(self.courtesy.visit(lane.site))


def asked_for(page: Page) -> float:
    """Seconds for which a site asked to be left alone."""
    return max((attempt.retry_after or 0.0 for attempt in page.attempts), default=0.0)


def own_pause(tries: int) -> float:
    """Seconds before a page is tried again where nobody asked for any."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.0)


def passes(page: Page) -> bool:
    """Whether trying again later can help."""
    return MEANINGS[page.outcome].passes
