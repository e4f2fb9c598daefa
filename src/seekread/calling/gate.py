"""
What stands before a provider: breaker, bulkhead, pace and quota, in that order, for every single attempt.

A call that was refused before it did anything is not charged; one that may have reached the provider is.
What a provider says about its limits, and a pause it asks for, is shared with everyone on the same store.
"""

import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

import anyio

from seekread.calling.breaker import LONGEST_REST, Breaker
from seekread.calling.deadline import Deadline
from seekread.errors import ProviderError, QuotaExhausted, RateLimited, Refused
from seekread.outcomes import MEANINGS, Outcome
from seekread.ports import Clock, StoreUnavailable
from seekread.provider import Reply, secrets_of, traits
from seekread.state.ledger import Hold, Ledger, identity
from seekread.state.pace import Pace
from seekread.state.periods import moment

log = logging.getLogger("seekread.gate")

PER_PROVIDER = 6
ALTOGETHER = 64
TIMED = 100
SLOW_AFTER = 1.5
"""Seconds after which a provider that was hardly ever timed counts as slow."""
RETRY_SHARE = 0.1
MOST_RETRIES = 3.0


class Named(Protocol):
    """Anything that can be asked; what else it declares are its traits."""

    @property
    def name(self) -> str: ...


@dataclass
class Admission:
    """One attempt under way; the reply's headers are kept for the ledger."""

    headers: Mapping[str, str] = field(default_factory=dict)

    def heard(self, reply: Reply) -> None:
        """Take note of a reply."""
        self.headers = reply.headers


class Gatekeeper(Protocol):
    """What stands before a provider. Entered for every attempt; errors pass through it."""

    def enter(self, provider: Named, deadline: Deadline) -> AbstractAsyncContextManager[Admission]: ...

    def may_retry(self, provider: Named) -> bool: ...


class OpenGate:
    """No pace, no quota, no breaker: for hosts that bring their own, and for tests."""

    @asynccontextmanager
    async def enter(self, _provider: Named, _deadline: Deadline) -> AsyncIterator[Admission]:
        yield Admission()

    def may_retry(self, _provider: Named) -> bool:
        return True


async def nobody(_provider: str, _outcome: Outcome) -> None:
    """Nobody wants to know how it went."""


@dataclass
class Gate:
    """Keeps pace, plan and patience with every provider, shared between processes through the store."""

    clock: Clock
    pace: Pace
    ledger: Ledger
    remember: Callable[[str, Outcome], Awaitable[None]] = nobody
    """Keeps how the last attempt at a provider went."""
    breakers: dict[str, Breaker] = field(default_factory=dict)
    _rooms: dict[str, anyio.Semaphore] = field(default_factory=dict)
    _times: dict[str, deque[float]] = field(default_factory=dict)
    _retries: dict[str, float] = field(default_factory=dict)

    @asynccontextmanager
    async def enter(self, provider: Named, deadline: Deadline) -> AsyncIterator[Admission]:
        """Wait for a turn, reserve the cost, and learn from how it went."""
        name, admission = provider.name, Admission()
        if traits(provider).local:
            async with self._room(name, PER_PROVIDER), self._room("", ALTOGETHER):
                yield admission
            return
        breaker = self.breaker(name)
        breaker.look()
        # The provider's own room comes first: whoever queues for a slow one takes no place away from the others.
        async with self._room(name, PER_PROVIDER), self._room("", ALTOGETHER):
            # Once more, because the provider may have gone down while this call stood in the queue.
            breaker.check()
            try:
                key = identity(min(secrets_of(provider), default=None))
                hold = await self._admit(provider, key, deadline)
            except BaseException:
                # Our own pace, plan or store said no, which is no news about the provider.
                breaker.abandoned()
                raise
            self._retries[name] = min(MOST_RETRIES, self._retries.get(name, MOST_RETRIES) + RETRY_SHARE)
            started = self.clock.monotonic()
            try:
                yield admission
            except ProviderError as error:
                breaker.failed(error)
                raise await self._lesson(error, provider, hold, admission) from error.__cause__
            except Refused:
                breaker.abandoned()
                await self.ledger.release(hold)
                raise
            except BaseException:
                # Whoever hedges began to count a little earlier, when the call stood in the queue.
                if self.clock.monotonic() - started >= 0.8 * self.slow_after(provider):
                    breaker.outwaited(started)
                else:
                    breaker.abandoned()
                raise
            self._times.setdefault(name, deque(maxlen=TIMED)).append(self.clock.monotonic() - started)
            breaker.worked()
            await self.ledger.observe(name, key, traits(provider).limits(admission.headers))
            await self.ledger.settle(hold)
            await self.remember(name, "ok")

    async def _admit(self, provider: Named, key: str, deadline: Deadline) -> Hold:
        """Keep a pause somebody was asked for, wait for a slot, reserve the cost."""
        name = provider.name
        delay = float(getattr(provider, "delay_seconds", 0.0))
        rate = await self.ledger.per_second(name, key)
        # A pause is not waited for: the next provider is quicker.
        await self.pace.wait(name, seconds=0)
        if rate or delay:
            await self.pace.wait(name, rate, seconds=deadline.remaining(), delay=delay)
        return await self.ledger.reserve(name, key)

    async def _lesson(self, error: ProviderError, provider: Named, hold: Hold, admission: Admission) -> ProviderError:
        """Share what a failure teaches with everyone on the same store; tell a used-up plan in the ledger's words."""
        name, key = hold.provider, hold.identity
        await self.remember(name, error.outcome)
        await self.ledger.observe(name, key, traits(provider).limits(admission.headers))
        if MEANINGS[error.outcome].charged:
            await self.ledger.settle(hold)
        else:
            await self.ledger.release(hold)
        if isinstance(error, RateLimited) and error.retry_after:
            try:
                await self.pace.pause(name, min(error.retry_after, LONGEST_REST))
            except StoreUnavailable as problem:
                log.warning("others were not told that %s needs a pause: %s", name, problem)
        if isinstance(error, QuotaExhausted) and error.resets_on is None:
            quota = await self.ledger.quota(name, key)
            if quota.limit is not None and quota.resets_on:
                told = quota.exhausted(moment(self.clock.time()))
                told.status, told.body = error.status, error.body
                return told
        return error

    def breaker(self, name: str) -> Breaker:
        """The breaker of a provider."""
        if name not in self.breakers:
            self.breakers[name] = Breaker(name, self.clock)
        return self.breakers[name]

    def may_retry(self, provider: Named) -> bool:
        """
        Whether another try is allowed: not while the breaker is open, and for about one in ten calls.

        So an outage is not amplified, and nobody waits for the end of a rest that somebody else's probe will use.
        """
        if self.breaker(provider.name).is_open or self._retries.get(provider.name, 0.0) < 1:
            return False
        self._retries[provider.name] -= 1
        return True

    def slow_after(self, provider: Named) -> float:
        """
        Seconds after which this provider is slower than it usually is: its 95th percentile, taken high.

        Of the last hundred calls it is the third slowest: times drift, and a hedge may add one call in twenty at most.
        Of few calls only the slowest is left out, for one outlier says nothing.
        """
        times = sorted(self._times.get(provider.name, ()))
        if len(times) < 10:
            return SLOW_AFTER
        return times[-max(2, len(times) // 33)]

    def _room(self, name: str, size: int) -> anyio.Semaphore:
        if name not in self._rooms:
            self._rooms[name] = anyio.Semaphore(size, fast_acquire=True)
        return self._rooms[name]
