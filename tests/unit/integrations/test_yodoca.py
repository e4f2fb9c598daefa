"""yodoca's extension, and every weakness its own extension showed."""

import inspect
import json
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import jsonschema
import pytest
from pydantic import BaseModel, ValidationError

from seekread.integrations import yodoca
from seekread.integrations.yodoca import WebSearchExtension
from seekread.models import ReadResult, SearchResult
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

Wire = Callable[..., Any]


class Context:
    """The host's extension context, as far as extensions see it."""

    def __init__(self, secrets: dict[str, str] | None = None, **config: Any) -> None:
        self.config = config
        self.secrets = dict(secrets or {})

    def get_config(self, key: str, default: Any = None) -> Any:
        return self.config.get(key, default)

    async def get_secret(self, name: str) -> str | None:
        return self.secrets.get(name)

    async def set_secret(self, name: str, value: str) -> None:
        self.secrets[name] = value


@runtime_checkable
class Extension(Protocol):
    async def initialize(self, context: Any) -> None: ...
    async def start(self) -> None: ...
    async def stop(self) -> None: ...
    async def destroy(self) -> None: ...
    def health_check(self) -> bool: ...


@runtime_checkable
class ToolProvider(Protocol):
    def get_tools(self) -> list[Any]: ...


@runtime_checkable
class SetupProvider(Protocol):
    def get_setup_schema(self) -> list[dict[str, Any]]: ...
    async def apply_config(self, name: str, value: str) -> None: ...
    async def on_setup_complete(self) -> tuple[bool, str]: ...


@runtime_checkable
class ContextProvider(Protocol):
    @property
    def context_priority(self) -> int: ...
    async def get_context(self, prompt: str, turn_context: Any) -> str | None: ...


def duckduckgo(*rows: tuple[str, str, str]) -> Callable[..., Any]:
    return lambda *_args, **_options: [{"title": t, "href": u, "body": b} for t, u, b in rows]


TEA = ("Tea", "https://en.wikipedia.org/wiki/Tea", "A drink.")
POT = ("Pot", "https://shop.example/pot", "A pot.")


async def made(context: Context | None = None, **means: Any) -> WebSearchExtension:
    extension = WebSearchExtension(**{"duckduckgo": duckduckgo(TEA, POT), "clock": FakeClock(), **means})
    await extension.initialize(context or Context())
    return extension


@pytest.mark.proves("S3-1", "S3-17", "S3-42")
async def test_it_is_four_things_by_structure() -> None:
    """Detected by `isinstance`, made without arguments, no import of the host."""
    extension = WebSearchExtension()
    for kind in (Extension, ToolProvider, SetupProvider, ContextProvider):
        assert isinstance(extension, kind)
    assert extension.health_check() is False
    await extension.initialize(Context())
    await extension.start()
    assert extension.health_check() is True
    await extension.stop()
    await extension.destroy()


@pytest.mark.proves("S3-2", "S3-42", "X-1")
async def test_exactly_two_tools() -> None:
    """S3-19."""
    assert [tool.name for tool in (await made()).get_tools()] == ["web_search", "open_page"]


@pytest.mark.proves("S3-9", "S3-10", "S3-34", "S3-35", "X-35")
async def test_the_schemas_are_strict_and_say_what_the_document_says() -> None:
    """Every property required, nothing else allowed, no alias shown."""
    search, read = (await made()).get_tools()
    for tool in (search, read):
        schema = tool.params_json_schema
        assert tool.strict_json_schema
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])
        jsonschema.Draft202012Validator.check_schema(schema)
    said = {name: field["description"] for name, field in search.params_json_schema["properties"].items()}
    assert said == {
        "query": "Search query text",
        "limit": "Maximum number of results to return. Default: 5.",
        "allowed_domains": 'Restrict results to these domains (e.g. ["wikipedia.org", "github.com"]). '
        "Empty = no restriction.",
        "time_range": "Filter by recency: d (day), w (week), m (month), y (year), all. Default: all.",
    }
    assert search.params_json_schema["properties"]["time_range"]["enum"] == ["d", "w", "m", "y", "all"]
    pages = read.params_json_schema["properties"]
    assert pages["url"]["description"] == "URL of the page to read"
    assert pages["max_length"]["description"] == (
        "Override max_page_length for this call. Useful when the agent needs a shorter excerpt to save context budget."
    )
    assert "relevant pages" in search.description
    assert "Judge the snippets first, then read only the pages you need" in search.description
    assert "when snippets from web_search are insufficient" in read.description
    assert "refine the query or ask the user" in read.description


