"""The plans that services sell, and the one a provider is used under."""

from typing import Any, ClassVar

import pytest

from seekread.errors import Misconfigured
from seekread.provider import Plan, traits
from seekread.providers import brave, perplexity, tavily
from seekread.providers.plans import Plans, find_plan
from seekread.providers.registry import Registry

NONE = Plan("none")


@pytest.mark.proves("S1-18", "S1-54")
@pytest.mark.parametrize(("name", "limit"), [("free", 2_000), ("basic", 15_000), ("pro", 100_000)])
def test_the_plans_of_brave_have_their_searches_a_month(name: str, limit: int) -> None:
    plan = find_plan("brave", name, brave.PLANS)
    assert (plan.limit, plan.unit, plan.period) == (limit, "searches", "month")


def test_the_present_plans_stand_beside_them() -> None:
    assert find_plan("brave", "search", brave.PLANS).price == 0.005
    assert find_plan("brave", "free", brave.PLANS).per_second == 1
    free = find_plan("tavily", "free", tavily.PLANS)
    assert (free.limit, free.unit) == (1_000, "credits")
    assert find_plan("perplexity", "search", perplexity.PLANS).price * 1000 == 5


def test_an_unknown_plan_is_answered_with_the_known_ones_before_anything_is_spent() -> None:
    with pytest.raises(Misconfigured, match="brave has no plan 'gold'; known plans: search, credit, free, basic, pro"):
        Plans(Registry(), {"brave": "gold"})
    with pytest.raises(Misconfigured, match="wikipedia has no plan 'gold'; known plans: none"):
        Plans(Registry(), {"wikipedia": "gold"})


def test_without_a_choice_the_price_by_the_call_counts_and_nothing_limits() -> None:
    plans = Plans(Registry(), {"brave": "free"})
    assert plans.get("brave", NONE).limit == 2_000
    assert plans.get("exa", NONE) == Plan("paid", price=0.007)
    assert plans.get("wikipedia", NONE) is NONE
    assert plans.get("gone", NONE) is NONE


@pytest.mark.parametrize(
    "service",
    sorted(set(Registry().services()), key=lambda service: traits(service).name),
    ids=lambda service: traits(service).name,
)
def test_whoever_sells_plans_sells_one_by_the_call(service: type) -> None:
    """Or money would be spent that no cap counts."""
    about = traits(service)
    assert not about.plans or Plans(Registry(), {}).get(about.name, NONE).price > 0


def test_a_provider_of_somebody_elses_sells_plans_through_the_same_door() -> None:
    class Acme:
        name: ClassVar[str] = "acme"
        plans: ClassVar[tuple[Plan, ...]] = (Plan("gold", limit=10, price=1.0),)

        def search(self, query: Any) -> Any:
            raise NotImplementedError

    registry = Registry()
    registry.register(Acme())
    assert Plans(registry, {"acme": "gold"}).get("acme", NONE) == Plan("gold", limit=10, price=1.0)
    assert Plans(registry, {}).get("acme", NONE) == Plan("gold", price=1.0)


def test_every_plan_makes_sense() -> None:
    sold = [plan for service in Registry().services() for plan in traits(service).plans]
    assert len(sold) > 10
    for plan in sold:
        assert 1 <= plan.resets <= 31
        assert plan.limit is None or plan.limit > 0
        assert plan.limit is not None or plan.price > 0 or plan.per_second
