"""
term2's provider registry: which web search providers there are, which is the default, which one the settings choose.

The contract names functions over one registry per process; they are bound methods of `Term2Registry`, so tests and
hosts that want one of their own make one.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel, to_snake

from seekread.clock import SystemClock
from seekread.integrations.sending import sender_for
from seekread.models import SearchResponse, SearchResult
from seekread.ports import Clock, Sender

logger = logging.getLogger("seekread.integrations.term2")

SETTING_KEYS = {
    "WEB_SEARCH_PROVIDER": "webSearch.provider",
    "WEB_SEARCH_TAVILY_API_KEY": "webSearch.tavily.apiKey",
}


class CamelValue(BaseModel):
    """A value that is written in snake_case here and in camelCase as JSON."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class WebSearchResult(CamelValue):
    """One result."""

    title: str
    url: str
    content: str
    score: float | None = None
    published_date: str | None = None


class WebSearchResponse(CamelValue):
    """What a provider answers."""

    query: str
    results: list[WebSearchResult] = []
    answer_box: str | None = None

    def native(self) -> SearchResponse:
        """The same in our own words."""
        found = (SearchResult(snippet=row.content, **row.model_dump(exclude={"content"})) for row in self.results)
        return SearchResponse(query=self.query, answer=self.answer_box, results=tuple(found))


class SettingsService(Protocol):
    """Settings by dotted key, such as `webSearch.tavily.apiKey`."""

    def get(self, key: str, /) -> Any: ...


class LoggingService(Protocol):
    """Where messages go, each with a mapping of facts."""

    def debug(self, message: str, meta: Mapping[str, Any] | None = None, /) -> None: ...

    def error(self, message: str, meta: Mapping[str, Any] | None = None, /) -> None: ...


class QuietLogging:
    """The library's own log, for hosts that bring no service."""

    def debug(self, message: str, meta: Mapping[str, Any] | None = None) -> None:
        logger.debug("%s %s", message, dict(meta or {}))

    def error(self, message: str, meta: Mapping[str, Any] | None = None) -> None:
        logger.error("%s %s", message, dict(meta or {}))


@dataclass(frozen=True)
class Term2Services:
    """What a provider is handed with every search: settings, logging, the way to its service, and its patience."""

    settings_service: SettingsService
    logging_service: LoggingService = field(default_factory=QuietLogging)
    sender: Sender = field(default_factory=sender_for)
    attempts: int = 1
    clock: Clock = field(default_factory=SystemClock)


class WebSearchProvider(Protocol):
    """A provider: an id for settings, a label for people, and a search."""

    @property
    def id(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def sensitive_setting_keys(self) -> Sequence[str]: ...

    async def search(self, query: str, services: Term2Services, /) -> WebSearchResponse: ...

    def is_configured(self, services: Term2Services, /) -> bool: ...


def as_services(given: Any = None, **named: Any) -> Term2Services:
    """The services, out of a `Term2Services`, a mapping in either spelling, or keywords."""
    if isinstance(given, Term2Services):
        return given
    known = {to_snake(name): value for name, value in {**(given or {}), **named}.items() if value is not None}
    if "settings_service" not in known:
        from seekread.integrations.term2.settings import Term2Settings

        known["settings_service"] = Term2Settings.load()
    return Term2Services(**known)


class Term2Registry:
    """Providers by id, in the order they came."""

    def __init__(self) -> None:
        self._providers: dict[str, WebSearchProvider] = {}
        self._default: str | None = None

    def register(
        self, provider: WebSearchProvider, options: Mapping[str, Any] | None = None, *, is_default: bool = False
    ) -> None:
        """Add a provider; the first one is the default until another one says it is."""
        if provider.id in self._providers:
            raise ValueError(f"Web search provider '{provider.id}' is already registered")
        self._providers[provider.id] = provider
        chosen = is_default or bool(options and (options.get("is_default") or options.get("isDefault")))
        if chosen or self._default is None:
            self._default = provider.id

    def get(self, provider_id: str) -> WebSearchProvider | None:
        """The provider of that id, if there is one."""
        return self._providers.get(provider_id)

    def default(self) -> WebSearchProvider | None:
        """The default provider, if there is any."""
        return self._providers.get(self._default or "")

    def all(self) -> list[WebSearchProvider]:
        """Every provider, in order."""
        return list(self._providers.values())

    def configured(
        self, services: Any = None, *, settings_service: SettingsService | None = None
    ) -> WebSearchProvider | None:
        """The provider the settings name, or the default when they name none that exists."""
        named = as_services(services, settings_service=settings_service).settings_service.get("webSearch.provider")
        if named and (provider := self.get(named)):
            return provider
        if named:
            logger.warning("web search provider %r is not registered; the default is used", named)
        return self.default()

    def clear(self) -> None:
        """Forget every provider, for tests."""
        self._providers.clear()
        self._default = None
