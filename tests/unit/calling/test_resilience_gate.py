"""Who is to blame when a call does not come about: the provider, our own limits, or the one who gave up waiting."""

import asyncio
import socket
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
import pytest

from seekread.calling.breaker import FEWEST, KEY_REST, LATEST, LONGEST_REST, REST, Breaker
from seekread.calling.deadline import Deadline, OutOfTime
from seekread.calling.gate import AT_ONCE, AT_ONE_HOST, SLOW_AFTER, Gate
from seekread.calling.rooms import KEPT
from seekread.errors import (
    Overloaded,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
    SuspiciousEmpty,
    TimedOut,
    Unreachable,
)
from seekread.http.client import ServiceClient
from seekread.ports import Reservation, StoreUnavailable, Want
from seekread.provider import Limits, Plan, Request, SecretStr
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
    at_once: int | None = None


@dataclass(frozen=True)
class Keyed(Provider):
    key: SecretStr = field(default_factory=lambda: SecretStr("a-key"))


@dataclass(frozen=True)
class Addressed(Provider):
    base_url: str = "https://me:a-long-password@search.example"


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


class SlowStore(MemoryStore):
    """A store that never tells whether it has settled anything."""

    async def settle(self, reservation: Reservation, *amounts: float) -> None:
        await super().settle(reservation, *amounts)
        await asyncio.sleep(1000)


async def test_a_pause_is_kept_though_whoever_was_asked_for_it_leaves() -> None:
    clock = FakeClock()
    made, _ = gate(clock=clock, store=SlowStore(clock=clock, max_bytes=1_000_000))
    leaving = asyncio.create_task(call(made, clock, RateLimited("slow down", retry_after=7)))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    with pytest.raises(RateLimited, match="asked for a pause"):
        await call(made, clock)


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
    made, _ = gate()
    for _ in range(FEWEST):
        made.outwaited(Provider(), SLOW_AFTER)
    assert made.breaker("brave").is_open


async def test_a_hedge_that_loses_once_while_others_are_answered_is_only_unlucky() -> None:
    made, clock = gate()
    for _ in range(3 * FEWEST):
        clock.now += SLOW_AFTER
        await call(made, clock)
        made.outwaited(Provider(), SLOW_AFTER)
    assert list(made.breaker("brave").recent) == [True] * 3 * FEWEST


async def test_whoever_gives_up_waiting_says_nothing_about_the_provider() -> None:
    """However long it waited: search as you type must not silence a healthy provider."""
    made, clock = gate()
    for _ in range(20):
        await call(made, clock)
    for _ in range(3 * FEWEST):
        with anyio.CancelScope() as scope:
            async with made.enter(Provider(), Deadline.after(clock, 20)):
                clock.now += 2 * SLOW_AFTER
                scope.cancel()
                await anyio.sleep_forever()
    await call(made, clock)


async def test_a_call_that_was_given_up_stays_spent_and_leaves_no_hold() -> None:
    """The request may have arrived."""
    made, clock = gate(Plan("tiny", limit=2))
    with anyio.CancelScope() as scope:
        async with made.enter(Provider(), Deadline.after(clock, 20)):
            scope.cancel()
            await anyio.sleep_forever()
    [usage] = await made.ledger.usage()
    assert usage.remaining == 1


async def test_a_deadline_of_ours_is_neither_blamed_on_the_provider_nor_charged() -> None:
    made, clock = gate(Plan("tiny", limit=2))
    for _ in range(2 * FEWEST):
        with pytest.raises(OutOfTime):
            await call(made, clock, OutOfTime("the 1 s for this are over"))
    assert not made.breaker("brave").recent
    [usage] = await made.ledger.usage()
    assert usage.remaining == 2


@pytest.mark.parametrize(("took", "blamed"), [(0.1, False), (SLOW_AFTER, True)])
async def test_who_was_given_less_time_than_it_usually_needs_is_not_blamed(took: float, blamed: bool) -> None:
    made, clock = gate()

    async def hurried() -> None:
        async with made.enter(Provider(), Deadline.after(clock, 20)) as admission:
            admission.hurried = True
            clock.now += took
            raise TimedOut("no reply")

    for _ in range(FEWEST):
        with pytest.raises(TimedOut):
            await hurried()
    assert made.breaker("brave").is_open == blamed


