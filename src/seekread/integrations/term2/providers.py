"""
Our providers as term2 knows providers: its settings, its logs and its words around a preset of our engine.

The engine is told to ask one provider, as often as the host allows, and to keep no state: the contract fixes the text,
so there is no place where it could say that somebody else answered instead.
"""

from dataclasses import fields, replace
from datetime import datetime
from functools import cache
from typing import Any, cast

from seekread.calling.deadline import Deadline
from seekread.calling.gate import OpenGate
from seekread.calling.trace import Trace
from seekread.errors import InvalidQuery, NotConfigured, ProviderError, RateLimited
from seekread.integrations.masking import refuse_to_leak
from seekread.integrations.term2.registry import Term2Services, WebSearchResponse, WebSearchResult
from seekread.models import SearchResult
from seekread.page.invisible import visible
from seekread.provider import Found, SearchProvider, secrets_of, traits
from seekread.providers.registry import build, provider_class
from seekread.render.failure import explain
from seekread.searching.adapt import over_length
from seekread.searching.ask import Asker, Patience, ProviderAnswer, as_found, passing, taken, usable
from seekread.searching.validate import to_query
from seekread.secret import SecretStr

SECONDS = 30.0
MOST_SECONDS = 600.0
"""For all attempts and the pauses between them."""
MOST_RESULTS = 5
BETWEEN_SNIPPETS = "\n...\n"
"""As the host joins what Exa highlights."""
HOST_NAMES = {"api_key": "apiKey", "base_url": "url", "auth": "auth"}
"""Fields of a provider that are settings of the host, and what they are called there."""


engine = cache(provider_class)
"""The class of a provider by its name; what is installed does not change while we run."""


class ProviderFailure(Exception):
    """A search failed; the message is what the user reads."""


class CoreProvider:
    """
    One of our providers that needs no more than a key or an address: `webSearch.<id>.apiKey`, `webSearch.<id>.url`.

    `options` are fields of the provider that the settings leave open, such as `text`, DuckDuckGo's search function.
    """

    unset = "{0.label} is not configured. Configure webSearch.{0.id}.apiKey or webSearch.{0.id}.url."

    def __init__(self, provider_id: str, **options: Any) -> None:
        self.id = provider_id
        self._options = options

    @property
    def label(self) -> str:
        """The name people read."""
        return traits(engine(self.id)).label

    @property
    def sensitive_setting_keys(self) -> tuple[str, ...]:
        """Settings that must not be shown."""
        keyed = any(item.name == "api_key" for item in fields(engine(self.id)))
        return (f"webSearch.{self.id}.apiKey",) if keyed else ()

    def is_configured(self, services: Term2Services) -> bool:
        """Say whether everything the provider needs is set."""
        return self._built(services) is not None

    async def search(self, query: str, services: Term2Services) -> WebSearchResponse:
        """Search; a failure is a message a person can act on."""
        provider = self._built(services)
        if provider is None:
            raise ProviderFailure(self.unset.format(self))
        wanted = to_query(query, limit=MOST_RESULTS)
        if excess := over_length(wanted.text, traits(provider)):
            raise InvalidQuery(f"{excess}; shorten it")
        refuse_to_leak(wanted, tuple(secrets_of(provider)))
        journal = services.logging_service
        journal.debug(f"Executing {self.label} web search", {"query": query})
        # It waits 1 s, 2 s, 4 s … or as long as the service asks for.
        patience = Patience(SECONDS, services.attempts, backoff=lambda tried: 2.0**tried, retries=may_pass)
        asker = Asker(services.sender, services.clock, OpenGate(), patience, taken=self.taken)
        try:
            answer = await asker.ask(provider, wanted, Deadline.after(services.clock, MOST_SECONDS), Trace())
        except ProviderError as error:
            raise self._failure(error, services) from error
        facts = {"resultCount": len(answer.results), "hasAnswer": bool(answer.answer)}
        journal.debug(f"{self.label} search completed", facts)
        return as_response(answer)

    def taken(self, reply: object, provider: str, now: datetime) -> Found:
        """What a reply brought, cleaned."""
        return taken(reply, provider, now)

    def _built(self, services: Term2Services) -> SearchProvider | None:
        """The provider, from the host's settings and nothing else; `None` while something is missing."""
        read = services.settings_service.get
        given = {field: read(f"webSearch.{self.id}.{name}") for field, name in HOST_NAMES.items()}
        key = {"api_key": SecretStr(str(given["api_key"]))} if given["api_key"] else {}
        values = {**self._options, **{field: value for field, value in given.items() if value}, **key}
        try:
            return cast("SearchProvider", build(engine(self.id), lambda _: values))
        except NotConfigured:
            return None

    def _failure(self, error: ProviderError, services: Term2Services) -> ProviderFailure:
        """What the user reads about an error; the log gets the status and the reply."""
        if error.status is None or 200 <= error.status < 300:
            return ProviderFailure(f"{self.label} search failed: {explain(error)}")
        journal = services.logging_service
        journal.error(f"{self.label} API error", {"status": error.status, "error": error.body})
        return ProviderFailure(f"{self.label} API error ({error.status}): {error.body}")


class TavilyWebSearchProvider(CoreProvider):
    """Tavily. `auth="body"` sends `{api_key, query}` as the document has it; otherwise the key is a bearer."""

    unset = (
        "Tavily API key is not configured. "
        "Set TAVILY_API_KEY environment variable or configure webSearch.tavily.apiKey."
    )

    def __init__(self, **options: Any) -> None:
        super().__init__("tavily", **options)

    def taken(self, reply: object, provider: str, now: datetime) -> Found:  # noqa: ARG002
        """What a reply brought, as Tavily wrote it: only what nobody can see is gone."""
        found = usable(as_found(reply))
        results = [as_written(result) for result in found.results]
        return replace(found, results=results, answer=found.answer and visible(found.answer))


def may_pass(error: ProviderError) -> bool:
    """Whether asking the same provider again may help, of which the host has only one."""
    return passing(error) or isinstance(error, RateLimited)


def as_written(result: SearchResult) -> SearchResult:
    """A result without invisible characters; its date stays in the service's own words."""
    seen = {name: visible(getattr(result, name)) for name in ("title", "url", "snippet")}
    return result.model_copy(update={**seen, "published_date": None, "age": result.published_date or ""})


def as_response(answer: ProviderAnswer) -> WebSearchResponse:
    """An answer in the host's shape."""
    results = [
        WebSearchResult(
            title=result.title,
            url=result.url,
            content=result.content or BETWEEN_SNIPPETS.join(filter(None, (result.snippet, *result.extra_snippets))),
            score=result.score,
            published_date=result.published_date or result.age or None,
        )
        for result in answer.results
    ]
    return WebSearchResponse(query=answer.query_sent, results=results, answer_box=answer.answer)
