"""
squidbot's `web_search`, by structure and without an import of the host.

    from seekread.integrations.squidbot import WebSearchTool

    registry.register(WebSearchTool(config=settings.tools.web_search))

A preset of the engine: one provider, asked once, within ten seconds. The host hands only `content` to the model, so
every text says itself whether it is an error. Nothing is ever raised from `execute`. The requests carry what the
contract names and nothing more.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, ClassVar

from seekread.arguments import sent_value, whole_number
from seekread.calling.deadline import Deadline
from seekread.calling.trace import Trace
from seekread.compose import compose
from seekread.config.sources import load
from seekread.errors import InvalidQuery, ProviderError, SeekreadError
from seekread.hostnames import host_of
from seekread.integrations.sending import brought
from seekread.options import SEARCH, Query
from seekread.page.invisible import one_line
from seekread.ports import Clock
from seekread.provider import SearchProvider, secrets_of, traits
from seekread.providers.brave import Brave
from seekread.providers.duckduckgo import DuckDuckGo, InThread, Rows
from seekread.providers.searxng import SearXNG
from seekread.redact import redact
from seekread.render.failure import explain
from seekread.render.results import numbered, with_notes
from seekread.searching.adapt import over_length
from seekread.searching.left_out import POLICY, left_out
from seekread.searching.validate import to_query
from seekread.secret import SecretStr

SECONDS = 10.0
PRESET = {"attempts": 1, "attempt_seconds": SECONDS, "search_seconds": 2 * SECONDS, "cache": False, "store": "memory:"}
"""Asked once and remembered nowhere. The other half of the time is for a known answer, where "nothing" is doubted."""
DEFAULT_RESULTS = 5
OTHER_NAMES = {"ddg": "duckduckgo"}


@dataclass
class SquidbotToolResult:
    """What a tool call brought. Mutable: the host's registry writes the call's id into it."""

    tool_call_id: str
    content: str
    is_error: bool = False


@dataclass
class SquidbotToolDefinition:
    """How a tool is described to a model."""

    name: str
    description: str
    parameters: dict[str, Any]

    def to_openai_dict(self) -> dict[str, Any]:
        """The definition as OpenAI's chat interface takes it."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}


@dataclass
class SquidbotConfig:
    """`tools.web_search` of the host's settings; a null means the same as an empty text."""

    enabled: bool = False
    provider: str = "searxng"
    url: str | None = ""
    api_key: str | None = field(default="", repr=False)


class OnePageSearXNG(SearXNG):
    """SearXNG without a number of its page: what the first one has is cut here."""

    page_size: ClassVar[int | None] = None


class OnePageDuckDuckGo(DuckDuckGo):
    """DuckDuckGo asked for all results at once."""

    page_size: ClassVar[int | None] = None


class SquidbotSearchTool:
    """Search the web with one of three providers, chosen when the tool is made."""

    name = "web_search"
    description = "Search the web. Returns titles, URLs, and snippets for each result."

    def __init__(
        self,
        config: Any = None,
        *,
        transport: Any = None,
        duckduckgo: Callable[..., Any] | None = None,
        to_thread: InThread | None = None,
        clock: Clock | None = None,
    ) -> None:
        """
        Choose the provider; a wrong choice or a missing key is a `ValueError` at once.

        config: the host's settings object, a mapping, or nothing
        transport: an httpx2 transport, a sender, or a client with `get`, instead of our own client
        duckduckgo: replaces `DDGS().text`
        to_thread: runs DuckDuckGo's blocking library, instead of `asyncio.to_thread`
        """
        self.parameters: dict[str, Any] = parameters()
        self._provider = chosen(config, duckduckgo, to_thread)
        self._instance = setting_of(config, "url")
        sender = brought(transport)
        self._parts = compose(load(PRESET), clock=clock, transport=None if sender else transport)
        self._parts.secrets.add(secrets_of(self._provider))
        asker = self._parts.searching.asker
        self._asker = replace(asker, sender=sender) if sender else asker

    def to_definition(self) -> SquidbotToolDefinition:
        """How this tool is described to a model."""
        return SquidbotToolDefinition(self.name, self.description, self.parameters)

    async def execute(self, **kwargs: Any) -> SquidbotToolResult:
        """Search. Whatever happens is told in the result."""
        try:
            return SquidbotToolResult("", await self._search(kwargs))
        except InvalidQuery as error:
            return failed(f"Error: {error}")
        except ProviderError as error:
            return failed(f"Search failed: {self._scrubbed(reason(error))}")
        except SeekreadError as error:
            return failed(f"Search failed: {self._scrubbed(explain(error))}")
        except Exception as error:  # noqa: BLE001 - the host does not catch what a tool raises
            return failed(f"Search failed: {self._scrubbed(f'{type(error).__name__}: {error}')}")

    async def _search(self, arguments: Mapping[str, Any]) -> str:
        policy, about = self._parts.policy, traits(self._provider)
        query = wanted(arguments)
        if excess := over_length(query.text, about):
            raise InvalidQuery(f"{excess}; shorten it")
        policy.check(query)
        deadline = Deadline.after(self._parts.clock, self._parts.settings.search.search_seconds)
        answer = await self._asker.ask(self._provider, policy.narrowed(query), deadline, Trace())
        results = policy.keep(answer.results)
        dropped = Counter[str](answer.dropped)
        dropped[POLICY] += len(answer.results) - len(results)
        unseen = left_out(dropped, nothing_left=not results)
        if not results:
            return with_notes(f"No results found for: {query.text}", unseen)
        return with_notes(numbered(results), [*answer.notes, *unseen])

    def _scrubbed(self, text: str) -> str:
        """One line without keys and without the address of the instance."""
        for part in filter(None, (self._instance, self._instance.rstrip("/"), host_of(self._instance))):
            text = text.replace(part, "the instance")
        return one_line(redact(text, secrets_of(self._provider))) or "no reason was given"

    async def close(self) -> None:
        """Release connections."""
        await self._parts.close()