async def test_a_connection_that_was_never_made_is_not_charged() -> None:
    made, clock = gate(Plan("tiny", limit=2))
    with pytest.raises(Unreachable):
        await call(made, clock, Unreachable("connection refused", sent=False))
    [usage] = await made.ledger.usage()
    assert usage.remaining == 2


async def test_a_call_given_up_before_its_request_left_is_not_charged() -> None:
    """Nobody answers at the address, so that the connection is being made for as long as anybody waits."""
    made, clock = gate(Plan("tiny", limit=2))
    client = ServiceClient()
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = f"http://127.0.0.1:{full.getsockname()[1]}"
        with ExitStack() as waiting:
            for _ in range(3):
                one = waiting.enter_context(socket.socket())
                one.setblocking(False)
                one.connect_ex(full.getsockname())
            entered = anyio.Event()

            async def call() -> None:
                async with made.enter(Provider(), Deadline.after(clock, 20)):
                    entered.set()
                    await client.send(Request("GET", address), seconds=20)

            async with anyio.create_task_group() as group:
                group.start_soon(call)
                await entered.wait()
                await anyio.sleep(0.2)
                group.cancel_scope.cancel()
    await client.close()
    [usage] = await made.ledger.usage()
    assert usage.remaining == 2


async def inside(made: Gate, clock: FakeClock, release: anyio.Event, provider: Provider, **how: Any) -> None:
    async with made.enter(provider, Deadline.after(clock, 20), **how):
        await release.wait()


async def test_a_full_room_sends_the_next_caller_elsewhere_at_once() -> None:
    made, clock = gate()
    release = anyio.Event()
    async with anyio.create_task_group() as group:
        for _ in range(AT_ONCE):
            group.start_soon(inside, made, clock, release, Provider("slow"))
        await anyio.wait_all_tasks_blocked()
        # Queueing would last for half of the deadline.
        with pytest.raises(Overloaded, match="64 calls to slow are under way here") as caught, anyio.fail_after(5):
            await inside(made, clock, release, Provider("slow"))
        # One of 64 calls has to end first.
        assert caught.value.retry_after == pytest.approx(1 / AT_ONCE)
        release.set()
        await inside(made, clock, release, Provider("quick"))
    await inside(made, clock, release, Provider("slow"))
    assert not made.breaker("slow").is_open


async def test_who_has_nobody_else_to_ask_queues_for_a_place() -> None:
    made, clock = gate()
    release, through = anyio.Event(), 0

    async def patient() -> None:
        nonlocal through
        await inside(made, clock, release, Provider(), patient=True)
        through += 1

    async with anyio.create_task_group() as group:
        for _ in range(AT_ONCE + 10):
            group.start_soon(patient)
        await anyio.wait_all_tasks_blocked()
        assert through == 0
        release.set()
    assert through == AT_ONCE + 10


async def test_a_queue_that_cannot_be_served_in_time_is_told_as_our_own() -> None:
    made, clock = gate()
    release = anyio.Event()
    async with anyio.create_task_group() as group:
        for _ in range(AT_ONCE):
            group.start_soon(inside, made, clock, release, Provider())
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(Overloaded):
            async with made.enter(Provider(), Deadline.after(clock, 0.1), patient=True):
                pass
        release.set()
    assert not made.breaker("brave").is_open
    [usage] = await made.ledger.usage()
    assert usage.calls == AT_ONCE


async def test_a_provider_declares_how_many_calls_it_takes() -> None:
    made, clock = gate()
    release = anyio.Event()
    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(inside, made, clock, release, Provider(at_once=3))
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(Overloaded):
            await inside(made, clock, release, Provider(at_once=3))
        release.set()


