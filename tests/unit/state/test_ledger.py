"""Never overspend: plans, caps, what the service says, and dates that are computed."""

import asyncio
import logging
from datetime import UTC, datetime
from pathlib import Path

import pytest

from seekread.errors import QuotaExhausted, Unreachable
from seekread.ports import Counter, Entry, Reservation, Store, StoreUnavailable, Want
from seekread.provider import Cost, Plan
from seekread.providers import brave, serper, tavily
from seekread.providers.plans import find_plan
from seekread.providers.rate_limits import windows
from seekread.state import open_store
from seekread.state.ledger import Caps, Ledger, identity
from seekread.state.memory import MemoryStore
from seekread.state.sqlite import SqliteStore
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

KEY = identity("BSA-a-key-of-somebody")
FREE = find_plan("brave", "free", brave.PLANS)


def at(year: int, month: int, day: int, hour: int = 12) -> FakeClock:
    return FakeClock(now=datetime(year, month, day, hour, tzinfo=UTC).timestamp())


@pytest.fixture
def clock() -> FakeClock:
    return at(2025, 10, 15)


@pytest.fixture
def store(clock: FakeClock) -> Store:
    return open_store("memory:", clock=clock)


def brave_headers(limit: int, remaining: int, reset: int, *, pace: int = 1) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": f"{pace}, {limit}",
        "X-RateLimit-Policy": f"{pace};w=1, {limit};w=2592000",
        "X-RateLimit-Remaining": f"0, {remaining}",
        "X-RateLimit-Reset": f"1, {reset}",
    }


def test_a_key_is_known_by_eight_digits_of_its_hash() -> None:
    assert identity("secret") == "2bb80d53"
    assert identity(None) == identity("") == "keyless"


@pytest.mark.proves("S1-18")
async def test_the_sentence_for_a_used_up_plan_is_computed(store: Store, clock: FakeClock) -> None:
    """S1-30: the plan's limit and the day it starts afresh, never invented."""
    ledger = Ledger(store, clock, {"brave": FREE})
    await ledger.reserve("brave", KEY, 2000)
    with pytest.raises(QuotaExhausted) as caught:
        await ledger.reserve("brave", KEY)
    assert str(caught.value) == "Rate limit exceeded (2000 searches/month). Resets on 2025-11-01."
    assert (caught.value.limit, caught.value.resets_on) == (2000, "2025-11-01")
    assert caught.value.retry_after == 16.5 * 86_400


async def test_a_new_month_starts_afresh(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": FREE})
    await ledger.reserve("brave", KEY, 2000)
    clock.now += 16.5 * 86_400
    await ledger.reserve("brave", KEY)


async def test_a_month_may_begin_on_another_day(store: Store) -> None:
    clock = at(2026, 2, 14)
    ledger = Ledger(store, clock, {"brave": Plan("mine", limit=1, resets=31)})
    await ledger.reserve("brave", KEY)
    with pytest.raises(QuotaExhausted, match="Resets on 2026-02-28"):
        await ledger.reserve("brave", KEY)


async def test_a_limit_that_never_resets_says_no_date(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"serper": find_plan("serper", "trial", serper.PLANS)})
    await ledger.reserve("serper", KEY, 2500)
    with pytest.raises(QuotaExhausted) as caught:
        await ledger.reserve("serper", KEY)
    assert str(caught.value) == "Rate limit exceeded (2500 searches in total)."
    assert (caught.value.resets_on, caught.value.retry_after) == (None, None)


