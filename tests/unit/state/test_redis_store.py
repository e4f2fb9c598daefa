"""What Redis goes through: killed and started again, gone, silent, shared with others."""

import asyncio
import logging
import math
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import anyio
import pytest
import redis.asyncio

from seekread.clock import SystemClock
from seekread.errors import Unreachable
from seekread.ports import Limit, StoreUnavailable, Want
from seekread.provider import Plan
from seekread.state.bounded import bounded
from seekread.state.ledger import Ledger
from seekread.state.redis import CONNECTIONS, RedisStore
from seekread.testing.clock import FakeClock
from tests.support.redis_server import RedisServer, why_not

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "redis-server is there"),
    pytest.mark.process,
    pytest.mark.usefixtures("patient_store"),
]

ONE = Want("plan", 1, Limit(10))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path) as server:
        yield server


@pytest.fixture
async def store(server: RedisServer, clock: FakeClock) -> AsyncIterator[RedisStore]:
    store = RedisStore(server.url, clock=clock)
    yield store
    await store.close()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_server_killed_and_started_again_costs_the_cache_and_loses_no_count(
    store: RedisStore, server: RedisServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await store.put("page", b"text")
    await store.reserve(ONE)
    server.kill()
    for _ in range(3):
        assert await store.get("page") is None
        await store.put("page", b"lost")
        await store.delete("page")
    assert len(warnings(caplog)) == 1
    for operation in (store.reserve(ONE), store.counter("plan"), store.scan(""), store.size(), store.clear()):
        with pytest.raises(StoreUnavailable, match="the Redis store cannot be used"):
            await operation
    server.start()
    clock.now += 60
    entry = await store.get("page")
    assert entry is not None
    assert entry.value == b"text"
    assert (await store.reserve(ONE)).used == (2,)


async def test_a_server_restarted_between_two_calls_is_not_noticed(store: RedisStore, server: RedisServer) -> None:
    await store.put("page", b"text")
    await store.reserve(ONE)
    server.kill()
    server.start()
    assert (await store.reserve(ONE)).used == (2,)
    assert await store.get("page") is not None


async def test_while_the_server_is_gone_what_costs_money_stops_and_the_rest_goes_on(
    store: RedisStore, server: RedisServer, clock: FakeClock
) -> None:
    ledger = Ledger(store, clock, {"brave": Plan("paid", price=0.005)})
    allowing = Ledger(store, clock, {"brave": Plan("paid", price=0.005)}, fail_open=True)
    hold = await ledger.reserve("brave", "k")
    server.kill()
    with pytest.raises(Unreachable, match="nothing is spent on brave"):
        await ledger.reserve("brave", "k")
    await allowing.reserve("brave", "k")
    await ledger.reserve("wikipedia", "keyless")
    await ledger.settle(hold, 2)
    server.start()
    clock.now += 60
    await ledger.reserve("brave", "k")
    [usage] = await ledger.usage()
    assert usage.calls == 2, "one before, one after; what was allowed in between was not counted"


async def test_a_lock_that_cannot_be_asked_for_is_an_error(store: RedisStore, server: RedisServer) -> None:
    server.kill()
    with pytest.raises(StoreUnavailable):
        async with store.lock("page", lifetime=30, wait=0):
            pass


async def test_a_lock_whose_server_dies_meanwhile_does_not_spoil_the_work(
    store: RedisStore, server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    """However many are held, that is one line in the log."""
    async with store.lock("page", lifetime=30, wait=0) as lease, store.lock("another", lifetime=30, wait=0) as second:
        assert lease is not None
        assert second is not None
        server.kill()
    [told] = warnings(caplog)
    assert "the Redis store fails, going on without it" in told


async def test_a_silent_server_is_given_up_on() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        store = RedisStore(f"redis://127.0.0.1:{listener.getsockname()[1]}/0", clock=SystemClock(), timeout=0.05)
        assert await store.get("page") is None
        with pytest.raises(StoreUnavailable):
            await store.reserve(ONE)
        await store.close()


async def test_a_strict_store_says_so_when_it_fails(server: RedisServer, clock: FakeClock) -> None:
    store = RedisStore(server.url, clock=clock, strict=True)
    server.kill()
    for operation in (store.get("page"), store.put("page", b"text"), store.delete("page")):
        with pytest.raises(StoreUnavailable):
            await operation
    await store.close()


async def test_a_password_is_never_told(clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"redis://user:correct-horse-battery@127.0.0.1:{taken.getsockname()[1]}/0"
        store = RedisStore(url, clock=clock)
        await store.get("page")
        with pytest.raises(StoreUnavailable) as caught:
            await store.reserve(ONE)
    assert "correct-horse" not in caplog.text + str(caught.value) + repr(store)


async def test_prefixes_keep_tenants_apart(store: RedisStore, server: RedisServer, clock: FakeClock) -> None:
    other = RedisStore(server.url, clock=clock, prefix="other:")
    await store.put("page", b"ours")
    await store.reserve(ONE)
    assert await other.get("page") is None
    assert await other.counter("plan") == 0
    assert await other.clear() == 0
    assert await store.get("page") is not None
    await other.close()


async def test_a_damaged_value_is_not_there_and_is_dropped(store: RedisStore, server: RedisServer) -> None:
    await store.put("page", b"text")
    async with redis.asyncio.Redis.from_url(server.url) as client:
        await client.setrange("seekread:v:page", 60, b"?")
    assert await store.get("page") is None
    assert await store.size() == (0, 0)


async def test_a_reservation_sent_twice_is_counted_once(store: RedisStore) -> None:
    """A connection may break after the server counted and before we heard of it."""
    pace = Want("pace", 1, Limit(1, seconds=1))
    for _ in range(2):
        assert (await store._reserve((ONE, pace), "token", 0)).granted
    assert await store.counter("plan") == 1


async def test_machines_whose_clocks_differ_share_one_pace(server: RedisServer) -> None:
    """One clock is half a minute ahead: slots still follow each other by the server's time."""
    pace = Want("pace", 1, Limit(1, seconds=10))
    first = RedisStore(server.url, clock=FakeClock(now=1_793_500_030.0))
    second = RedisStore(server.url, clock=FakeClock(now=1_793_500_000.0))
    waits = [(await store.reserve(pace, ahead=300)).starts_in for store in (first, second, first, second)]
    await first.close()
    await second.close()
    assert [round(wait / 10) for wait in waits] == [0, 1, 2, 3]


def test_one_store_serves_one_event_loop_after_another(server: RedisServer) -> None:
    store = RedisStore(server.url, clock=SystemClock())

    async def use() -> float:
        await store.put("page", b"text")
        assert await store.get("page") is not None
        await store.reserve(ONE)
        used = await store.counter("plan")
        await store.close()
        return used

    assert [asyncio.run(use()) for _ in range(3)] == [1, 2, 3]


async def test_a_cancelled_reservation_is_given_back(store: RedisStore) -> None:
    """Wherever it was on its way, in the end only those that were told so have taken something."""
    await store.counter("plan")
    told = 0
    for delay in range(30):
        task = asyncio.create_task(store.reserve(Want("plan", 1, Limit(100))))
        for _ in range(delay):
            await asyncio.sleep(0)
        task.cancel()
        [answer] = await asyncio.gather(task, return_exceptions=True)
        told += not isinstance(answer, asyncio.CancelledError)
    assert told < 30
    assert await store.counter("plan") == told


async def test_what_is_settled_is_settled_though_whoever_settles_it_leaves(store: RedisStore) -> None:
    for steps in range(1, 30):
        reservation = await store.reserve(Want("plan", 1, Limit(100)))
        task = asyncio.create_task(store.settle(reservation, 0))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert await store.counter("plan") == 0


async def test_three_hundred_at_once_share_a_few_connections(store: RedisStore, server: RedisServer) -> None:
    """More than a hundred looked like an outage once."""
    free = Want("plan", 1, Limit(math.inf))
    answers = await asyncio.gather(*(store.reserve(free) for _ in range(300)))
    assert sorted(answer.used for answer in answers) == [(number,) for number in range(1, 301)]
    async with redis.asyncio.Redis.from_url(server.url) as client:
        assert len(await client.client_list()) <= CONNECTIONS + 1


async def test_a_server_that_hangs_is_waited_for_once(server: RedisServer) -> None:
    """However many ask, and not again for a while."""
    clock = FakeClock()
    store = RedisStore(server.url, clock=clock, timeout=2)
    await store.reserve(ONE)
    server.hang()
    with anyio.fail_after(12):
        answers = await asyncio.gather(*(store.reserve(ONE) for _ in range(300)), return_exceptions=True)
    assert {type(answer) for answer in answers} == {StoreUnavailable}
    assert "no answer within 2 s" in str(answers[0])
    with pytest.raises(StoreUnavailable, match="no answer within 2 s"):
        store.counter("plan").send(None)
    with pytest.raises(StopIteration):
        store.get("page").send(None)
    server.go_on()
    clock.now += 6
    assert await store.get("page") is None
    assert (await store.reserve(ONE)).granted
    await store.close()


async def test_whoever_stops_waiting_for_a_server_that_hangs_leaves_at_once(server: RedisServer) -> None:
    store = RedisStore(server.url, clock=SystemClock(), timeout=30)
    await store.reserve(ONE)
    server.hang()
    with anyio.fail_after(10), pytest.raises(StoreUnavailable, match="the store did not answer within"):
        await bounded(store.reserve(ONE), 0.05)
    server.go_on()
    assert await store.counter("plan") == 1, "what it had taken was given back"
    await store.close()


async def test_whoever_leaves_while_the_server_is_gone_keeps_nobody_from_it_for_longer(
    store: RedisStore, server: RedisServer, clock: FakeClock
) -> None:
    server.kill()
    with pytest.raises(StoreUnavailable):
        await store.reserve(ONE)
    clock.now += 4
    leaving = asyncio.create_task(store.reserve(ONE))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    server.start()
    clock.now += 2
    assert (await store.reserve(ONE)).granted


def test_two_event_loops_at_once_share_one_store(server: RedisServer) -> None:
    store = RedisStore(server.url, clock=SystemClock(), timeout=30)

    async def use() -> None:
        for _ in range(50):
            await store.settle(await store.reserve(Want("plan", 1, Limit(math.inf))), 2)
        await store.close()

    threads = [threading.Thread(target=lambda: asyncio.run(use())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def count() -> float:
        counted = await store.counter("plan")
        await store.close()
        return counted

    assert asyncio.run(count()) == 200
