"""
Who may be asked at all, and in which order.

A provider chosen explicitly is asked alone, unless a fallback is configured with it: nobody's query silently leaves
their own service. Without a choice: the providers that have their key, then those that are asked without one because
somebody agreed to it, then those that need none, then whatever other packages bring; nobody who is asked only by name.
"""

from collections.abc import Sequence
from dataclasses import field

from seekread.late import dataclass
from seekread.provider import SearchProvider, traits
from seekread.providers.catalog import OPEN, SEARCH_ORDER
from seekread.providers.registry import Registry


@dataclass(frozen=True)
class Chain:
    """Names become the providers a search asks, in order."""

    registry: Registry
    chosen: tuple[str, ...] = ()
    fallback: tuple[str, ...] = ()
    _ordered: dict[tuple[str, ...], list[SearchProvider]] = field(default_factory=dict, compare=False, repr=False)
    """Those that were ready, by their names, in the order in which they are asked."""

    def __call__(self, asked: Sequence[str] = ()) -> list[SearchProvider]:
        """The providers to ask; those named in the call come before those named in the settings."""
        if named := tuple(asked) or self.chosen or self._registered():
            return self._named(named)
        ready = self.registry.ready_searchers(SEARCH_ORDER)
        names = tuple([provider.name for provider in ready])
        if names not in self._ordered:
            self._ordered[names] = self._in_order(ready)
        return list(self._ordered[names])

    def _in_order(self, ready: list[SearchProvider]) -> list[SearchProvider]:
        """Whom to ask of those that are ready, and whoever other packages bring."""
        # A service of the operator's own that is set up was meant to be used.
        if own := [provider.name for provider in ready if traits(provider).self_hosted]:
            return self._named(own)
        others = [self.registry.later(name) for name in self.registry.foreign_searchers]
        return sorted(ready, key=standing) + others

    def _named(self, names: Sequence[str]) -> list[SearchProvider]:
        """The providers of these names, and whoever is asked after them."""
        return [self.registry.searcher(name) for name in dict.fromkeys((*names, *self.fallback))]

    def _registered(self) -> tuple[str, ...]:
        """Providers registered in code, the default first."""
        names = [name for name in self.registry.registered if name in self.registry.search_names()]
        return tuple(sorted(names, key=lambda name: name != self.registry.default))


def standing(provider: SearchProvider) -> int:
    """Those that were set up come before those without a key, and these before those that never take one."""
    return 1 if traits(provider).anonymous else 2 if provider.name in OPEN else 0
