"""yodoca's extension: its contract, its settings, and every weakness the host's own extension showed."""

import inspect
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel, ValidationError

from seekread.dropins.table import drop_in
from seekread.errors import SeekreadError
from seekread.integrations import yodoca
from seekread.integrations.yodoca import WebSearchExtension
from seekread.integrations.yodoca.config import YodocaConfig
from seekread.integrations.yodoca.engine import HostEngine
from seekread.models import ReadResult, SearchResult
from seekread.providers.plugins import installed
from seekread.providers.registry import READ_GROUP, SEARCH_GROUP
from seekread.testing import simulators
from seekread.testing.clock import FakeClock
from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator
from tests.support.hosts.yodoca import (
    ContextProvider,
    Extension,
    ExtensionContext,
    ExtensionManifest,
    SetupProvider,
    ToolProvider,
    TurnContext,
    checkout,
    load,
)

pytestmark = pytest.mark.anyio

TEA = {
    "title": "tea & more, part 1",
    "url": "https://www.example.org/tea/1",
    "snippet": 'What page 1 says about "tea".',
    "citation_id": 1,
}
TOLD = "Use open_page tool to read the full content of any URL if the snippet is not enough."


@pytest.fixture
def duckduckgo() -> Iterator[Simulator]:
    with simulators.start("duckduckgo") as running:
        yield running


@pytest.fixture
def searxng() -> Iterator[Simulator]:
    with simulators.start("searxng") as running:
        yield running


@pytest.fixture
def tavily() -> Iterator[Simulator]:
    with simulators.start("tavily") as running:
        yield running


@asynccontextmanager
async def made(
    *services: Simulator, secrets: dict[str, str] | None = None, clock: FakeClock | None = None, **config: Any
) -> AsyncIterator[WebSearchExtension]:
    """An extension that reaches nothing but simulators, and knows no key but the host's secrets."""
    environ = {name: value for service in services for name, value in service.environment().items()}
    environ = {name: value for name, value in environ.items() if not name.endswith("_API_KEY")}
    for service in services:
        if service.name == "searxng":
            config.setdefault("searxng_base_url", service.base_url)
    extension = WebSearchExtension(environ=environ, **({"clock": clock} if clock else {}))
    await extension.initialize(ExtensionContext(config, secrets or {}))
    try:
        yield extension
    finally:
        await extension.destroy()


async def call(extension: WebSearchExtension, name: str, arguments: Any) -> Any:
    tool = next(tool for tool in extension.get_tools() if tool.name == name)
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return await tool.on_invoke_tool(None, text)


@pytest.mark.proves("S3-1", "S3-17", "S3-42")
async def test_it_is_four_things_by_structure() -> None:
    """A type checker says so, and `isinstance` does; it is made without arguments and imports nothing of the host."""
    extension = WebSearchExtension()
    kinds: tuple[Extension, ToolProvider, SetupProvider, ContextProvider] = (extension, extension, extension, extension)
    for found, kind in zip(kinds, (Extension, ToolProvider, SetupProvider, ContextProvider), strict=True):
        assert isinstance(found, kind)
    assert extension.health_check() is False
    await extension.initialize(ExtensionContext())
    await extension.start()
    assert extension.health_check() is True
    await extension.stop()
    await extension.destroy()


@pytest.mark.proves("S3-2", "S3-19", "S3-42", "X-1")
async def test_exactly_two_tools() -> None:
    """Under the name that agents and prompts used for the hosted tool."""
    async with made() as extension:
        assert [tool.name for tool in extension.get_tools()] == ["web_search", "open_page"]


@pytest.mark.proves("S3-9", "S3-10", "S3-34", "S3-35", "X-35")
async def test_the_schemas_are_strict_and_say_what_the_document_says() -> None:
    """Every property required, nothing else allowed, no alias shown."""
    async with made() as extension:
        search, read = extension.get_tools()
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


