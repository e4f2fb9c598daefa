"""The store in memory: for tests, and for processes that want to remember nothing."""

import secrets
import threading
from collections import OrderedDict
from contextlib import AbstractAsyncContextManager
from dataclasses import field

from seekread.late import dataclass
from seekread.ports import Clock, Counter, Entry, Lease, Reservation, Want
from seekread.state.locking import held
from seekread.state.rules import HORIZON, Rounds, alive, counts, earliest, fits, is_abandoned, is_free, spread


@dataclass
class _Hit:
    token: str
    at: float
    until: float
    amount: float


@dataclass(frozen=True)
class _Taken:
    amount: float
    at: float


@dataclass
class _Count:
    used: float = 0.0
    touched_at: float = 0.0
    keep: float | None = None
    holds: dict[str, _Taken] = field(default_factory=dict)


@dataclass
class _Lock:
    token: str
    expires_at: float
    lifetime: float


class MemoryStore:
    """Everything in dictionaries, under one lock, because several event loops may share it."""

    def __init__(self, *, clock: Clock, max_bytes: int) -> None:
        self._clock = clock
        self._max_bytes = max_bytes
        self._mutex = threading.Lock()
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._bytes = 0
        self._hits: dict[str, list[_Hit]] = {}
        self._counts: dict[str, _Count] = {}
        self._locks: dict[str, _Lock] = {}
        self._fence = 0
        self._rounds = Rounds()

    async def get(self, key: str) -> Entry | None:
        with self._mutex:
            entry = self._entries.get(key)
            if entry is None or not alive(entry, self._clock.time()):
                return None
            self._entries.move_to_end(key)
            return entry

    async def put(self, key: str, value: bytes, *, lifetime: float | None = None) -> None:
        now = self._clock.time()
        entry = Entry(key, bytes(value), now, None if lifetime is None else now + lifetime)
        with self._mutex:
            self._drop(key)
            if len(value) > self._max_bytes:
                return
            self._entries[key] = entry
            self._bytes += len(value)
            while self._bytes > self._max_bytes:
                self._drop(next(iter(self._entries)))

    async def keep(self, key: str, value: bytes, *, lifetime: float | None = None) -> bool:
        await self.put(key, value, lifetime=lifetime)
        return len(value) <= self._max_bytes

    async def delete(self, key: str) -> None:
        with self._mutex:
            self._drop(key)

    async def scan(self, prefix: str, *, limit: int = 1000) -> list[Entry]:
        now = self._clock.time()
        with self._mutex:
            found = [e for key, e in self._entries.items() if key.startswith(prefix) and alive(e, now)]
        return sorted(found, key=lambda entry: entry.key)[:limit]

    async def reserve(self, *wants: Want, ahead: float = 0.0) -> Reservation:
        now = self._clock.time()
        start = now
        with self._mutex:
            if self._rounds.due(self._clock.monotonic()):
                self._forget_expired(now)
            for want in wants:
                if want.limit.seconds is None:
                    count = self._counted(want.key, now)
                    if not fits(count.used if count else 0.0, want.amount, want.limit):
                        return Reservation(granted=False, wants=wants, refused=want)
                    continue
                at = earliest(self._recent(want.key, want.limit.seconds, now), want.amount, want.limit, now)
                if at is None or at - now > min(ahead, HORIZON):
                    wait = None if at is None else at - now
                    return Reservation(granted=False, wants=wants, refused=want, retry_after=wait)
                start = max(start, at)
            token = secrets.token_hex(16)
            used = tuple(self._take(want, token, start, now) for want in wants)
        return Reservation(granted=True, wants=wants, token=token, starts_in=start - now, used=used)

    async def settle(self, reservation: Reservation, *amounts: float) -> None:
        with self._mutex:
            for want, amount in zip(reservation.wants, spread(reservation, amounts), strict=True):
                if want.limit.seconds is not None:
                    self._correct_hits(want.key, reservation.token, amount)
                elif (count := self._counts.get(want.key)) and reservation.token in count.holds:
                    count.used += amount - count.holds.pop(reservation.token).amount

    async def counter(self, key: str) -> float:
        with self._mutex:
            count = self._counted(key, self._clock.time())
            return count.used if count else 0.0

    async def counters(self, prefix: str) -> list[Counter]:
        now = self._clock.time()
        with self._mutex:
            known = [(key, self._counted(key, now)) for key in sorted(self._counts) if key.startswith(prefix)]
            return [Counter(key, count.used) for key, count in known if count]

    def lock(self, key: str, *, lifetime: float, wait: float) -> AbstractAsyncContextManager[Lease | None]:
        async def acquire() -> Lease | None:
            now = self._clock.time()
            with self._mutex:
                holder = self._locks.get(key)
                if holder and not is_free(holder.expires_at, holder.lifetime, now):
                    return None
                self._fence += 1
                lease = Lease(key, self._fence, secrets.token_hex(16))
                self._locks[key] = _Lock(lease.token, now + lifetime, lifetime)
                return lease

        async def release(lease: Lease) -> None:
            with self._mutex:
                holder = self._locks.get(key)
                if holder and holder.token == lease.token:
                    del self._locks[key]

        return held(self._clock, wait, acquire, release)

    def renew(self, *leases: Lease, lifetime: float) -> None:
        with self._mutex:
            for lease in leases:
                holder = self._locks.get(lease.key)
                if holder and holder.token == lease.token:
                    holder.expires_at, holder.lifetime = self._clock.time() + lifetime, lifetime

    async def size(self) -> tuple[int, int]:
        with self._mutex:
            return len(self._entries), self._bytes

    async def clear(self, prefix: str = "") -> int:
        with self._mutex:
            keys = [key for key in self._entries if key.startswith(prefix)]
            for key in keys:
                self._drop(key)
            return len(keys)

    async def close(self) -> None:
        """Nothing to release: what was remembered ends with the object."""

    def _forget_expired(self, now: float) -> None:
        """Forget what nobody can ask for any more."""
        self._counts = {key: count for key in self._counts if (count := self._counted(key, now))}
        for count in self._counts.values():
            count.holds = {token: hold for token, hold in count.holds.items() if not is_abandoned(hold.at, now)}
        self._hits = {key: hits for key, hits in self._hits.items() if any(hit.until > now for hit in hits)}
        self._locks = {key: lock for key, lock in self._locks.items() if lock.expires_at > now}
        for key in [key for key, entry in self._entries.items() if not alive(entry, now)]:
            self._drop(key)

    def _drop(self, key: str) -> None:
        if entry := self._entries.pop(key, None):
            self._bytes -= len(entry.value)

    def _counted(self, key: str, now: float) -> _Count | None:
        count = self._counts.get(key)
        idle = count is not None and count.keep is not None and now - count.touched_at > count.keep
        return None if idle else count

    def _recent(self, key: str, seconds: float, now: float) -> list[tuple[float, float]]:
        kept = [hit for hit in self._hits.get(key, ()) if counts(hit.at, seconds, now)]
        self._hits[key] = kept
        return [(hit.at, hit.amount) for hit in kept]

    def _take(self, want: Want, token: str, start: float, now: float) -> float:
        if want.limit.seconds is not None:
            hits = self._hits.setdefault(want.key, [])
            hits.append(_Hit(token, start, start + want.limit.seconds, want.amount))
            return sum(hit.amount for hit in hits)
        count = self._counts[want.key] = self._counted(want.key, now) or _Count()
        count.used += want.amount
        count.touched_at, count.keep = now, want.limit.keep
        taken = count.holds.get(token)
        count.holds[token] = _Taken(want.amount + (taken.amount if taken else 0.0), now)
        return count.used

    def _correct_hits(self, key: str, token: str, amount: float) -> None:
        for hit in self._hits.get(key, ()):
            if hit.token == token:
                hit.token, hit.amount = "", amount
        self._hits[key] = [hit for hit in self._hits.get(key, ()) if hit.amount > 0]
