"""
Courtesy towards sites that are read in bulk: a pause between two requests, few at once, and whatever a site asks for.

All of it is kept in the store, so that any number of processes and machines together are as polite as one. Whoever
wants a page pays a *visit*: it waits for a place with the site and for its turn, for as long as that takes. Whatever
the page makes necessary beside it (robots.txt, a redirect) waits for turns of its own, within the time of the page.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

from seekread.late import dataclass
from seekread.ports import Clock, Store
from seekread.state.pace import Pace
from seekread.state.shared_places import SharedPlaces

PATIENCE = 86_400.0
"""Seconds a visit waits for its turn …"""
EXTRA_SECONDS = 15.0
"""… and a request that a page makes necessary beside it."""
LONGEST_DELAY = 60.0
"""Seconds between two requests that a site can ask for: one that wants more would be read for years."""
MOST_SITES = 10_000
"""Sites whose wishes are remembered."""
LONGEST_PAUSE = 3600.0
"""Seconds without any request that a site can ask for at once."""

DUE: ContextVar[list[str] | None] = ContextVar("seekread-turns-due", default=None)
"""The sites whose turn has come for what runs here, and was not used yet."""


@dataclass(frozen=True)
class Manners:
    """How sites are treated: seconds between two requests, pages of one under way at once, robots.txt honoured."""

    delay: float = 1.0
    at_once: int = 2
    robots: bool = True


class Courtesy:
    """Keeps the manners of everybody who shares a store."""

    def __init__(self, store: Store, clock: Clock, manners: Manners) -> None:
        self.manners = manners
        self._pace = Pace(store, clock)
        self._places = SharedPlaces(store, clock)
        self._asked_for: OrderedDict[str, float] = OrderedDict()

    def delay(self, site: str) -> float:
        """Seconds between two requests to a site."""
        return max(self.manners.delay, self._asked_for.get(site, 0.0))

    def slow_down(self, site: str, delay: float) -> None:
        """Keep the distance that a site itself asks for, where that is longer."""
        self._asked_for[site] = min(delay, LONGEST_DELAY)
        if len(self._asked_for) > MOST_SITES:
            self._asked_for.popitem(last=False)

    @asynccontextmanager
    async def visit(self, site: str) -> AsyncIterator[None]:
        """A place with a site, and its turn."""
        async with self._places.place(site, self.manners.at_once):
            await self._wait(site, PATIENCE)
            due = DUE.set([site])
            try:
                yield
            finally:
                DUE.reset(due)

    async def turn(self, site: str) -> None:
        """Wait before a request: not at all for the one that was visited for."""
        due = DUE.get()
        if due and site in due:
            due.remove(site)
            return
        await self._wait(site, EXTRA_SECONDS)

    async def pause(self, site: str, seconds: float) -> None:
        """Let nobody go to a site for a while: it asked for that."""
        await self._pace.pause(named(site), min(seconds, LONGEST_PAUSE))

    async def _wait(self, site: str, seconds: float) -> None:
        await self._pace.wait(named(site), seconds=seconds, delay=self.delay(site))
        while await self._pace.is_paused(named(site)):
            # Somebody was asked for a pause while this one waited for its turn, which lies in it now.
            await self._pace.wait(named(site), seconds=seconds, delay=self.delay(site))


def named(site: str) -> str:
    """What a site is called where paces are kept, beside those of providers."""
    return f"site {site}"
