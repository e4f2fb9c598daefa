import pytest

from seekread.errors import Misconfigured
from seekread.state.plans import PLANS, find_plan


@pytest.mark.parametrize(("name", "limit"), [("free", 2_000), ("basic", 15_000), ("pro", 100_000)])
def test_the_plans_of_brave_have_their_searches_a_month(name: str, limit: int) -> None:
    """S1-54, S1-18."""
    plan = find_plan("brave", name)
    assert (plan.limit, plan.unit, plan.period) == (limit, "searches", "month")


def test_the_present_plans_stand_beside_them() -> None:
    assert find_plan("brave", "search").price == 0.005
    assert find_plan("brave", "free").per_second == 1
    assert (find_plan("tavily", "free").limit, find_plan("tavily", "free").unit) == (1_000, "credits")
    assert find_plan("perplexity", "search").price * 1000 == 5


def test_an_unknown_plan_is_answered_with_the_known_ones() -> None:
    with pytest.raises(Misconfigured, match="brave has no plan 'gold'; known plans: search, credit, free, basic, pro"):
        find_plan("brave", "gold")
    with pytest.raises(Misconfigured, match="give limit, period and price yourself"):
        find_plan("wikipedia", "gold")


def test_every_plan_makes_sense() -> None:
    for presets in PLANS.values():
        for name, plan in presets.items():
            assert plan.name == name
            assert 1 <= plan.resets <= 31
            assert plan.limit is None or plan.limit > 0
            assert plan.limit is not None or plan.price > 0 or plan.per_second