async def call(extension: WebSearchExtension, name: str, arguments: Any) -> Any:
    tool = next(tool for tool in extension.get_tools() if tool.name == name)
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return await tool.on_invoke_tool(None, text)


@pytest.mark.proves("S3-6", "S3-9", "S3-11", "S3-13", "S3-20", "S3-25", "X-9")
async def test_a_search_brings_numbered_results_and_their_sources() -> None:
    """No key needed; the sources live in the result."""
    extension = await made()
    result = await call(
        extension, "web_search", {"query": "tea", "limit": 5, "allowed_domains": [], "time_range": "all"}
    )
    assert isinstance(result, BaseModel)
    assert result.model_dump() == {
        "results": [
            {"title": "Tea", "url": TEA[1], "snippet": "A drink.", "citation_id": 1},
            {"title": "Pot", "url": POT[1], "snippet": "A pot.", "citation_id": 2},
        ],
        "message": "Use open_page tool to read the full content of any URL if the snippet is not enough.",
        "sources": [
            {"citation_id": 1, "url": TEA[1], "title": "Tea"},
            {"citation_id": 2, "url": POT[1], "title": "Pot"},
        ],
    }


@pytest.mark.proves("S3-13")
async def test_what_the_model_reads_is_json() -> None:
    """The SDK sends `str(result)`, which was a Python repr."""
    result = await call(await made(), "web_search", {"query": "tea"})
    assert json.loads(str(result))["results"][0]["citation_id"] == 1
    page = await call(await made(), "open_page", {"url": "ftp://x"})
    assert json.loads(str(page))["status"] == "error"


@pytest.mark.proves("X-4")
async def test_nothing_found_and_failed_never_look_alike() -> None:
    """X-3: both were `results=[] message=''`."""

    def broken(*_args: Any, **_options: Any) -> Any:
        raise OSError("network down")

    nothing = await (await made(duckduckgo=duckduckgo())).web_search("tea")
    failed = await (await made(duckduckgo=broken)).web_search("tea")
    assert (nothing.results, failed.results) == ([], [])
    assert nothing.message.startswith("No results found.")
    assert failed.message.startswith("Search failed: ")
    assert "network down" in failed.message


@pytest.mark.proves("S3-9", "X-24")
async def test_domains_are_enforced_on_what_comes_back() -> None:
    """Exact or below, for an engine that takes them as a hint."""
    extension = await made()
    result = await extension.web_search("tea", allowed_domains=["wikipedia.org"])
    assert [item.url for item in result.results] == [TEA[1]]
    assert [item.citation_id for item in result.results] == [1]


@pytest.mark.proves("S3-9", "X-8")
async def test_time_range_reaches_the_engine_and_an_unknown_one_is_told() -> None:
    """Unknown was silently "all"."""
    asked: list[dict[str, Any]] = []

    def text(_query: str, **options: Any) -> list[dict[str, str]]:
        asked.append(options)
        return [{"title": "T", "href": "https://t.example", "body": ""}]

    extension = await made(duckduckgo=text)
    await extension.web_search("tea", time_range="w", limit=1)
    assert asked[0]["timelimit"] == "w"
    await extension.web_search("tea", time_range="all", limit=1)
    assert "timelimit" not in asked[1]
    wrong = await extension.web_search("tea", time_range="fortnight")
    assert wrong.message.startswith("Search failed: freshness must be one of day, week, month, year")
    assert len(asked) == 2


@pytest.mark.proves("X-2", "X-35")
@pytest.mark.parametrize("alias", ["max_results", "count", "num_results", "n"])
async def test_other_names_of_the_limit_are_understood(alias: str) -> None:
    assert len((await call(await made(), "web_search", {"query": "tea", alias: 1})).results) == 1


