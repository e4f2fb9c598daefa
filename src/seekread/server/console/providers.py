"""Who can be asked: every provider with its roles, its place in the chain, and what it still needs."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from seekread.compose import Parts
from seekread.errors import NotConfigured
from seekread.provider import traits
from seekread.providers.registry import Registry, Unready, required


@dataclass(frozen=True)
class Provider:
    """One provider as people see it."""

    name: str
    label: str
    roles: tuple[str, ...]
    keyless: bool
    position: int | None
    """Its place in the chain a search asks, from 1; `None` if it is asked only by name."""
    missing: str
    """What is missing and how to set it; empty when it is set up."""

    @property
    def searches(self) -> bool:
        return "searches" in self.roles


def providers(parts: Parts) -> list[Provider]:
    """Every provider: those of the chain in its order, then all others by name."""
    registry = parts.registry
    chain = [provider.name for provider in parts.chain(())]
    searchers, readers = registry.search_names(), registry.read_names()
    roles = (("searches", searchers), ("reads", readers))
    found = [
        describe(name, parts, chain, tuple(role for role, names in roles if name in names))
        for name in dict.fromkeys((*searchers, *readers))
    ]
    return sorted(found, key=lambda each: (each.position is None, each.position or 0))


def describe(name: str, parts: Parts, chain: list[str], roles: tuple[str, ...]) -> Provider:
    """One provider; one whose package is not installed is known by its name only."""
    registry = parts.registry
    try:
        about = declared(name, registry)
    except ImportError:
        about = None
    label = traits(about).label if about else name
    return Provider(
        name=name,
        label=label[:1].upper() + label[1:],
        roles=roles,
        keyless=about is not None and not any("key" in need for need in needs(about)),
        position=chain.index(name) + 1 if name in chain else None,
        missing=missing(name, registry, searches="searches" in roles),
    )


def declared(name: str, registry: Registry) -> Any:
    """The provider's class, or the instance that was registered in code."""
    if name in registry.registered:
        return registry.searcher(name) if name in registry.search_names() else registry.reader(name)
    return registry.installed(registry.group(name))[name].load()


def needs(provider: Any) -> list[str]:
    """The names of the settings a provider cannot do without."""
    if not dataclasses.is_dataclass(provider):
        return []
    return [field.name for field in dataclasses.fields(provider) if field.init and required(field)]


def missing(name: str, registry: Registry, *, searches: bool) -> str:
    """What a provider still needs, in the words of the registry."""
    try:
        built: Any = registry.searcher(name) if searches else registry.reader(name)
    except NotConfigured as error:
        return str(error)
    return str(built.error) if isinstance(built, Unready) else ""