@pytest.mark.proves("S3-6", "S3-9", "S3-11", "S3-13", "S3-20", "S3-25", "X-9")
async def test_a_search_brings_numbered_results_and_their_sources(duckduckgo: Simulator) -> None:
    """No key needed; the sources live in the result."""
    async with made(duckduckgo) as extension:
        arguments = {"query": "tea", "limit": 2, "allowed_domains": [], "time_range": "all"}
        result = await call(extension, "web_search", arguments)
    assert isinstance(result, BaseModel)
    told = result.model_dump()
    assert told["results"][0] == TEA
    assert [item["citation_id"] for item in told["results"]] == [1, 2]
    assert told["message"] == TOLD
    assert told["sources"] == [
        {"citation_id": item["citation_id"], "url": item["url"], "title": item["title"]} for item in told["results"]
    ]


@pytest.mark.proves("S3-13")
async def test_what_the_model_reads_is_json(searxng: Simulator) -> None:
    """The SDK sends `str(result)`, which was a Python repr."""
    async with made(searxng, search_provider="searxng") as extension:
        result = await call(extension, "web_search", {"query": "tea"})
        page = await call(extension, "open_page", {"url": "ftp://x"})
    assert json.loads(str(result))["results"][0]["citation_id"] == 1
    assert json.loads(str(page))["status"] == "error"


@pytest.mark.proves("X-4")
async def test_nothing_found_and_failed_never_look_alike(searxng: Simulator) -> None:
    """Both were `results=[] message=''`."""
    async with made(searxng, search_provider="searxng") as extension:
        nothing = await extension.web_search(NOTHING)
        searxng.fail(Fault(503, "down"))
        failed = await extension.web_search("tea")
    assert (nothing.results, failed.results) == ([], [])
    assert nothing.message.startswith("No results found.")
    assert failed.message.startswith("Search failed: ")
    assert "searxng" in failed.message


@pytest.mark.proves("X-4")
async def test_who_could_not_be_asked_is_said_where_nothing_was_found(searxng: Simulator, tavily: Simulator) -> None:
    """An empty answer of one engine is no proof while another one is down."""
    tavily.fail(Fault(503, "down"))
    config: dict[str, Any] = {"search_provider": "tavily", "search_fallback": ["searxng"]}
    async with made(searxng, tavily, secrets={"TAVILY_API_KEY": tavily.key}, **config) as extension:
        result = await extension.web_search(NOTHING)
    assert result.results == []
    assert result.message.startswith("No results found.")
    assert "tavily could not answer (unreachable)" in result.message


@pytest.mark.proves("S3-9", "X-24")
async def test_domains_are_enforced_on_what_comes_back(searxng: Simulator) -> None:
    """Exact or below, also for an engine that knows no such filter; numbers start at 1."""
    async with made(searxng, search_provider="searxng") as extension:
        result = await extension.web_search("tea", allowed_domains=["example.net"])
    assert {item.url.split("/")[2] for item in result.results} <= {"example.net", "docs.example.net"}
    assert [item.citation_id for item in result.results] == [1, 2, 3, 4, 5]


@pytest.mark.proves("S3-9", "S3-21", "X-8")
async def test_time_range_reaches_the_engine_and_an_unknown_one_is_told(searxng: Simulator) -> None:
    """Unknown was silently "all"."""
    async with made(searxng, search_provider="searxng") as extension:
        await extension.web_search("tea", time_range="w")
        assert searxng.received[-1].params["time_range"] == "week"
        await extension.web_search("tea", time_range="all")
        assert "time_range" not in searxng.received[-1].params
        asked = len(searxng.received)
        wrong = await extension.web_search("tea", time_range="fortnight")
    assert wrong.message.startswith("Search failed: freshness must be one of day, week, month, year")
    assert len(searxng.received) == asked


@pytest.mark.proves("X-2", "X-35")
@pytest.mark.parametrize("alias", ["max_results", "count", "num_results", "n"])
async def test_other_names_of_the_limit_are_understood(alias: str, searxng: Simulator) -> None:
    async with made(searxng, search_provider="searxng") as extension:
        assert len((await call(extension, "web_search", {"query": "tea", alias: 1})).results) == 1


