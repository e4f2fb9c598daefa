"""
Providers by name: ours and everyone else's arrive through the same entry-point groups.

A provider is imported when it is first used and built once, so a class that searches and reads is one instance in
both roles. The fields of its dataclass are its settings. Somebody else's package is foreign code: nothing of it runs
before it is asked for, and one that cannot be imported hurts nobody else.
"""

import dataclasses
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from functools import cached_property, partial
from typing import Any, cast

from seekread.errors import Misconfigured, NotConfigured
from seekread.late import dataclass
from seekread.models import Page, SearchResult
from seekread.options import Query
from seekread.provider import Call, ReadProvider, SearchProvider, secrets_of, traits
from seekread.providers.plugins import Plugin, installed
from seekread.providers.shapes import as_read_provider, as_search_provider
from seekread.providers.variables import SELF_SUFFICIENT
from seekread.redact import Secrets
from seekread.spelling import nearest

SEARCH_GROUP = "seekread.providers"
READ_GROUP = "seekread.readers"
OURS = "seekread.providers."
"""Where the services stand that we bring."""

log = logging.getLogger("seekread.providers")

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


@dataclass
class Later:
    """Stands in a chain for somebody else's provider, which is imported and built when its turn comes."""

    name: str
    make: Callable[[], SearchProvider]

    @cached_property
    def provider(self) -> SearchProvider:
        """The provider itself, or what says why there is none."""
        return self.make()

    def search(self, query: Query) -> Any:
        return self.provider.search(query)


def at_hand(provider: SearchProvider) -> SearchProvider:
    """The provider itself, now that it is its turn."""
    return provider.provider if isinstance(provider, Later) else provider


def everybody(_name: str) -> bool:
    """Who may have a setting, where nobody knows the settings."""
    return True


def nothing(_provider: type) -> Mapping[str, Any]:
    return {}


def no_service(_name: str) -> bool:
    """Whom anybody agreed to ask without a key, where nobody knows the settings."""
    return False


