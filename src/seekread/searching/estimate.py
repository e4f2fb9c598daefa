"""
What searches will probably cost, said before anybody is asked.

A price is what a provider expects a call to cost at most, by the plan it is used under, times the calls that a search
of this kind needs as a rule. A plan that is free until it is used up costs nothing, and buys nothing beyond that. Of a
key whose plan has neither a price nor a limit nobody knows what it costs.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from seekread.calling.key_pools import key_of
from seekread.errors import ProviderError
from seekread.late import dataclass
from seekread.models import RouteName
from seekread.options import Query
from seekread.ports import Clock
from seekread.provider import ONE_UNIT, SearchProvider, own_key, traits
from seekread.providers.registry import Unready, at_hand
from seekread.searching.adapt import plan
from seekread.searching.ask import task_of
from seekread.state.ledger import Ledger, amounts_of


@dataclass(frozen=True)
class Price:
    """What one search costs with a provider, at most."""

    provider: str
    dollars: float | None
    """`None` where nobody knows."""
    left: float | None = None
    """Units that its plan leaves; `None` where it has no limit."""
    unit: str = "searches"

    @property
    def words(self) -> str:
        """The same in words."""
        price = "at a price that is not known here" if self.dollars is None else f"${self.dollars:.4g} a search"
        told = price if self.dollars != 0 else "free"
        return f"{self.provider} ({told}{'' if self.left is None else f', {self.left:,.10g} {self.unit} left'})"


@dataclass(frozen=True)
class Estimate:
    """What searches of one kind cost: with those who are asked, and with the others, where these cannot answer."""

    asked: tuple[Price, ...]
    others: tuple[Price, ...] = ()

    @property
    def dollars(self) -> float | None:
        """What one search costs; `None` where nobody knows."""
        prices = [price.dollars for price in self.asked]
        return None if None in prices else sum(filter(None, prices))

    @property
    def is_free(self) -> bool:
        """Whether nobody who may be asked costs anything."""
        return all(price.dollars == 0 for price in (*self.asked, *self.others))


def who_is_asked(
    chain: Sequence[SearchProvider], route: RouteName
) -> tuple[list[SearchProvider], list[SearchProvider]]:
    """Those of a chain who are asked first, and those who are only asked where these cannot answer."""
    able = [provider for provider in map(at_hand, chain) if not isinstance(provider, Unready)]
    first = len(able) if route == "fuse" else 1
    return able[:first], able[first:]


async def estimate(
    query: Query, chain: Sequence[SearchProvider], route: RouteName, ledger: Ledger, clock: Clock
) -> Estimate:
    """What searches like this one cost."""
    asked, others = who_is_asked(chain, route)
    return Estimate(
        tuple([await price_of(provider, query, ledger, clock) for provider in asked]),
        tuple([await price_of(provider, query, ledger, clock) for provider in others]),
    )


async def price_of(provider: SearchProvider, query: Query, ledger: Ledger, clock: Clock) -> Price:
    """What one search costs with a provider."""
    about = traits(provider)
    if about.local or about.anonymous or not own_key(provider):
        return Price(about.name, 0.0)
    planned = plan(query, about, datetime.fromtimestamp(clock.time(), UTC).date())
    try:
        cost = task_of(provider, planned.query).cost
    except ProviderError:
        # It does not take this query, and may well take others.
        cost = ONE_UNIT
    reach = planned.reach
    calls = min(reach.turns, -(-reach.needed // (about.page_size or about.max_results)))
    key, used = key_of(provider), ledger.plan(about.name)
    room, _ = await ledger.left(about.name, key)
    left = None if (await ledger.quota(about.name, key)).limit is None else max(0.0, room)
    if cost.dollars is None and not used.price:
        # Of a plan without a price nothing is bought beyond its limit.
        return Price(about.name, None if used.limit is None else 0.0, left, used.unit)
    return Price(about.name, calls * amounts_of(cost, used)["dollars"], left, used.unit)
