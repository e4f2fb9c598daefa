"""A provider that does not answer is left alone, and noticed when it is back."""

import asyncio
import threading

import anyio
import anyio.to_thread
import pytest

from seekread.calling.breaker import BETWEEN_PROBES, FEWEST, KEY_REST, REMEMBERED, REST, Breaker
from seekread.errors import BadReply, ProviderError, RateLimited, SuspiciousEmpty, TimedOut, Unauthorized, Unreachable
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


@pytest.mark.parametrize("error", [RateLimited("slow down", retry_after=1), Unreachable("503", retry_after=1)])
def test_a_pause_that_is_asked_for_is_no_outage(error: ProviderError) -> None:
    """However often: the pace keeps it, and one bad reply afterwards is one bad reply."""
    breaker = Breaker("brave", FakeClock())
    for _ in range(2 * FEWEST):
        breaker.check()
        breaker.failed(error)
    breaker.check()
    breaker.failed(BadReply("x"))
    breaker.check()


def test_the_first_call_after_a_rejected_key_is_no_probe() -> None:
    clock = FakeClock()
    breaker = Breaker("brave", clock)
    breaker.failed(Unauthorized("wrong key"))
    clock.now += KEY_REST
    breaker.check()
    breaker.failed(BadReply("x"))
    breaker.check()


@pytest.mark.anyio
class TestWithNobodyElseToAsk:
    async def test_a_resting_provider_is_tried_once_a_second(self) -> None:
        breaker, clock = broken()
        await breaker.turn(20)
        assert clock.slept == [BETWEEN_PROBES]
        breaker.failed(BadReply("still broken"))
        await breaker.turn(20)
        breaker.worked()
        breaker.check()

    async def test_it_is_not_waited_for_past_the_deadline(self) -> None:
        breaker, clock = broken()
        with pytest.raises(Unreachable, match="rests for 15 s") as caught:
            await breaker.turn(0.5)
        assert clock.slept == []
        assert caught.value.retry_after == BETWEEN_PROBES

    @pytest.mark.parametrize("works", [True, False])
    async def test_the_others_wait_for_the_one_who_tries(self, works: bool) -> None:
        breaker, clock = broken()
        clock.now += BETWEEN_PROBES
        await breaker.turn(20)
        let_through, turned_away = 0, 0

        async def other() -> None:
            nonlocal let_through, turned_away
            try:
                await breaker.turn(20)
                let_through += 1
            except Unreachable:
                turned_away += 1

        async with anyio.create_task_group() as group:
            for _ in range(9):
                group.start_soon(other)
            await anyio.wait_all_tasks_blocked()
            assert (let_through, turned_away) == (0, 0)
            if works:
                breaker.worked()
            else:
                breaker.failed(TimedOut("x"))
        assert (let_through, turned_away) == ((9, 0) if works else (0, 9))

    async def test_one_who_tries_on_another_loop_is_waited_for_too(self) -> None:
        breaker, clock = broken()
        clock.now += BETWEEN_PROBES
        await breaker.turn(20)
        thread = threading.Thread(target=asyncio.run, args=(breaker.turn(20),))
        thread.start()
        breaker.worked()
        await anyio.to_thread.run_sync(thread.join)


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
