"""
A small cache in front of a store: what was just read or written is not fetched again.

Another process may have written meanwhile, so a value is believed for a few seconds only.
Counters and locks always go to the store.
"""

from collections import OrderedDict
from contextlib import AbstractAsyncContextManager, suppress

from seekread.late import dataclass
from seekread.ports import Clock, Counter, Entry, Lease, Reservation, Store, Want
from seekread.state.rules import alive

LARGEST = 256 * 1024
"""Bytes of a value worth keeping twice."""


@dataclass(frozen=True)
class _Seen:
    entry: Entry
    at: float


class LruFront:
    """A store that answers from memory what it answered a moment ago."""

    def __init__(self, store: Store, clock: Clock, *, max_entries: int = 256, max_age: float = 5.0) -> None:
        self._store = store
        self._clock = clock
        self._max_entries = max_entries
        self._max_age = max_age
        self._seen: OrderedDict[str, _Seen] = OrderedDict()

    async def get(self, key: str) -> Entry | None:
        seen = self._seen.get(key)
        if seen and 0 <= self._clock.monotonic() - seen.at < self._max_age and alive(seen.entry, self._clock.time()):
            self._used(key)
            return seen.entry
        self._seen.pop(key, None)
        entry = await self._store.get(key)
        if entry:
            self._keep(entry)
        return entry

    async def put(self, key: str, value: bytes, *, lifetime: float | None = None) -> None:
        self._seen.pop(key, None)
        await self._store.put(key, value, lifetime=lifetime)
        # Somebody may have read the old value in the meantime.
        self._seen.pop(key, None)

    async def keep(self, key: str, value: bytes, *, lifetime: float | None = None) -> bool:
        self._seen.pop(key, None)
        kept = await self._store.keep(key, value, lifetime=lifetime)
        self._seen.pop(key, None)
        return kept

    async def delete(self, key: str) -> None:
        self._seen.pop(key, None)
        await self._store.delete(key)
        self._seen.pop(key, None)

    async def scan(self, prefix: str, *, limit: int = 1000) -> list[Entry]:
        return await self._store.scan(prefix, limit=limit)

    async def reserve(self, *wants: Want, ahead: float = 0.0) -> Reservation:
        return await self._store.reserve(*wants, ahead=ahead)

    async def settle(self, reservation: Reservation, *amounts: float) -> None:
        await self._store.settle(reservation, *amounts)

    async def counter(self, key: str) -> float:
        return await self._store.counter(key)

    async def counters(self, prefix: str) -> list[Counter]:
        return await self._store.counters(prefix)

    def lock(self, key: str, *, lifetime: float, wait: float) -> AbstractAsyncContextManager[Lease | None]:
        return self._store.lock(key, lifetime=lifetime, wait=wait)

    def renew(self, *leases: Lease, lifetime: float) -> None:
        self._store.renew(*leases, lifetime=lifetime)

    async def size(self) -> tuple[int, int]:
        return await self._store.size()

    async def clear(self, prefix: str = "") -> int:
        self._seen.clear()
        removed = await self._store.clear(prefix)
        self._seen.clear()
        return removed

    async def close(self) -> None:
        self._seen.clear()
        await self._store.close()

    def _keep(self, entry: Entry) -> None:
        if len(entry.value) > LARGEST:
            return
        self._seen[entry.key] = _Seen(entry, self._clock.monotonic())
        self._used(entry.key)
        while len(self._seen) > self._max_entries:
            self._seen.popitem(last=False)

    def _used(self, key: str) -> None:
        # Another event loop may have dropped it meanwhile.
        with suppress(KeyError):
            self._seen.move_to_end(key)