async def test_nobody_queues_inside_for_a_slow_pace() -> None:
    """At one call a second two have a use for a place; the third is better off with the next provider."""
    made, clock = gate(Plan("slow", per_second=1))
    await call(made, clock)
    release = anyio.Event()
    async with anyio.create_task_group() as group:
        for _ in range(2):
            group.start_soon(inside, made, clock, release, Provider())
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(Overloaded):
            await inside(made, clock, release, Provider())
        release.set()


async def test_pages_are_limited_for_each_site_and_not_by_what_other_sites_do() -> None:
    made, clock = gate()
    release = anyio.Event()
    mine = Provider("mine", local=True)
    async with anyio.create_task_group() as group:
        for _ in range(AT_ONE_HOST):
            group.start_soon(partial(inside, made, clock, release, mine, host="slow.example"))
        await anyio.wait_all_tasks_blocked()
        done = anyio.Event()
        done.set()
        await inside(made, clock, done, mine, host="quick.example")
        with pytest.raises(Overloaded, match=r"the site slow\.example"):
            async with made.enter(mine, Deadline.after(clock, 0.1), host="slow.example"):
                pass
        release.set()


async def test_rooms_are_forgotten_when_the_last_one_has_left_but_for_a_few() -> None:
    """A service reads pages of more sites than anybody wants to remember."""
    made, clock = gate()
    release = anyio.Event()
    release.set()
    for number in range(100):
        await inside(made, clock, release, Provider("mine", local=True), host=f"site-{number}.example")
    [rooms] = made._rooms._by_loop.values()
    assert len(rooms) <= KEPT


def test_each_event_loop_has_rooms_of_its_own() -> None:
    made, clock = gate()

    async def full_house() -> int:
        release, through = anyio.Event(), 0

        async def visit() -> None:
            nonlocal through
            await inside(made, clock, release, Provider(), patient=True)
            through += 1

        async with anyio.create_task_group() as group:
            for _ in range(2 * AT_ONCE):
                group.start_soon(visit)
            await anyio.wait_all_tasks_blocked()
            release.set()
        return through

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda _: asyncio.run(full_house()), range(2))) == [2 * AT_ONCE] * 2


async def test_second_calls_are_a_twentieth_of_the_calls() -> None:
    made, clock = gate()
    allowed = 0
    for _ in range(200):
        await call(made, clock)
        allowed += made.may_hedge(Provider())
    assert 10 <= allowed <= 15


async def test_a_second_call_beside_one_that_is_down_is_no_second_call() -> None:
    made, clock = gate()
    await call(made, clock)
    for _ in range(FEWEST):
        assert made.may_hedge(Provider())
        clock.now += 1
        made.outwaited(Provider(), 1)
    assert made.may_hedge(Provider())


async def test_who_is_free_costs_less_and_what_nobody_knows_is_dear() -> None:
    made, _ = gate(Plan("paid", price=0.005))
    free, paid, unknown = Provider("free"), Keyed("brave"), Keyed("unknown")
    assert made.costs_less(free, paid)
    assert made.costs_less(paid, unknown)
    assert not made.costs_less(unknown, paid)
    assert not made.costs_less(paid, paid)


async def test_a_password_in_an_address_is_no_key_to_count_under() -> None:
    """Nor does it make a service of one's own cost anything."""
    made, clock = gate()
    own = Addressed("mine")
    async with made.enter(own, Deadline.after(clock, 20)):
        pass
    assert [usage.identity for usage in await made.ledger.usage()] == ["keyless"]
    assert made.costs_less(own, Keyed("unknown"))


async def test_who_stood_in_the_queue_when_the_provider_went_down_is_turned_away() -> None:
    made, clock = gate()
    release, calls = anyio.Event(), 0

    async def visit() -> None:
        nonlocal calls
        try:
            async with made.enter(Provider(), Deadline.after(clock, 20), patient=True):
                calls += 1
                await release.wait()
                raise TimedOut("no answer")
        except ProviderError:
            return

    async with anyio.create_task_group() as group:
        for _ in range(4 * AT_ONCE):
            group.start_soon(visit)
        await anyio.wait_all_tasks_blocked()
        release.set()
    assert calls <= 2 * AT_ONCE


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
