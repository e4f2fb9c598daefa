"""
The store in Redis (or Valkey), shared by any number of machines.

Scripts run in the server, so reserving and settling are atomic however many ask. Every script is safe to send twice:
a reservation carries its token, and a token that is already there is not counted again.
Time is the server's, so machines whose clocks differ still share one pace; it is asked for at the start and after
every failure.

A few connections serve everybody; whoever finds them all in use waits for one. A server that does not answer in time
is left alone for a few seconds, by all: whoever waits for a connection is told so at once.

Values end with their lifetime. How much memory they take is the server's `maxmemory`; use the policy `volatile-ttl`
(or `noeviction`), so that counters, which live longest, go last. Counters survive a restart if the server persists
(`appendonly yes`).
"""

import asyncio
import math
import os
import re
import uuid
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from seekread.errors import Misconfigured
from seekread.late import dataclass
from seekread.ports import Clock, Counter, Entry, Lease, Reservation, StoreUnavailable, Want
from seekread.redact import redact
from seekread.state.bounded import patiently
from seekread.state.locking import held
from seekread.state.outage import Outage
from seekread.state.packing import decode_key, encode_key, pack, unpack
from seekread.state.rules import HOLD_SECONDS, HORIZON, SWEEP_SECONDS, TOLERANCE, alive, spread

if TYPE_CHECKING:
    import redis
    from redis.asyncio import Redis
    from redis.commands.core import AsyncScript

T = TypeVar("T")

RESERVE = """
local token, now, ahead = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local horizon, tolerance = tonumber(ARGV[4]), tonumber(ARGV[5])
local abandoned, sweep = tonumber(ARGV[6]), tonumber(ARGV[7])
local function exact(number) return string.format('%.17g', number) end
local function want(i)
    return tonumber(ARGV[4 + i * 4]), tonumber(ARGV[5 + i * 4]), tonumber(ARGV[6 + i * 4]), tonumber(ARGV[7 + i * 4])
end
local function forget_abandoned(key)
    local swept = tonumber(redis.call('HGET', key, 'swept') or '0')
    if now >= swept and now < swept + sweep then return end
    local fields = redis.call('HGETALL', key)
    for j = 1, #fields, 2 do
        local taken_at = tonumber(fields[j + 1])
        if fields[j] ~= 'used' and (taken_at < now - abandoned or taken_at > now + horizon) then
            redis.call('HDEL', key, fields[j])
        end
    end
    redis.call('HSET', key, 'swept', exact(now))
end
local start, held = now, {}
for i, key in ipairs(KEYS) do
    local amount, limit, seconds = want(i)
    if seconds < 0 then
        if redis.call('HEXISTS', key, token) == 0 then
            local used = tonumber(redis.call('HGET', key, 'used') or '0')
            if used + amount > limit + tolerance then return {0, i, ''} end
        end
    elseif redis.call('ZSCORE', key, token .. '|' .. exact(amount)) then
        start = math.max(start, tonumber(redis.call('ZSCORE', key, token .. '|' .. exact(amount))))
    else
        if amount > limit + tolerance then return {0, i, ''} end
        redis.call('ZREMRANGEBYSCORE', key, '-inf', exact(now - seconds))
        redis.call('ZREMRANGEBYSCORE', key, '(' .. exact(now + horizon), '+inf')
        local hits = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
        local at, total = now, amount
        if #hits > 0 then at = math.max(now, tonumber(hits[#hits])) end
        for j = #hits - 1, 1, -2 do
            local before = total
            total = total + tonumber(string.match(hits[j], '|(.*)$'))
            if before <= limit + tolerance and total > limit + tolerance then
                at = math.max(at, tonumber(hits[j + 1]) + seconds)
            end
        end
        held[i] = exact(total)
        if at - now > ahead then return {0, i, exact(at - now)} end
        start = math.max(start, at)
    end
end
local used = {}
for i, key in ipairs(KEYS) do
    local amount, limit, seconds, keep = want(i)
    if seconds < 0 then
        if redis.call('HEXISTS', key, token) == 0 then
            redis.call('HINCRBYFLOAT', key, 'used', exact(amount))
            redis.call('HSET', key, token, exact(now))
            forget_abandoned(key)
        end
        if keep >= 0 then redis.call('PEXPIRE', key, math.ceil(keep * 1000)) else redis.call('PERSIST', key) end
        used[i] = redis.call('HGET', key, 'used')
    else
        redis.call('ZADD', key, exact(start), token .. '|' .. exact(amount))
        redis.call('PEXPIRE', key, math.ceil((start - now + seconds) * 1000) + 1000)
        used[i] = held[i] or exact(amount)
    end
end
return {1, 0, exact(start - now), used}
"""
"""
ARGV: token, now, ahead, horizon, tolerance, seconds until a hold is abandoned and between two sweeps, then per key:
amount, limit, seconds (-1 none), keep (-1 none).

A counter is a hash: `used`, when it was `swept`, and for each token that is not settled when it was taken.
"""

