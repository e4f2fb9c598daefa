"""
What stands before a provider: breaker, room, pace and quota, in that order, for every single attempt.

Only what a provider did is held against it. Waiting for a room, a deadline of ours that passes before the request
leaves, a caller who gives up, a cap and a store that fails are our own affairs, and nothing is charged for them; a
call that may have reached the provider is charged.
What a provider says about its limits, and a pause it asks for, is shared with everyone on the same store.
"""

import logging
import math
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import field
from functools import partial
from typing import Protocol, TypeVar

import anyio

from seekread.calling.allowance import Allowance
from seekread.calling.breaker import LONGEST_REST, Breaker
from seekread.calling.deadline import Deadline, OutOfTime
from seekread.calling.key_pools import KeyPools, N, Named, key_of
from seekread.calling.rooms import QUEUE_SHARE, Rooms
from seekread.errors import ProviderError, QuotaExhausted, RateLimited, Refused, TimedOut, Unreachable
from seekread.late import dataclass
from seekread.outcomes import MEANINGS, Outcome
from seekread.ports import Clock, StoreUnavailable
from seekread.provider import ONE_UNIT, Cost, Reply, own_key, traits
from seekread.state.bounded import Begun
from seekread.state.ledger import Hold, Ledger
from seekread.state.pace import Pace
from seekread.state.periods import moment

T = TypeVar("T")

log = logging.getLogger("seekread.gate")

AT_ONCE = 64
"""Calls under way to one provider, and pages altogether …"""
AT_ONE_HOST = 6
"""… and pages of one host, which is nobody's service but somebody's site."""
PACED_SECONDS = 2.0
"""Seconds of its pace a provider's room holds: who would only queue for a slot inside is better off elsewhere."""
TIMED = 100
SLOW_AFTER = 1.5
"""Seconds after which a provider that was hardly ever timed counts as slow."""
LEAST_SLOW = 0.1
"""Seconds before anybody counts as slow: less is the machine, not the provider."""
LEAST_BOOKKEEPING, MOST_BOOKKEEPING = 0.1, 0.5
"""Seconds the store has to write down how a call went."""
RETRY_SHARE, MOST_RETRIES, FIRST_RETRIES = 0.1, 3.0, 3.0
"""Tries again for each call, how many may be saved up, and how many everybody begins with …"""
HEDGE_SHARE, MOST_HEDGES, FIRST_HEDGES = 0.05, 5.0, 2.0
"""… and the same for a second call beside a slow one: a first burst of hundreds keeps within its share too."""


UNBILLED, NOT_MADE = Cost(0.0, 0.0), Cost(0.0, 0.0, 0.0)
"""What a call costs that was made in vain, and one that nobody has got."""
GIFT = Cost(dollars=0.0)
"""What a call costs those without a key: one of however many they may make."""


@dataclass
class Admission:
    """One attempt under way; what the reply says is kept for the ledger."""

    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None
    hurried: bool = False
    """Whether the deadline leaves it less time than an attempt usually has."""
    cost: Cost | None = None
    """What it cost, as soon as somebody says so."""
    free: bool = False
    """Whether nobody can be charged, whatever a reply says of its cost."""

    def heard(self, reply: Reply) -> None:
        """Take note of a reply."""
        self.headers, self.status = reply.headers, reply.status

    def answered(self, answer: object) -> None:
        """Take note of what an answer says that it cost."""
        told = getattr(answer, "cost", None)
        self.cost = told if isinstance(told, Cost) and not self.free else None

    def bill(self, error: ProviderError) -> Cost | None:
        """
        What a failure costs; `None` is what was reserved, because it may have arrived and nobody said no.

        Services bill answers: a reply with the status of an error is none, but the call was made.
        """
        if (told := error.cost or self.cost) and not self.free:
            return told
        if not (MEANINGS[error.outcome].charged and error.sent):
            return NOT_MADE
        return UNBILLED if self.status is not None and self.status >= 400 else None


class Gatekeeper(Protocol):
    """What stands before a provider. Entered for every attempt; errors pass through it."""

    def enter(
        self, provider: Named, deadline: Deadline, *, patient: bool = False, host: str = "", cost: Cost = ONE_UNIT
    ) -> AbstractAsyncContextManager[Admission]: ...

    def may_retry(self, provider: Named) -> bool: ...

    def queue_seconds(self, provider: Named) -> float: ...

    async def with_key(self, provider: N) -> N: ...

    def has_another_key(self, provider: Named, error: ProviderError) -> bool: ...


class OpenGate:
    """No pace, no quota, no breaker: for hosts that bring their own, and for tests."""

    @asynccontextmanager
    async def enter(
        self,
        _provider: Named,
        _deadline: Deadline,
        *,
        patient: bool = False,  # noqa: ARG002
        host: str = "",  # noqa: ARG002
        cost: Cost = ONE_UNIT,  # noqa: ARG002
    ) -> AsyncIterator[Admission]:
        yield Admission()

    def may_retry(self, _provider: Named) -> bool:
        return True

    def queue_seconds(self, _provider: Named) -> float:
        return 0.0

    async def with_key(self, provider: N) -> N:
        return provider

    def has_another_key(self, _provider: Named, _error: ProviderError) -> bool:
        return False


