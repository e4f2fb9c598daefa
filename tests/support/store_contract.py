"""
The promises of the `Store` port, as tests. Every backend keeps all of them.

    class TestMyStore(StoreContract):
        @pytest.fixture
        async def store(self, clock: FakeClock) -> AsyncIterator[Store]:
            store = MyStore(clock=clock)
            yield store
            await store.close()

        async def holds(self, store: Store) -> int:
            return how many reservations of the counter `plan` the backend keeps

A backend whose server has a clock of its own overrides `pass_time` as well.
"""

import math
from dataclasses import replace
from functools import partial

import anyio
import anyio.to_thread
import pytest

from seekread.ports import Lease, Limit, Reservation, Store, Want
from seekread.state.rules import HOLD_SECONDS, SWEEP_SECONDS
from seekread.testing.clock import FakeClock

MONTH = Limit(3)
SECOND = Limit(2, seconds=1.0)


class StoreContract:
    """Inherit, bring a `store` fixture, and run."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def clock(self) -> FakeClock:
        return FakeClock()

    async def pass_time(self, clock: FakeClock, seconds: float) -> None:
        """Let time pass for the store."""
        clock.now += seconds

    async def holds(self, store: Store) -> int:
        """How many reservations of the counter `plan` wait to be settled."""
        raise NotImplementedError

    async def test_a_value_comes_back_with_its_times(self, store: Store, clock: FakeClock) -> None:
        await store.put("page", b"text", lifetime=60)
        entry = await store.get("page")
        assert entry is not None
        assert (entry.key, entry.value) == ("page", b"text")
        assert (entry.written_at, entry.expires_at) == (clock.now, clock.now + 60)

    async def test_a_value_somebody_is_promised_is_kept_and_the_store_says_so(self, store: Store) -> None:
        await store.put("page", b"old")
        assert await store.keep("page", b"text", lifetime=60)
        entry = await store.get("page")
        assert entry is not None
        assert entry.value == b"text"

    async def test_a_value_without_a_lifetime_stays(self, store: Store, clock: FakeClock) -> None:
        await store.put("page", b"text")
        await self.pass_time(clock, 10 * 365 * 86_400)
        entry = await store.get("page")
        assert entry is not None
        assert entry.expires_at is None

    async def test_what_was_never_put_is_not_there(self, store: Store) -> None:
        assert await store.get("page") is None

    async def test_a_value_ends_with_its_lifetime(self, store: Store, clock: FakeClock) -> None:
        await store.put("page", b"text", lifetime=60)
        await self.pass_time(clock, 59)
        assert await store.get("page") is not None
        await self.pass_time(clock, 1)
        assert await store.get("page") is None
        assert await store.scan("") == []

    async def test_a_later_value_replaces_an_earlier_one(self, store: Store) -> None:
        await store.put("page", b"old", lifetime=1)
        await store.put("page", b"new")
        entry = await store.get("page")
        assert entry is not None
        assert (entry.value, entry.expires_at) == (b"new", None)
        assert (await store.size())[0] == 1

    async def test_a_deleted_value_is_gone_and_deleting_nothing_is_fine(self, store: Store) -> None:
        await store.put("page", b"text")
        await store.delete("page")
        await store.delete("page")
        assert await store.get("page") is None

    @pytest.mark.parametrize("value", [b"", bytes(range(256)) * 8, b"a" * 3_000_000], ids=["empty", "binary", "large"])
    async def test_any_bytes_are_a_value(self, store: Store, value: bytes) -> None:
        await store.put("page", value)
        entry = await store.get("page")
        assert entry is not None
        assert entry.value == value

    @pytest.mark.parametrize("key", ["", "a\x00b", "ключ/鍵", "50% *?[x]\\", "\ud800", "k" * 4000])
    async def test_any_text_is_a_key(self, store: Store, key: str) -> None:
        await store.put(key, b"text")
        await store.put("other", b"else")
        entry = await store.get(key)
        assert entry is not None
        assert entry.value == b"text"
        assert next(found.key for found in await store.scan(key)) == key

    async def test_a_scan_gives_a_prefix_in_key_order(self, store: Store) -> None:
        for key in ["b/2", "a/1", "b/10", "b/1", "c", "b*"]:
            await store.put(key, key.encode())
        assert [entry.key for entry in await store.scan("b/")] == ["b/1", "b/10", "b/2"]
        assert [entry.key for entry in await store.scan("b/", limit=2)] == ["b/1", "b/10"]
        assert [entry.key for entry in await store.scan("b*")] == ["b*"]
        assert len(await store.scan("")) == 6

    async def test_clearing_forgets_values_but_no_counter(self, store: Store) -> None:
        for key in ["a/1", "a/2", "b/1"]:
            await store.put(key, b"text")
        await store.reserve(Want("a/spent", 1, MONTH))
        assert await store.clear("a/") == 2
        assert [entry.key for entry in await store.scan("")] == ["b/1"]
        assert await store.clear() == 1
        assert await store.size() == (0, 0)
        assert [(counter.key, counter.used) for counter in await store.counters("a/")] == [("a/spent", 1)]

    async def test_size_counts_entries_and_bytes(self, store: Store) -> None:
        assert await store.size() == (0, 0)
        await store.put("a", bytes(range(200)))
        entries, stored = await store.size()
        assert entries == 1
        assert 100 <= stored <= 400

    async def test_a_value_from_the_future_is_not_there(self, store: Store, clock: FakeClock) -> None:
        """A clock was a year ahead for a while: what it wrote must not stay fresh for a year."""
        clock.now += 365 * 86_400
        await store.put("page", b"text", lifetime=60)
        clock.now -= 365 * 86_400
        assert await store.get("page") is None
        await store.put("page", b"again", lifetime=60)
        assert await store.get("page") is not None

    async def test_a_counter_gives_exactly_its_limit(self, store: Store) -> None:
        answers = [await store.reserve(Want("plan", 1, MONTH)) for _ in range(5)]
        assert [answer.granted for answer in answers] == [True, True, True, False, False]
        assert [answer.used for answer in answers[:3]] == [(1,), (2,), (3,)]
        assert answers[3].refused == Want("plan", 1, MONTH)
        assert answers[3].retry_after is None

    async def test_a_crowd_gets_exactly_the_limit(self, store: Store) -> None:
        granted: list[Reservation] = []

        async def ask() -> None:
            answer = await store.reserve(Want("plan", 1, Limit(10)))
            if answer.granted:
                granted.append(answer)

        async with anyio.create_task_group() as group:
            for _ in range(40):
                group.start_soon(ask)
        assert len(granted) == 10
        assert len({answer.token for answer in granted}) == 10

    async def test_all_wants_are_granted_or_none(self, store: Store) -> None:
        session, month = Want("session", 1, Limit(5)), Want("month", 2, MONTH)
        assert (await store.reserve(session, month)).granted
        refusal = await store.reserve(session, month)
        assert refusal.refused == month
        assert [(counter.key, counter.used) for counter in await store.counters("")] == [("month", 2), ("session", 1)]

    async def test_settling_corrects_to_what_was_used(self, store: Store) -> None:
        first = await store.reserve(Want("plan", 2, MONTH))
        await store.settle(first, 1)
        assert (await store.counters("plan"))[0].used == 1
        second = await store.reserve(Want("plan", 2, MONTH))
        await store.settle(second, 5)
        assert (await store.counters("plan"))[0].used == 6
        assert not (await store.reserve(Want("plan", 1, MONTH))).granted

    async def test_settling_with_nothing_gives_everything_back(self, store: Store) -> None:
        taken = await store.reserve(Want("a", 1, MONTH), Want("b", 3, MONTH))
        await store.settle(taken, 0)
        assert [counter.used for counter in await store.counters("")] == [0, 0]

    async def test_settling_twice_changes_nothing(self, store: Store) -> None:
        taken = await store.reserve(Want("plan", 2, MONTH))
        await store.settle(taken, 1)
        await store.settle(taken, 0)
        await store.settle(replace(taken, token=taken.token[::-1] + "x"), 0)
        assert (await store.counters("plan"))[0].used == 1

    async def test_what_nobody_settles_is_spent_and_its_hold_forgotten_in_time(
        self, store: Store, clock: FakeClock
    ) -> None:
        """Cancelled calls left 908 rows behind in a service that was never restarted."""
        left = [await store.reserve(Want("plan", 1, Limit(100))) for _ in range(20)]
        await self.pass_time(clock, HOLD_SECONDS - 1)
        await store.settle(await store.reserve(Want("plan", 1, Limit(100))), 1)
        assert await self.holds(store) == 20
        await store.settle(left.pop(), 0)
        await self.pass_time(clock, SWEEP_SECONDS + 1)
        late = await store.reserve(Want("plan", 1, Limit(100)))
        assert await self.holds(store) == 1
        await store.settle(left[0], 0)
        await store.settle(late, 0)
        assert await store.counter("plan") == 20, "what was swept stays spent"
        assert await self.holds(store) == 0

    async def test_prices_add_up_to_their_limit(self, store: Store) -> None:
        """Two hundred times half a cent is one dollar, whatever binary fractions think."""
        answers = [await store.reserve(Want("dollars", 0.005, Limit(1.0))) for _ in range(201)]
        assert [answer.granted for answer in answers] == [True] * 200 + [False]

    async def test_a_counter_without_end_only_counts(self, store: Store) -> None:
        for _ in range(3):
            assert (await store.reserve(Want("calls", 1e6, Limit(math.inf)))).granted
        assert (await store.counters("calls"))[0].used == 3e6

    async def test_an_idle_counter_is_forgotten_when_its_limit_says_so(self, store: Store, clock: FakeClock) -> None:
        brief = Want("session", 1, Limit(1, keep=60))
        assert (await store.reserve(brief)).granted
        await self.pass_time(clock, 59)
        assert not (await store.reserve(brief)).granted
        await self.pass_time(clock, 2)
        assert await store.counters("session") == []
        assert (await store.reserve(brief)).granted

    async def test_a_period_gives_its_limit_and_then_says_when(self, store: Store, clock: FakeClock) -> None:
        first = await store.reserve(Want("pace", 1, SECOND))
        await self.pass_time(clock, 0.25)
        second = await store.reserve(Want("pace", 1, SECOND))
        third = await store.reserve(Want("pace", 1, SECOND))
        assert (first.granted, second.granted, third.granted) == (True, True, False)
        assert (first.starts_in, second.starts_in) == (0, 0)
        assert third.retry_after == pytest.approx(0.75, abs=1e-3)
        await self.pass_time(clock, 0.75)
        assert (await store.reserve(Want("pace", 1, SECOND))).granted
        assert not (await store.reserve(Want("pace", 1, SECOND))).granted

    async def test_a_period_can_be_booked_ahead_first_come_first_served(self, store: Store) -> None:
        even = Want("pace", 1, Limit(1, seconds=0.5))
        starts = [(await store.reserve(even, ahead=10)).starts_in for _ in range(4)]
        assert starts == pytest.approx([0, 0.5, 1.0, 1.5], abs=1e-3)
        refusal = await store.reserve(even, ahead=1.9)
        assert not refusal.granted
        assert refusal.retry_after == pytest.approx(2.0, abs=1e-3)

    async def test_a_booking_given_back_can_be_booked_again(self, store: Store) -> None:
        even = Want("pace", 1, Limit(1, seconds=1.0))
        await store.reserve(even)
        booked = await store.reserve(even, ahead=5)
        await store.settle(booked, 0)
        assert (await store.reserve(even, ahead=5)).starts_in == pytest.approx(1.0, abs=1e-3)

    async def test_more_than_a_period_holds_is_never_granted(self, store: Store) -> None:
        refusal = await store.reserve(Want("pace", 3, SECOND), ahead=100)
        assert not refusal.granted
        assert refusal.retry_after is None

    async def test_a_clock_that_went_back_does_not_stop_a_pace(self, store: Store, clock: FakeClock) -> None:
        even = Want("pace", 1, Limit(1, seconds=1.0))
        await store.reserve(even)
        clock.now -= 3600
        assert (await store.reserve(even)).granted
        assert not (await store.reserve(even)).granted

    async def test_a_lock_has_one_holder(self, store: Store) -> None:
        async with store.lock("page", lifetime=30, wait=0) as first:
            assert first is not None
            async with store.lock("page", lifetime=30, wait=0.2) as second:
                assert second is None
            async with store.lock("other", lifetime=30, wait=0) as other:
                assert other is not None
        async with store.lock("page", lifetime=30, wait=0) as third:
            assert third is not None
            assert third.fence > first.fence

    async def test_who_looked_at_the_clock_before_the_holder_of_a_lock_takes_nothing_from_it(
        self, store: Store, clock: FakeClock
    ) -> None:
        async with store.lock("page", lifetime=30, wait=0) as mine:
            clock.now -= 0.01
            async with store.lock("page", lifetime=30, wait=0) as other:
                assert (mine is None, other) == (False, None)

    async def test_a_lock_ends_with_its_lifetime_and_the_late_holder_frees_nothing(
        self, store: Store, clock: FakeClock
    ) -> None:
        late = store.lock("page", lifetime=30, wait=0)
        first = await late.__aenter__()
        await self.pass_time(clock, 31)
        async with store.lock("page", lifetime=30, wait=0) as second:
            assert isinstance(first, Lease)
            assert isinstance(second, Lease)
            assert second.fence > first.fence
            await late.__aexit__(None, None, None)
            async with store.lock("page", lifetime=30, wait=0) as third:
                assert third is None

    async def test_a_renewed_lock_lives_on_and_a_lost_one_does_not(self, store: Store, clock: FakeClock) -> None:
        late = store.lock("page", lifetime=30, wait=0)
        first = await late.__aenter__()
        assert first is not None
        await self.pass_time(clock, 20)
        await anyio.to_thread.run_sync(partial(store.renew, first, lifetime=30))
        await self.pass_time(clock, 20)
        async with store.lock("page", lifetime=30, wait=0) as second:
            assert second is None
        await self.pass_time(clock, 11)
        async with store.lock("page", lifetime=30, wait=0) as third:
            assert third is not None
            await anyio.to_thread.run_sync(partial(store.renew, first, lifetime=300))
            await late.__aexit__(None, None, None)
            await self.pass_time(clock, 31)
        async with store.lock("page", lifetime=30, wait=0) as fourth:
            assert fourth is not None

    async def test_all_locks_of_a_process_are_renewed_in_one_step(self, store: Store, clock: FakeClock) -> None:
        """One transaction for each of three hundred would keep everybody else from writing."""
        locks = [store.lock(f"page {number}", lifetime=30, wait=0) for number in range(3)]
        held = [await lock.__aenter__() for lock in locks]
        await self.pass_time(clock, 20)
        await anyio.to_thread.run_sync(partial(store.renew, *filter(None, held), lifetime=30))
        await self.pass_time(clock, 20)
        for number in range(3):
            async with store.lock(f"page {number}", lifetime=30, wait=0) as other:
                assert other is None

    async def test_a_cancelled_holder_gives_its_lock_back(self, store: Store) -> None:
        with anyio.CancelScope() as scope:
            async with store.lock("page", lifetime=30, wait=0):
                scope.cancel()
                await anyio.sleep_forever()
        async with store.lock("page", lifetime=30, wait=0) as lease:
            assert lease is not None

    async def test_locks_let_a_crowd_through_one_at_a_time(self, store: Store) -> None:
        inside, most, fences = 0, 0, list[int]()

        async def enter() -> None:
            nonlocal inside, most
            async with store.lock("page", lifetime=300, wait=1e6) as lease:
                assert lease is not None
                inside += 1
                most = max(most, inside)
                fences.append(lease.fence)
                await anyio.lowlevel.checkpoint()
                inside -= 1

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(enter)
        assert most == 1
        assert fences == sorted(set(fences))

    async def test_a_closed_store_can_be_closed_again(self, store: Store) -> None:
        await store.put("page", b"text")
        await store.close()
        await store.close()