async def test_an_allowance_in_dollars_counts_dollars(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": find_plan("brave", "credit", brave.PLANS)})
    for _ in range(1000):
        await ledger.reserve("brave", KEY)
    with pytest.raises(QuotaExhausted, match=r"\(\$5\.00/month\)"):
        await ledger.reserve("brave", KEY)


async def test_each_key_has_its_own_plan(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": Plan("small", limit=1)})
    await ledger.reserve("brave", KEY)
    await ledger.reserve("brave", identity("another key"))
    with pytest.raises(QuotaExhausted):
        await ledger.reserve("brave", KEY)


async def test_no_key_is_ever_written_down(tmp_path: Path, clock: FakeClock) -> None:
    secret = "tvly-0123456789abcdef0123"
    store = open_store(str(tmp_path / "store.db"), clock=clock)
    ledger = Ledger(store, clock, {"tavily": find_plan("tavily", "free", tavily.PLANS)})
    await ledger.settle(await ledger.reserve("tavily", identity(secret), 2))
    await ledger.observe("tavily", identity(secret), windows(brave_headers(10, 5, 100)))
    await store.close()
    written = await asyncio.to_thread(lambda: b"".join(found.read_bytes() for found in tmp_path.iterdir()))
    assert secret[:8].encode() not in written
    assert identity(secret).encode() in written


async def test_settling_corrects_calls_credits_and_dollars(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"tavily": find_plan("tavily", "paygo", tavily.PLANS)})
    await ledger.settle(await ledger.reserve("tavily", KEY, 2), 1)
    await ledger.settle(await ledger.reserve("tavily", KEY, 1))
    await ledger.settle(await ledger.reserve("tavily", KEY, 1), Cost(0))
    await ledger.release(await ledger.reserve("tavily", KEY, 1))
    [usage] = await ledger.usage()
    assert (usage.calls, usage.used) == (3, 2)
    assert usage.dollars == pytest.approx(0.016)


async def test_a_call_that_was_never_settled_stays_spent(store: Store, clock: FakeClock) -> None:
    await Ledger(store, clock, {"brave": FREE}).reserve("brave", KEY, 1999)
    later = Ledger(store, clock, {"brave": FREE})
    await later.reserve("brave", KEY)
    with pytest.raises(QuotaExhausted):
        await later.reserve("brave", KEY)


async def test_the_count_survives_a_restart_and_is_shared(tmp_path: Path, clock: FakeClock) -> None:
    for _ in range(2):
        store = open_store(str(tmp_path / "store.db"), clock=clock)
        ledger = Ledger(store, clock, {"brave": Plan("small", limit=2)})
        await ledger.settle(await ledger.reserve("brave", KEY))
        await store.close()
    ledger = Ledger(open_store(str(tmp_path / "store.db"), clock=clock), clock, {"brave": Plan("small", limit=2)})
    with pytest.raises(QuotaExhausted):
        await ledger.reserve("brave", KEY)


async def test_daily_caps_hold_over_all_providers(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": Plan("paid", price=0.5)}, caps=Caps(daily_calls=3, daily_dollars=1))
    await ledger.reserve("brave", KEY)
    await ledger.reserve("brave", KEY)
    with pytest.raises(QuotaExhausted) as caught:
        await ledger.reserve("brave", KEY)
    assert str(caught.value) == "Daily cap reached ($1.00/day). Resets on 2025-10-16."
    await ledger.reserve("wikipedia", "keyless")
    with pytest.raises(QuotaExhausted) as caught:
        await ledger.reserve("wikipedia", "keyless")
    assert str(caught.value) == "Daily cap reached (3 calls/day). Resets on 2025-10-16."
    assert caught.value.retry_after == 12 * 3600
    clock.now += 12 * 3600
    await ledger.reserve("wikipedia", "keyless")


async def test_session_caps_end_with_the_session(store: Store, clock: FakeClock) -> None:
    caps = Caps(session_calls=1)
    ledger = Ledger(store, clock, caps=caps, session="one")
    await ledger.reserve("brave", KEY)
    with pytest.raises(QuotaExhausted, match=r"Session cap reached \(1 calls\)"):
        await Ledger(store, clock, caps=caps, session="one").reserve("brave", KEY)
    await Ledger(store, clock, caps=caps).reserve("brave", KEY)


async def test_a_refused_call_takes_nothing_anywhere(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": Plan("small", limit=1)}, caps=Caps(daily_calls=5, session_calls=5))
    await ledger.reserve("brave", KEY)
    for _ in range(10):
        with pytest.raises(QuotaExhausted, match="1 searches/month"):
            await ledger.reserve("brave", KEY)
    for _ in range(4):
        await ledger.reserve("wikipedia", "keyless")


async def test_the_service_knows_of_calls_others_made_with_the_key(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": FREE})
    await ledger.settle(await ledger.reserve("brave", KEY))
    await ledger.observe("brave", KEY, windows(brave_headers(2000, 2, 5 * 86_400)))
    await ledger.reserve("brave", KEY)
    await ledger.reserve("brave", KEY)
    with pytest.raises(QuotaExhausted) as caught:
        await ledger.reserve("brave", KEY)
    assert str(caught.value) == "Rate limit exceeded (2000 searches/month). Resets on 2025-10-20."
    [usage] = await ledger.usage()
    assert (usage.used, usage.remaining) == (2000, 0)
    clock.now += 5 * 86_400
    await ledger.reserve("brave", KEY)


async def test_limit_and_reset_are_learned_where_no_plan_is_set(store: Store, clock: FakeClock) -> None:
    """S1-30: known from the reply."""
    ledger = Ledger(store, clock)
    assert (await ledger.quota("brave", KEY)).resets_on is None
    # The seconds to go are whole numbers, so a reset at midnight may look like a second before it.
    await ledger.observe("brave", KEY, windows(brave_headers(15_000, 0, 16 * 86_400 + 43_199)))
    with pytest.raises(QuotaExhausted) as caught:
        await ledger.reserve("brave", KEY)
    assert str(caught.value) == "Rate limit exceeded (15000 searches/month). Resets on 2025-11-01."


async def test_a_window_without_a_limit_is_not_exhausted(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock)
    headers = brave_headers(0, 0, 1_419_704, pace=50)
    await ledger.observe("brave", KEY, windows(headers))
    await ledger.reserve("brave", KEY)
    assert await ledger.per_second("brave", KEY) == 50
    assert (await ledger.quota("brave", KEY)).limit is None


async def test_a_service_without_a_limit_does_not_lift_the_operators(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": Plan("mine", limit=1, per_second=2)})
    await ledger.observe("brave", KEY, windows(brave_headers(0, 0, 1_419_704, pace=50)))
    await ledger.reserve("brave", KEY)
    with pytest.raises(QuotaExhausted):
        await ledger.reserve("brave", KEY)
    assert await ledger.per_second("brave", KEY) == 2


async def test_requests_left_say_nothing_about_dollars(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": find_plan("brave", "credit", brave.PLANS)})
    await ledger.observe("brave", KEY, windows(brave_headers(2000, 0, 5 * 86_400)))
    await ledger.reserve("brave", KEY, 1000)
    with pytest.raises(QuotaExhausted, match=r"\(\$5\.00/month\)\. Resets on 2025-10-20\."):
        await ledger.reserve("brave", KEY)


async def test_where_nothing_is_known_nothing_is_said(store: Store, clock: FakeClock) -> None:
    """S1-30: never invented."""
    error = (await Ledger(store, clock).quota("brave", KEY)).exhausted(datetime.now(UTC))
    assert str(error) == "Rate limit exceeded."
    assert (error.limit, error.resets_on, error.retry_after) == (None, None, None)


async def test_a_reset_that_moves_by_a_second_is_the_same_reset(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": FREE})
    for reset in (86_429, 86_431, 86_429, 86_431):
        await ledger.settle(await ledger.reserve("brave", KEY))
        await ledger.observe("brave", KEY, windows(brave_headers(2000, 1500, reset)))
    assert len(await store.counters("ledger/plan/brave/")) == 2, "the calendar month, and the service's own"


async def test_headers_of_another_kind_teach_nothing(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock)
    for headers in ({}, {"x-ratelimit-remaining": "0"}, {"X-RateLimit-Policy": "many;w=soon"}):
        await ledger.observe("brave", KEY, windows(headers))
    assert await store.scan("") == []


async def test_usage_shows_what_is_left_and_when_it_runs_out(store: Store) -> None:
    clock = at(2026, 11, 1)
    ledger = Ledger(store, clock, {"brave": FREE})
    for _ in range(14):
        await ledger.settle(await ledger.reserve("brave", KEY, 98))
        clock.now += 86_400
    [usage] = await ledger.usage()
    assert (usage.provider, usage.identity, usage.plan) == ("brave", KEY, FREE)
    assert (usage.calls, usage.used, usage.limit, usage.remaining) == (14, 1372, 2000, 628)
    assert (usage.resets_on, usage.runs_out_on) == ("2026-12-01", "2026-11-22")
    assert usage.forecast == "brave runs out on the 22nd"


async def test_money_by_day_goes_back_thirty_days_whenever_the_month_began(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": find_plan("brave", "search", brave.PLANS)})
    await ledger.reserve("brave", KEY)
    clock.now += 20 * 86_400
    await ledger.reserve("brave", KEY)
    (row,) = await ledger.usage()
    assert row.days == {"2025-10-15": 0.005, "2025-11-04": 0.005}
    assert row.dollars == 0.005
    clock.now += 12 * 86_400
    (row,) = await ledger.usage()
    assert row.days == {"2025-11-04": 0.005}


async def test_usage_of_a_plan_that_lasts_says_so(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": FREE})
    await ledger.settle(await ledger.reserve("brave", KEY))
    await ledger.settle(await ledger.reserve("wikipedia", "keyless"))
    brave, wikipedia = await ledger.usage()
    assert brave.forecast == "brave lasts until it resets on 2025-11-01"
    assert (wikipedia.limit, wikipedia.remaining, wikipedia.resets_on, wikipedia.forecast) == (None, None, None, "")
    assert wikipedia.calls == 1


class AskedStore(MemoryStore):
    """A store that notes what it was asked."""

    def __init__(self, *, clock: FakeClock) -> None:
        super().__init__(clock=clock, max_bytes=1_000_000)
        self.asked: list[str] = []

    async def get(self, key: str) -> Entry | None:
        self.asked.append(key)
        return await super().get(key)

    async def scan(self, prefix: str, *, limit: int = 1000) -> list[Entry]:
        self.asked.append(prefix)
        return await super().scan(prefix, limit=limit)

    async def counter(self, key: str) -> float:
        self.asked.append(key)
        return await super().counter(key)

    async def counters(self, prefix: str) -> list[Counter]:
        self.asked.append(prefix)
        return await super().counters(prefix)


async def test_usage_of_many_keys_takes_as_many_questions_as_of_one(clock: FakeClock) -> None:
    """100,001 keys took 13.5 s at two questions a key."""
    store = AskedStore(clock=clock)
    ledger = Ledger(store, clock, {"brave": FREE})
    keys = [identity(f"key {number}") for number in range(1200)]
    for number, key in enumerate(keys):
        await ledger.settle(await ledger.reserve("brave", key, number % 5))
        await ledger.observe("brave", key, windows(brave_headers(2000, 1000 + number % 7, 86_400)))
    store.asked.clear()
    found = {usage.identity: (usage.used, usage.remaining) for usage in await ledger.usage()}
    assert store.asked == ["ledger/day/", "ledger/plan/", "ledger/learned/"]
    assert found == {key: (1000 - number % 7, 1000 + number % 7) for number, key in enumerate(keys)}


@pytest.fixture
def broken(tmp_path: Path, clock: FakeClock) -> Store:
    (tmp_path / "file").touch()
    return open_store(str(tmp_path / "file" / "store.db"), clock=clock)


@pytest.mark.parametrize(
    ("plan", "caps"),
    [(FREE, Caps()), (Plan("paid", price=0.005), Caps()), (Plan("none"), Caps(daily_calls=5))],
    ids=["a limit", "a price", "a cap"],
)
async def test_when_nobody_can_count_nothing_is_spent(
    broken: Store, clock: FakeClock, plan: Plan, caps: Caps, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = Ledger(broken, clock, {"brave": plan}, caps=caps)
    with pytest.raises(Unreachable, match="nothing is spent on brave"):
        await ledger.reserve("brave", KEY)
    allowing = Ledger(broken, clock, {"brave": plan}, caps=caps, fail_open=True)
    await allowing.settle(await allowing.reserve("brave", KEY))
    assert any("the ledger fails" in record.getMessage() for record in caplog.records)


async def test_what_costs_nothing_goes_on_uncounted(
    broken: Store, tmp_path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = Ledger(broken, clock)
    for _ in range(3):
        await ledger.settle(await ledger.reserve("wikipedia", "keyless"))
        await ledger.observe("wikipedia", "keyless", windows(brave_headers(10, 5, 100)))
    strict = Ledger(SqliteStore(tmp_path / "file" / "store.db", clock=clock, max_bytes=1, strict=True), clock)
    await strict.settle(await strict.reserve("wikipedia", "keyless"))
    await strict.observe("wikipedia", "keyless", windows(brave_headers(10, 5, 100)))
    about_ledger = [r for r in caplog.records if r.levelno == logging.WARNING and "the ledger" in r.getMessage()]
    assert len(about_ledger) == 2, "one for each ledger"


async def test_a_quota_of_100_among_many_tasks_gives_exactly_100(store: Store, clock: FakeClock) -> None:
    ledger = Ledger(store, clock, {"brave": Plan("small", limit=100)}, caps=Caps(session_calls=1000))
    answers = await asyncio.gather(*(ledger.reserve("brave", KEY) for _ in range(150)), return_exceptions=True)
    assert sum(isinstance(answer, QuotaExhausted) for answer in answers) == 50


class Moody(MemoryStore):
    """A store whose counters cannot be reached for a while, or take their time."""

    away, slow, settles = False, False, True

    async def reserve(self, *wants: Want, ahead: float = 0.0) -> Reservation:
        if self.away:
            raise StoreUnavailable("away")
        if self.slow:
            await asyncio.sleep(0)
        return await super().reserve(*wants, ahead=ahead)

    async def settle(self, reservation: Reservation, *amounts: float) -> None:
        if self.settles:
            await super().settle(reservation, *amounts)
        else:
            raise StoreUnavailable("away again")


async def test_free_calls_that_were_made_while_the_store_was_away_are_counted_afterwards(clock: FakeClock) -> None:
    """What was given back meanwhile was never made, and what is limited is not made at all."""
    store = Moody(clock=clock, max_bytes=1000)
    ledger = Ledger(store, clock, {"brave": Plan("small", limit=100)})
    store.away = True
    for _ in range(3):
        await ledger.settle(await ledger.reserve("mine", KEY))
    await ledger.release(await ledger.reserve("mine", KEY))
    with pytest.raises(Unreachable):
        await ledger.reserve("brave", KEY)
    store.away = False
    clock.now += 10
    await ledger.settle(await ledger.reserve("mine", KEY))
    assert {usage.provider: usage.calls for usage in await ledger.usage()} == {"mine": 4}


async def test_calls_beyond_a_limit_that_were_made_while_the_store_was_away_are_counted_before_the_next(
    clock: FakeClock,
) -> None:
    """Who trusts the provider more than the ledger makes them; the plan is used up all the same."""
    store = Moody(clock=clock, max_bytes=1000)
    ledger = Ledger(store, clock, {"brave": Plan("small", limit=5)}, fail_open=True)
    store.away = True
    for _ in range(8):
        await ledger.settle(await ledger.reserve("brave", KEY))
    store.away = False
    clock.now += 10
    with pytest.raises(QuotaExhausted):
        await ledger.reserve("brave", KEY)
    assert [usage.calls for usage in await ledger.usage()] == [8]


async def with_late_calls(clock: FakeClock) -> tuple[Moody, Ledger]:
    """A store that is away, and a ledger with three calls to count when it is back."""
    store = Moody(clock=clock, max_bytes=1000)
    ledger = Ledger(store, clock)
    store.away = True
    for _ in range(3):
        await ledger.settle(await ledger.reserve("mine", KEY))
    return store, ledger


@pytest.mark.parametrize("steps", range(6))
async def test_whoever_leaves_while_late_calls_are_counted_takes_none_with_it(clock: FakeClock, steps: int) -> None:
    """Wherever it was, in the end only what was made and what somebody was told is counted."""
    store, ledger = await with_late_calls(clock)
    store.away, store.slow = False, True
    clock.now += 10
    leaving = asyncio.create_task(ledger.reserve("mine", KEY))
    for _ in range(steps):
        await asyncio.sleep(0)
    leaving.cancel()
    [answer] = await asyncio.gather(leaving, return_exceptions=True)
    told = not isinstance(answer, asyncio.CancelledError)
    assert [usage.calls for usage in await ledger.usage()] == [3 + told]


async def test_late_calls_are_counted_once_though_the_store_goes_away_again(clock: FakeClock) -> None:
    store, ledger = await with_late_calls(clock)
    store.away, store.settles = False, False
    clock.now += 10
    await ledger.usage()
    store.settles = True
    assert [usage.calls for usage in await ledger.usage()] == [3]


async def test_each_day_has_its_own_page_whichever_way_the_clock_goes(store: Store) -> None:
    clock = at(2026, 3, 31, hour=23)
    ledger = Ledger(store, clock, {"brave": Plan("p", limit=100)})

    async def counted() -> dict[str, float]:
        await ledger.reserve("brave", "key")
        days, plans = await store.counters("ledger/day/"), await store.counters("ledger/plan/")
        return {
            counter.key.split("/", 4)[-1]: counter.used for counter in (*days, *plans) if "dollars" not in counter.key
        }

    await counted()
    clock.now += 2 * 3600
    await counted()
    clock.now -= 2 * 3600
    assert await counted() == {
        "2026-03-31/calls": 2, "2026-03-31/units": 2, "2026-04-01/calls": 1, "2026-04-01/units": 1,
        "2026-03-01T00:00": 2, "2026-04-01T00:00": 1,
    }  # fmt: skip