@pytest.mark.proves("X-4", "X-20")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"query": " "}, "query must not be empty"),
        ({}, "query is required"),
        ({"query": "x", "limit": 0}, "limit must be at least 1"),
        ({"query": "x", "colour": "red"}, "unknown argument colour"),
        ("{broken", "not valid JSON"),
        ("[1]", "must be a JSON object"),
    ],
)
async def test_wrong_arguments_are_values_not_exceptions(arguments: Any, words: str) -> None:
    result = await call(await made(), "web_search", arguments)
    assert result.message.startswith("Search failed: ")
    assert words in result.message
    page = await call(await made(), "open_page", "{broken")
    assert page.status == "error"


@pytest.mark.proves("S3-15", "S3-20", "S3-37", "X-7", "X-32")
async def test_the_factory_has_the_documents_defaults() -> None:
    """S3-3."""
    extension = await made()
    assert type(extension._searcher) is yodoca.DuckDuckGoSearchProvider
    assert type(extension._reader) is yodoca.JinaReadProvider
    assert extension._settings.max_page_length == 15000


@pytest.mark.proves("S3-21", "S3-37", "X-34")
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("duckduckgo", "DuckDuckGoSearchProvider"),
        ("tavily", "TavilyProvider"),
        ("searxng", "SearXngSearchProvider"),
        ("perplexity", "PerplexitySearchProvider"),
    ],
)
async def test_every_search_provider_by_name(name: str, kind: str) -> None:
    """S3-3, S3-18: each gets the context and keeps the protocol."""
    context = Context(search_provider=name)
    extension = await made(context)
    assert type(extension._searcher).__name__ == kind
    assert isinstance(extension._searcher, yodoca.SearchProvider)
    assert getattr(extension._searcher, "context", None) is context


@pytest.mark.proves("S3-5")
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("jina", "JinaReadProvider"),
        ("tavily", "TavilyProvider"),
        ("crawl4ai", "Crawl4AIReadProvider"),
        ("builtin", "BuiltinReadProvider"),
    ],
)
async def test_every_read_provider_by_name(name: str, kind: str) -> None:
    """S3-3, S3-18, S3-22."""
    extension = await made(Context(read_provider=name))
    assert type(extension._reader).__name__ == kind
    assert isinstance(extension._reader, yodoca.ReadProvider)


@pytest.mark.proves("X-34")
def test_the_six_names_and_both_protocols_are_exported() -> None:
    """S3-18."""
    six = (
        "DuckDuckGoSearchProvider JinaReadProvider PerplexitySearchProvider TavilyProvider SearXngSearchProvider "
        "Crawl4AIReadProvider"
    )
    assert {*six.split(), "SearchProvider", "ReadProvider"} <= set(yodoca.__all__)


@pytest.mark.proves("S3-4", "S3-5", "S3-6", "S3-7")
def test_the_protocols_have_the_documents_signatures() -> None:
    assert str(inspect.signature(yodoca.SearchProvider.search)).startswith("(self, query: str, *, limit: int = 5)")
    assert "url: str" in str(inspect.signature(yodoca.ReadProvider.read_url))
    assert SearchResult(title="t", url="u", snippet="s").snippet == "s"
    result = ReadResult(url="u", title="t", content="c", content_length=1, success=True)
    assert (result.original_length, result.truncated, result.error) == (None, False, "")


@pytest.mark.proves("S3-8")
async def test_chosen_for_both_roles_it_is_one_instance() -> None:
    extension = await made(Context(search_provider="tavily", read_provider="tavily"))
    assert extension._searcher is extension._reader


@pytest.mark.proves("S3-37", "X-5")
@pytest.mark.parametrize(
    ("role", "choices"),
    [("search_provider", "duckduckgo, tavily, searxng, perplexity"), ("read_provider", "jina, tavily, crawl4ai")],
)
async def test_unknown_names_are_reported_with_the_choices(role: str, choices: str) -> None:
    with pytest.raises(ValueError, match=rf"^Unknown {role}: bing\. Supports: {choices}"):
        await made(Context(None, **{role: "bing"}))


