"""Every provider with the facts that people and programs are shown, on the command line, in the API, in the console."""

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

from seekread.errors import NotConfigured
from seekread.late import dataclass
from seekread.provider import Traits, traits
from seekread.providers.registry import Registry, Unready, required

Role = Literal["search", "read"]

OPEN = ("duckduckgo", "wikipedia", "index")
"""Those that take no key from anybody."""
SEARCH_ORDER = (
    "brave", "tavily", "perplexity", "exa", "firecrawl", "jina", "serper", "parallel", "you", "linkup", "kagi", "webiq",
    "valyu", "serpapi", "searchapi", "mojeek", "tinyfish", "keenable", "ollama", "json_api", "mcp", "searxng",
    *OPEN,
)  # fmt: skip
"""
Our providers in the order in which a search asks those that are ready; other people's come after them.

Whoever is asked only by name has no place in it.
"""
READ_ORDER = ("builtin", "browser")
"""The readers a page is given to when the settings name none: those of them that are ready."""


@dataclass(frozen=True)
class Facts:
    """What there is to know about one provider."""

    about: Traits
    roles: tuple[Role, ...]
    needs: tuple[str, ...] = ()
    """The settings it cannot do without."""
    missing: str = ""
    """What is missing and how to set it; empty when it is set up."""
    position: int | None = None
    """Its place in the chain a search asks, from 1; `None` if it is asked only by name."""

    @property
    def name(self) -> str:
        return self.about.name

    @property
    def title(self) -> str:
        """Its name for people, as it begins a line."""
        return self.about.label[:1].upper() + self.about.label[1:]

    @property
    def keyless(self) -> bool:
        """Whether it works without a key."""
        return not any("key" in need for need in self.needs)

    def row(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "name": self.name,
            "label": self.about.label,
            "roles": list(self.roles),
            "configured": not self.missing,
            "keyless": self.keyless,
            "needs": list(self.needs),
            "max_results": self.about.max_results,
            "honours": sorted(self.about.honours),
            "caveat": self.about.caveat,
            "in_chain": self.position is not None,
        }


def catalog(registry: Registry, chain: Sequence[str]) -> list[Facts]:
    """Every provider there is, those that search first; `chain` are the names a search asks."""
    searchers, readers = registry.search_names(), registry.read_names()
    return [
        facts(name, registry, roles(name in searchers, name in readers), chain)
        for name in dict.fromkeys((*searchers, *readers))
    ]


def roles(searches: bool, reads: bool) -> tuple[Role, ...]:
    offered: tuple[tuple[Role, bool], ...] = (("search", searches), ("read", reads))
    return tuple(role for role, offers in offered if offers)


def facts(name: str, registry: Registry, offered: tuple[Role, ...], chain: Sequence[str]) -> Facts:
    """One provider; of one that cannot be imported only its name is known, and why."""
    position = chain.index(name) + 1 if name in chain else None
    try:
        provider = registry.declared(name)
    except NotConfigured as error:
        return Facts(Traits(name, label=name, caveat=str(error)), offered, missing=str(error), position=position)
    return Facts(traits(provider), offered, needs(provider), missing(name, registry, offered), position)


def needs(provider: object) -> tuple[str, ...]:
    """The names of the settings a provider cannot do without; what we hand it ourselves is no setting."""
    if not dataclasses.is_dataclass(provider):
        return ()
    fields = dataclasses.fields(provider)
    return tuple(field.name for field in fields if field.init and required(field) and not field.metadata.get("kind"))


def missing(name: str, registry: Registry, offered: tuple[Role, ...]) -> str:
    """What a provider still needs, in the words of the registry."""
    built: object = registry.searcher(name) if "search" in offered else registry.reader(name)
    return str(built.error) if isinstance(built, Unready) else ""