@pytest.mark.proves("X-4", "X-20")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"query": " "}, "query must not be empty"),
        ({}, "query is required"),
        ({"query": "x", "limit": 0}, "limit must be at least 1"),
        ({"query": "x", "colour": "red"}, "unknown argument 'colour'"),
        ({"query": "x", "provider": "index"}, "unknown argument 'provider'"),
        ("{broken", "not valid JSON"),
        ("[1]", "must be a JSON object"),
    ],
)
async def test_wrong_arguments_are_values_not_exceptions(arguments: Any, words: str) -> None:
    """Whom to ask is the operator's choice, not an argument."""
    async with made() as extension:
        result = await call(extension, "web_search", arguments)
        page = await call(extension, "open_page", "{broken")
    assert result.message.startswith("Search failed: ")
    assert words in result.message
    assert page.status == "error"


@pytest.mark.proves("S3-15", "S3-20", "S3-37", "X-7", "X-32")
async def test_the_factory_has_the_documents_defaults() -> None:
    async with made() as extension:
        assert type(extension._searcher) is yodoca.DuckDuckGoSearchProvider
        assert type(extension._reader) is yodoca.JinaReadProvider
    assert YodocaConfig().max_page_length == 15000


@pytest.mark.proves("S3-21", "S3-37", "X-34")
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("duckduckgo", yodoca.DuckDuckGoSearchProvider),
        ("tavily", yodoca.TavilyProvider),
        ("searxng", yodoca.SearXngSearchProvider),
        ("perplexity", yodoca.PerplexitySearchProvider),
    ],
)
async def test_the_search_providers_the_document_names_are_its_classes(name: str, kind: type) -> None:
    """Each gets the context and keeps the protocol."""
    extension, context = WebSearchExtension(), ExtensionContext({"search_provider": name})
    await extension.initialize(context)
    found = await extension._create_search_provider(name, context)
    assert found is extension._searcher
    assert type(found) is kind
    assert isinstance(found, yodoca.SearchProvider)
    assert getattr(found, "context", None) is context


@pytest.mark.proves("S3-3", "S3-18")
@pytest.mark.parametrize("name", simulators.names())
async def test_every_engine_of_ours_is_chosen_by_its_name(name: str) -> None:
    """Five of eleven were refused. The key comes from the host's secrets, under the name the service's users know."""
    with simulators.start(name) as service:
        secrets = {service.key_variable: service.key} if service.key_variable else {}
        async with made(service, secrets=secrets, search_provider=name) as extension:
            assert isinstance(extension._searcher, yodoca.SearchProvider)
            assert (await extension.on_setup_complete())[0]
            result = await extension.web_search("tea", limit=1)
    assert [item.citation_id for item in result.results] == [1], result.message
    assert "tea" in result.results[0].title


@pytest.mark.proves("S3-3", "S3-18")
@pytest.mark.parametrize("role", ["search_provider", "read_provider"])
async def test_whatever_is_installed_can_be_chosen(role: str) -> None:
    """Engines, readers and plug-ins alike come through the entry points; none has to be set up to be chosen."""
    for name in installed(SEARCH_GROUP if role == "search_provider" else READ_GROUP):
        config: dict[str, Any] = {role: name}
        async with made(**config) as extension:
            assert extension.health_check()


PLUG_IN = """
from seekread.models import SearchResult

class Plugged:
    name = "plugged"
    async def search(self, query, *, limit=5):
        return [SearchResult(title="From a plug-in", url="https://plug.example/1")]
"""


@pytest.mark.proves("S3-18")
async def test_an_engine_of_another_package_is_chosen_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plugged.py").write_text(PLUG_IN)
    about = tmp_path / "plugged-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[seekread.providers]\nplugged = plugged:Plugged\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    async with made(search_provider="plugged") as extension:
        assert [item.title for item in (await extension.web_search("tea")).results] == ["From a plug-in"]


NEW_ENGINE = """
from ..interfaces import SearchResult

class AcmeSearchProvider:
    def __init__(self, context):
        self.context = context

    async def search(self, query, *, limit=5):
        key = await self.context.get_secret("ACME_API_KEY")
        rows = [("Pot", "https://shop.example/pot"), ("Tea", "https://en.wikipedia.org/wiki/Tea")]
        return [SearchResult(title=f"{title} {key} {limit}", url=url) for title, url in rows]
"""
NEW_READER = """
class PaperReadProvider:
    async def read_url(self, url):
        return {"url": url, "title": "", "content": "Read in the file.", "content_length": 17, "success": True}
"""


