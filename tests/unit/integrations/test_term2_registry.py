"""term2's registry and settings, with the seven registry tests the document names."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from seekread.config.sources import load
from seekread.integrations import term2
from seekread.integrations.term2 import Term2Registry, Term2Services, Term2Settings, WebSearchResponse, WebSearchResult


class Provider:
    """A provider of somebody's own."""

    sensitive_setting_keys = ("webSearch.serper.apiKey",)

    def __init__(self, provider_id: str, label: str = "") -> None:
        self.id, self.label = provider_id, label or provider_id.capitalize()

    async def search(self, query: str, services: Term2Services) -> WebSearchResponse:
        return WebSearchResponse(
            query=query, results=[WebSearchResult(title=f"{self.id} says", url="https://e.example", content="c")]
        )

    def is_configured(self, services: Term2Services) -> bool:
        return bool(services.settings_service.get(f"webSearch.{self.id}.apiKey"))


class Settings:
    """A settings service over a mapping."""

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self.values = dict(values or {})

    def get(self, key: str) -> Any:
        return self.values.get(key)


@pytest.mark.proves("S2-1", "S2-29")
def test_registers_a_provider() -> None:
    registry, tavily = Term2Registry(), Provider("tavily")
    registry.register(tavily)
    assert registry.all() == [tavily]


@pytest.mark.proves("S2-4", "S2-5", "S2-29")
def test_throws_on_duplicate_id() -> None:
    registry = Term2Registry()
    registry.register(Provider("tavily"))
    with pytest.raises(ValueError, match=r"^Web search provider 'tavily' is already registered$"):
        registry.register(Provider("tavily"))


@pytest.mark.proves("S2-7", "S2-29")
def test_get_returns_the_registered_provider() -> None:
    registry, serper = Term2Registry(), Provider("serper")
    registry.register(serper)
    assert registry.get("serper") is serper


@pytest.mark.proves("S2-7", "S2-29")
def test_get_returns_nothing_for_an_unknown_id() -> None:
    assert Term2Registry().get("nobody") is None


@pytest.mark.proves("S2-6", "S2-29")
def test_default_is_the_first_registered() -> None:
    """S2-37: a later `isDefault` replaces it; without any provider there is no default."""
    registry, first, second, third = Term2Registry(), Provider("a"), Provider("b"), Provider("c")
    assert registry.default() is None
    registry.register(first)
    registry.register(second)
    assert registry.default() is first
    registry.register(third, {"isDefault": True})
    assert registry.default() is third
    registry.register(fourth := Provider("d"), is_default=True)
    assert registry.default() is fourth
    registry.clear()
    assert registry.default() is None
    assert registry.configured({"settingsService": Settings()}) is None


@pytest.mark.proves("S2-8", "S2-29")
def test_configured_uses_the_settings_preference() -> None:
    registry, first, second = Term2Registry(), Provider("a"), Provider("b")
    registry.register(first)
    registry.register(second)
    settings = Settings({"webSearch.provider": "b"})
    assert registry.configured(settings_service=settings) is second
    assert registry.configured({"settingsService": settings}) is second
    assert registry.configured(Term2Services(settings)) is second


@pytest.mark.proves("S2-8", "S2-29", "X-5")
@pytest.mark.parametrize("named", ["nobody", "", None])
def test_configured_falls_back_to_default(named: str | None, caplog: pytest.LogCaptureFixture) -> None:
    """With a warning when a name is wrong."""
    registry, first = Term2Registry(), Provider("a")
    registry.register(first)
    assert registry.configured(settings_service=Settings({"webSearch.provider": named})) is first
    assert ("not registered" in caplog.text) is bool(named)


@pytest.mark.proves("S2-36", "X-7", "X-34")
def test_importing_registers_our_providers_with_tavily_as_default() -> None:
    """S2-2, S2-14: the contract's names, in snake_case."""
    default = term2.get_default_web_search_provider()
    assert default is not None
    assert (default.id, default.label) == ("tavily", "Tavily")
    assert list(default.sensitive_setting_keys) == ["webSearch.tavily.apiKey"]
    names = [provider.id for provider in term2.get_all_web_search_providers()]
    assert names == ["tavily", "brave", "exa", "perplexity", "searxng", "serper", "duckduckgo", "wikipedia"]
    assert term2.get_web_search_provider("brave") is not None
    assert term2.get_configured_web_search_provider(settings_service=Settings()) is default
    for name in ("register_web_search_provider", "clear_web_search_providers", "format_results_as_markdown"):
        assert callable(getattr(term2, name))


@pytest.mark.proves("S2-14")
def test_tavily_is_the_default_whoever_came_first() -> None:
    """By `isDefault`, not by its place; its key is read under its documented name."""
    registry = Term2Registry()
    registry.register(Provider("earlier"))
    term2.register_our_providers(registry)
    tavily = registry.default()
    assert tavily is not None
    assert (tavily.id, tavily.label) == ("tavily", "Tavily")
    assert list(tavily.sensitive_setting_keys) == ["webSearch.tavily.apiKey"]
    assert tavily.is_configured(Term2Services(Settings({"webSearch.tavily.apiKey": "k"})))
    assert not tavily.is_configured(Term2Services(Settings({"webSearch.tavily.apiKey": ""})))


