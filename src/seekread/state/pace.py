"""
Pace: so many requests a second to one service or site, whoever sends them.

Slots are spread evenly and booked ahead, first come, first served: a caller knows at once how long it will wait,
and whether that is within its deadline. In any second there are at most `per_second` slots, or one more when a second
begins and ends on a slot. Whoever wakes so late that its slot would crowd the next ones books again.

A service that asks for a pause gets it from everybody who shares the store.
When the store fails, each process keeps the pace by itself.
"""

import logging

import anyio

from seekread.errors import RateLimited
from seekread.ports import Clock, Limit, Reservation, Store, StoreUnavailable, Want
from seekread.state.memory import MemoryStore
from seekread.state.outage import Outage

log = logging.getLogger("seekread.state")

LATE = 0.05
"""Seconds a timer may be late before a slot counts as missed."""


class Pace:
    """Lets callers through one after the other."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._alone = MemoryStore(clock=clock, max_bytes=0)
        self._clock = clock
        self._outage = Outage(clock, "the shared pace")

    async def wait(self, name: str, per_second: float | None = None, *, seconds: float, delay: float = 0.0) -> float:
        """
        Wait for a slot and say how long that took; raise `RateLimited` if there is none within `seconds`.

        `delay` is the least time between two requests, beside the rate. Neither means no waiting.
        """
        begun = self._clock.monotonic()
        await self._keep_pause(name, seconds)
        spacing = max(1 / per_second if per_second else 0.0, delay)
        if spacing <= 0:
            return self._clock.monotonic() - begun
        while True:
            waited = self._clock.monotonic() - begun
            store, slot = await self._book(name, spacing, seconds - waited)
            if not slot.granted:
                raise _too_fast(name, spacing, slot.retry_after)
            due = self._clock.monotonic() + slot.starts_in
            await self._sleep(store, slot)
            if self._clock.monotonic() - due <= max(spacing, LATE):
                return self._clock.monotonic() - begun

    async def pause(self, name: str, seconds: float) -> None:
        """Let nobody through for so many seconds: the service asked for it (Retry-After)."""
        if seconds > 0:
            await self._alone.put(f"pause/{name}", b"", lifetime=seconds)
            await self._store.put(f"pause/{name}", b"", lifetime=seconds)

    async def _keep_pause(self, name: str, seconds: float) -> None:
        entry = await self._alone.get(f"pause/{name}") or await self._store.get(f"pause/{name}")
        if entry is None or entry.expires_at is None:
            return
        left = entry.expires_at - self._clock.time()
        if left > seconds:
            raise RateLimited(f"{name} asked for a pause that lasts another {left:.1f} s", retry_after=left)
        await self._clock.sleep(max(0.0, left))

    async def _book(self, name: str, spacing: float, left: float) -> tuple[Store, Reservation]:
        want = Want(f"pace/{name}", 1, Limit(1, seconds=spacing))
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

    async def _sleep(self, store: Store, slot: Reservation) -> None:
        if slot.starts_in <= 0:
            return
        try:
            await self._clock.sleep(slot.starts_in)
        except BaseException:
            with anyio.CancelScope(shield=True):
                try:
                    await store.settle(slot, 0)
                except StoreUnavailable as error:
                    log.debug("a slot was not given back: %s", error)
            raise


def _too_fast(name: str, spacing: float, retry_after: float | None) -> RateLimited:
    rate = f"one request every {spacing:.3g} s" if spacing > 1 else f"{1 / spacing:.3g} requests per second"
    later = "" if retry_after is None else f"; the next free slot is in {retry_after:.1f} s, after the deadline"
    return RateLimited(f"{name} is asked at most {rate}{later}", retry_after=retry_after)
