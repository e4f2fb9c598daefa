"""The plan each provider is used under: the one the settings chose, or the price of those who pay by the call."""

from collections.abc import Mapping
from dataclasses import field, replace

from seekread.errors import Misconfigured, NotConfigured
from seekread.late import dataclass
from seekread.provider import Plan, traits
from seekread.providers.registry import Registry


@dataclass(frozen=True)
class Plans:
    """Plans by provider. `chosen` are the names of plans in the settings."""

    registry: Registry
    chosen: Mapping[str, str]

    _found: dict[tuple[str, Plan], Plan] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Name a plan that does not exist before anything is spent."""
        for provider, name in self.chosen.items():
            find_plan(provider, name, self._sold(provider))

    def get(self, provider: str, default: Plan) -> Plan:
        """The plan of a provider; without a choice there is no limit and no pace, because nobody named one."""
        known = self._found.get((provider, default))
        if known is None:
            known = self._found[provider, default] = self._find(provider, default)
        return known

    def _find(self, provider: str, default: Plan) -> Plan:
        sold = self._sold(provider)
        if provider in self.chosen:
            return find_plan(provider, self.chosen[provider], sold)
        return replace(by_the_call(sold), limit=None, per_second=None) if sold else default

    def _sold(self, provider: str) -> tuple[Plan, ...]:
        try:
            return traits(self.registry.declared(provider)).plans
        except (Misconfigured, NotConfigured):
            # Somebody used it once, and it is not installed any more.
            return ()


def by_the_call(sold: tuple[Plan, ...]) -> Plan:
    """Pay-as-you-go where it is sold: what a key costs of which nobody said that it is free."""
    return next((plan for plan in sold if plan.price and plan.limit is None), sold[0])


def find_plan(provider: str, name: str, sold: tuple[Plan, ...]) -> Plan:
    """The plan of that name; the message lists the names there are."""
    known = {plan.name: plan for plan in sold}
    if name not in known:
        raise Misconfigured(f"{provider} has no plan {name!r}; known plans: {', '.join(known) or 'none'}")
    return known[name]
