"""
The ledger: what each key of each provider has used, and whether it may use more.

Before a call its cost is reserved on every counter it touches, all or nothing; after it the reservation is settled to
what the call really cost. A process that dies in between leaves its reservation spent: the ledger may think too little
is left, never too much. Keys are known by the first eight digits of their SHA-256.

Three voices set a limit: the operator's caps, the plan, and the service itself, whose headers are learned from
(`observe`). The strictest counts. Dates come from the plan or the headers; what neither says is not said.

Whoever wants to know what its own calls cost keeps a bill (`billed`): what is settled meanwhile stands on it.

When the store fails, calls that nothing limits go on uncounted; whatever costs money or has a limit stops, unless the
ledger was told to `fail_open`.
"""

import dataclasses
import hashlib
import json
import math
import sys
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Literal, Protocol, get_args
from urllib.parse import quote, unquote

from seekread.errors import QuotaExhausted, Unreachable
from seekread.late import dataclass
from seekread.ports import Clock, Entry, Limit, Reservation, Store, StoreUnavailable, Want
from seekread.provider import Cost, Plan, RateWindow
from seekread.state.bounded import bounded
from seekread.state.outage import Outage
from seekread.state.periods import EPOCH, Period, anchor_of, moment, period_at
from seekread.state.usage import Usage, forecast, runs_out

CounterKind = Literal["calls", "units", "dollars"]

DAY = 86_400.0
YEAR_AND_MORE = 400 * DAY
"""Longer than a clock may be wrong by a year, so that a jump forgets no month."""

FORECAST_DAYS = 7
SHOWN_DAYS = 30
"""How many days of money are shown at least, whenever the period of a plan began."""

UNLIMITED_SECONDS = 0.1
"""Seconds a call that nothing limits waits to be counted."""

BELIEVED = 1.0
"""Seconds before it is looked up again what a service told about its limits: somebody else may have heard more."""

UNPLANNED = Plan("none", period="month")
"""Counted by the month, limited by nothing."""


def identity(key: str | None) -> str:
    """A name for a key that does not tell it; `keyless` where there is none."""
    return hashlib.sha256(key.encode()).hexdigest()[:8] if key else "keyless"


def amounts_of(cost: Cost, plan: Plan) -> dict[CounterKind, float]:
    """A cost by what is counted."""
    dollars = cost.units * plan.price if cost.dollars is None else cost.dollars
    return {"calls": cost.calls, "units": dollars if plan.unit == "dollars" else cost.units, "dollars": dollars}


@dataclass
class Bill:
    """What the calls cost that were made for whoever keeps it."""

    dollars: float = 0.0


BILL: ContextVar[Bill | None] = ContextVar("seekread-bill", default=None)


@contextmanager
def billed() -> Iterator[Bill]:
    """A bill for the calls that are made meanwhile, those of tasks that are started here included."""
    bill = Bill()
    before = BILL.set(bill)
    try:
        yield bill
    finally:
        BILL.reset(before)


@dataclass(frozen=True)
class Caps:
    """What the operator allows over all providers, in a day (UTC) and in a session."""

    daily_calls: float | None = None
    daily_dollars: float | None = None
    session_calls: float | None = None
    session_dollars: float | None = None


NO_CAPS = Caps()


@dataclass(frozen=True)
class Hold:
    """A call that may be made. `settle` or `release` it afterwards."""

    provider: str
    identity: str
    plan: Plan
    reservation: Reservation | None
    kinds: tuple[CounterKind, ...] = ()
    uncounted: tuple[Want, ...] = ()
    """What is counted later, because the store did not answer and nothing limits the call."""


@dataclass(frozen=True)
class Learned:
    """What the service's own headers said last; `ceiling` is what our counter may reach before `resets_at`."""

    per_second: float | None = None
    limit: float | None = None
    ceiling: float | None = None
    resets_at: float | None = None


NOTHING_LEARNED = Learned()


@dataclass(frozen=True)
class Quota:
    """The limit that applies to a key now, and the day it starts afresh; `None` where nobody knows."""

    plan: Plan
    limit: float | None
    room: float
    period: Period
    resets_on: str | None

    def exhausted(self, now: datetime) -> QuotaExhausted:
        """The error that tells of it, in computed words only."""
        period = {"month": "/month", "day": "/day", "none": " in total"}[self.plan.period]
        amount = "" if self.limit is None else f" ({_amount(self.limit, self.plan.unit)}{period})"
        return QuotaExhausted(
            f"Rate limit exceeded{amount}." + (f" Resets on {self.resets_on}." if self.resets_on else ""),
            limit=None if self.limit is None else math.floor(self.limit),
            resets_on=self.resets_on,
            retry_after=(self.period.end - now).total_seconds() if self.period.end and self.resets_on else None,
        )