def parameters() -> dict[str, Any]:
    """The JSON schema of the arguments; a fresh one each time, since hosts change what they are given."""
    return {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "The search query."},
            "max_results": {
                "type": "integer",
                "description": "Number of results to return (default: 5).",
                "default": DEFAULT_RESULTS,
            },
        },
        "required": ["query"],
    }


def chosen(config: Any, duckduckgo: Callable[..., Any] | None, to_thread: InThread | None) -> SearchProvider:
    """The provider a configuration names."""
    named = (setting_of(config, "provider") or SquidbotConfig.provider).lower()
    url, key = setting_of(config, "url"), setting_of(config, "api_key")
    match OTHER_NAMES.get(named, named):
        case "searxng" if url.startswith(("http://", "https://")):
            return OnePageSearXNG(url, SecretStr(key) if key else None)
        case "searxng":
            raise ValueError("searxng needs url: set tools.web_search.url to the http(s) address of your instance")
        case "duckduckgo":
            return OnePageDuckDuckGo(text=duckduckgo, in_thread=to_thread or in_thread)
        case "brave" if key:
            return Brave(SecretStr(key), preset="bare")
        case "brave":
            raise ValueError("brave needs api_key: set tools.web_search.api_key to your subscription token")
    raise ValueError(f"Unknown provider {named!r}; choose from searxng, duckduckgo, brave")


async def in_thread(work: Callable[[], Rows]) -> Rows:
    """Run DuckDuckGo's library as the contract says, looked up when it is used: the host's tests replace it."""
    return await asyncio.to_thread(work)


def setting_of(config: Any, name: str) -> str:
    """A setting out of an object or a mapping; null equals empty."""
    found = config.get(name) if isinstance(config, Mapping) else getattr(config, name, None)
    if isinstance(found, SecretStr):
        found = found.get_secret_value()
    return "" if found is None else str(found).strip()


def wanted(arguments: Mapping[str, Any]) -> Query:
    """What a model asks for; a count that is no number means the default, one below 1 is a mistake."""
    text = arguments.get("query", arguments.get("q"))
    if not isinstance(text, str) or not text.strip():
        raise InvalidQuery("query is required")
    number = number_or_default(sent_value(arguments, SEARCH["limit"]), DEFAULT_RESULTS)
    if number < 1:
        raise InvalidQuery(f"max_results must be at least 1, not {number}")
    return to_query(text, limit=number)


def number_or_default(given: Any, default: int) -> int:
    """A whole number, or the default when it is none."""
    number = whole_number(given)
    return default if number is None else number


def reason(error: ProviderError) -> str:
    """Why a search failed: the status first where there is one, and what a person can do about it."""
    if error.outcome == "timeout" and error.status is None:
        return f"timeout after {SECONDS:.0f} s"
    message = str(error)
    if error.status is None or 200 <= error.status < 300:
        return message
    detail = message.removeprefix(f"status {error.status}").lstrip(": ")
    return f"{error.status} {phrase(error.status)}{f': {detail}' if detail else ''}"


def phrase(status: int) -> str:
    """The standard's words for a status."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "refused"


def failed(content: str) -> SquidbotToolResult:
    """An error, in words that say so."""
    return SquidbotToolResult("", content, is_error=True)
