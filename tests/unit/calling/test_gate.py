"""Pace, quota and patience before every provider."""

from dataclasses import dataclass

import pytest

from seekread.calling.deadline import Deadline
from seekread.calling.gate import SLOW_AFTER, Gate
from seekread.errors import (
    NotConfigured,
    QuotaExhausted,
    RateLimited,
    Refused,
    SeekreadError,
    Unauthorized,
    Unreachable,
)
from seekread.provider import Limits, Plan
from seekread.providers import brave
from seekread.providers.plans import find_plan
from seekread.providers.rate_limits import windows
from seekread.state.ledger import Ledger
from seekread.state.memory import MemoryStore
from seekread.state.pace import Pace
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Brave:
    name: str = "brave"
    delay_seconds: float = 0.0
    limits: Limits = windows


def gate(plan: Plan | None = None) -> tuple[Gate, FakeClock, Ledger]:
    clock = FakeClock()
    store = MemoryStore(clock=clock, max_bytes=1_000_000)
    ledger = Ledger(store, clock, {"brave": plan} if plan else {})
    return Gate(clock, Pace(store, clock), ledger), clock, ledger


def soon(clock: FakeClock) -> Deadline:
    return Deadline.after(clock, 20)


async def call(made: Gate, clock: FakeClock, error: Exception | None = None, provider: Brave | None = None) -> None:
    async with made.enter(provider or Brave(), soon(clock)):
        if error:
            raise error


@pytest.mark.proves("S1-54")
async def test_the_free_plan_is_asked_once_a_second() -> None:
    made, clock, _ = gate(find_plan("brave", "free", brave.PLANS))
    for _ in range(3):
        await call(made, clock)
    assert sum(clock.slept) == pytest.approx(2, abs=0.1)


@pytest.mark.proves("S3-27")
async def test_a_delay_between_requests_is_kept() -> None:
    made, clock, _ = gate()
    for _ in range(3):
        await call(made, clock, provider=Brave("duckduckgo", 1.5))
    assert sum(clock.slept) == pytest.approx(3, abs=0.1)


@pytest.mark.proves("S1-18")
async def test_a_used_up_plan_stops_the_call_before_it_is_made() -> None:
    """S1-30"""
    made, clock, _ = gate(Plan("tiny", limit=2))
    await call(made, clock)
    await call(made, clock)
    with pytest.raises(QuotaExhausted, match=r"Rate limit exceeded \(2 searches/month\)\. Resets on 2026-12-01\."):
        await call(made, clock)


@pytest.mark.parametrize(
    "error",
    [RateLimited("x"), QuotaExhausted("x"), Unauthorized("x"), NotConfigured("x"), Refused("private_address", "x")],
    ids=lambda error: type(error).__name__,
)
async def test_a_call_the_provider_refused_is_not_charged(error: SeekreadError) -> None:
    """Neither in calls nor in dollars: too fast, a used-up plan, a wrong key and a guard that said no cost nothing."""
    made, clock, ledger = gate(Plan("tiny", limit=2, price=0.005))
    with pytest.raises(type(error)):
        await call(made, clock, error)
    [usage] = await ledger.usage()
    assert (usage.remaining, usage.calls, usage.dollars) == (2, 0, 0)


async def test_a_call_that_may_have_arrived_is_charged() -> None:
    made, clock, ledger = gate(Plan("tiny", limit=2))
    with pytest.raises(Unreachable):
        await call(made, clock, Unreachable("x"))
    [usage] = await ledger.usage()
    assert usage.remaining == 1


async def test_what_the_service_says_about_its_limits_is_learned() -> None:
    made, clock, ledger = gate()
    headers = {
        "x-ratelimit-limit": "1, 2000",
        "x-ratelimit-policy": "1;w=1, 2000;w=2592000",
        "x-ratelimit-remaining": "0, 5",
        "x-ratelimit-reset": "1, 86400",
    }
    async with made.enter(Brave(), soon(clock)) as admission:
        admission.headers = headers
    [usage] = await ledger.usage()
    assert (usage.limit, usage.remaining) == (2000, 5)
    assert await ledger.per_second("brave", "keyless") == 1


async def test_an_open_breaker_stops_the_call_before_it_costs_anything() -> None:
    made, clock, ledger = gate(Plan("tiny", limit=2))
    with pytest.raises(Unauthorized):
        await call(made, clock, Unauthorized("x"))
    with pytest.raises(Unauthorized, match="was not asked"):
        await call(made, clock)
    [usage] = await ledger.usage()
    assert usage.remaining == 2


async def test_retries_are_a_tenth_of_the_calls() -> None:
    made, clock, _ = gate()
    brave = Brave()
    allowed = 0
    for _ in range(100):
        await call(made, clock)
        allowed += made.may_retry(brave)
    assert 10 <= allowed <= 13


async def test_slow_is_slower_than_usual() -> None:
    made, clock, _ = gate()
    assert made.slow_after(Brave()) == SLOW_AFTER
    for number in range(20):
        async with made.enter(Brave(), soon(clock)):
            clock.now += 1.0 if number else 9.0
    assert made.slow_after(Brave()) == 1.0


async def test_of_a_hundred_calls_the_third_slowest_is_slow() -> None:
    """So a hedge adds one call in twenty at most, even while times drift."""
    made, clock, _ = gate()
    for number in range(1, 101):
        async with made.enter(Brave(), soon(clock)):
            clock.now += number / 10
    assert made.slow_after(Brave()) == pytest.approx(9.8)
