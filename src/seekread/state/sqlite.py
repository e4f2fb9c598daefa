"""
The store in one SQLite file, shared by all processes of a machine.

Reads of small values happen where they are asked for: 20 µs on the event loop beat 150 µs through a thread.
Writes go through `FileWriter`: what decides something (a reservation, a lock) at once, the rest along with it.
What was put is read back from memory until it is written.
"""

import asyncio
import math
import secrets
import sqlite3
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path

from seekread.ports import Clock, Counter, Entry, Lease, Reservation, StoreUnavailable, Want
from seekread.state.locking import held
from seekread.state.outage import Outage
from seekread.state.packing import WORTHWHILE, decode_key, encode_key, full_length, pack, unpack
from seekread.state.rules import HORIZON, SKEW, after, alive, earliest, fits, spread
from seekread.state.writer import Connections, FileWriter, Rider

INLINE = 128 * 1024
"""Packed bytes up to which a value is read on the event loop; unpacked it may have twice as many."""

TOUCH = 600.0
"""Seconds before a read is worth noting as the entry's last use."""

CLEARED, SHRUNK = 500, 2000
"""Entries removed and pages given back in one go, so that others get their turn in between."""

TIDIED = 16
"""Entries stored before some that are over are removed."""

PAGE_BYTES = 20_000
"""Bytes of a value that weigh as much as a small transaction."""

FOUND = "SELECT id, CASE WHEN length(packed) <= ? THEN packed END, used_at FROM entries WHERE key = ?"
STORE = """
    INSERT INTO entries(key, packed, size, expires_at, used_at) VALUES(?, ?, ?, ?, ?)
    ON CONFLICT(key) DO UPDATE SET packed = excluded.packed, size = excluded.size,
        expires_at = excluded.expires_at, used_at = excluded.used_at"""
REMOVE = "DELETE FROM entries WHERE key = ?"
RENEW = "UPDATE locks SET expires_at = ?, lifetime = ? WHERE key = ? AND token = ?"
OVER = "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE expires_at <= ? LIMIT ?)"
OLDEST = "DELETE FROM entries WHERE id IN (SELECT id FROM entries ORDER BY used_at, id LIMIT ?)"
SOME = "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE key >= ? AND key < ? LIMIT ?)"
COUNT = """
    INSERT INTO counters(key, used, forget_at) VALUES{rows}
    ON CONFLICT(key) DO UPDATE SET forget_at = excluded.forget_at,
        used = excluded.used + CASE WHEN forget_at <= ? THEN 0 ELSE used END
    RETURNING key, used"""
"""As many counters as there are rows `(?, ?, ?)`."""
HOLD = "INSERT INTO holds(token, key, amount, taken_at) VALUES(?, ?, ?, ?)"
LOCK = """
    INSERT INTO locks(key, token, expires_at, lifetime) VALUES(:key, :token, :now + :lifetime, :lifetime)
    ON CONFLICT(key) DO UPDATE
        SET token = excluded.token, expires_at = excluded.expires_at, lifetime = excluded.lifetime
        WHERE expires_at <= :now OR expires_at - :now > lifetime + :skew
    RETURNING 1"""
"""Taken where its holder has had its time, as `is_free` says it."""