@pytest.mark.proves("S3-14")
async def test_the_config_model_is_strict() -> None:
    """A misspelt setting is an error of the host's loader, further names of ours are known."""
    model = WebSearchExtension.ConfigModel
    given = model(search_provider="searxng", searxng_base_url="http://localhost:8080", total_content_budget=40000)
    assert (given.max_page_length, given.max_urls_per_call, given.open_page_concurrency) == (15000, 10, 5)
    with pytest.raises(ValidationError):
        model(serch_provider="tavily")  # type: ignore[call-arg]


KEYED = [("tavily", "TAVILY_API_KEY", "Tavily"), ("perplexity", "PERPLEXITY_API_KEY", "Perplexity")]


@pytest.mark.proves("S3-16", "X-6")
@pytest.mark.parametrize(("name", "secret", "label"), KEYED)
async def test_a_missing_key_never_breaks_the_start(name: str, secret: str, label: str) -> None:
    """It made `initialize` raise, and then the set-up instructions were never shown."""
    extension = await made(Context(search_provider=name))
    assert extension.health_check()
    assert [tool.name for tool in extension.get_tools()] == ["web_search", "open_page"]
    assert await extension.on_setup_complete() == (False, f"{secret} is required when using {label} provider.")
    result = await extension.web_search("tea")
    assert result.message.startswith(f"Search failed: {secret} secret not set. Use configure_extension to provide it.")


@pytest.mark.proves("S3-20")
async def test_no_keys_are_needed_for_the_default_providers() -> None:
    assert await (await made()).on_setup_complete() == (True, "No API keys needed for current providers.")


@pytest.mark.proves("S3-16", "S3-17", "S3-21", "S3-32")
async def test_the_setup_asks_for_keys_and_stores_them_through_the_context(wire: Wire) -> None:
    """A key is tried once when it was just given, and works without a restart."""
    reply = {"query": "test", "results": [{"title": "T", "url": "https://t.example", "content": "C"}]}
    sent, context = wire(reply), Context(search_provider="tavily")
    extension = await made(context, transport=sent)
    schema = {field["name"]: field for field in extension.get_setup_schema()}
    assert {"tavily_api_key", "perplexity_api_key"} <= schema.keys()
    assert all(set(field) == {"name", "description", "secret", "required"} for field in schema.values())
    assert all(field["secret"] is True and field["required"] is False for field in schema.values())
    await extension.apply_config("tavily_api_key", "tvly-given")
    assert context.secrets == {"TAVILY_API_KEY": "tvly-given"}
    assert await extension.on_setup_complete() == (True, "API key(s) validated successfully.")
    assert len(sent.requests) == 1
    assert (await extension.web_search("tea")).results[0].title == "T"
    with pytest.raises(ValueError, match="Unknown setting: colour"):
        await extension.apply_config("colour", "red")


async def test_a_start_costs_no_credit(wire: Wire) -> None:
    """The host's extension searched for "test" at every start."""
    sent = wire({})
    extension = await made(Context({"TAVILY_API_KEY": "tvly-kept"}, search_provider="tavily"), transport=sent)
    assert await extension.on_setup_complete() == (True, "API key(s) are set.")
    assert sent.requests == []


@pytest.mark.proves("S3-16", "S3-32")
async def test_a_wrong_key_is_told_at_set_up_and_not_shown(wire: Wire) -> None:
    key = "tvly-0123456789abcdefghij"
    extension = await made(Context(search_provider="tavily"), transport=wire((401, f"bad {key}")))
    await extension.apply_config("tavily_api_key", key)
    good, message = await extension.on_setup_complete()
    assert not good
    assert message.startswith("Tavily API key validation failed: ")
    assert key not in message + (await extension.web_search("x")).message


@pytest.mark.proves("S3-25")
async def test_the_citation_sentence_is_injected_as_context() -> None:
    """Literally, and nowhere else."""
    extension = await made()
    assert extension.context_priority == 100
    assert await extension.get_context("hello", None) == (
        "When stating facts from web search results, append the citation ID in brackets, e.g. [1]."
    )
    assert await (await made(Context(citations=False))).get_context("hello", None) is None


class Minimal:
    """The document's own protocol, without the two filters its tool has."""

    def __init__(self) -> None:
        self.limits: list[int] = []

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        self.limits.append(limit)
        return [SearchResult(title=t, url=u, snippet=s) for t, u, s in (POT, TEA)]