@pytest.mark.process
@pytest.mark.proves("S3-4", "S3-5", "S3-18", "S3-37", "X-24")
async def test_a_new_engine_is_a_new_file(tmp_path: Path) -> None:
    """Beside the manifest, with the document's protocol and the context; filters it lacks are made up for."""
    files = {"providers/acme.py": NEW_ENGINE, "providers/paper.py": NEW_READER}
    with checkout(tmp_path, files):
        config: dict[str, Any] = {"search_provider": "acme", "read_provider": "paper"}
        async with made(secrets={"ACME_API_KEY": "k"}, **config) as extension:
            assert type(extension._searcher).__name__ == "AcmeSearchProvider"
            result = await extension.web_search("tea", limit=1, allowed_domains=["wikipedia.org"], time_range="d")
            page = await extension.open_page("http://93.184.216.34/a")
    assert [(item.citation_id, item.title[:5]) for item in result.results] == [(1, "Tea k")]
    assert "Note: undated: [1]." in result.message
    assert page.model_dump()["content"] == "Read in the file."


SHIPPED_SHAPE = """
class ShippedSearchProvider:
    asked = []

    async def search(self, query, *, limit=5, allowed_domains=None, time_range="all"):
        self.asked.append((query, limit, allowed_domains, time_range))
        return [{"title": "T", "url": "https://a.example/x", "snippet": "s"}]
"""


@pytest.mark.proves("X-24")
async def test_a_provider_of_the_hosts_own_with_filters_gets_them(tmp_path: Path) -> None:
    """The signature the host ships."""
    with checkout(tmp_path, {"providers/shipped.py": SHIPPED_SHAPE}):
        async with made(search_provider="shipped") as extension:
            result = await extension.web_search("tea", allowed_domains=["a.example"], time_range="m")
            asked: list[Any] = getattr(extension._searcher, "asked", [])
    assert [item.title for item in result.results] == ["T"]
    assert asked == [("tea", 5, ["a.example"], "m")]


BROKEN = """
class BrokenProvider:
    async def search(self, query, *, limit=5):
        raise RuntimeError("boom")

    async def read_url(self, url):
        raise RuntimeError("boom")
"""


@pytest.mark.process
@pytest.mark.proves("S3-28", "X-4")
async def test_a_provider_that_raises_anything_is_told(tmp_path: Path) -> None:
    with checkout(tmp_path, {"providers/broken.py": BROKEN}):
        async with made(search_provider="broken", read_provider="broken") as extension:
            assert id(extension._searcher) == id(extension._reader)
            found = await extension.web_search("tea")
            page = await extension.open_page("http://93.184.216.34/a")
    assert "RuntimeError: boom" in found.message
    assert found.message.startswith("Search failed: ")
    assert "RuntimeError: boom" in page.model_dump()["error"]


@pytest.mark.proves("S3-18", "X-34")
async def test_the_folder_has_the_documents_files_and_classes(tmp_path: Path) -> None:
    """One file for each service, named after it, with the class the document names; both protocols in interfaces."""
    classes = {
        "duckduckgo": "DuckDuckGoSearchProvider",
        "jina": "JinaReadProvider",
        "perplexity": "PerplexitySearchProvider",
        "tavily": "TavilyProvider",
        "searxng": "SearXngSearchProvider",
        "crawl4ai": "Crawl4AIReadProvider",
    }
    with checkout(tmp_path) as place:
        assert {path.name for path in place.iterdir()} >= {"manifest.yaml", "main.py", "interfaces.py", "providers"}
        package = "sandbox.extensions.web_search"
        for file, name in classes.items():
            assert getattr(import_module(f"{package}.providers.{file}"), name) is getattr(yodoca, name)
        interfaces = import_module(f"{package}.interfaces")
        assert (interfaces.SearchProvider, interfaces.ReadProvider) == (yodoca.SearchProvider, yodoca.ReadProvider)
    assert {*classes.values(), "SearchProvider", "ReadProvider"} <= set(yodoca.__all__)