@dataclass(frozen=True)
class Capacity:
    """How much may be under way at once."""

    calls: int = AT_ONCE
    """To one provider, where it declares no less."""
    pages: int = AT_ONCE
    per_host: int = AT_ONE_HOST


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
    room: Capacity = Capacity()
    keys: KeyPools = field(default_factory=KeyPools)
    breakers: dict[str, Breaker] = field(default_factory=dict)
    _rooms: Rooms = field(default_factory=Rooms)
    _times: dict[str, deque[float]] = field(default_factory=dict)
    _paces: dict[str, float] = field(default_factory=dict)
    _retries: Allowance = field(default_factory=lambda: Allowance(RETRY_SHARE, MOST_RETRIES, FIRST_RETRIES))
    _hedges: Allowance = field(default_factory=lambda: Allowance(HEDGE_SHARE, MOST_HEDGES, FIRST_HEDGES))

    @asynccontextmanager
    async def enter(
        self, provider: Named, deadline: Deadline, *, patient: bool = False, host: str = "", cost: Cost = ONE_UNIT
    ) -> AsyncIterator[Admission]:
        """
        Wait for a turn, reserve the cost, and learn from how it went.

        Who is `patient` has nobody else to ask: it queues for a room, waits for the end of a pause, and tries a
        provider that rests. `host` is the site a page is read from, `cost` what the call may cost at most.
        """
        about = traits(provider)
        if about.local:
            async with self._pages(host, deadline):
                yield Admission()
            return
        name, breaker = provider.name, self.breaker(provider.name)
        if not patient:
            breaker.look()
        queueing = QUEUE_SHARE * deadline.remaining() if patient else 0.0
        async with self._rooms.place(name, self._size(provider), seconds=queueing, usual=partial(self._usual, name)):
            # Once more, because the provider may have gone down while this call stood in the queue.
            if patient:
                await breaker.turn(deadline.remaining())
            else:
                breaker.check()
            try:
                price = GIFT if about.anonymous else cost
                hold = await deadline.keeps(self._admit(provider, deadline, price, patient=patient))
            except BaseException:
                # Our own pace, plan or store said no, which is no news about the provider.
                breaker.abandoned()
                raise
            async with self._watched(provider, hold, deadline) as admission:
                yield admission

    @asynccontextmanager
    async def _watched(self, provider: Named, hold: Hold, deadline: Deadline) -> AsyncIterator[Admission]:
        """See how the call itself goes: what the provider did counts, what we or the caller did does not."""
        name, breaker = provider.name, self.breaker(provider.name)
        admission = Admission(free=traits(provider).anonymous)
        self._retries.earn(name)
        self._hedges.earn(name)
        started = self.clock.monotonic()
        try:
            yield admission
        except (OutOfTime, Refused):
            breaker.abandoned()
            await self._seen_through(self.ledger.release(hold), deadline)
            raise
        except ProviderError as error:
            self.keys.turned_away(provider, error, self.clock.monotonic())
            took = self.clock.monotonic() - started
            hurried = isinstance(error, TimedOut) and admission.hurried and took < self.slow_after(provider)
            if hurried or self.has_another_key(provider, error):
                breaker.abandoned()
            else:
                breaker.failed(error)
            error = await self._seen_through(self._lesson(error, provider, hold, admission), deadline) or error
            raise error from error.__cause__
        except BaseException as left:
            # Somebody gave up waiting. A request that may have arrived stays spent.
            breaker.abandoned()
            settled = self.ledger.settle if getattr(left, "sent", True) else self.ledger.release
            await self._seen_through(settled(hold), deadline)
            raise
        self._times.setdefault(name, deque(maxlen=TIMED)).append(self.clock.monotonic() - started)
        breaker.worked()
        await self._seen_through(self._success(provider, hold, admission), deadline)

    async def _seen_through(self, bookkeeping: Awaitable[T], deadline: Deadline) -> T | None:
        """What is written once the call is over, whoever cancels it; but nobody waits long for it."""
        begun = Begun(bookkeeping)
        if begun.over:
            return begun.result
        seconds = min(MOST_BOOKKEEPING, max(LEAST_BOOKKEEPING, deadline.remaining()))
        with anyio.move_on_after(seconds, shield=True):
            return await begun
        log.warning("the store took longer than %.3g s, and a call may stay booked as it was reserved", seconds)
        return None

    @asynccontextmanager
    async def _pages(self, host: str, deadline: Deadline) -> AsyncIterator[None]:
        """
        Places for a page: with its host, and among all.

        Here everybody queues: another reader would be no kinder to the site, and may cost money.
        """
        seconds = QUEUE_SHARE * deadline.remaining()
        async with (
            self._rooms.place(f"the site {host}", self.room.per_host, seconds=seconds),
            self._rooms.place("sites", self.room.pages, seconds=seconds),
        ):
            yield

    async def _admit(self, provider: Named, deadline: Deadline, cost: Cost, *, patient: bool) -> Hold:
        """Keep a pause somebody was asked for, wait for a slot, reserve the cost."""
        name, key = provider.name, key_of(provider)
        delay = float(getattr(provider, "delay_seconds", 0.0))
        rate = await self.ledger.per_second(name, key)
        self._paces[name] = min(rate or math.inf, 1 / delay if delay > 0 else math.inf)
        # A pause is not waited for where somebody else can be asked: that is quicker.
        await self.pace.wait(name, seconds=deadline.remaining() if patient else 0.0)
        if rate or delay:
            await self.pace.wait(name, rate, seconds=deadline.remaining(), delay=delay)
        return await self.ledger.reserve(name, key, cost, seconds=deadline.within(math.inf))

    def _size(self, provider: Named) -> int:
        """Calls this provider may have under way at once: what it declares, and what its pace makes use of."""
        paced = self._paces.get(provider.name, math.inf) * PACED_SECONDS
        declared = traits(provider).at_once or self.room.calls
        return max(1, int(min(self.room.calls, declared, paced)))

    def _usual(self, name: str) -> float:
        """Seconds a call to this provider takes as a rule."""
        times = sorted(self._times.get(name, ()))
        return times[len(times) // 2] if times else 1.0

    async def _success(self, provider: Named, hold: Hold, admission: Admission) -> None:
        """Book what the call cost, and share what the service told."""
        await self.ledger.settle(hold, admission.cost)
        await self.ledger.observe(hold.provider, hold.identity, traits(provider).limits(admission.headers))
        await self.remember(hold.provider, "ok")

    async def _lesson(self, error: ProviderError, provider: Named, hold: Hold, admission: Admission) -> ProviderError:
        """Share what a failure teaches with everyone on the same store; tell a used-up plan in the ledger's words."""
        name, key = hold.provider, hold.identity
        # First of all, because whoever leaves while the store takes its time would take the rest along.
        if isinstance(error, RateLimited | Unreachable) and error.retry_after:
            try:
                await self.pace.pause(name, min(error.retry_after, LONGEST_REST))
            except StoreUnavailable as problem:
                log.warning("others were not told that %s needs a pause: %s", name, problem)
        await self.ledger.settle(hold, admission.bill(error))
        await self.ledger.observe(name, key, traits(provider).limits(admission.headers))
        await self.keys.tell(provider, error, self.ledger)
        await self.remember(name, error.outcome)
        if isinstance(error, QuotaExhausted) and error.resets_on is None:
            quota = await self.ledger.quota(name, key)
            if quota.limit is not None and quota.resets_on:
                told = quota.exhausted(moment(self.clock.time()))
                told.status, told.body = error.status, error.body
                return told
        return error

    async def with_key(self, provider: N) -> N:
        """The provider with the key of which most is left."""
        return await self.keys.choose(provider, self.ledger, self.clock.monotonic())

    def has_another_key(self, provider: Named, error: ProviderError) -> bool:
        """Whether an error is the trouble of one key alone, and another one can be tried."""
        return self.keys.has_another(provider, error, self.clock.monotonic())

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
        return not self.breaker(provider.name).is_open and self._retries.spend(provider.name)

    def queue_seconds(self, provider: Named) -> float:
        """Seconds whoever joins the queue for a provider's room will probably wait."""
        return self._rooms.queue_seconds(provider.name, self._size(provider), usual=self._usual(provider.name))

    def takes(self, provider: Named) -> int:
        """How many calls to a provider may be under way at once, as far as its pace is known."""
        return self._size(provider)

    async def pause_of(self, provider: Named, seconds: float) -> None:
        """Wait for the end of a pause that a provider asked for, unless it is longer than so many seconds."""
        with suppress(RateLimited):
            await self.pace.wait(provider.name, seconds=seconds)

    def may_hedge(self, provider: Named) -> bool:
        """Whether a second call may run beside a slow one to this provider: beside about one in twenty."""
        return self._hedges.spend(provider.name)

    def costs_less(self, provider: Named, other: Named) -> bool:
        """Whether a provider costs nothing, or less than another; what nobody knows counts as dear."""
        return self._price(provider) == 0 or self._price(provider) < self._price(other)

    def _price(self, provider: Named) -> float:
        return (self.ledger.plan(provider.name).price or math.inf) if own_key(provider) else 0.0

    def outwaited(self, provider: Named, seconds: float) -> None:
        """A hedge gave up a call to this provider after so many seconds."""
        if self.breaker(provider.name).outwaited(self.clock.monotonic() - seconds):
            # It was no second call beside a slow one, but the next provider after one that is down.
            self._hedges.earn(provider.name, 1.0)

    def slow_after(self, provider: Named) -> float:
        """
        Seconds after which this provider is slower than it usually is: its 95th percentile, taken high.

        Of the last hundred calls it is the third slowest: times drift, and a hedge may add one call in twenty at most.
        Of few calls only the slowest is left out, for one outlier says nothing.
        """
        times = sorted(self._times.get(provider.name, ()))
        if len(times) < 10:
            return SLOW_AFTER
        return max(LEAST_SLOW, times[-max(2, len(times) // 33)])
