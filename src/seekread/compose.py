"""The only place that wires everything: settings in, a working engine out."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from seekread.chain import chain
from seekread.clock import SystemClock
from seekread.config.sources import Configuration, load
from seekread.engine import Engine
from seekread.http.client import ServiceClient
from seekread.pipeline.ask import Asker, Patience
from seekread.pipeline.cache import NoCache
from seekread.pipeline.gate import OpenGate
from seekread.pipeline.policy import Policy
from seekread.pipeline.route import ROUTES
from seekread.ports import Clock
from seekread.provider import SearchProvider
from seekread.registry import Registry, installed, provider_class

if TYPE_CHECKING:
    import httpx2

SLOW_AFTER = 1.5
"""Seconds after which a provider that has never been timed counts as slow."""


@dataclass(frozen=True)
class Parts:
    """Everything that was wired, for the classes that drive it."""

    configuration: Configuration
    registry: Registry
    engine: Engine
    client: ServiceClient

    def chain(self, asked: tuple[str, ...]) -> list[SearchProvider]:
        """The providers a search will ask."""
        names = chain(asked, self.configuration.settings.search, self.registry, self.ready)
        return [self.registry.searcher(name) for name in names]

    def ready(self, name: str) -> bool:
        """Whether a provider can be asked; the local index only once something was put into it."""
        return self.registry.configured(name) and (name != "index" or index_path(self.configuration).is_file())

    async def close(self) -> None:
        """Release everything."""
        await self.client.close()


def compose(
    configuration: Configuration, *, clock: Clock | None = None, transport: "httpx2.AsyncBaseTransport | None" = None
) -> Parts:
    """Wire the parts."""
    settings = configuration.settings
    clock = clock or SystemClock()
    client = ServiceClient(
        user_agent=user_agent(),
        proxy=settings.services.service_proxy,
        ca_file=settings.services.ca_file,
        transport=transport,
    )
    registry = Registry(values=field_values(configuration))
    asker = Asker(client, clock, OpenGate(), Patience(settings.search.attempt_seconds, settings.search.attempts))
    engine = Engine(
        policy=policy(configuration),
        cache=NoCache(),
        asker=asker,
        route=ROUTES[settings.search.route],
        slow_after=lambda _provider: SLOW_AFTER,
        clock=clock,
        seconds=settings.search.search_seconds,
    )
    return Parts(configuration, registry, engine, client)


def field_values(configuration: Configuration) -> Any:
    """How a provider's fields get their values: its settings, and the resources it asks for by name."""
    resources: dict[str, Any] = {"path": index_path(configuration)}

    def values(provider: type) -> Mapping[str, Any]:
        wanted = {f: value for f, value in resources.items() if f in provider.__dataclass_fields__}  # type: ignore[attr-defined]
        return wanted | {name: origin.value for name, origin in configuration.provider_values(provider).items()}

    return values


def policy(configuration: Configuration) -> Policy:
    """The operator's rules, with every configured key as a secret that may not leave."""
    rules = configuration.settings.policy
    return Policy(rules.allowed_domains, rules.blocked_domains, secrets(configuration), rules.scan_outgoing)


def secrets(configuration: Configuration) -> frozenset[str]:
    """Every key that is set, in the clear, for comparing only."""
    found = set()
    for name in installed("seekread.providers"):
        for origin in configuration.provider_values(provider_class(name)).values():
            if isinstance(origin.value, SecretStr):
                found.add(origin.value.get_secret_value())
    return frozenset(found)


def index_path(configuration: Configuration | None = None) -> Path:
    """Where the local index lives."""
    configuration = configuration or load()
    named = configuration.settings.state.index_path
    return Path(named).expanduser() if named else configuration.state_folder / "index.sqlite"


def user_agent() -> str:
    from importlib.metadata import version

    return f"seekread/{version('seekread')} (+https://github.com/seekread/seekread)"