def manifest() -> ExtensionManifest:
    text = drop_in("yodoca").content("sandbox/extensions/web_search/manifest.yaml")
    return ExtensionManifest.model_validate(import_module("yaml").safe_load(text))


@pytest.mark.proves("S3-14")
def test_the_manifest_is_the_documents() -> None:
    found = manifest()
    assert (found.id, found.name, found.version) == ("web_search", "Web Search & Reader", "1.0.0")
    assert found.entrypoint == "main:WebSearchExtension"
    assert found.description == "Searches the internet and reads web pages.\nProvides web_search and open_page tools.\n"
    assert found.enabled is True
    assert found.config == {"search_provider": "duckduckgo", "read_provider": "jina", "max_page_length": 15000}


@pytest.mark.proves("S3-14", "S3-15", "S3-20")
async def test_the_host_loads_the_folder(tmp_path: Path, searxng: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its manifest, with its settings on top; what is misspelt there puts the extension into `error`."""
    for name, value in searxng.environment().items():
        monkeypatch.setenv(name, value)
    settings = {"search_provider": "searxng", "searxng_base_url": searxng.base_url}
    with checkout(tmp_path):
        loaded = await load(manifest(), settings, {})
        assert loaded.state == "active", loaded.error
        assert [item.citation_id for item in (await loaded.extension.web_search("tea", limit=2)).results] == [1, 2]
        await loaded.extension.destroy()
        wrong = await load(manifest(), {"serch_provider": "tavily"}, {})
        unknown = await load(manifest(), {"search_provider": "bing"}, {})
    assert (wrong.state, unknown.state) == ("error", "error")
    assert "serch_provider" in wrong.error
    assert "Unknown search_provider: bing" in unknown.error


@pytest.mark.proves("S3-42")
def test_the_folder_keeps_the_hosts_rules_for_extensions() -> None:
    """No import of the core, no path or file tricks, short files."""
    table = drop_in("yodoca")
    code = [table.content(name).decode() for name in table.files if name.endswith(".py")]
    assert not [text for text in code if "sys.path" in text or "import core" in text or "from core" in text]
    assert not [text for text in code if "spec_from_file_location" in text or text.count("\n") > 50]


@pytest.mark.proves("S3-4", "S3-5", "S3-6", "S3-7")
def test_the_protocols_have_the_documents_signatures() -> None:
    assert str(inspect.signature(yodoca.SearchProvider.search)).startswith("(self, query: str, *, limit: int = 5)")
    assert "url: str" in str(inspect.signature(yodoca.ReadProvider.read_url))
    assert SearchResult(title="t", url="u", snippet="s").snippet == "s"
    result = ReadResult(url="u", title="t", content="c", content_length=1, success=True)
    assert (result.original_length, result.truncated, result.error) == (None, False, "")


@pytest.mark.proves("S3-8")
@pytest.mark.parametrize("name", ["tavily", "firecrawl"])
async def test_chosen_for_both_roles_it_is_one_instance(name: str) -> None:
    async with made(search_provider=name, read_provider=name) as extension:
        assert id(extension._searcher) == id(extension._reader)


@pytest.mark.proves("S3-37", "X-5")
@pytest.mark.parametrize(
    ("role", "choices"),
    [("search_provider", "duckduckgo, tavily, searxng, perplexity"), ("read_provider", "jina, tavily, crawl4ai")],
)
async def test_unknown_names_are_reported_with_the_choices(role: str, choices: str) -> None:
    with pytest.raises(ValueError, match=rf"^Unknown {role}: bing\. Supports: {choices}, .*firecrawl"):
        await WebSearchExtension().initialize(ExtensionContext({role: "bing"}))


@pytest.mark.proves("S3-14")
async def test_the_config_model_is_strict() -> None:
    """A misspelt setting is an error of the host's loader, further names of ours are known."""
    model = WebSearchExtension.ConfigModel
    given = model(search_provider="searxng", searxng_base_url="http://localhost:8080", total_content_budget=40000)
    assert (given.max_page_length, given.max_urls_per_call, given.open_page_concurrency) == (15000, 10, 5)
    with pytest.raises(ValidationError):
        model(serch_provider="tavily")  # type: ignore[call-arg]


KEYED = [
    ("tavily", "TAVILY_API_KEY", "Tavily"),
    ("perplexity", "PERPLEXITY_API_KEY", "Perplexity"),
    ("brave", "BRAVE_SEARCH_API_KEY", "Brave"),
]


@pytest.mark.proves("S3-16", "X-6")
@pytest.mark.parametrize(("name", "secret", "label"), KEYED)
async def test_a_missing_key_never_breaks_the_start(name: str, secret: str, label: str) -> None:
    """It made `initialize` raise, and then the set-up instructions were never shown."""
    async with made(search_provider=name) as extension:
        assert extension.health_check()
        assert [tool.name for tool in extension.get_tools()] == ["web_search", "open_page"]
        assert await extension.on_setup_complete() == (False, f"{secret} is required when using {label} provider.")
        result = await extension.web_search("tea")
    assert result.message.startswith("Search failed: ")
    assert f"{secret} secret not set. Use configure_extension to provide it" in result.message
    assert "[providers." not in result.message


@pytest.mark.proves("S3-20")
async def test_no_keys_are_needed_for_the_default_providers() -> None:
    async with made() as extension:
        assert await extension.on_setup_complete() == (True, "No API keys needed for current providers.")


@pytest.mark.proves("S3-16", "S3-17", "S3-21", "S3-32")
async def test_the_setup_asks_for_keys_and_stores_them_through_the_context(tavily: Simulator) -> None:
    """A key is tried once when it was just given, and works without a restart."""
    secrets: dict[str, str] = {}
    async with made(tavily, secrets=secrets, search_provider="tavily") as extension:
        schema = {field["name"]: field for field in extension.get_setup_schema()}
        assert {"tavily_api_key", "perplexity_api_key", "brave_api_key", "exa_api_key"} <= schema.keys()
        assert all(set(field) == {"name", "description", "secret", "required"} for field in schema.values())
        assert all(field["secret"] is True and field["required"] is False for field in schema.values())
        assert "secret not set" in (await extension.web_search("tea")).message
        context = extension._ready.context
        await extension.apply_config("tavily_api_key", tavily.key)
        assert await context.get_secret("TAVILY_API_KEY") == tavily.key
        assert await extension.on_setup_complete() == (True, "API key(s) validated successfully.")
        assert len(tavily.received) == 1
        assert (await extension.web_search("tea")).results[0].title == TEA["title"]
        assert await extension.on_setup_complete() == (True, "API key(s) are set.")
        with pytest.raises(ValueError, match="Unknown setting: colour"):
            await extension.apply_config("colour", "red")


async def test_a_start_costs_no_credit(tavily: Simulator) -> None:
    """The host's extension searched for "test" at every start."""
    async with made(tavily, secrets={"TAVILY_API_KEY": tavily.key}, search_provider="tavily") as extension:
        assert await extension.on_setup_complete() == (True, "API key(s) are set.")
    assert tavily.received == []


@pytest.mark.proves("S3-16", "S3-32")
async def test_a_wrong_key_is_told_at_set_up_and_not_shown(tavily: Simulator) -> None:
    key = "tvly-0123456789abcdefghij"
    tavily.fail(Fault(401, f"bad {key}"))
    async with made(tavily, search_provider="tavily") as extension:
        await extension.apply_config("tavily_api_key", key)
        good, message = await extension.on_setup_complete()
        told = (await extension.web_search("x")).message
    assert not good
    assert message.startswith("Tavily API key validation failed: ")
    assert key not in message + told


@pytest.mark.proves("S3-25")
async def test_the_citation_sentence_is_injected_as_context() -> None:
    """Literally, and nowhere else."""
    async with made() as extension:
        assert extension.context_priority == 100
        assert await extension.get_context("hello", TurnContext()) == (
            "When stating facts from web search results, append the citation ID in brackets, e.g. [1]."
        )
    async with made(citations=False) as extension:
        assert await extension.get_context("hello", TurnContext()) is None


@pytest.mark.proves("S3-27")
async def test_another_provider_takes_over_where_configured(duckduckgo: Simulator, searxng: Simulator) -> None:
    """DuckDuckGo is not the only provider in production; a failover is said."""
    duckduckgo.fail(Fault(403, "Forbidden"))
    async with made(duckduckgo, searxng, search_fallback=["searxng"]) as extension:
        result = await extension.web_search("tea", limit=1)
    assert [item.title for item in result.results] == [TEA["title"]]
    assert "duckduckgo could not answer (blocked)" in result.message


@pytest.mark.proves("S3-27")
async def test_duckduckgo_keeps_a_delay_between_searches(duckduckgo: Simulator) -> None:
    """Configurable; no wait before the first."""
    clock = FakeClock()
    async with made(duckduckgo, clock=clock, duckduckgo_delay=3.0) as extension:
        for number in range(3):
            assert (await extension.web_search(f"tea {number}", limit=2)).results
            assert round(sum(clock.slept), 3) == 3.0 * number


@pytest.mark.proves("S3-24")
async def test_the_operators_lists_hold_results_back(searxng: Simulator, tmp_path: Path) -> None:
    """Exact or below, whether the engine knows them or not; said in the message, with the setting's name here."""
    with checkout(tmp_path, {"providers/acme.py": NEW_ENGINE}):
        async with made(search_provider="acme", blocked_domains=["shop.example"]) as extension:
            result = await extension.web_search("tea")
    assert [item.title[:3] for item in result.results] == ["Tea"]
    assert "1 result did not pass: blocked_domains" in result.message
    async with made(searxng, search_provider="searxng", allowed_domains=["example.com"]) as extension:
        result = await extension.web_search("tea")
        assert {item.url.split("/")[2] for item in result.results} == {"example.com"}
        refused = await extension.web_search("tea", allowed_domains=["elsewhere.example"])
    assert "not among extensions.web_search.allowed_domains" in refused.message


@pytest.mark.proves("S3-32")
async def test_a_key_in_the_query_is_not_sent(searxng: Simulator) -> None:
    """Neither one with the shape of a key nor one without."""
    secrets = {"SEARXNG_API_KEY": "odd but secret words"}
    async with made(searxng, secrets=secrets, search_provider="searxng") as extension:
        for query in ("my key is tvly-0123456789abcdefghij", "who has odd but secret words"):
            assert (await extension.web_search(query)).message.startswith("Search failed: ")
    assert searxng.received == []


async def test_calls_before_the_start_are_told() -> None:
    extension = WebSearchExtension()
    assert "not initialized" in (await extension.web_search("tea")).message
    assert "not initialized" in (await extension.open_page("https://a.example")).model_dump()["error"]
    with pytest.raises(SeekreadError, match="not initialized"):
        await extension.apply_config("tavily_api_key", "k")


@pytest.mark.proves("S3-1", "S3-42")
async def test_the_tools_run_inside_the_real_sdk() -> None:
    """An agent of the OpenAI Agents SDK takes both tools as they are."""
    from agents import Agent

    async with made() as extension:
        agent = Agent(name="Researcher", tools=extension.get_tools())
    assert [tool.name for tool in agent.tools] == ["web_search", "open_page"]


@pytest.mark.proves("S3-16", "S3-21", "S3-41", "X-8")
async def test_perplexity_is_the_search_api_with_its_filters() -> None:
    """Ranked results, recency and domains; not the chat models. The class works by itself, too."""
    with simulators.start("perplexity") as service:
        context = ExtensionContext(secrets={"PERPLEXITY_API_KEY": service.key})
        provider = yodoca.PerplexitySearchProvider(context)
        provider.engine = HostEngine(context, services=("perplexity",), environ=without_key(service))
        found = await provider.search("tea", limit=3, allowed_domains=["example.org"], time_range="m")
        await provider.engine.close()
        sent = service.received[-1]
    assert len(found) == 3
    assert sent.path == "/search"
    assert (sent.json["search_recency_filter"], sent.json["search_domain_filter"]) == ("month", ["example.org"])


def without_key(service: Simulator) -> dict[str, str]:
    return {name: value for name, value in service.environment().items() if not name.endswith("_API_KEY")}