@pytest.mark.proves("S2-1", "S2-26")
def test_each_of_our_providers_knows_what_it_needs() -> None:
    """Per-provider settings, `webSearch.<id>.apiKey`."""
    keyed = Term2Services(Settings({"webSearch.brave.apiKey": "k", "webSearch.searxng.url": "http://127.0.0.1"}))
    bare = Term2Services(Settings())
    registry = Term2Registry()
    term2.register_our_providers(registry)
    assert [p.id for p in registry.all() if p.is_configured(bare)] == ["duckduckgo", "wikipedia"]
    assert {p.id for p in registry.all() if p.is_configured(keyed)} == {"brave", "searxng", "duckduckgo", "wikipedia"}
    secret = {p.id: list(p.sensitive_setting_keys) for p in registry.all()}
    assert secret["perplexity"] == ["webSearch.perplexity.apiKey"]
    assert secret["wikipedia"] == []


def test_another_provider_of_ours_is_one_line() -> None:
    firecrawl = term2.CoreProvider("firecrawl")
    assert (firecrawl.label, firecrawl.sensitive_setting_keys) == ("Firecrawl", ("webSearch.firecrawl.apiKey",))
    assert not firecrawl.is_configured(Term2Services(Settings()))
    assert firecrawl.is_configured(Term2Services(Settings({"webSearch.firecrawl.apiKey": "k"})))


@pytest.mark.proves("S2-3", "X-10")
def test_the_values_are_camel_case_as_json() -> None:
    result = WebSearchResult(title="T", url="U", content="C", score=0.5, published_date="D")
    response = WebSearchResponse(query="Q", results=[result], answer_box="A")
    assert response.model_dump(by_alias=True) == {
        "query": "Q",
        "results": [{"title": "T", "url": "U", "content": "C", "score": 0.5, "publishedDate": "D"}],
        "answerBox": "A",
    }
    assert WebSearchResponse.model_validate({"query": "Q", "results": [], "answerBox": "A"}).answer_box == "A"


def settings_file(folder: Path, document: Any) -> Path:
    path = folder / "settings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return path


DOCUMENT = {"webSearch": {"provider": "tavily", "tavily": {"apiKey": "tvly-xxxxx"}}, "theme": "dark"}


@pytest.mark.proves("S2-25", "S2-26")
def test_the_hosts_settings_file_is_understood(tmp_path: Path) -> None:
    """S2-28: by our loader, and as a settings service."""
    path = settings_file(tmp_path, DOCUMENT)
    assert load(file=path, environ={}).settings.search.providers == ("tavily",)
    settings = Term2Settings.load(path, environ={})
    assert settings.get(term2.SETTING_KEYS["WEB_SEARCH_PROVIDER"]) == "tavily"
    assert settings.get(term2.SETTING_KEYS["WEB_SEARCH_TAVILY_API_KEY"]) == "tvly-xxxxx"
    assert term2.SETTING_KEYS == {
        "WEB_SEARCH_PROVIDER": "webSearch.provider",
        "WEB_SEARCH_TAVILY_API_KEY": "webSearch.tavily.apiKey",
    }


@pytest.mark.proves("S2-27")
def test_the_environment_overrides_the_file(tmp_path: Path) -> None:
    """S2-39: `TAVILY_API_KEY` and `WEB_SEARCH_PROVIDER`; nothing of it is written back."""
    path = settings_file(tmp_path, DOCUMENT)
    before = path.read_bytes()
    environ = {"TAVILY_API_KEY": "tvly-env", "WEB_SEARCH_PROVIDER": "brave", "BRAVE_SEARCH_API_KEY": "b"}
    settings = Term2Settings.load(path, environ=environ)
    assert settings.get("webSearch.provider") == "brave"
    assert settings.get("webSearch.tavily.apiKey") == "tvly-env"
    assert settings.get("webSearch.brave.apiKey") == "b"
    assert path.read_bytes() == before


@pytest.mark.proves("S2-25")
def test_without_anything_the_provider_is_tavily_and_unset() -> None:
    """The defaults."""
    settings = Term2Settings.load(environ={"HOME": "/nowhere"})
    assert settings.get("webSearch.provider") == "tavily"
    assert settings.get("webSearch.tavily.apiKey") is None
    assert settings.get("webSearch.unheard.apiKey") is None
    assert settings.get("theme") is None


@pytest.mark.parametrize("place", ["home/.config/term2", "home/.local/state/term2-nodejs", "state/term2-nodejs"])
def test_the_file_is_found_where_the_host_keeps_it(place: str, tmp_path: Path) -> None:
    """S2-28: the document's place, and those the shipped host uses."""
    settings_file(tmp_path / place, DOCUMENT)
    environ = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}
    assert Term2Settings.load(environ=environ).get("webSearch.tavily.apiKey") == "tvly-xxxxx"


def test_an_address_in_the_hosts_settings_file_is_used(tmp_path: Path) -> None:
    path = settings_file(tmp_path, {"webSearch": {"provider": "searxng", "searxng": {"url": "http://127.0.0.1:8080"}}})
    assert Term2Settings.load(path, environ={}).get("webSearch.searxng.url") == "http://127.0.0.1:8080"


@pytest.mark.proves("S2-32", "S2-4")
@pytest.mark.anyio
async def test_a_provider_of_ones_own_takes_four_steps() -> None:
    """S2-40: id, label, search, is_configured and sensitive key; register; settings; choose."""
    registry = Term2Registry()
    registry.register(Provider("tavily"))
    registry.register(Provider("serper"))
    settings = Settings({"webSearch.provider": "serper"})
    tool = term2.create_web_search_tool_definition(settings_service=settings, own_registry=registry)
    assert (await tool.execute({"query": "tea"})).startswith("Error: Web search provider 'serper' is not properly")
    settings.values["webSearch.serper.apiKey"] = "k"
    assert "### 1. serper says" in await tool.execute({"query": "tea"})