SETTLE = """
local token = ARGV[1]
local function exact(number) return string.format('%.17g', number) end
for i, key in ipairs(KEYS) do
    local reserved, amount, seconds = tonumber(ARGV[i * 3 - 1]), tonumber(ARGV[i * 3]), tonumber(ARGV[i * 3 + 1])
    if seconds < 0 then
        if redis.call('HDEL', key, token) == 1 then
            redis.call('HINCRBYFLOAT', key, 'used', exact(amount - reserved))
        end
    else
        local member = token .. '|' .. exact(reserved)
        local at = redis.call('ZSCORE', key, member)
        if at then
            redis.call('ZREM', key, member)
            if amount > 0 then redis.call('ZADD', key, at, 'settled-' .. token .. '|' .. exact(amount)) end
        end
    end
end
"""
"""ARGV: token, then per key: amount reserved, amount used, seconds (-1 none)."""

ACQUIRE = """
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.call('INCR', KEYS[2]) end
return 0
"""

RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"

CONNECTIONS = 32
"""Connections of one event loop; each is in use for a fraction of a millisecond."""

QUEUE_SECONDS = 2.0
"""Seconds to wait for a free connection."""

LONG_SECONDS = 30.0
"""Seconds for what goes through all keys."""


@dataclass(frozen=True)
class _Connected:
    """The client of one event loop with its scripts, and the room for those who use it at once."""

    client: "Redis"
    scripts: "dict[str, AsyncScript]"
    room: asyncio.Semaphore