class SqliteStore:
    """Values, counters and locks in one file."""

    def __init__(
        self, path: Path, *, clock: Clock, max_bytes: int, strict: bool = False, busy_seconds: float = 0.25
    ) -> None:
        self.path = path
        self._clock = clock
        self._max_bytes = max_bytes
        self._strict = strict
        self._writer = FileWriter(path, clock=clock, patience=busy_seconds)
        self._new: dict[str, Entry | None] = {}
        self._touched: dict[int, float] = {}
        self._too_full = False
        self._stored = 0
        self._reads = Outage(clock, f"reading from the store {path}")
        # Nothing that waits to be written is lost when the process ends as it should.
        weakref.finalize(self, self._writer.finish)

    async def get(self, key: str) -> Entry | None:
        self._writer.leave_parent()
        if key in self._new:
            entry = self._new[key]
            return entry if entry and alive(entry, self._clock.time()) else None
        if self._reads.lasts() and not self._strict:
            return None
        try:
            entry = await self._find(key)
        except sqlite3.ProgrammingError:
            # The writing thread closed the connection a moment ago, because the file was replaced.
            return None
        except (sqlite3.Error, OSError) as error:
            if self._strict:
                raise StoreUnavailable(f"the store {self.path} cannot be used: {error}") from error
            if not await self._writer.mend(error):
                self._reads.failed(error)
            return None
        self._reads.worked()
        return entry

    async def put(self, key: str, value: bytes, *, lifetime: float | None = None) -> None:
        if self._strict or len(value) >= WORTHWHILE:
            await self.keep(key, value, lifetime=lifetime)
            return
        entry = self._entry(key, value, lifetime)
        packed = pack(entry)
        kept = entry if len(packed) <= self._max_bytes else None
        self._ride(key, kept, lambda connection: self._store(connection, entry, packed))

    async def keep(self, key: str, value: bytes, *, lifetime: float | None = None) -> bool:
        entry = self._entry(key, value, lifetime)
        write = self._writer.labour if self._strict else self._writer.write
        kept = await write(lambda connection: self._store(connection, entry, pack(entry)))
        self._evict_if_full()
        return bool(kept)

    async def delete(self, key: str) -> None:
        name = encode_key(key)
        if self._strict:
            await self._writer.run(lambda connection: connection.execute(REMOVE, (name,)))
        else:
            self._ride(key, None, lambda connection: connection.execute(REMOVE, (name,)))

    async def scan(self, prefix: str, *, limit: int = 1000) -> list[Entry]:
        start = encode_key(prefix)
        now = self._clock.time()

        def read(connection: sqlite3.Connection) -> list[Entry]:
            entries: list[Entry] = []
            rows = connection.execute(
                "SELECT key, packed FROM entries WHERE key >= ? AND key < ? ORDER BY key", (start, after(start))
            )
            for key, packed in rows:
                entry = unpack(decode_key(key), packed)
                if entry and alive(entry, now):
                    entries.append(entry)
                if len(entries) >= limit:
                    break
            return entries

        return await self._writer.read(read)

    async def reserve(self, *wants: Want, ahead: float = 0.0) -> Reservation:
        token = secrets.token_hex(16)
        now = self._clock.time()
        taken = Reservation(granted=True, wants=wants, token=token)
        return await self._writer.run(
            lambda connection: _reserve(connection, wants, token, now, min(ahead, HORIZON)),
            undo=lambda connection: _settle(connection, taken, (0,)),
        )

    async def settle(self, reservation: Reservation, *amounts: float) -> None:
        self._writer.ride(Rider(lambda connection: _settle(connection, reservation, amounts), lasting=True))

    async def counter(self, key: str) -> float:
        return await self._writer.look(lambda connection: _used(connection, key, self._clock.time()))

    async def counters(self, prefix: str) -> list[Counter]:
        start = encode_key(prefix)

        def read(connection: sqlite3.Connection) -> list[Counter]:
            rows = connection.execute(
                "SELECT key, used FROM counters "
                "WHERE key >= ? AND key < ? AND (forget_at IS NULL OR forget_at > ?) ORDER BY key",
                (start, after(start), self._clock.time()),
            )
            return [Counter(decode_key(key), used) for key, used in rows]

        return await self._writer.read(read)

    def lock(self, key: str, *, lifetime: float, wait: float) -> AbstractAsyncContextManager[Lease | None]:
        name = encode_key(key)

        async def acquire() -> Lease | None:
            token = secrets.token_hex(16)
            # The time when it is this one's turn to write: whoever holds the lock may have renewed it meanwhile.
            fence = await self._writer.run(
                lambda connection: _acquire(connection, name, token, self._clock.time(), lifetime),
                undo=lambda connection: _release(connection, name, token),
            )
            return None if fence is None else Lease(key, fence, token)

        async def release(lease: Lease) -> None:
            self._writer.ride(Rider(lambda connection: _release(connection, name, lease.token)))

        return held(self._clock, wait, acquire, release)

    def renew(self, *leases: Lease, lifetime: float) -> None:
        until = self._clock.time() + lifetime
        rows = [(until, lifetime, encode_key(lease.key), lease.token) for lease in leases]
        self._writer.now(lambda connection: connection.executemany(RENEW, rows))

    async def size(self) -> tuple[int, int]:
        def read(connection: sqlite3.Connection) -> tuple[int, int]:
            entries, stored = connection.execute("SELECT entries, bytes FROM totals").fetchone()
            return entries, stored

        return await self._writer.read(read)

    async def clear(self, prefix: str = "") -> int:
        start = encode_key(prefix)
        removed = 0
        while gone := await self._writer.labour(
            lambda connection: connection.execute(SOME, (start, after(start), CLEARED)).rowcount
        ):
            removed += gone
        while await self._writer.tidy(_shrink):
            pass
        return removed

    async def close(self) -> None:
        await self._writer.close()

    async def _find(self, key: str) -> Entry | None:
        """Look a value up: here if it is small, in a thread if it is large or the file is not open yet."""
        opened = await self._writer.connections()
        with opened.reading:
            row = opened.reader.execute(FOUND, (INLINE, encode_key(key))).fetchone()
        if row is None:
            return None
        identity, packed, used_at = row
        if packed is not None and full_length(packed) <= INLINE * 2:
            entry = unpack(key, packed)
        else:
            entry = await self._find_far(opened, key, identity)
        if entry is None:
            # A row that is not what was written.
            self._writer.later(lambda connection: connection.execute("DELETE FROM entries WHERE id = ?", (identity,)))
            return None
        now = self._clock.time()
        if not alive(entry, now):
            return None
        if now - used_at > TOUCH:
            self._touched[identity] = now
        return entry

    async def _find_far(self, opened: Connections, key: str, identity: int) -> Entry | None:
        def read() -> Entry | None:
            with opened.far_reading:
                row = opened.far_reader.execute("SELECT packed FROM entries WHERE id = ?", (identity,)).fetchone()
            return unpack(key, row[0]) if row else None

        return await asyncio.get_running_loop().run_in_executor(opened.far_thread, read)

    def _ride(self, key: str, entry: Entry | None, write: Callable[[sqlite3.Connection], object]) -> None:
        """Write soon what is in force at once."""
        if self._writer.riding.lasts():
            return

        def over() -> None:
            if self._new.get(key) is entry:
                self._new.pop(key, None)
            self._evict_if_full()

        self._new[key] = entry
        # Too many wait already; a value may be lost.
        with suppress(StoreUnavailable):
            self._writer.ride(Rider(write, over, weight=len(entry.value) // PAGE_BYTES if entry else 0))

    def _entry(self, key: str, value: bytes, lifetime: float | None) -> Entry:
        now = self._clock.time()
        return Entry(key, bytes(value), now, None if lifetime is None else now + lifetime)

    def _store(self, connection: sqlite3.Connection, entry: Entry, packed: bytes) -> bool:
        name = encode_key(entry.key)
        if len(packed) > self._max_bytes:
            connection.execute(REMOVE, (name,))
            return False
        # The event loop adds while a thread takes, so one at a time.
        if touched := [self._touched.popitem() for _ in range(len(self._touched))]:
            rows = [(at, identity) for identity, at in touched]
            connection.executemany("UPDATE entries SET used_at = max(used_at, ?) WHERE id = ?", rows)
        connection.execute(STORE, (name, packed, len(packed), entry.expires_at, entry.written_at))
        self._stored += 1
        if self._stored % TIDIED == 0:
            connection.execute(OVER, (entry.written_at, 2 * TIDIED))
        self._too_full = connection.execute("SELECT bytes > ? FROM totals", (self._max_bytes,)).fetchone()[0]
        return True

    def _evict_if_full(self) -> None:
        if self._too_full:
            self._too_full = False
            self._writer.later(self._evict)

    def _evict(self, connection: sqlite3.Connection) -> None:
        """Remove what was not used for longest until a tenth of the room is free, so as not to do it at every write."""
        entries, stored = connection.execute("SELECT entries, bytes FROM totals").fetchone()
        while stored > self._max_bytes * 0.9 and entries > 1:
            connection.execute(OLDEST, (max(1, entries // 20),))
            entries, stored = connection.execute("SELECT entries, bytes FROM totals").fetchone()


def _shrink(connection: sqlite3.Connection) -> bool:
    """Give some of the free pages back; says whether there are more."""
    # A script, because `execute` would stop after the first page that was freed.
    connection.executescript(f"PRAGMA incremental_vacuum({SHRUNK})")
    if connection.execute("PRAGMA freelist_count").fetchone()[0]:
        return True
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return False


def _reserve(
    connection: sqlite3.Connection, wants: tuple[Want, ...], token: str, now: float, ahead: float
) -> Reservation:
    start = now
    for want in wants:
        if want.limit.seconds is None:
            if want.limit.amount < math.inf and not fits(_used(connection, want.key, now), want.amount, want.limit):
                return Reservation(granted=False, wants=wants, refused=want)
            continue
        at = earliest(_recent(connection, want.key, want.limit.seconds, now), want.amount, want.limit, now)
        if at is None or at - now > ahead:
            wait = None if at is None else at - now
            return Reservation(granted=False, wants=wants, refused=want, retry_after=wait)
        start = max(start, at)
    counted = _count(connection, [want for want in wants if want.limit.seconds is None], token, now)
    used = tuple(
        counted[want.key] if want.limit.seconds is None else _book(connection, want, token, start, want.limit.seconds)
        for want in wants
    )
    return Reservation(granted=True, wants=wants, token=token, starts_in=start - now, used=used)


def _used(connection: sqlite3.Connection, key: str, now: float) -> float:
    row = connection.execute("SELECT used, forget_at FROM counters WHERE key = ?", (encode_key(key),)).fetchone()
    return 0.0 if row is None or (row[1] is not None and row[1] <= now) else row[0]


def _recent(connection: sqlite3.Connection, key: str, seconds: float, now: float) -> list[tuple[float, float]]:
    name = encode_key(key)
    connection.execute(
        "DELETE FROM hits WHERE key = ? AND NOT (at > ? AND at <= ?)", (name, now - seconds, now + HORIZON)
    )
    return connection.execute("SELECT at, amount FROM hits WHERE key = ? ORDER BY at", (name,)).fetchall()


def _book(connection: sqlite3.Connection, want: Want, token: str, start: float, seconds: float) -> float:
    """Add a hit to a counter with a period, and say how many it has."""
    name = encode_key(want.key)
    connection.execute(
        "INSERT INTO hits(token, key, at, until, amount) VALUES(?, ?, ?, ?, ?)",
        (token, name, start, start + seconds, want.amount),
    )
    total: float = connection.execute("SELECT sum(amount) FROM hits WHERE key = ?", (name,)).fetchone()[0]
    return total


def _count(connection: sqlite3.Connection, wants: Sequence[Want], token: str, now: float) -> dict[str, float]:
    """Add to counters without a period, and say what they hold by then."""
    if not wants:
        return {}
    rows = [(encode_key(want.key), want.amount, want.limit.keep and now + want.limit.keep) for want in wants]
    count = COUNT.format(rows=",".join(["(?, ?, ?)"] * len(rows)))
    counted = connection.execute(count, (*(value for row in rows for value in row), now)).fetchall()
    # One row stands for them all: what was taken of each, its reservation knows.
    connection.execute(HOLD, (token, *rows[0][:2], now))
    return {decode_key(name): used for name, used in counted}


def _settle(connection: sqlite3.Connection, reservation: Reservation, amounts: tuple[float, ...]) -> None:
    token = reservation.token
    held = connection.execute("DELETE FROM holds WHERE token = ?", (token,)).rowcount > 0
    for want, amount in zip(reservation.wants, spread(reservation, amounts), strict=True):
        if want.limit.seconds is not None:
            name = encode_key(want.key)
            connection.execute("DELETE FROM hits WHERE token = ? AND key = ? AND ? <= 0", (token, name, amount))
            connection.execute(
                "UPDATE hits SET token = '', amount = ? WHERE token = ? AND key = ?", (amount, token, name)
            )
        elif held and amount != want.amount:
            change = (amount - want.amount, encode_key(want.key))
            connection.execute("UPDATE counters SET used = used + ? WHERE key = ?", change)


def _acquire(connection: sqlite3.Connection, name: bytes, token: str, now: float, lifetime: float) -> int | None:
    wanted = {"key": name, "token": token, "now": now, "lifetime": lifetime, "skew": SKEW}
    if not connection.execute(LOCK, wanted).fetchall():
        return None
    fence: int = connection.execute("UPDATE totals SET fence = fence + 1 RETURNING fence").fetchone()[0]
    return fence


def _release(connection: sqlite3.Connection, name: bytes, token: str) -> None:
    connection.execute("DELETE FROM locks WHERE key = ? AND token = ?", (name, token))