@dataclass
class Registry:
    """The providers that can be used, in the order they were registered."""

    values: FieldValues = nothing
    secrets: Secrets = field(default_factory=Secrets)
    """Learns the keys of every provider that is built."""
    mentioned: Callable[[str], bool] = everybody
    """Whether anything may be set for a provider of that name."""
    agreed: Callable[[str], bool] = no_service
    """Whether somebody agreed that the service of that name is asked without a key."""
    _searchers: dict[str, SearchProvider] = field(default_factory=dict)
    _readers: dict[str, ReadProvider] = field(default_factory=dict)
    _built: dict[str, Any] = field(default_factory=dict)
    _missing: dict[str, NotConfigured] = field(default_factory=dict)
    _installed: dict[str, dict[str, Plugin]] = field(default_factory=dict)
    _registered: dict[str, Any] = field(default_factory=dict)
    _lacking: dict[str, bool] = field(default_factory=dict)
    _able: dict[tuple[str, ...], list[tuple[SearchProvider, Any]]] = field(default_factory=dict)
    _default: str | None = None
    _pools: dict[int, tuple[Any, ...]] = field(default_factory=dict)

    def register(self, provider: Any, *, default: bool = False) -> None:
        """Add a provider. The first one registered is the default, until one says `default=True`."""
        name = traits(provider).name
        if name in self._registered:
            raise Misconfigured(f"provider {name!r} is already registered")
        if as_search_provider(provider) is None and as_read_provider(provider) is None:
            raise Misconfigured(f"provider {name!r} neither searches nor reads")
        self._registered[name] = provider
        self._able.clear()
        self.secrets.add(secrets_of(provider))
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
        if name not in self._searchers:
            self._searchers[name] = self._searcher(name)
        return self._searchers[name]

    def later(self, name: str) -> SearchProvider:
        """The same for a chain that nobody named, imported and built when its turn comes."""
        return cast("SearchProvider", Later(name, partial(self._unnamed, name)))

    def _unnamed(self, name: str) -> SearchProvider:
        provider = self.searcher(name)
        if traits(provider).by_name:
            return cast("SearchProvider", Unready(name, NotConfigured(f"{name} is asked only where it is named")))
        return provider

    def reader(self, name: str) -> ReadProvider:
        """The provider of that name in its reading role."""
        if name not in self._readers:
            self._readers[name] = self._reader(name)
        return self._readers[name]

    def keeper(self, url: str) -> ReadProvider | None:
        """
        Who reads an address such as `index:…`; `None` when it is one of the web.

        A provider that keeps what it finds has a method `documents`: a reader for addresses that begin with its name.
        """
        name = url.partition(":")[0]
        known = name in self._registered or name in self.installed(SEARCH_GROUP)
        if not known or not hasattr(self.declared(name), "documents"):
            return None
        return as_read_provider(self._get(name, self.group(name), ()).documents())

    def _searcher(self, name: str) -> SearchProvider:
        try:
            provider = as_search_provider(self._get(name, SEARCH_GROUP, self.search_names()))
        except NotConfigured as error:
            return cast("SearchProvider", Unready(name, error))
        if provider is None:
            raise Misconfigured(f"{name} cannot search; providers that can: {', '.join(self.search_names())}")
        return provider

    def _reader(self, name: str) -> ReadProvider:
        try:
            provider = as_read_provider(self._get(name, READ_GROUP, self.read_names()))
        except NotConfigured as error:
            return cast("ReadProvider", Unready(name, error))
        if provider is None:
            raise Misconfigured(f"{name} cannot read; readers: {', '.join(self.read_names())}")
        return provider

    def lacks_settings(self, name: str) -> bool:
        """Whether one of ours needs a setting and has none, which is known without importing it."""
        if name not in self._lacking:
            self._lacking[name] = self._lacks_settings(name)
        return self._lacking[name] and name not in self._registered

    def _lacks_settings(self, name: str) -> bool:
        entry = self.installed(SEARCH_GROUP).get(name)
        ours = entry is not None and entry.value.startswith(OURS)
        return ours and name not in SELF_SUFFICIENT and not self.mentioned(name)

    def ready(self, name: str) -> bool:
        """Whether a provider has everything it needs and, where it can tell, something to work with."""
        return self._can_be_built(name) and says_ready(getattr(self._get(name, self.group(name), ()), "ready", None))

    def ready_searchers(self, names: tuple[str, ...]) -> list[SearchProvider]:
        """Those of some searchers that are ready; who lacks a setting now will lack it later, so it is asked once."""
        if names not in self._able:
            built = [(name, self._get(name, self.group(name), ())) for name in names if self._can_be_built(name)]
            self._able[names] = [(self.searcher(name), getattr(one, "ready", None)) for name, one in built]
        return [searcher for searcher, is_ready in self._able[names] if is_ready is None or says_ready(is_ready)]

    def _can_be_built(self, name: str) -> bool:
        if self.lacks_settings(name):
            return False
        try:
            self._get(name, self.group(name), ())
        except NotConfigured:
            return False
        return True

    def check_agreed(self, names: Iterable[str]) -> None:
        """Name the first service among those agreed to that answers nobody without a key."""
        for name in names:
            if name not in self.installed(SEARCH_GROUP) or not traits(self.provider_class(name, SEARCH_GROUP)).keyless:
                raise Misconfigured(f"keyless names {name!r}; choose from {', '.join(self.keyless_names())}")

    def keyless_names(self) -> list[str]:
        """The services that answer those without a key who agree to it."""
        return sorted({traits(made).name for made in self.classes() if traits(made).keyless})

    def pool(self, provider: Any) -> tuple[Any, ...]:
        """A provider once for each key that is set for it; most have one."""
        return self._pools.get(id(provider), (provider,))

    def terms(self, provider: SearchProvider) -> int | None:
        """Seconds a provider's answers may be kept; one registered in code has to say so itself."""
        seconds = traits(provider).cache_seconds
        return 0 if seconds is None and provider.name in self._registered else seconds

    def _get(self, name: str, group: str, choices: Any) -> Any:
        if name in self._registered:
            return self._registered[name]
        entry = self.installed(group).get(name)
        if entry is None:
            meant = nearest(name, choices) or f"; choose from {', '.join(choices)}"
            raise Misconfigured(f"unknown provider {name!r}{meant}")
        # By class, not by name: one class in both groups is one instance, two classes of one name are two.
        if entry.value in self._missing:
            raise self._missing[entry.value]
        if entry.value not in self._built:
            try:
                built = build(loaded(entry), self.values, keyless=self.agreed(name))
            except NotConfigured as error:
                # The settings of a registry do not change, so neither will this.
                self._missing[entry.value] = error
                raise
            pool = with_each_key(built, self.values)
            self._pools.update((id(member), pool) for member in pool)
            self.secrets.add(frozenset(key for member in pool for key in secrets_of(member)))
            self._built[entry.value] = built
        return self._built[entry.value]

    def installed(self, group: str) -> dict[str, Plugin]:
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

    def services(self) -> Iterator[type]:
        """The classes of our own services that may have a setting; nobody else's code is imported."""
        for group in (SEARCH_GROUP, READ_GROUP):
            for name, entry in self.installed(group).items():
                if entry.value.startswith(OURS) and self.mentioned(name):
                    yield loaded(entry)

    def classes(self) -> Iterator[type]:
        """The classes of everybody who is installed and can be imported, for people who look at the settings."""
        for group in (SEARCH_GROUP, READ_GROUP):
            for entry in self.installed(group).values():
                with suppress(NotConfigured):
                    yield loaded(entry)

    @cached_property
    def foreign_searchers(self) -> tuple[str, ...]:
        """Names of searchers that other people's packages bring."""
        return tuple(sorted(self.foreign_names(SEARCH_GROUP)))

    def foreign_names(self, *groups: str) -> set[str]:
        """Names that other people's packages bring, in any group or in those that are named."""
        entries = [self.installed(group) for group in groups or (READ_GROUP, SEARCH_GROUP)]
        return {name for found in entries for name, entry in found.items() if not entry.value.startswith("seekread.")}


