"""
squidbot's tools: `web_search` and `fetch_url`, by structure and without an import of the host.

    from seekread.integrations.squidbot import WebSearchTool

    registry.register(WebSearchTool(config=settings.tools.web_search))

The host hands only `content` to the model, so every text says itself whether it is an error. Nothing is ever raised
from `execute`. The requests carry what the contract names and nothing more.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Protocol

from pydantic import SecretStr

from seekread.arguments import sent_value, whole_number
from seekread.calling.perform import perform
from seekread.clock import SystemClock
from seekread.errors import InvalidQuery, ProviderError, SeekreadError, SuspiciousEmpty
from seekread.hostnames import host_of
from seekread.integrations.engines import ENGINES
from seekread.integrations.masking import masked, refuse_to_leak
from seekread.integrations.sending import sender_for
from seekread.models import Page, SearchResult
from seekread.options import OPEN, SEARCH, Query
from seekread.page.invisible import one_line
from seekread.ports import Clock
from seekread.provider import Found, SearchProvider, secrets_of, traits
from seekread.redact import redact
from seekread.render.failure import explain, explain_page
from seekread.render.pages import page_text
from seekread.render.results import numbered, with_notes
from seekread.searching.adapt import over_length
from seekread.searching.ask import as_found
from seekread.searching.clean import clean_result
from seekread.searching.known import known_answers_in_memory
from seekread.searching.validate import to_query
from seekread.toolkit.web import LazyWeb

SECONDS = 10.0
DEFAULT_RESULTS = 5
PROVIDERS = ("searxng", "duckduckgo", "brave")
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
        clock: Clock | None = None,
    ) -> None:
        """
        Choose the provider; a wrong choice or a missing key is a `ValueError` at once.

        config: the host's settings object, a mapping, or nothing
        transport: an httpx2 transport, a sender, or a client with `get`, instead of our own client
        duckduckgo: replaces `DDGS().text`
        """
        self._provider, self._secrets = chosen(config, duckduckgo)
        self._instance = str(value(config, "url"))
        self._sender = sender_for(transport)
        self._clock = clock or SystemClock()
        self._known = None if duckduckgo else known_answers_in_memory(self._clock)

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "The search query."},
                "max_results": {
                    "type": "integer",
                    "description": "Number of results to return (default: 5).",
                    "default": 5,
                },
            },
            "required": ["query"],
        }

    def to_definition(self) -> SquidbotToolDefinition:
        """How this tool is described to a model."""
        return SquidbotToolDefinition(self.name, self.description, self.parameters)

    async def execute(self, **kwargs: Any) -> SquidbotToolResult:
        """Search. Whatever happens is told in the result."""
        try:
            return await self._search(kwargs)
        except InvalidQuery as error:
            return failed(f"Error: {error}")
        except ProviderError as error:
            return failed(f"Search failed: {self._scrubbed(reason(error))}")
        except SeekreadError as error:
            return failed(f"Search failed: {self._scrubbed(explain(error))}")
        except Exception as error:  # noqa: BLE001 - the host does not catch what a tool raises
            return failed(f"Search failed: {self._scrubbed(f'{type(error).__name__}: {error}')}")

    async def _search(self, arguments: Mapping[str, Any]) -> SquidbotToolResult:
        text = arguments.get("query", arguments.get("q"))
        if not isinstance(text, str) or not text.strip():
            return failed("Error: query is required")
        about = traits(self._provider)
        wanted = to_query(text, limit=count(arguments))
        if excess := over_length(wanted.text, about):
            raise InvalidQuery(f"{excess}; shorten it")
        refuse_to_leak(wanted, self._secrets)
        sent = wanted.model_copy(update={"limit": min(wanted.limit, about.max_results)})
        found = await self._found(sent)
        now = datetime.fromtimestamp(self._clock.time(), UTC)
        results = [clean_result(result, about.name, now) for result in found.results if result.url]
        if not results:
            return SquidbotToolResult("", f"No results found for: {text.strip()}")
        return SquidbotToolResult(
            "", with_notes(numbered(results[: sent.limit]), clamped(wanted.limit, results, about.name))
        )

    async def _found(self, query: Query) -> Found:
        """What the provider found; an empty answer that nobody believes is judged by a known one."""
        try:
            return await self._once(query)
        except SuspiciousEmpty as doubt:
            # A function of the host's own is called as often as the host searches.
            if self._known is None:
                raise
            return await self._known.settle(self._provider, doubt, self._once)

    async def _once(self, query: Query) -> Found:
        task, keys = self._provider.search(query), secrets_of(self._provider)
        return as_found(await perform(task, self._sender, self._clock, seconds=SECONDS, secrets=keys))

    def _scrubbed(self, text: str) -> str:
        """One line without keys and without the address of the instance."""
        for part in filter(None, (self._instance, self._instance.rstrip("/"), host_of(self._instance))):
            text = text.replace(part, "the instance")
        return one_line(masked(text, self._secrets)) or "no reason was given"

    async def close(self) -> None:
        """Release connections."""
        if close := getattr(self._sender, "close", None):
            await close()


def chosen(config: Any, duckduckgo: Callable[..., Any] | None) -> tuple[SearchProvider, list[str]]:
    """The provider a configuration names, and the secrets in it."""
    named = str(value(config, "provider") or "searxng").strip().lower()
    provider = OTHER_NAMES.get(named, named)
    url, key = str(value(config, "url")).strip(), str(value(config, "api_key")).strip()
    if provider not in PROVIDERS:
        raise ValueError(f"Unknown provider {named!r}; choose from {', '.join(PROVIDERS)}")
    if provider == "searxng" and not url.startswith(("http://", "https://")):
        raise ValueError("searxng needs url: set tools.web_search.url to the http(s) address of your instance")
    if provider == "brave" and not key:
        raise ValueError("brave needs api_key: set tools.web_search.api_key to your subscription token")
    arguments: dict[str, dict[str, Any]] = {
        "searxng": {"base_url": url, "api_key": SecretStr(key) if key else None},
        "duckduckgo": {"text": duckduckgo},
        "brave": {"api_key": SecretStr(key), "preset": "bare"},
    }
    built: SearchProvider = ENGINES[provider](**arguments[provider])
    return built, [key] if key else []


def value(config: Any, name: str) -> Any:
    """A setting out of an object or a mapping; null equals empty."""
    found = config.get(name) if isinstance(config, Mapping) else getattr(config, name, None)
    if isinstance(found, SecretStr):
        found = found.get_secret_value()
    return "" if found is None else found


def count(arguments: Mapping[str, Any]) -> int:
    """How many results were asked for; what is no number means the default, what is below 1 is a mistake."""
    number = number_or_default(sent_value(arguments, SEARCH["limit"]), DEFAULT_RESULTS)
    if number < 1:
        raise InvalidQuery(f"max_results must be at least 1, not {number}")
    return number


def clamped(asked: int, results: list[SearchResult], provider: str) -> list[str]:
    """A note when more results were asked for than the provider ever gives."""
    most = traits(ENGINES[provider]).max_results
    return [f"{provider} gives at most {most} results; {asked} were asked for"] if asked > most and results else []


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
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "refused"


def failed(content: str) -> SquidbotToolResult:
    return SquidbotToolResult("", content, is_error=True)


class OpenPage(Protocol):
    """Reads a page: what `Seekread.open_page` does."""

    def __call__(self, url: str, *, max_length: int | None = None, offset: int = 0) -> Awaitable[Page]: ...


class FetchUrlTool:
    """Read one page as Markdown, in the style of the host's other tools."""

    name = "fetch_url"
    description = "Read a web page. Returns its title and main content as Markdown."
    default_length = 8000

    def __init__(self, *, open_page: OpenPage | None = None) -> None:
        """`open_page` replaces our own reader."""
        self._open_page = open_page
        self._web = LazyWeb()

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {
                "url": {"type": "string", "description": "The address of the page, http or https."},
                "max_chars": {
                    "type": "integer",
                    "description": "Number of characters to return (default: 8000).",
                    "default": self.default_length,
                },
                "offset": {"type": "integer", "description": "Where to go on in a long page.", "default": 0},
            },
            "required": ["url"],
        }

    def to_definition(self) -> SquidbotToolDefinition:
        """How this tool is described to a model."""
        return SquidbotToolDefinition(self.name, self.description, self.parameters)

    async def execute(self, **kwargs: Any) -> SquidbotToolResult:
        """Read. Whatever happens is told in the result."""
        url = kwargs.get("url")
        if not isinstance(url, str) or not url.strip():
            return failed("Error: url is required")
        length = number_or_default(sent_value(kwargs, OPEN["max_length"]), self.default_length)
        try:
            open_page: OpenPage = self._open_page or self._web().open_page
            page = await open_page(
                url.strip(), max_length=max(length, 1), offset=max(number_or_default(kwargs.get("offset"), 0), 0)
            )
        except SeekreadError as error:
            return failed(f"Fetch failed: {explain(error)}")
        except Exception as error:  # noqa: BLE001 - the host does not catch what a tool raises
            return failed(f"Fetch failed: {redact(f'{type(error).__name__}: {error}')}")
        return (
            SquidbotToolResult("", page_text(page, fenced=True))
            if page.success
            else failed(f"Fetch failed: {explain_page(page)}")
        )

    async def close(self) -> None:
        """Release connections."""
        await self._web.close()


def number_or_default(given: Any, default: int) -> int:
    """A whole number, or the default when it is none."""
    number = whole_number(given)
    return default if number is None else number
