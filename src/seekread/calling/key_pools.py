"""
Several keys of one service: the one of which most is left is taken, and one that is turned away rests.

A key that was rejected rests until the settings change, for all who share the store; one whose plan is used up rests as
long as the service says. Where every key rests, the first is tried all the same: the failure it brings is the answer.
"""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Protocol, TypeVar, cast

from seekread.errors import A_YEAR, ProviderError, QuotaExhausted, Unauthorized
from seekread.late import dataclass
from seekread.provider import collected_once, own_key
from seekread.state.ledger import Ledger, identity

USED_UP_SECONDS = 3_600.0
"""Seconds a key rests whose plan is used up, where the service does not say until when."""


class Named(Protocol):
    """Anything that can be asked; what else it declares are its traits."""

    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


def alone(provider: object) -> Sequence[object]:
    """A provider with no key but its own."""
    return (provider,)


@collected_once
def key_of(provider: object) -> str:
    """What names the key of a provider without telling it."""
    return identity(own_key(provider))


@dataclass
class KeyPools:
    """Which key of a provider is taken. `pool` gives a provider once for each of its keys."""

    pool: Callable[[object], Sequence[object]] = alone
    _resting: dict[tuple[str, str], float] = field(default_factory=dict)

    async def choose(self, provider: N, ledger: Ledger, now: float) -> N:
        """The provider with the key of which most is left."""
        members = self.pool(provider)
        if len(members) < 2:
            return provider
        name, settings = provider.name, fingerprint(members)
        ranked = []
        for place, member in enumerate(members):
            key = key_of(member)
            awake = self._awake(name, member, now) and not await ledger.rests(name, key, settings)
            ranked.append((awake, *await ledger.left(name, key), -place))
        return cast("N", members[-max(ranked)[-1]])

    def turned_away(self, provider: Named, error: ProviderError, now: float) -> None:
        """Let the key rest that a service has turned away."""
        if self._is_of_a_key(provider, error):
            self._resting[provider.name, key_of(provider)] = now + rest(error)

    async def tell(self, provider: Named, error: ProviderError, ledger: Ledger) -> None:
        """Tell everybody on the same store that it rests."""
        if self._is_of_a_key(provider, error):
            await ledger.rest(provider.name, key_of(provider), fingerprint(self.pool(provider)), rest(error))

    def has_another(self, provider: Named, error: ProviderError, now: float) -> bool:
        """Whether an error is the trouble of one key alone, and another one can be tried."""
        awake = any(self._awake(provider.name, member, now) for member in self.pool(provider))
        return self._is_of_a_key(provider, error) and awake

    def _awake(self, name: str, member: object, now: float) -> bool:
        return now >= self._resting.get((name, key_of(member)), -math.inf)

    def _is_of_a_key(self, provider: Named, error: ProviderError) -> bool:
        """Whether the service itself, which a status shows, turned away one key of several."""
        told = isinstance(error, Unauthorized | QuotaExhausted) and error.status is not None
        return told and len(self.pool(provider)) > 1


def rest(error: ProviderError) -> float:
    """Seconds a key rests after an error."""
    return A_YEAR if isinstance(error, Unauthorized) else error.retry_after or USED_UP_SECONDS


def fingerprint(members: Sequence[object]) -> str:
    """A name for the settings of a pool: whoever changes one of them wants every key tried again."""
    # Keys are masked in a representation, and stand behind it as their fingerprints.
    settings = [repr(members[0]), *map(key_of, members)]
    return hashlib.sha256("\n".join(settings).encode()).hexdigest()[:16]