@pytest.mark.proves("S3-4", "X-24")
async def test_a_minimal_provider_is_filtered_afterwards() -> None:
    """More is fetched, domains are filtered here, and what cannot be applied is said."""
    extension, provider = await made(), Minimal()
    extension._searcher = provider
    result = await extension.web_search("tea", limit=1, allowed_domains=["wikipedia.org"], time_range="d")
    assert [item.title for item in result.results] == ["Tea"]
    assert provider.limits == [3]
    assert "time_range could not be applied" in result.message


@pytest.mark.proves("X-24")
async def test_a_provider_of_the_host_with_filters_gets_them() -> None:
    """The shipped host's own signature."""

    class Shipped:
        async def search(
            self, query: str, *, limit: int = 5, allowed_domains: Any = None, time_range: str = "all"
        ) -> list[dict[str, str]]:
            asked.append((query, limit, allowed_domains, time_range))
            return [{"title": "T", "url": "https://a.example/x", "snippet": "s"}]

    asked: list[Any] = []
    extension = await made()
    extension._searcher = Shipped()
    assert (await extension.web_search("tea", allowed_domains=["a.example"], time_range="m")).results[0].title == "T"
    assert asked == [("tea", 5, ["a.example"], "m")]


@pytest.mark.proves("X-4")
async def test_a_provider_that_raises_anything_is_told() -> None:
    class Broken:
        async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
            raise RuntimeError("boom")

    extension = await made()
    extension._searcher = Broken()
    assert (await extension.web_search("tea")).message == "Search failed: RuntimeError: boom"


@pytest.mark.proves("S3-27")
async def test_another_provider_takes_over_where_configured(wire: Wire) -> None:
    """DuckDuckGo is not the only provider in production; a failover is said."""
    reply = {"results": [{"title": "S", "url": "https://s.example", "content": "c"}]}

    def blocked(*_args: Any, **_options: Any) -> Any:
        raise OSError("blocked")

    extension = await made(Context(search_fallback=["searxng"]), duckduckgo=blocked, transport=wire(reply))
    result = await extension.web_search("tea", limit=1)
    assert [item.title for item in result.results] == ["S"]
    assert "duckduckgo could not answer" in result.message


@pytest.mark.proves("S3-27")
async def test_duckduckgo_keeps_a_delay_between_searches() -> None:
    """Configurable; no wait before the first."""
    clock = FakeClock()
    extension = await made(Context(duckduckgo_delay=3.0), clock=clock)
    for _ in range(3):
        await extension.web_search("tea", limit=2)
    assert clock.slept == [3.0, 3.0]
    slept: list[float] = []
    extension = await made(Context(duckduckgo_delay=2.0), clock=clock, sleep=slept.append)
    await extension.web_search("tea", limit=2)
    await extension.web_search("tea", limit=2)
    assert slept == [2.0]


async def test_the_operators_lists_hold_results_back() -> None:
    """S3-24: exact or below, said in the message with the setting's name; a secret-looking query is refused."""
    result = await (await made(Context(blocked_domains=["shop.example"]))).web_search("tea")
    assert [item.title for item in result.results] == ["Tea"]
    assert "blocked_domains" in result.message
    result = await (await made(Context(allowed_domains=["shop.example"]))).web_search("tea")
    assert [item.title for item in result.results] == ["Pot"]
    refused = await (await made()).web_search("my key is tvly-0123456789abcdefghij")
    assert refused.message.startswith("Search failed: ")


async def test_calls_before_the_start_are_told() -> None:
    extension = WebSearchExtension()
    assert "not initialized" in (await extension.web_search("tea")).message
    with pytest.raises(RuntimeError, match="not initialized"):
        await extension.apply_config("tavily_api_key", "k")


@pytest.mark.proves("S3-1", "S3-42")
async def test_the_tools_run_inside_the_real_sdk() -> None:
    """An agent of the OpenAI Agents SDK takes both tools as they are."""
    from agents import Agent

    extension = await made()
    agent = Agent(name="Researcher", tools=extension.get_tools())
    assert [tool.name for tool in agent.tools] == ["web_search", "open_page"]