@dataclass(frozen=True)
class Counting:
    """How the calls with a key are counted, from one moment to another: until a day or a period is over."""

    plan: Plan
    learned: Learned
    quota: Quota
    counters: tuple[tuple[CounterKind, str, Limit], ...]
    since: float
    until: float

    @property
    def kinds(self) -> tuple[CounterKind, ...]:
        """What each counter counts."""
        return tuple([kind for kind, _, _ in self.counters])

    def wants(self, amounts: Mapping[CounterKind, float]) -> tuple[Want, ...]:
        """What a call of this cost wants from each counter."""
        return tuple([Want(key, amounts[kind], limit) for kind, key, limit in self.counters])


class PlanBook(Protocol):
    """The plan of each provider."""

    def get(self, provider: str, default: Plan, /) -> Plan: ...


class Ledger:
    """Counts calls, units and dollars per provider and key, durably and for all who share the store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        plans: PlanBook | None = None,
        *,
        caps: Caps | None = None,
        session: str | None = None,
        fail_open: bool = False,
    ) -> None:
        self._store = store
        self._clock = clock
        self._plans: PlanBook = plans or {}
        self._caps = caps or Caps()
        self._session = session or uuid.uuid4().hex[:12]
        self._fail_open = fail_open
        self._outage = Outage(clock, "the ledger", pause=1.0)
        self._late: dict[str, Want] = {}
        self._told: dict[str, tuple[float, Learned]] = {}
        self._countings: dict[tuple[str, str], Counting] = {}

    def plan(self, provider: str) -> Plan:
        """The plan a provider is used under."""
        return self._plans.get(provider, UNPLANNED)

    async def reserve(
        self, provider: str, key_identity: str, cost: Cost | float = 1.0, *, seconds: float = math.inf
    ) -> Hold:
        """
        Reserve the cost of a call; raise `QuotaExhausted` when a limit is reached.

        The store has so many `seconds`, and fewer where nothing limits the call: counting is no reason to wait.
        """
        if self._late and not self._outage.lasts():
            await self._count_late()
        counting = self._counting(provider, key_identity, await self._learned(provider, key_identity))
        quota, kinds = counting.quota, counting.kinds
        amounts = amounts_of(_cost(cost), counting.plan)
        wants = counting.wants(amounts)
        limited = quota.limit is not None or amounts["dollars"] > 0 or self._caps != NO_CAPS
        if self._outage.lasts() and not limited:
            return Hold(provider, key_identity, counting.plan, None, kinds, wants)
        try:
            patience = seconds if limited else min(seconds, UNLIMITED_SECONDS)
            reservation = await bounded(self._store.reserve(*wants), patience)
        except StoreUnavailable as error:
            uncounted = Hold(provider, key_identity, counting.plan, None, kinds, wants)
            return self._without_store(uncounted, error, limited=limited)
        self._outage.worked()
        if reservation.refused:
            raise self._refusal(reservation.refused, quota)
        return Hold(provider, key_identity, counting.plan, reservation, kinds)

    async def settle(self, hold: Hold, actual: Cost | float | None = None) -> None:
        """
        Correct a hold to what the call really cost; `None` means as reserved, 0 that it was not charged.

        The call is over and its result in hand, so a failing store is only a line in the log: it stays as reserved.
        """
        wants = hold.reservation.wants if hold.reservation else hold.uncounted
        if actual is None:
            amounts = tuple(want.amount for want in wants)
        else:
            costs = amounts_of(_cost(actual), hold.plan)
            amounts = tuple(costs[kind] for kind in hold.kinds)
        if bill := BILL.get():
            bill.dollars += dict(zip(hold.kinds, amounts, strict=True))["dollars"]
        if hold.reservation is None:
            self._count_soon(replace(want, amount=amount) for want, amount in zip(wants, amounts, strict=True))
            return
        try:
            await self._store.settle(hold.reservation, *amounts)
        except StoreUnavailable as error:
            self._outage.failed(error)

    def _count_soon(self, wants: Iterable[Want]) -> None:
        """Remember what was used while the store did not answer."""
        for want in wants:
            before = self._late.get(want.key)
            self._late[want.key] = replace(want, amount=want.amount + before.amount) if before else want

    async def _count_late(self) -> None:
        """Count what was used while the store did not answer."""
        wants, self._late = tuple(self._late.values()), {}
        if not wants:
            return
        # The calls were made, whatever the limits say.
        made = [replace(want, limit=replace(want.limit, amount=math.inf)) for want in wants]
        try:
            reservation = await bounded(self._store.reserve(*made), UNLIMITED_SECONDS)
        except BaseException as error:
            # Nothing was taken, or the store gives it back.
            self._count_soon(wants)
            if not isinstance(error, StoreUnavailable):
                raise
            self._outage.failed(error)
            return
        # Where that fails, they are counted all the same.
        with suppress(StoreUnavailable):
            await self._store.settle(reservation, *(want.amount for want in wants))

    async def release(self, hold: Hold) -> None:
        """Give a hold back: the call was never made."""
        await self.settle(hold, Cost(0.0, 0.0, 0.0))

    async def observe(self, provider: str, key_identity: str, told: Sequence[RateWindow]) -> None:
        """Learn what a service told of its limits. Calls still under way are not in its numbers yet."""
        if not told:
            return
        name = _name("learned", provider, key_identity)
        try:
            learned = await self._learn(provider, key_identity, told)
            self._told[name] = (self._clock.monotonic(), learned)
            await self._store.put(name, json.dumps(dataclasses.asdict(learned)).encode(), lifetime=YEAR_AND_MORE)
        except StoreUnavailable as error:
            self._outage.failed(error)

    async def per_second(self, provider: str, key_identity: str) -> float | None:
        """The pace the service itself told, or the plan's."""
        told = (await self._learned(provider, key_identity)).per_second
        planned = self.plan(provider).per_second
        return min((pace for pace in (told, planned) if pace), default=None)

    async def quota(self, provider: str, key_identity: str) -> Quota:
        """The limit that applies to a key now, from the plan and from what the service told."""
        return self._quota(provider, await self._learned(provider, key_identity))

    def _quota(self, provider: str, learned: Learned) -> Quota:
        plan = self.plan(provider)
        now = self._clock.time()
        current = self._period(plan, learned)
        limits: list[tuple[float, float | None]] = [(plan.limit, plan.limit)] if plan.limit is not None else []
        if learned.resets_at and now < learned.resets_at and learned.ceiling is not None:
            limits.append((learned.ceiling, learned.limit))
        room, limit = min(limits, key=lambda pair: pair[0], default=(math.inf, None))
        # Without a plan the calendar month is our way of counting, not the service's promise to start afresh.
        known = plan is not UNPLANNED or learned.resets_at is not None
        resets_on = f"{current.end:%Y-%m-%d}" if current.end and known else None
        return Quota(plan, limit, room, current, resets_on)

    async def left(self, provider: str, key_identity: str) -> tuple[float, float]:
        """What is left of a key, and, as that is often endless, how little it was used: the more the better."""
        quota = await self.quota(provider, key_identity)
        try:
            used = await self._used(provider, key_identity, quota.period)
        except StoreUnavailable as error:
            self._outage.failed(error)
            used = 0.0
        return quota.room - used, -used

    async def rest(self, provider: str, key_identity: str, pool: str, seconds: float) -> None:
        """Let a key rest for all who use the same pool of keys."""
        try:
            await self._store.put(_name("rest", provider, key_identity), pool.encode(), lifetime=seconds)
        except StoreUnavailable as error:
            self._outage.failed(error)

    async def rests(self, provider: str, key_identity: str, pool: str) -> bool:
        """Whether a key rests; with other settings it is another pool, and everybody is asked again."""
        try:
            entry = await self._store.get(_name("rest", provider, key_identity))
        except StoreUnavailable as error:
            self._outage.failed(error)
            return False
        return entry is not None and entry.value == pool.encode()

    async def usage(self) -> list[Usage]:
        """Every key that was ever used, with what its current period holds; three questions, however many keys."""
        await self._count_late()
        days: dict[tuple[str, str], dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
        for counter in await self._store.counters("ledger/day/"):
            _, _, provider, key_identity, date, kind = counter.key.split("/")
            days[unquote(provider), unquote(key_identity)][date][kind] = counter.used
        plans = {counter.key: counter.used for counter in await self._store.counters("ledger/plan/")}
        told = {entry.key: entry for entry in await self._store.scan("ledger/learned/", limit=sys.maxsize)}
        found = []
        for (provider, key_identity), history in days.items():
            quota = self._quota(provider, _read(told.get(_name("learned", provider, key_identity))))
            counted = plans.get(_plan_key(provider, key_identity, quota.period), 0.0)
            found.append(self._usage(provider, key_identity, history, quota, counted))
        return found

    def _usage(
        self,
        provider: str,
        key_identity: str,
        history: Mapping[str, Mapping[str, float]],
        quota: Quota,
        counted: float,
    ) -> Usage:
        now = moment(self._clock.time())
        first_day = f"{quota.period.start:%Y-%m-%d}"
        current = [page for date, page in history.items() if date >= first_day]
        remaining = None if quota.limit is None else max(0.0, quota.room - counted)
        per_day = _per_day(history, now)
        first_shown = min(first_day, f"{now - timedelta(days=SHOWN_DAYS - 1):%Y-%m-%d}")
        resets_at = quota.period.end if quota.resets_on else None
        end = runs_out(remaining, per_day, now, resets_at)
        return Usage(
            provider=provider,
            identity=key_identity,
            plan=quota.plan,
            calls=sum(page.get("calls", 0.0) for page in current),
            # The service knows of calls that others made with this key.
            used=counted if quota.limit is None else max(counted, quota.limit - (quota.room - counted)),
            dollars=sum(page.get("dollars", 0.0) for page in current),
            days={date: page.get("dollars", 0.0) for date, page in sorted(history.items()) if date >= first_shown},
            limit=quota.limit,
            remaining=remaining,
            resets_on=quota.resets_on,
            per_day=per_day,
            runs_out_on=f"{end:%Y-%m-%d}" if end else None,
            forecast=forecast(provider, remaining, end, now, resets_at),
        )

    async def _learn(self, provider: str, key_identity: str, told: Sequence[RateWindow]) -> Learned:
        before = await self._learned(provider, key_identity)
        paces = [window.limit / window.seconds for window in told if window.limit and not window.is_quota]
        learned = Learned(per_second=min(paces, default=None))
        quota = next((window for window in told if window.is_quota and window.limit and window.resets_in), None)
        if quota and quota.resets_in:
            resets_at = _steady(self._clock.time() + quota.resets_in, before.resets_at)
            learned = dataclasses.replace(learned, limit=quota.limit, resets_at=resets_at)
            # The service counts requests; what is left of them says nothing about dollars or credits.
            if quota.remaining is not None and self.plan(provider).unit in {"searches", "requests"}:
                used = await self._used(provider, key_identity, self._period(self.plan(provider), learned))
                learned = dataclasses.replace(learned, ceiling=used + quota.remaining)
        return learned

    def _counting(self, provider: str, key_identity: str, learned: Learned) -> Counting:
        """How calls are counted now; worked out once for as long as it stays so."""
        now, plan = self._clock.time(), self.plan(provider)
        known = self._countings.get((provider, key_identity))
        if known and known.since <= now < known.until and known.plan == plan and known.learned == learned:
            return known
        quota = self._quota(provider, learned)
        today = period_at("day", EPOCH, moment(now))
        counters = (*self._capped(today), *self._counted(provider, key_identity, quota, today))
        borders = [border.timestamp() for border in (*today.span, *quota.period.span)]
        borders += [learned.resets_at] if learned.resets_at else []
        since, until = max(at for at in borders if at <= now), min(at for at in borders if at > now)
        known = self._countings[provider, key_identity] = Counting(plan, learned, quota, counters, since, until)
        return known

    def _capped(self, today: Period) -> Iterator[tuple[CounterKind, str, Limit]]:
        """What the operator's caps limit, the narrowest first."""
        session, day = f"ledger/session/{self._session}", f"ledger/cap/{today.day}"
        caps: list[tuple[str, CounterKind, float | None, float]] = [
            (f"{session}/calls", "calls", self._caps.session_calls, 2 * DAY),
            (f"{session}/dollars", "dollars", self._caps.session_dollars, 2 * DAY),
            (f"{day}/calls", "calls", self._caps.daily_calls, YEAR_AND_MORE),
            (f"{day}/dollars", "dollars", self._caps.daily_dollars, YEAR_AND_MORE),
        ]
        for key, kind, cap, keep in caps:
            if cap is not None:
                yield kind, key, Limit(cap, keep=keep)

    def _counted(
        self, provider: str, key_identity: str, quota: Quota, today: Period
    ) -> Iterator[tuple[CounterKind, str, Limit]]:
        """What the plan limits, and the day's page of the history."""
        keep = None if quota.period.end is None else YEAR_AND_MORE
        yield "units", _plan_key(provider, key_identity, quota.period), Limit(quota.room, keep=keep)
        for kind in get_args(CounterKind):
            # What is expected to cost nothing has its place too: the answer may say otherwise.
            key = f"{_name('day', provider, key_identity)}/{today.day}/{kind}"
            yield kind, key, Limit(math.inf, keep=YEAR_AND_MORE)

    def _refusal(self, want: Want, quota: Quota) -> QuotaExhausted:
        now = moment(self._clock.time())
        unit = want.key.rpartition("/")[2]
        if want.key.startswith("ledger/session/"):
            return QuotaExhausted(
                f"Session cap reached ({_amount(want.limit.amount, unit)}). Start another session or raise the cap.",
                limit=math.floor(want.limit.amount),
            )
        if want.key.startswith("ledger/cap/"):
            midnight = period_at("day", now, now).end or now
            return QuotaExhausted(
                f"Daily cap reached ({_amount(want.limit.amount, unit)}/day). Resets on {midnight:%Y-%m-%d}.",
                limit=math.floor(want.limit.amount),
                resets_on=f"{midnight:%Y-%m-%d}",
                retry_after=(midnight - now).total_seconds(),
            )
        return quota.exhausted(now)

    def _without_store(self, hold: Hold, error: StoreUnavailable, *, limited: bool) -> Hold:
        """Go on or stop, when nobody can say what was spent."""
        if limited and not self._fail_open:
            raise Unreachable(f"the ledger cannot be used, so nothing is spent on {hold.provider}: {error}") from error
        self._outage.failed(error)
        return hold

    def _period(self, plan: Plan, learned: Learned) -> Period:
        anchor = moment(learned.resets_at) if learned.resets_at else anchor_of(plan)
        return period_at(plan.period, anchor, moment(self._clock.time()))

    async def _used(self, provider: str, key_identity: str, current: Period) -> float:
        return await self._store.counter(_plan_key(provider, key_identity, current))

    async def _learned(self, provider: str, key_identity: str) -> Learned:
        name, now = _name("learned", provider, key_identity), self._clock.monotonic()
        at, learned = self._told.get(name, (-math.inf, NOTHING_LEARNED))
        if now - at < BELIEVED:
            return learned
        try:
            learned = _read(await self._store.get(name))
        except StoreUnavailable as error:
            self._outage.failed(error)
            return NOTHING_LEARNED
        self._told[name] = (now, learned)
        return learned


def _read(entry: Entry | None) -> Learned:
    """What the service told, as it was stored."""
    known = json.loads(entry.value) if entry else {}
    return Learned(**{field.name: known.get(field.name) for field in dataclasses.fields(Learned)})


def _cost(cost: Cost | float) -> Cost:
    return cost if isinstance(cost, Cost) else Cost(cost)


@lru_cache(maxsize=1024)
def _name(what: str, provider: str, key_identity: str) -> str:
    return f"ledger/{what}/{quote(provider, safe='')}/{quote(key_identity, safe='')}"


def _plan_key(provider: str, key_identity: str, current: Period) -> str:
    return f"{_name('plan', provider, key_identity)}/{current.label}"


def _steady(resets_at: float, before: float | None) -> float:
    """A reset time told in whole seconds moves by one or two with every reply; it is still the same one."""
    if before is not None and abs(resets_at - before) < 120:
        return before
    return round(resets_at / 60) * 60.0


def _per_day(history: Mapping[str, Mapping[str, float]], now: datetime) -> float:
    """Units a day over the last week, or since the first use if that is less; never less than one day."""
    first = f"{now - timedelta(days=FORECAST_DAYS - 1):%Y-%m-%d}"
    recent = {date: counted.get("units", 0.0) for date, counted in history.items() if date >= first}
    if not recent:
        return 0.0
    begun = datetime.fromisoformat(min(recent)).replace(tzinfo=now.tzinfo)
    return sum(recent.values()) / max(1.0, (now - begun).total_seconds() / DAY)


def _amount(limit: float, unit: str) -> str:
    return f"${limit:.2f}" if unit == "dollars" else f"{limit:.10g} {unit}"
