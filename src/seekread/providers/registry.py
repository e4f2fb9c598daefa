"""
Providers by name: ours and everyone else's arrive through the same entry-point groups.

A provider is imported when it is first used and built once, so a class that searches and reads is one instance in
both roles. The fields of its dataclass are its settings.
"""

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from seekread.errors import Misconfigured, NotConfigured
from seekread.models import Page, SearchResult
from seekread.options import Query
from seekread.provider import Call, ReadProvider, SearchProvider, traits
from seekread.providers.shapes import as_read_provider, as_search_provider

SEARCH_GROUP = "seekread.providers"
READ_GROUP = "seekread.readers"

FieldValues = Callable[[type], Mapping[str, Any]]
"""Looks up the values of a provider class's fields: settings, keys and the resources it asks for."""


@dataclass(frozen=True)
class Unready:
    """Stands in a chain for a provider that is not set up: asked, it says what is missing."""

    name: str
    error: NotConfigured

    def search(self, _query: Query) -> Call[list[SearchResult]]:
        raise self.error

    def read(self, _url: str) -> Call[Page]:
        raise self.error


def nothing(_provider: type) -> Mapping[str, Any]:
    return {}


@dataclass
class Registry:
    """The providers that can be used, in the order they were registered."""

    values: FieldValues = nothing
    _built: dict[str, Any] = field(default_factory=dict)
    _missing: dict[str, NotConfigured] = field(default_factory=dict)
    _installed: dict[str, dict[str, EntryPoint]] = field(default_factory=dict)
    _registered: dict[str, Any] = field(default_factory=dict)
    _default: str | None = None

    def register(self, provider: Any, *, default: bool = False) -> None:
        """Add a provider. The first one registered is the default, until one says `default=True`."""
        name = traits(provider).name
        if name in self._registered:
            raise Misconfigured(f"provider {name!r} is already registered")
        if as_search_provider(provider) is None and as_read_provider(provider) is None:
            raise Misconfigured(f"provider {name!r} neither searches nor reads")
        self._registered[name] = provider
        if default or self._default is None:
            self._default = name

    @property
    def default(self) -> str | None:
        """The name of the default among the registered ones."""
        return self._default

    @property
    def registered(self) -> tuple[str, ...]:
        """Names registered in code, in order."""
        return tuple(self._registered)

    @property
    def built(self) -> tuple[Any, ...]:
        """Providers built from their entry points; whoever had them built closes them."""
        return tuple(self._built.values())

    def search_names(self) -> list[str]:
        """Every provider that can search, registered ones first."""
        own = [name for name, provider in self._registered.items() if as_search_provider(provider)]
        return own + sorted(self.installed(SEARCH_GROUP).keys() - set(own))

    def read_names(self) -> list[str]:
        """Every provider that can read, registered ones first."""
        own = [name for name, provider in self._registered.items() if as_read_provider(provider)]
        return own + sorted(self.installed(READ_GROUP).keys() - set(own))

    def searcher(self, name: str) -> SearchProvider:
        """The provider of that name in its searching role."""
        try:
            provider = as_search_provider(self._get(name, SEARCH_GROUP, self.search_names()))
        except NotConfigured as error:
            return cast("SearchProvider", Unready(name, error))
        if provider is None:
            raise Misconfigured(f"{name} cannot search; providers that can: {', '.join(self.search_names())}")
        return provider

    def reader(self, name: str) -> ReadProvider:
        """The provider of that name in its reading role."""
        try:
            provider = as_read_provider(self._get(name, READ_GROUP, self.read_names()))
        except NotConfigured as error:
            return cast("ReadProvider", Unready(name, error))
        if provider is None:
            raise Misconfigured(f"{name} cannot read; readers: {', '.join(self.read_names())}")
        return provider

    def configured(self, name: str) -> bool:
        """Say whether everything a provider needs is set. Builds nothing that does I/O."""
        if name in self._registered:
            return True
        try:
            self._get(name, self.group(name), ())
        except NotConfigured:
            return False
        return True

    def _get(self, name: str, group: str, choices: Any) -> Any:
        if name in self._registered:
            return self._registered[name]
        entry = self.installed(group).get(name)
        if entry is None:
            raise Misconfigured(f"unknown provider {name!r}; choose from {', '.join(choices)}")
        # By class, not by name: one class in both groups is one instance, two classes of one name are two.
        if entry.value in self._missing:
            raise self._missing[entry.value]
        if entry.value not in self._built:
            try:
                self._built[entry.value] = build(loaded(entry), self.values)
            except NotConfigured as error:
                # The settings of a registry do not change, so neither will this.
                self._missing[entry.value] = error
                raise
        return self._built[entry.value]

    def installed(self, group: str) -> dict[str, EntryPoint]:
        """The entry points of a group, looked up once."""
        if group not in self._installed:
            self._installed[group] = installed(group)
        return self._installed[group]

    def group(self, name: str) -> str:
        """The group a provider is announced in; searching comes first for those in both."""
        return SEARCH_GROUP if name in self.installed(SEARCH_GROUP) else READ_GROUP

    def provider_class(self, name: str, group: str) -> type:
        """The class of an installed provider, imported when it is first wanted."""
        entry = self.installed(group).get(name)
        if entry is None:
            raise Misconfigured(f"unknown provider {name!r}; choose from {', '.join(sorted(self.installed(group)))}")
        return loaded(entry)

    def declared(self, name: str) -> Any:
        """Whatever declares a provider's traits: what was registered in code, or the class of what is installed."""
        return self._registered[name] if name in self._registered else self.provider_class(name, self.group(name))

    def classes(self, *, without: Collection[str] = ()) -> Iterator[tuple[str, type]]:
        """Every installed provider that can be imported; one that cannot can neither be asked nor hold a key."""
        for group in (SEARCH_GROUP, READ_GROUP):
            for name in self.installed(group).keys() - set(without):
                try:
                    yield name, self.provider_class(name, group)
                except NotConfigured:
                    continue