def says_ready(is_ready: object) -> bool:
    """Whether a provider has something to work with, where it has a method that can tell."""
    return bool(is_ready()) if callable(is_ready) else True


def provider_class(name: str, group: str = SEARCH_GROUP) -> type:
    """Import the class of a provider, for those who have no registry at hand."""
    return Registry().provider_class(name, group)


def loaded(entry: Plugin) -> type:
    """Import what an entry point names; whatever goes wrong in it is told of that provider alone."""
    try:
        found: type = entry.load()
    except ImportError as error:
        raise NotConfigured(f"{entry.name} needs a package that is not installed: {error}") from None
    except Exception as error:  # noqa: BLE001 - foreign code
        log.info("the provider %s cannot be imported: %s: %s", entry.name, type(error).__name__, error)
        raise NotConfigured(f"{entry.name} cannot be imported: {type(error).__name__}: {error}") from None
    return found


def build(provider: type, values: FieldValues, *, keyless: bool = False) -> Any:
    """
    Build a provider from its fields' values; what is missing is named, with the ways to set it.

    keyless: whether somebody agreed that it is asked without a key, where it has none
    """
    if not dataclasses.is_dataclass(provider):
        return provider()
    about, given = traits(provider), values(provider)
    given = {"api_key": None, **given} if keyless and about.keyless else given
    wanted = [f for f in dataclasses.fields(provider) if f.init]
    missing = [f for f in wanted if required(f) and f.name not in given]
    if missing:
        hints = [hint(about.name, f) for f in missing]
        if about.keyless:
            host = about.keyless.host
            hints.append(f"or, to send queries to {host} without a key, name {about.name} in keyless under [search]")
        raise NotConfigured(f"{about.name} needs {', '.join(f.name for f in missing)}: {'; '.join(hints)}")
    return provider(**{f.name: given[f.name] for f in wanted if f.name in given})


def with_each_key(built: Any, values: FieldValues) -> tuple[Any, ...]:
    """A provider that was built, once for each key of its pool."""
    keys = values(type(built)).get("api_keys", ())
    others = [key for key in dict.fromkeys(keys) if key != built.api_key]
    return (built, *(dataclasses.replace(built, api_key=key) for key in others))


def required(f: "dataclasses.Field[Any]") -> bool:
    return f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING


def hint(name: str, f: "dataclasses.Field[Any]") -> str:
    """How to set a field."""
    # A key is known by the service's name alone, anything else only by ours before it.
    common = f"{name}_{f.name}" if f.name == "api_key" else f"seekread_{name}_{f.name}"
    variables = f.metadata.get("env") or (common.upper(),)
    return f"set {' or '.join(variables)}, or {f.name} under [providers.{name}]"
