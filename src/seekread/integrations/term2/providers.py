"""Our providers in term2's shape: an id, a label, a search over the services it is handed."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import SecretStr

from seekread.calling.perform import perform
from seekread.errors import ProviderError, RateLimited
from seekread.integrations.engines import ENGINES
from seekread.integrations.masking import masked, refuse_to_leak
from seekread.integrations.sending import pause
from seekread.integrations.term2.registry import Term2Services, WebSearchResponse, WebSearchResult
from seekread.options import Query
from seekread.page.invisible import visible
from seekread.provider import Found, SearchProvider, secrets_of, traits
from seekread.render.failure import explain
from seekread.searching.ask import as_found, passing
from seekread.searching.clean import clean_text
from seekread.searching.validate import to_query

SECONDS = 30.0


class ProviderFailure(Exception):
    """A search failed; the message is what the user reads."""


@dataclass(frozen=True)
class CoreProvider:
    """
    One of our providers. Its settings are `webSearch.<id>.apiKey` and `webSearch.<id>.url`.

    `options` are further fields of the provider, such as `text`, DuckDuckGo's own search function.
    """

    id: str
    seconds: float = SECONDS
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The name people read."""
        return traits(ENGINES[self.id]).label

    @property
    def sensitive_setting_keys(self) -> tuple[str, ...]:
        """Settings that must not be shown."""
        return (f"webSearch.{self.id}.apiKey",) if "api_key" in field_names(self.id) else ()

    def is_configured(self, services: Term2Services) -> bool:
        """Say whether everything the provider needs is set."""
        given = self.settings(services)
        return all(given.get(name) for name in required_names(self.id))

    async def search(self, query: str, services: Term2Services) -> WebSearchResponse:
        """Search; a failure is a message a person can act on."""
        self.refuse_without_key(services)
        wanted = to_query(query)
        refuse_to_leak(wanted, self.secrets(services))
        journal = services.logging_service
        journal.debug(f"Executing {self.label} web search", {"query": query})
        try:
            found = await self._ask(ENGINES[self.id](**self.settings(services)), wanted, services)
        except ProviderError as error:
            raise self.failure(error, services) from error
        facts = {"resultCount": len(found.results), "hasAnswer": bool(found.answer)}
        journal.debug(f"{self.label} search completed", facts)
        return self.response(query, found)

    async def _ask(self, provider: SearchProvider, wanted: Query, services: Term2Services) -> Found:
        """Ask, and ask again with growing pauses while that may help and attempts are left."""
        for attempt in range(1, services.attempts):
            try:
                return await self._once(provider, wanted, services)
            except ProviderError as error:
                if not (passing(error) or isinstance(error, RateLimited)):
                    raise
                await pause(services.sleep, max(2.0 ** (attempt - 1), error.retry_after or 0))
        return await self._once(provider, wanted, services)

    async def _once(self, provider: SearchProvider, wanted: Query, services: Term2Services) -> Found:
        task, keys = provider.search(wanted), secrets_of(provider)
        return as_found(await perform(task, services.sender, services.clock, seconds=self.seconds, secrets=keys))

    def settings(self, services: Term2Services) -> dict[str, Any]:
        """The provider's fields that are set."""
        read = services.settings_service.get
        given = {"api_key": read(f"webSearch.{self.id}.apiKey"), "base_url": read(f"webSearch.{self.id}.url")}
        if given["api_key"]:
            given["api_key"] = SecretStr(str(given["api_key"]))
        set_there = {name: value for name, value in given.items() if value and name in field_names(self.id)}
        return {**self.options, **set_there}

    def secrets(self, services: Term2Services) -> list[str]:
        """The keys in use, in the clear, for comparing only."""
        return [key.get_secret_value() for key in self.settings(services).values() if isinstance(key, SecretStr)]

    def response(self, query: str, found: Found) -> WebSearchResponse:
        """What was found in the host's shape, without tags and entities."""
        cleaned = [
            result.model_copy(update={"title": clean_text(result.title), "snippet": clean_text(result.snippet)})
            for result in found.results
        ]
        return as_response(query, replace(found, results=cleaned))

    def refuse_without_key(self, services: Term2Services) -> None:
        """Say what to set."""
        if not self.is_configured(services):
            missing = ", ".join(f"webSearch.{self.id}.{HOST_NAMES[name]}" for name in required_names(self.id))
            raise ProviderFailure(f"{self.label} is not configured. Configure {missing}.")

    def failure(self, error: ProviderError, services: Term2Services) -> ProviderFailure:
        """What the user reads about an error; the log gets the status and the reply."""
        secrets = self.secrets(services)
        if error.status is None or 200 <= error.status < 300:
            return ProviderFailure(f"{self.label} search failed: {masked(explain(error), secrets)}")
        journal, body = services.logging_service, masked(error.body, secrets)
        journal.error(f"{self.label} API error", {"status": error.status, "error": body})
        return ProviderFailure(f"{self.label} API error ({error.status}): {body}")


@dataclass(frozen=True)
class TavilyWebSearchProvider(CoreProvider):
    """Tavily. `auth="body"` sends `{api_key, query}` as the document has it; otherwise the key is a bearer."""

    id: str = "tavily"
    auth: Literal["bearer", "body"] = "bearer"
    base_url: str | None = None

    def settings(self, services: Term2Services) -> dict[str, Any]:
        """Key, address and the way the key travels."""
        own = {"base_url": self.base_url} if self.base_url else {}
        auth = services.settings_service.get("webSearch.tavily.auth") or self.auth
        return {**super().settings(services), **own, "auth": auth}

    def response(self, query: str, found: Found) -> WebSearchResponse:
        """What was found, as Tavily wrote it."""
        return as_response(query, found)

    def refuse_without_key(self, services: Term2Services) -> None:
        """Say what to set, in the document's words."""
        if not self.is_configured(services):
            raise ProviderFailure(
                "Tavily API key is not configured. "
                "Set TAVILY_API_KEY environment variable or configure webSearch.tavily.apiKey."
            )


HOST_NAMES = {"api_key": "apiKey", "base_url": "url"}


def field_names(name: str) -> set[str]:
    return {item.name for item in dataclasses.fields(ENGINES[name])}


def required_names(name: str) -> list[str]:
    """The fields a provider cannot do without."""
    return [
        item.name
        for item in dataclasses.fields(ENGINES[name])
        if item.init and item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
    ]


def as_response(query: str, found: Found) -> WebSearchResponse:
    """What was found in the host's shape, washed as a page is; dates as the service wrote them."""
    results = [
        WebSearchResult(
            title=visible(result.title),
            url=visible(result.url),
            content=visible(result.content or result.snippet),
            score=result.score,
            published_date=result.published_date,
        )
        for result in found.results
    ]
    return WebSearchResponse(
        query=found.query or query, results=results, answer_box=found.answer and visible(found.answer)
    )