def installed(group: str) -> dict[str, EntryPoint]:
    """Entry points by name; two packages claiming one name is an error, not a race."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        if entry.name in found and found[entry.name].value != entry.value:
            raise Misconfigured(
                f"two packages bring a provider named {entry.name!r}: {found[entry.name].value}, {entry.value}"
            )
        found[entry.name] = entry
    return found


def provider_class(name: str, group: str = SEARCH_GROUP) -> type:
    """Import the class of a provider, for those who have no registry at hand."""
    return Registry().provider_class(name, group)


def loaded(entry: EntryPoint) -> type:
    """Import what an entry point names."""
    try:
        found: type = entry.load()
    except (ImportError, AttributeError) as error:
        raise NotConfigured(f"{entry.name} needs a package that is not installed: {error}") from error
    return found


def build(provider: type, values: FieldValues) -> Any:
    """Build a provider from its fields' values; what is missing is named, with the ways to set it."""
    if not dataclasses.is_dataclass(provider):
        return provider()
    given = values(provider)
    wanted = [f for f in dataclasses.fields(provider) if f.init]
    missing = [f for f in wanted if required(f) and f.name not in given]
    if missing:
        name = traits(provider).name
        hints = "; ".join(hint(name, f) for f in missing)
        raise NotConfigured(f"{name} needs {', '.join(f.name for f in missing)}: {hints}")
    return provider(**{f.name: given[f.name] for f in wanted if f.name in given})


def required(f: "dataclasses.Field[Any]") -> bool:
    return f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING


def hint(name: str, f: "dataclasses.Field[Any]") -> str:
    """How to set a field."""
    variables = f.metadata.get("env") or (f"{name.upper()}_{f.name.upper()}",)
    return f"set {' or '.join(variables)}, or {f.name} under [providers.{name}]"
