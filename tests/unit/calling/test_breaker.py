"""A provider that does not answer is left alone, and noticed when it is back."""

import pytest

from seekread.calling.breaker import FEWEST, REMEMBERED, REST, Breaker
from seekread.errors import BadReply, RateLimited, SuspiciousEmpty, TimedOut, Unauthorized, Unreachable
from seekread.testing.clock import FakeClock


def broken(times: int = FEWEST) -> tuple[Breaker, FakeClock]:
    clock = FakeClock()
    breaker = Breaker("brave", clock)
    for _ in range(times):
        breaker.check()
        breaker.failed(TimedOut("x"))
    return breaker, clock


def test_it_opens_after_a_few_failures_and_within_its_memory() -> None:
    assert FEWEST <= REMEMBERED <= 20
    breaker, _ = broken()
    with pytest.raises(Unreachable, match="rests for 15 s after: x"):
        breaker.check()


def test_bad_luck_is_not_an_outage() -> None:
    breaker, _ = broken(FEWEST - 1)
    breaker.check()


def test_half_of_the_calls_must_have_failed() -> None:
    breaker = Breaker("brave", FakeClock())
    for _ in range(10):
        breaker.worked()
    for _ in range(9):
        breaker.failed(Unreachable("x"))
    breaker.check()
    breaker.failed(Unreachable("x"))
    assert breaker.is_open


def test_one_probe_is_let_through_after_the_rest() -> None:
    breaker, clock = broken()
    clock.now += REST
    breaker.check()
    with pytest.raises(Unreachable):
        breaker.check()


def test_a_probe_that_works_closes_it() -> None:
    breaker, clock = broken()
    clock.now += REST
    breaker.check()
    breaker.worked()
    breaker.check()
    breaker.check()


def test_a_probe_that_fails_opens_it_again() -> None:
    breaker, clock = broken()
    clock.now += REST
    breaker.check()
    breaker.failed(BadReply("x"))
    assert breaker.is_open


def test_a_probe_that_was_cancelled_lets_the_next_one_try() -> None:
    breaker, clock = broken()
    clock.now += REST
    breaker.check()
    breaker.abandoned()
    breaker.check()


def test_a_provider_that_asks_to_slow_down_rests_as_long_as_it_said() -> None:
    clock = FakeClock()
    breaker = Breaker("brave", clock)
    breaker.failed(RateLimited("slow down", retry_after=7))
    with pytest.raises(RateLimited) as caught:
        breaker.check()
    assert caught.value.retry_after == 7
    clock.now += 7
    breaker.check()


def test_a_rejected_key_is_not_hammered() -> None:
    breaker = Breaker("brave", FakeClock())
    breaker.failed(Unauthorized("wrong key"))
    with pytest.raises(Unauthorized):
        breaker.check()


def test_an_emptiness_nobody_believes_is_no_outage() -> None:
    breaker = Breaker("ddg", FakeClock())
    for _ in range(20):
        breaker.failed(SuspiciousEmpty("x"))
    breaker.check()
