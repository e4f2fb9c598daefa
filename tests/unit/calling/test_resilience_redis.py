"""Redis as the store of whole engines: several instances and processes share one memory, and do without it."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from seekread import AllFailed, Seekread
from seekread.ports import Limit, StoreUnavailable, Want
from seekread.testing import simulators
from seekread.testing.clock import FakeClock
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator
from tests.support.redis_server import RedisServer, why_not

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.process]


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path / "redis") as running:
        yield running


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


@asynccontextmanager
async def engines(
    number: int, redis: RedisServer, brave: Simulator, *, clock: FakeClock | None = None, **settings: Any
) -> AsyncIterator[list[Seekread]]:
    """So many engines that have nothing in common but the store."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                Seekread(
                    "brave",
                    settings={"store": redis.url, "attempts": 1, **settings},
                    providers={"brave": brave.settings()},
                    clock=clock,
                )
            )
            for _ in range(number)
        ]


async def test_what_one_engine_found_another_answers_from_the_cache(redis: RedisServer, brave: Simulator) -> None:
    async with engines(2, redis, brave) as (here, there):
        first = await here.search("tea")
        second = await there.search("tea")
    assert (first.cached, second.cached) == (False, True)
    assert second.results == first.results
    assert len(brave.received) == 1


async def test_what_one_process_found_another_answers_from_the_cache(redis: RedisServer, brave: Simulator) -> None:
    environ = {**os.environ, **brave.environment(), "SEEKREAD_STORE": redis.url}

    def search() -> str:
        command = [sys.executable, "-m", "seekread", "search", "tea", "-p", "brave", "--json"]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environ).stdout

    first, second = await anyio.to_thread.run_sync(search), await anyio.to_thread.run_sync(search)
    assert '"cached": false' in first
    assert '"cached": true' in second
    assert len(brave.received) == 1


async def test_engines_that_ask_the_same_at_once_share_one_call(redis: RedisServer, brave: Simulator) -> None:
    brave.fail(Fault(delay=0.3), times=1)
    found: list[int] = []

    async def one(web: Seekread) -> None:
        found.append(len((await web.search("tea")).results))

    async with engines(5, redis, brave) as webs, anyio.create_task_group() as group:
        for web in webs:
            group.start_soon(one, web)
    assert found == [found[0]] * 5
    assert len(brave.received) == 1


@pytest.mark.proves("S1-54")
async def test_engines_share_one_pace(redis: RedisServer, brave: Simulator) -> None:
    """The free plan of Brave is one request a second, whoever sends it"""
    clock = FakeClock()
    async with engines(3, redis, brave, clock=clock, plans={"brave": "free"}, cache=False) as webs:
        for web in webs:
            # The first reservation asks the server for its time; from then on only the fake clock moves.
            await web._parts.store.reserve(Want("warm", 1, Limit(100)))
        for web in webs:
            await web.search("tea")
    assert sum(clock.slept) == pytest.approx(2, abs=0.9)
    assert len(brave.received) == 3


async def test_engines_share_what_was_spent(redis: RedisServer, brave: Simulator) -> None:
    async with engines(2, redis, brave, daily_calls=3) as (here, there):
        await here.search("one")
        await there.search("two")
        await here.search("three")
        with pytest.raises(AllFailed, match=r"Daily cap reached \(3 calls/day\)"):
            await there.search("four")
        [usage] = await there._parts.ledger.usage()
    assert usage.calls == 3
    assert len(brave.received) == 3


async def test_a_pause_told_to_one_engine_is_kept_by_the_other(redis: RedisServer, brave: Simulator) -> None:
    brave.fail(Fault(429, {}, {"retry-after": "120"}), times=1)
    async with engines(2, redis, brave) as (here, there):
        with pytest.raises(AllFailed):
            await here.search("tea")
        with pytest.raises(AllFailed, match="asked for a pause") as caught:
            await there.search("tea")
    assert caught.value.outcome == "rate_limited"
    assert len(brave.received) == 1


async def test_what_was_kept_and_counted_survives_a_restart(redis: RedisServer, brave: Simulator) -> None:
    clock = FakeClock()
    async with engines(1, redis, brave, clock=clock) as [web]:
        await web.search("tea")
        redis.kill()
        with pytest.raises(AllFailed, match="nothing is spent on brave"):
            await web.search("coffee")
        redis.start()
        # The store is not tried again at once, so that an outage does not slow everything down.
        clock.now += 10
        assert (await web.search("tea")).cached
        assert (await web.search("coffee")).results
        [usage] = await web._parts.ledger.usage()
    assert usage.calls == len(brave.received) == 2


async def test_who_trusts_the_provider_more_than_the_ledger_goes_on(redis: RedisServer, brave: Simulator) -> None:
    async with engines(1, redis, brave, quota_fails_closed=False) as [web]:
        redis.kill()
        assert (await web.search("tea")).results


async def test_who_needs_the_cache_is_told_that_it_is_gone(redis: RedisServer, brave: Simulator) -> None:
    async with engines(1, redis, brave, cache_fails_open=False) as [web]:
        redis.kill()
        with pytest.raises(StoreUnavailable, match="the Redis store cannot be used"):
            await web.search("tea")
    assert brave.received == []
