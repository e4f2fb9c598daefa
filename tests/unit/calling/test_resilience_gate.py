"""Who is to blame when a call does not come about: the provider, our own limits, or the one who gave up waiting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio
import pytest

from seekread.calling.breaker import FEWEST, KEY_REST, LATEST, LONGEST_REST, REST, Breaker
from seekread.calling.deadline import Deadline
from seekread.calling.gate import ALTOGETHER, PER_PROVIDER, SLOW_AFTER, Gate
from seekread.errors import (
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
    SuspiciousEmpty,
    TimedOut,
    Unreachable,
)
from seekread.ports import Reservation, StoreUnavailable, Want
from seekread.provider import Limits, Plan
from seekread.providers.rate_limits import windows
from seekread.state.ledger import Ledger
from seekread.state.memory import MemoryStore
from seekread.state.pace import Pace
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Provider:
    name: str = "brave"
    local: bool = False
    limits: Limits = windows


class BrokenStore(MemoryStore):
    """A store whose counters cannot be reached."""

    async def reserve(self, *wants: Want, ahead: float = 0.0) -> Reservation:
        raise StoreUnavailable("gone")


def gate(
    plan: Plan | None = None, *, clock: FakeClock | None = None, store: MemoryStore | None = None
) -> tuple[Gate, FakeClock]:
    clock = clock or FakeClock()
    store = store or MemoryStore(clock=clock, max_bytes=1_000_000)
    ledger = Ledger(store, clock, {"brave": plan} if plan else {})
    return Gate(clock, Pace(store, clock), ledger), clock


async def call(
    made: Gate,
    clock: FakeClock,
    error: Exception | None = None,
    *,
    seconds: float = 20,
    headers: Mapping[str, str] | None = None,
) -> None:
    async with made.enter(Provider(), Deadline.after(clock, seconds)) as admission:
        admission.headers = headers or {}
        if error:
            raise error


async def failing(made: Gate, clock: FakeClock, errors: Sequence[ProviderError]) -> None:
    for error in errors:
        with pytest.raises(type(error)):
            await call(made, clock, error)


async def test_our_own_pace_is_not_held_against_the_provider() -> None:
    made, clock = gate(Plan("slow", per_second=0.1))
    await call(made, clock)
    for _ in range(FEWEST):
        with pytest.raises(RateLimited, match="asked at most one request every 10 s"):
            await call(made, clock, seconds=1)
    assert not made.breaker("brave").is_open
    clock.now += 9.5
    await call(made, clock, seconds=1)


async def test_a_used_up_plan_of_ours_is_not_held_against_the_provider() -> None:
    made, clock = gate(Plan("tiny", limit=1))
    await call(made, clock)
    with pytest.raises(QuotaExhausted):
        await call(made, clock)
    assert not made.breaker("brave").is_open


async def test_a_ledger_that_fails_is_not_held_against_the_provider() -> None:
    clock = FakeClock()
    made, clock = gate(Plan("paid", price=0.005), clock=clock, store=BrokenStore(clock=clock, max_bytes=1000))
    for _ in range(2 * FEWEST):
        with pytest.raises(Unreachable, match="nothing is spent on brave"):
            await call(made, clock)
    assert not made.breaker("brave").is_open


async def test_a_pause_the_service_asked_for_is_kept_by_everyone_on_the_store() -> None:
    clock = FakeClock()
    store = MemoryStore(clock=clock, max_bytes=1_000_000)
    here, _ = gate(clock=clock, store=store)
    there, _ = gate(clock=clock, store=store)
    with pytest.raises(RateLimited):
        await call(here, clock, RateLimited("slow down", retry_after=7))
    with pytest.raises(RateLimited, match="asked for a pause"):
        await call(there, clock)
    assert clock.slept == [], "the next provider is asked instead of waiting"
    clock.now += 7
    await call(there, clock)
    await call(here, clock)


async def test_a_pause_of_years_is_cut_short() -> None:
    made, clock = gate()
    with pytest.raises(RateLimited):
        await call(made, clock, RateLimited("slow down", retry_after=1e9))
    clock.now += LONGEST_REST
    await call(made, clock)


async def test_a_plan_the_service_says_is_used_up_is_told_with_its_limit_and_day() -> None:
    """S1-30: computed, never invented"""
    made, clock = gate(Plan("free", limit=2000))
    with pytest.raises(QuotaExhausted) as caught:
        await call(made, clock, QuotaExhausted("status 402: the plan is used up", status=402, body="evidence"))
    assert str(caught.value) == "Rate limit exceeded (2000 searches/month). Resets on 2026-12-01."
    assert (caught.value.status, caught.value.body) == (402, "evidence")


async def test_what_nobody_knows_about_a_plan_is_not_said() -> None:
    """S1-30"""
    made, clock = gate()
    with pytest.raises(QuotaExhausted, match=r"^status 402: the plan is used up$"):
        await call(made, clock, QuotaExhausted("status 402: the plan is used up"))


async def test_a_service_whose_plan_is_used_up_is_not_asked_at_every_search() -> None:
    made, clock = gate()
    await failing(made, clock, [QuotaExhausted("used up")])
    with pytest.raises(QuotaExhausted, match="was not asked"):
        await call(made, clock)
    clock.now += KEY_REST
    await call(made, clock)


async def test_limits_told_with_a_refusal_are_learned_too() -> None:
    made, clock = gate()
    headers = {"x-ratelimit-policy": "1;w=1, 2000;w=2592000", "x-ratelimit-remaining": "0, 0"}
    headers |= {"x-ratelimit-reset": "1, 86400"}
    with pytest.raises(RateLimited):
        await call(made, clock, RateLimited("slow down"), headers=headers)
    assert await made.ledger.per_second("brave", "keyless") == 1
    with pytest.raises(QuotaExhausted, match=r"2000 searches/month"):
        await call(made, clock)


async def test_a_hedge_that_always_loses_to_another_provider_opens_the_breaker() -> None:
    made, clock = gate()

    async def outwaited() -> None:
        with anyio.CancelScope() as scope:
            async with made.enter(Provider(), Deadline.after(clock, 20)):
                clock.now += SLOW_AFTER
                scope.cancel()
                await anyio.sleep_forever()

    for _ in range(FEWEST):
        await outwaited()
    assert made.breaker("brave").is_open


async def test_a_hedge_that_loses_once_while_others_are_answered_is_only_unlucky() -> None:
    made, clock = gate()
    for _ in range(3 * FEWEST):
        with anyio.CancelScope() as scope:
            async with made.enter(Provider(), Deadline.after(clock, 20)):
                clock.now += SLOW_AFTER
                await call(made, clock)
                scope.cancel()
                await anyio.sleep_forever()
    assert list(made.breaker("brave").recent) == [True] * 3 * FEWEST


async def test_a_call_cancelled_early_says_nothing_about_the_provider() -> None:
    made, clock = gate()
    for _ in range(3 * FEWEST):
        with anyio.CancelScope() as scope:
            async with made.enter(Provider(), Deadline.after(clock, 20)):
                scope.cancel()
                await anyio.sleep_forever()
    await call(made, clock)


async def test_whoever_queues_for_a_slow_provider_takes_no_place_from_the_others() -> None:
    made, clock = gate()
    release, entered = anyio.Event(), anyio.Event()

    async def wait_inside() -> None:
        async with made.enter(Provider("slow"), Deadline.after(clock, 20)):
            await release.wait()

    async def quick() -> None:
        async with made.enter(Provider("quick"), Deadline.after(clock, 20)):
            entered.set()

    async with anyio.create_task_group() as group:
        for _ in range(2 * ALTOGETHER):
            group.start_soon(wait_inside)
        await anyio.wait_all_tasks_blocked()
        group.start_soon(quick)
        await anyio.wait_all_tasks_blocked()
        assert entered.is_set()
        release.set()


async def test_who_stood_in_the_queue_when_the_provider_went_down_is_turned_away() -> None:
    made, clock = gate()
    release, calls = anyio.Event(), 0

    async def visit() -> None:
        nonlocal calls
        try:
            async with made.enter(Provider(), Deadline.after(clock, 20)):
                calls += 1
                await release.wait()
                raise TimedOut("no answer")
        except ProviderError:
            return

    async with anyio.create_task_group() as group:
        for _ in range(100):
            group.start_soon(visit)
        await anyio.wait_all_tasks_blocked()
        release.set()
    assert calls <= 2 * PER_PROVIDER


async def test_no_retry_waits_for_the_end_of_a_rest() -> None:
    made, clock = gate()
    await failing(made, clock, [Unreachable("x")] * FEWEST)
    assert made.breaker("brave").is_open
    assert not made.may_retry(Provider())


async def test_pages_that_cannot_be_read_do_not_keep_the_reader_from_the_next_one() -> None:
    made, clock = gate()

    async def read(error: Exception | None = None) -> None:
        async with made.enter(Provider("mine", local=True), Deadline.after(clock, 20)):
            if error:
                raise error

    for error in [*[TimedOut("dead link")] * FEWEST, RateLimited("one site's wish", retry_after=60)]:
        with pytest.raises(type(error)):
            await read(error)
    await read()
    assert await made.ledger.usage() == []


async def test_a_refusal_of_ours_costs_nothing() -> None:
    made, clock = gate(Plan("tiny", limit=1))
    with pytest.raises(Refused):
        await call(made, clock, Refused("private", "the guard said no"))
    await call(made, clock)


def test_bad_luck_now_and_then_does_not_open_the_breaker() -> None:
    breaker = Breaker("brave", FakeClock())
    for number in range(40):
        breaker.check()
        if number % LATEST:
            breaker.failed(Unreachable("x"))
        else:
            breaker.worked()
    assert not breaker.is_open


def test_a_provider_that_refuses_every_call_without_saying_for_how_long_rests_too() -> None:
    breaker = Breaker("brave", FakeClock())
    for _ in range(FEWEST):
        breaker.check()
        breaker.failed(RateLimited("429"))
    with pytest.raises(RateLimited, match="rests for 15 s"):
        breaker.check()


def test_any_answer_to_a_probe_shows_that_the_provider_is_back() -> None:
    clock = FakeClock()
    breaker = Breaker("ddg", clock)
    for _ in range(FEWEST):
        breaker.failed(TimedOut("x"))
    clock.now += REST
    breaker.check()
    breaker.failed(SuspiciousEmpty("nothing there"))
    breaker.check()
    breaker.check()
