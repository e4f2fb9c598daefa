"""
What stands before a provider: breaker, bulkhead, pace and quota, in that order, for every single attempt.

A call that was refused before it did anything is not charged; one that may have reached the provider is.
"""

import math
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

import anyio

from seekread.errors import ProviderError
from seekread.pipeline.breaker import Breaker
from seekread.pipeline.deadline import Deadline
from seekread.ports import Clock
from seekread.provider import Reply
from seekread.state.ledger import Ledger
from seekread.state.pace import Pace

PER_PROVIDER = 6
ALTOGETHER = 64
TIMED = 50
SLOW_AFTER = 1.5
"""Seconds after which a provider that was hardly ever timed counts as slow."""
RETRY_SHARE = 0.1
NOT_CHARGED = frozenset({"auth_failed", "rate_limited", "quota_exhausted", "not_configured", "refused"})


class Named(Protocol):
    """Anything that can be asked: all that is needed here is its name."""

    @property
    def name(self) -> str: ...


@dataclass
class Visit:
    """One attempt under way; the reply's headers are kept for the ledger."""

    headers: Mapping[str, str] = field(default_factory=dict)

    def heard(self, reply: Reply) -> None:
        """Take note of a reply."""
        self.headers = reply.headers


class OpenGate:
    """No pace, no quota, no breaker: for hosts that bring their own, and for tests."""

    @asynccontextmanager
    async def enter(self, _provider: Named, _deadline: Deadline) -> AsyncIterator[Visit]:
        yield Visit()

    def may_retry(self, _provider: Named) -> bool:
        return True


@dataclass
class Gate:
    """Keeps pace, plan and patience with every provider, shared between processes through the store."""

    clock: Clock
    pace: Pace
    ledger: Ledger
    identity: Callable[[str], str]
    """The name of a provider's key that does not tell it."""
    breakers: dict[str, Breaker] = field(default_factory=dict)
    _rooms: dict[str, anyio.CapacityLimiter] = field(default_factory=dict)
    _times: dict[str, deque[float]] = field(default_factory=dict)
    _retries: dict[str, float] = field(default_factory=dict)

    @asynccontextmanager
    async def enter(self, provider: Named, deadline: Deadline) -> AsyncIterator[Visit]:
        """Wait for a turn, reserve the cost, and learn from how it went."""
        name, visit = provider.name, Visit()
        breaker = self.breaker(name)
        breaker.check()
        try:
            async with self._room("", ALTOGETHER), self._room(name, PER_PROVIDER):
                key = self.identity(name)
                delay = float(getattr(provider, "delay_seconds", 0.0))
                rate = await self.ledger.per_second(name, key)
                await self.pace.wait(name, rate, seconds=deadline.remaining(), delay=delay)
                hold = await self.ledger.reserve(name, key)
                self._retries[name] = min(3.0, self._retries.get(name, 3.0) + RETRY_SHARE)
                started = self.clock.monotonic()
                try:
                    yield visit
                except ProviderError as error:
                    if error.outcome in NOT_CHARGED:
                        await self.ledger.release(hold)
                    raise
                finally:
                    await self.ledger.observe(name, key, visit.headers)
                await self.ledger.settle(hold)
        except ProviderError as error:
            breaker.failed(error)
            raise
        except BaseException:
            breaker.abandoned()
            raise
        self._times.setdefault(name, deque(maxlen=TIMED)).append(self.clock.monotonic() - started)
        breaker.worked()

    def breaker(self, name: str) -> Breaker:
        """The breaker of a provider."""
        return self.breakers.setdefault(name, Breaker(name, self.clock))

    def may_retry(self, provider: Named) -> bool:
        """Whether the retry budget allows another try: about one in ten calls, so that an outage is not amplified."""
        if self._retries.get(provider.name, 0.0) < 1:
            return False
        self._retries[provider.name] -= 1
        return True

    def slow_after(self, provider: Named) -> float:
        """Seconds after which this provider is slower than it usually is: its 95th percentile."""
        times = sorted(self._times.get(provider.name, ()))
        if len(times) < 10:
            return SLOW_AFTER
        return times[math.ceil(0.95 * len(times)) - 1]

    def _room(self, name: str, size: int) -> anyio.CapacityLimiter:
        return self._rooms.setdefault(name, anyio.CapacityLimiter(size))
