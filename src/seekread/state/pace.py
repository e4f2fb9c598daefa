"""
Pace: so many requests a second to one service or site, whoever sends them.

Slots are spread evenly and booked ahead, first come, first served: a caller knows at once how long it will wait,
and whether that is within its deadline. In any second at most `per_second` requests begin, and one more.
Timers are late, so fast slots lie a little further apart than the rate says: far enough to keep that promise when
anybody is up to `LATE` behind. Whoever wakes later books again, because its slot would crowd the next ones; and what
one process lets go is counted as it goes, so that those who wake together do not leave together.

A service that asks for a pause gets it from everybody who shares the store.
When the store fails, each process keeps the pace by itself.
"""

import logging
import math
from typing import Self

import anyio

from seekread.errors import RateLimited
from seekread.late import dataclass
from seekread.ports import Clock, Limit, Reservation, Store, StoreUnavailable, Want
from seekread.state.memory import MemoryStore
from seekread.state.outage import Outage
from seekread.state.rules import TOLERANCE

log = logging.getLogger("seekread.state")

LATE = 0.05
"""Seconds a timer may be late before a slot counts as missed; where slots are wide, half of one."""

HEARD = 0.02
"""Seconds within which a pause is heard of that another process was asked for: less than a request is on its way."""

TRIES = 5
"""Slots missed before a caller goes as soon as its process may: a busy machine is slow, it stands still for nobody."""


class Pace:
    """Lets callers through one after the other."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._alone = MemoryStore(clock=clock, max_bytes=0)
        self._clock = clock
        self._outage = Outage(clock, "the shared pace")
        self._looked: dict[str, float] = {}

    async def wait(self, name: str, per_second: float | None = None, *, seconds: float, delay: float = 0.0) -> float:
        """
        Wait for a slot and say how long that took; raise `RateLimited` if there is none within `seconds`.

        `delay` is the least time between two requests, beside the rate. Neither means no waiting.
        """
        begun = self._clock.monotonic()
        spacing = max(1 / per_second if per_second else 0.0, delay)
        # Where slots are kept, whoever comes next must see what was asked of the one before.
        await self._keep_pause(name, seconds, lately=spacing <= 0)
        if spacing > 0:
            await self._take_turn(_Rhythm.of(spacing), name, begun + seconds)
        return self._clock.monotonic() - begun

    async def pause(self, name: str, seconds: float) -> None:
        """Let nobody through for so many seconds: the service asked for it (Retry-After)."""
        if seconds > 0:
            await self._alone.put(f"pause/{name}", b"", lifetime=seconds)
            # Others see it before whoever was asked for it goes on.
            await self._store.keep(f"pause/{name}", b"", lifetime=seconds)

    async def is_paused(self, name: str) -> bool:
        """Whether a pause lasts that somebody asked for."""
        return await self._pause_left(name) > 0

    async def _pause_left(self, name: str, *, lately: bool = False) -> float:
        """Seconds that a pause lasts; as this process knew it `lately`, or as it is."""
        entry, now = await self._alone.get(f"pause/{name}"), self._clock.monotonic()
        if entry is None and not (lately and now - self._looked.get(name, -math.inf) < HEARD):
            entry = await self._store.get(f"pause/{name}")
            if entry is None and lately:
                self._looked[name] = now
        return entry.expires_at - self._clock.time() if entry and entry.expires_at else 0.0

    async def _keep_pause(self, name: str, seconds: float, *, lately: bool) -> None:
        left = await self._pause_left(name, lately=lately)
        if left <= 0:
            return
        if left > seconds:
            raise RateLimited(f"{name} asked for a pause that lasts another {left:.1f} s", retry_after=left)
        await self._clock.sleep(left)

    async def _take_turn(self, rhythm: "_Rhythm", name: str, deadline: float) -> None:
        for _ in range(TRIES):
            asked = self._clock.monotonic()
            store, slot = await self._book(Want(f"pace/{name}", 1, rhythm.slot), deadline - asked)
            if not slot.granted:
                raise _too_fast(name, rhythm, slot.retry_after)
            # Counted from the question: a slow store is as late as a slow timer.
            due = asked + slot.starts_in
            await self._sleep(store, slot, due)
            if self._clock.monotonic() - due <= rhythm.late:
                break
        left = Want(f"left/{name}", 1, rhythm.crowd)
        while not (turn := await self._alone.reserve(left)).granted:
            wait = turn.retry_after or 0.0
            if wait > deadline - self._clock.monotonic():
                raise _too_fast(name, rhythm, wait)
            await self._clock.sleep(wait)

    async def _book(self, want: Want, left: float) -> tuple[Store, Reservation]:
        ahead = max(0.0, left)
        if not self._outage.lasts():
            try:
                slot = await self._store.reserve(want, ahead=ahead)
            except StoreUnavailable as error:
                self._outage.failed(error)
            else:
                self._outage.worked()
                return self._store, slot
        return self._alone, await self._alone.reserve(want, ahead=ahead)

    async def _sleep(self, store: Store, slot: Reservation, due: float) -> None:
        left = due - self._clock.monotonic()
        if left <= 0:
            return
        try:
            await self._clock.sleep(left)
        except BaseException:
            with anyio.CancelScope(shield=True):
                try:
                    await store.settle(slot, 0)
                except StoreUnavailable as error:
                    log.debug("a slot was not given back: %s", error)
            raise


@dataclass(frozen=True)
class _Rhythm:
    """What follows from the wished time between two requests."""

    wished: float
    slot: Limit
    crowd: Limit
    late: float

    @classmethod
    def of(cls, wished: float) -> Self:
        """Slots so far apart that a period, begun up to `late` earlier, holds no more of them than the crowd may be."""
        period = max(1.0, wished)
        crowd = math.ceil(period / wished - TOLERANCE) + 1
        spacing = max(wished, (period + LATE) / crowd)
        return cls(wished, Limit(1, seconds=spacing), Limit(crowd, seconds=period), max(spacing / 2, LATE))


def _too_fast(name: str, rhythm: _Rhythm, retry_after: float | None) -> RateLimited:
    wished = rhythm.wished
    rate = f"one request every {wished:.3g} s" if wished > 1 else f"{1 / wished:.3g} requests per second"
    later = "" if retry_after is None else f"; the next free slot is in {retry_after:.1f} s, after the deadline"
    return RateLimited(f"{name} is asked at most {rate}{later}", retry_after=retry_after)
