"""Searching in bulk: every query gets its record, within the room, the pauses and the plans of whoever is asked."""

import time
from collections.abc import Iterator
from typing import Any

import anyio
import pytest

from seekread.batch import Searcher, SearchRecord
from seekread.errors import AllFailed, InvalidQuery
from seekread.testing import simulators
from seekread.testing.hits import NOTHING
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio

BOTH = ("brave", "tavily")


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


@pytest.fixture
def tavily() -> Iterator[Simulator]:
    with simulators.start("tavily") as running:
        yield running


def searcher(*asked: Simulator, settings: dict[str, Any] | None = None, **more: Any) -> Searcher:
    """A searcher that asks these, in this order."""
    return Searcher(
        [one.name for one in asked],
        providers={one.name: one.settings() for one in asked},
        settings={"store": "memory:", **(settings or {})},
        environ={},
        **more,
    )


async def test_records_come_in_the_order_of_the_queries_each_with_its_own_cost(brave: Simulator) -> None:
    async with searcher(brave, limit=2) as asking:
        records = await asking.search(["tea", NOTHING, "  tea ", "harbours"])
    assert [(record.query, record.outcome) for record in records] == [
        ("tea", "ok"), (NOTHING, "empty"), ("harbours", "ok"),
    ]  # fmt: skip
    assert [record.cost for record in records] == [0.005] * 3
    assert [len(record.results) for record in records] == [2, 0, 2]
    assert len(brave.received) == 3


async def test_an_answer_that_is_known_costs_nothing(brave: Simulator) -> None:
    async with searcher(brave) as asking:
        await asking.search(["tea"])
        [record] = await asking.search(["tea"])
    assert (record.cached, record.cost, len(brave.received)) == (True, 0, 1)


async def test_a_list_waits_for_room_instead_of_asking_the_next(brave: Simulator, tavily: Simulator) -> None:
    def slow(received: Received) -> Answer:
        time.sleep(0.05)
        return brave.reply(received)

    brave.answer = slow
    async with searcher(brave, tavily, settings={"at_once": 2}) as asking:
        records = await asking.search([f"harbour {number}" for number in range(12)])
    assert {record.provider for record in records} == {"brave"}
    assert not tavily.received


async def test_a_pause_that_is_asked_for_is_waited_for(brave: Simulator, tavily: Simulator) -> None:
    """Only the query that ran into it is answered by the next provider."""
    brave.fail(Fault(429, headers={"Retry-After": "1"}), times=1)
    async with searcher(brave, tavily, at_once=1) as asking:
        records = await asking.search(["tea", "cake"])
    assert [record.provider for record in records] == ["tavily", "brave"]


async def test_what_passes_is_asked_again(brave: Simulator) -> None:
    brave.fail(Fault(503), times=2)
    async with searcher(brave, settings={"attempts": 1}) as asking:
        [record] = await asking.search(["tea"])
    assert (record.outcome, record.tries, record.error) == ("ok", 3, "")


@pytest.mark.parametrize("refusal", ["wrong key", "plan used up"])
async def test_where_nobody_can_answer_any_more_the_list_ends(brave: Simulator, refusal: str) -> None:
    """What was answered before stands, and nothing that was not asked is written down as failed."""
    found: list[SearchRecord] = []

    async def keep(record: SearchRecord) -> None:
        found.append(record)
        brave.fail(brave.refusals[refusal].fault)

    with pytest.raises(AllFailed, match="brave"):
        async with searcher(brave, at_once=2) as asking:
            await asking.search_all((f"harbour {number}" for number in range(100)), keep)
    assert {record.outcome for record in found} == {"ok"}
    assert len(brave.received) < 10


async def test_no_more_is_spent_than_was_said(brave: Simulator) -> None:
    found: list[SearchRecord] = []

    async def keep(record: SearchRecord) -> None:
        found.append(record)

    with pytest.raises(AllFailed, match=r"Session cap reached \(\$0.02\)"):
        async with searcher(brave, max_dollars=0.02) as asking:
            await asking.search_all((f"harbour {number}" for number in range(20)), keep)
    assert len(found) == 4
    assert brave.charged == pytest.approx(0.02)


async def test_a_long_list_may_say_more_than_a_session(brave: Simulator) -> None:
    """A person brings it, and no model."""
    async with searcher(brave, settings={"text_budget": 10}) as asking:
        records = await asking.search(["harbours of the north", "harbours of the south"])
    assert {record.outcome for record in records} == {"ok"}


async def test_what_goes_wrong_with_a_record_ends_the_list_as_it_is(brave: Simulator) -> None:
    async def keep(_record: SearchRecord) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        async with searcher(brave) as asking:
            await asking.search_all(["tea", "cake"], keep)


async def test_an_option_that_makes_no_sense_is_said_before_anybody_is_asked(brave: Simulator) -> None:
    with pytest.raises(InvalidQuery, match="swap them"):
        searcher(brave, date_from="2026-02-01", date_to="2026-01-01")


@pytest.mark.parametrize(
    ("settings", "dollars", "free"),
    [
        ({}, 0.005, False),
        ({"route": "fuse"}, 0.013, False),
        ({"plans": {"brave": "credit", "tavily": "free"}}, 0.005, False),
    ],
)
async def test_the_price_is_that_of_whoever_is_asked(
    brave: Simulator, tavily: Simulator, settings: dict[str, Any], dollars: float, free: bool
) -> None:
    async with searcher(brave, tavily, settings=settings) as asking:
        expected = await asking.estimate("tea")
    assert expected.dollars == pytest.approx(dollars)
    assert expected.is_free is free
    assert not brave.received


async def test_a_plan_that_buys_nothing_is_free_and_says_what_it_leaves(tavily: Simulator) -> None:
    async with searcher(tavily, settings={"plans": {"tavily": "free"}}) as asking:
        before = await asking.estimate("tea")
        await asking.search(["tea"])
        after = await asking.estimate("tea")
    assert before.is_free
    assert before.asked[0].left is not None
    assert after.asked[0].left is not None
    assert before.asked[0].left - after.asked[0].left == 1


async def test_two_searchers_share_no_money(brave: Simulator) -> None:
    async def both(asking: Searcher) -> None:
        assert len(await asking.search(["one", "two"])) == 2

    async with (
        searcher(brave, max_dollars=0.01) as one,
        searcher(brave, max_dollars=0.01) as other,
        anyio.create_task_group() as group,
    ):
        group.start_soon(both, one)
        group.start_soon(both, other)