class RedisStore:
    """Values, counters and locks under one prefix of a Redis database."""

    def __init__(
        self, url: str, *, clock: Clock, strict: bool = False, prefix: str = "seekread:", timeout: float = 0.5
    ) -> None:
        try:
            import redis.asyncio
            import redis.exceptions
        except ImportError as error:
            raise Misconfigured("a redis:// store needs the redis package: install seekread[redis]") from error
        self._errors: tuple[type[Exception], ...] = (redis.exceptions.RedisError, OSError, TimeoutError)
        self._url = url
        self._clock = clock
        self._strict = strict
        self._prefix = prefix
        self._timeout = timeout
        self._process = os.getpid()
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Connected] = weakref.WeakKeyDictionary()
        self._abandoned: list[object] = []
        self._leaving: set[asyncio.Task[None]] = set()
        self._plain: redis.Redis | None = None
        self._ahead: float | None = None
        self._outage = Outage(clock, "the Redis store")

    async def get(self, key: str) -> Entry | None:
        packed = await self._soft(lambda: self._fetch(key))
        if packed is None:
            return None
        entry = unpack(key, packed)
        if entry is None:
            await self.delete(key)
            return None
        return entry if alive(entry, self._clock.time()) else None

    async def put(self, key: str, value: bytes, *, lifetime: float | None = None) -> None:
        await self._soft(lambda: self._store(key, value, lifetime))

    async def keep(self, key: str, value: bytes, *, lifetime: float | None = None) -> bool:
        return bool(await self._soft(lambda: self._store(key, value, lifetime)))

    async def delete(self, key: str) -> None:
        await self._soft(lambda: self._remove([self._value_key(key)]))

    async def scan(self, prefix: str, *, limit: int = 1000) -> list[Entry]:
        return await self._hard(lambda: self._scan(prefix, limit), LONG_SECONDS)

    async def reserve(self, *wants: Want, ahead: float = 0.0) -> Reservation:
        if not wants:
            return Reservation(granted=True)
        token = uuid.uuid4().hex
        asking = asyncio.create_task(self._hard(lambda: self._reserve(wants, token, min(ahead, HORIZON))))
        try:
            return await asyncio.shield(asking)
        except asyncio.CancelledError:
            # The question is on its way, and nobody is left to give it back but us. Who asked does not wait for that.
            self._by_itself(self._give_back(asking))
            raise

    async def settle(self, reservation: Reservation, *amounts: float) -> None:
        if not reservation.wants or not reservation.token:
            return
        settling = asyncio.create_task(self._hard(lambda: self._settle(reservation, spread(reservation, amounts))))
        try:
            await asyncio.shield(settling)
        except asyncio.CancelledError:
            self._by_itself(_ended(settling))
            raise

    async def counter(self, key: str) -> float:
        await self._left()
        return await self._hard(lambda: self._used(self._key("c:", key))) or 0.0

    async def counters(self, prefix: str) -> list[Counter]:
        await self._left()
        return await self._hard(lambda: self._counters(prefix), LONG_SECONDS)

    def lock(self, key: str, *, lifetime: float, wait: float) -> AbstractAsyncContextManager[Lease | None]:
        name, fences = self._key("l:", key), self._key("", "fence")

        async def acquire() -> Lease | None:
            token = uuid.uuid4().hex
            milliseconds = _milliseconds(lifetime)
            fence = await self._hard(lambda: self._run(ACQUIRE, [name, fences], [token, milliseconds]))
            return Lease(key, fence, token) if fence else None

        async def release(lease: Lease) -> None:
            await self._hard(lambda: self._run(RELEASE, [name], [lease.token]))

        return held(self._clock, wait, acquire, release)

    def renew(self, *leases: Lease, lifetime: float) -> None:
        if self._outage.is_on:
            raise self._unavailable(ConnectionError(self._outage.reason))
        try:
            at_once = self._from_threads().pipeline(transaction=False)
            for lease in leases:
                key = cast("str", self._key("l:", lease.key))
                at_once.eval(RENEW, 1, key, lease.token, str(_milliseconds(lifetime)))
            at_once.execute()
        except self._errors as error:
            raise self._unavailable(error) from error

    async def size(self) -> tuple[int, int]:
        return await self._hard(self._size, LONG_SECONDS)

    async def clear(self, prefix: str = "") -> int:
        return await self._hard(lambda: self._clear(prefix), LONG_SECONDS)

    async def close(self) -> None:
        self._leave_parent()
        await self._left()
        if connected := self._clients.pop(asyncio.get_running_loop(), None):
            await connected.client.aclose()
        if plain := self._plain:
            self._plain = None
            plain.close()

    def _by_itself(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something end without whoever began it."""
        leaving = asyncio.create_task(work)
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)

    async def _give_back(self, asking: "asyncio.Task[Reservation]") -> None:
        """Hear the answer to a question whose caller has left, and undo it."""
        # A failure was noted where it happened.
        with suppress(StoreUnavailable):
            await self.settle(await asking, 0)

    async def _left(self) -> None:
        """Whoever counts waits for what ends by itself."""
        here = [task for task in self._leaving if task.get_loop() is asyncio.get_running_loop()]
        if here:
            await asyncio.wait(here)

    async def _fetch(self, key: str) -> bytes | None:
        client = self._client()
        return cast("bytes | None", await client.get(self._value_key(key)))

    async def _store(self, key: str, value: bytes, lifetime: float | None) -> bool:
        now = self._clock.time()
        packed = pack(Entry(key, value, now, None if lifetime is None else now + lifetime))
        milliseconds = None if lifetime is None else _milliseconds(lifetime)
        client = self._client()
        return bool(await client.set(self._value_key(key), packed, px=milliseconds))

    async def _remove(self, keys: list[bytes]) -> int:
        client = self._client()
        return await client.unlink(*keys)

    async def _scan(self, prefix: str, limit: int) -> list[Entry]:
        now = self._clock.time()
        client = self._client()
        names = sorted([name async for name in self._names(client, "v:", prefix)])
        entries: list[Entry] = []
        for start in range(0, len(names), 100):
            chunk = names[start : start + 100]
            for name, packed in zip(chunk, cast("list[bytes | None]", await client.mget(chunk)), strict=True):
                entry = unpack(self._bare("v:", name), packed) if packed else None
                if entry and alive(entry, now):
                    entries.append(entry)
            if len(entries) >= limit:
                break
        return entries[:limit]

    async def _reserve(self, wants: tuple[Want, ...], token: str, ahead: float) -> Reservation:
        now = await self._now()
        arguments: list[Any] = [token, repr(now), ahead, HORIZON, TOLERANCE, HOLD_SECONDS, SWEEP_SECONDS]
        for want in wants:
            limit = want.limit
            amount = min(limit.amount, 1e300)
            arguments += [_exact(want.amount), _exact(amount), _or_minus_one(limit.seconds), _or_minus_one(limit.keep)]
        granted, index, seconds, *rest = await self._run(RESERVE, [self._counter_key(w) for w in wants], arguments)
        if not granted:
            wait = float(seconds) if seconds else None
            return Reservation(granted=False, wants=wants, refused=wants[index - 1], retry_after=wait)
        used = tuple(float(amount) for amount in rest[0])
        return Reservation(granted=True, wants=wants, token=token, starts_in=max(0.0, float(seconds)), used=used)

    async def _settle(self, reservation: Reservation, amounts: tuple[float, ...]) -> None:
        arguments: list[Any] = [reservation.token]
        for want, amount in zip(reservation.wants, amounts, strict=True):
            arguments += [_exact(want.amount), _exact(amount), _or_minus_one(want.limit.seconds)]
        await self._run(SETTLE, [self._counter_key(want) for want in reservation.wants], arguments)

    async def _counters(self, prefix: str) -> list[Counter]:
        client = self._client()
        names = sorted([name async for name in self._names(client, "c:", prefix)])
        counted: list[bytes | None] = []
        for start in range(0, len(names), 500):
            asking = client.pipeline(transaction=False)
            for name in names[start : start + 500]:
                asking.hget(cast("str", name), "used")
            counted += await asking.execute()
        return [
            Counter(self._bare("c:", name), float(used))
            for name, used in zip(names, counted, strict=True)
            if used is not None
        ]

    async def _used(self, name: bytes) -> float | None:
        used = await cast("Awaitable[bytes | None]", self._client().hget(cast("str", name), "used"))
        return None if used is None else float(used)

    async def _size(self) -> tuple[int, int]:
        client = self._client()
        entries = stored = 0
        async for name in self._names(client, "v:", ""):
            entries += 1
            stored += await client.strlen(name)
        return entries, stored

    async def _clear(self, prefix: str) -> int:
        client = self._client()
        names = [name async for name in self._names(client, "v:", prefix)]
        removed = 0
        for start in range(0, len(names), 500):
            removed += await self._remove(names[start : start + 500])
        return removed

    async def _names(self, client: "Redis", kind: str, prefix: str) -> AsyncIterator[bytes]:
        """The keys of one kind under a prefix, each once, though the server may tell of one twice."""
        known: set[bytes] = set()
        async for name in client.scan_iter(match=_literal(self._key(kind, prefix)) + b"*", count=500):
            if name not in known:
                known.add(name)
                yield name

    async def _run(self, script: str, keys: list[bytes], arguments: list[Any]) -> Any:
        prepared = self._connection().scripts[script]
        return await prepared(keys=keys, args=arguments)

    def _client(self) -> "Redis":
        return self._connection().client

    def _connection(self) -> _Connected:
        """The client of this event loop and process; another one's is left alone."""
        self._leave_parent()
        loop = asyncio.get_running_loop()
        if connected := self._clients.get(loop):
            return connected
        import redis.asyncio
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff
        from redis.exceptions import ConnectionError as BrokenConnection

        client = redis.asyncio.Redis.from_url(
            self._url,
            max_connections=CONNECTIONS,
            # We bound every operation ourselves, and leave out the time in which our event loop did not listen.
            socket_timeout=None,
            socket_connect_timeout=None,
            # Once more at once, for a connection that the server closed while it was idle; never after a long silence.
            retry=Retry(NoBackoff(), 1, supported_errors=(BrokenConnection,)),
        )
        scripts = {script: client.register_script(script) for script in (RESERVE, SETTLE, ACQUIRE, RELEASE)}
        connected = self._clients[loop] = _Connected(client, scripts, asyncio.Semaphore(CONNECTIONS))
        return connected

    def _from_threads(self) -> "redis.Redis":
        """A client without an event loop."""
        self._leave_parent()
        if self._plain is None:
            import redis

            self._plain = redis.Redis.from_url(
                self._url, socket_timeout=self._timeout, socket_connect_timeout=self._timeout
            )
        return self._plain

    def _leave_parent(self) -> None:
        """In a forked child: neither use nor close what belongs to the parent."""
        if self._process != os.getpid():
            self._abandoned += [self._clients, self._leaving, self._plain]
            self._process, self._clients, self._leaving = os.getpid(), weakref.WeakKeyDictionary(), set()
            self._plain = None

    async def _now(self) -> float:
        """The server's time."""
        if self._ahead is None:
            seconds, microseconds = await self._client().time()
            self._ahead = seconds + microseconds / 1e6 - self._clock.time()
        return self._clock.time() + self._ahead

    async def _soft(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """Do what may be lost."""
        if self._outage.lasts() and not self._strict:
            return None
        try:
            return await self._ask(work, self._timeout)
        except self._errors as error:
            if self._strict:
                raise self._unavailable(error) from error
            return None

    async def _hard(self, work: Callable[[], Awaitable[T]], seconds: float | None = None) -> T:
        """Do what must be right or not at all."""
        if self._outage.lasts():
            raise self._unavailable(ConnectionError(self._outage.reason))
        try:
            return await self._ask(work, seconds or self._timeout)
        except self._errors as error:
            raise self._unavailable(error) from error

    async def _ask(self, work: Callable[[], Awaitable[T]], seconds: float) -> T:
        """Wait for a free connection and use it for a bounded time."""
        room, failures = self._connection().room, self._outage.failures
        await patiently(room.acquire(), QUEUE_SECONDS)
        try:
            if self._outage.failures != failures:
                raise ConnectionError(self._outage.reason)
            result = await patiently(work(), seconds)
        except self._errors as error:
            self._outage.failed(TimeoutError(f"no answer within {seconds:g} s") if _silent(error) else error)
            raise
        finally:
            room.release()
        self._outage.worked()
        return result

    def _unavailable(self, error: Exception) -> StoreUnavailable:
        self._ahead = None
        return StoreUnavailable(f"the Redis store cannot be used: {redact(str(error)) or self._outage.reason}")

    def _key(self, kind: str, key: str) -> bytes:
        return f"{self._prefix}{kind}".encode() + encode_key(key)

    def _bare(self, kind: str, name: bytes) -> str:
        return decode_key(name[len(self._key(kind, "")) :])

    def _value_key(self, key: str) -> bytes:
        return self._key("v:", key)

    def _counter_key(self, want: Want) -> bytes:
        return self._key("c:" if want.limit.seconds is None else "w:", want.key)


async def _ended(task: "asyncio.Task[None]") -> None:
    # A failure was noted where it happened.
    with suppress(StoreUnavailable):
        await task


def _milliseconds(seconds: float) -> int:
    return max(1, math.ceil(seconds * 1000))


def _silent(error: Exception) -> bool:
    return isinstance(error, TimeoutError) and not str(error)


def _exact(number: float) -> str:
    """A number in the spelling Lua's `%.17g` gives it, so that both sides name a hit alike."""
    return f"{number:.17g}"


def _or_minus_one(number: float | None) -> str:
    return "-1" if number is None else _exact(number)


def _literal(name: bytes) -> bytes:
    """A key as a pattern that matches only itself."""
    return re.sub(rb"([\\*?\[\]^-])", rb"\\\1", name)
