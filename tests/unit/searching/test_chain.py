"""Who is asked by default, and that an explicit choice is asked alone."""

from pathlib import Path
from typing import Any

import pytest

from seekread import Misconfigured, Seekread
from seekread.models import SearchResult

KEYS = {"BRAVE_API_KEY": "b", "TAVILY_API_KEY": "t", "PERPLEXITY_API_KEY": "p"}


def chain(environ: dict[str, str], asked: tuple[str, ...] = (), **settings: Any) -> list[str]:
    web = Seekread(asked, environ=environ, settings=settings)
    return [provider.name for provider in web._parts.chain(web._asked)]


@pytest.mark.proves("X-7", "S3-20")
def test_without_any_key_the_keyless_ones_are_asked() -> None:
    assert chain({"HOME": "/nowhere"}) == ["duckduckgo", "wikipedia"]


@pytest.mark.proves("X-7")
def test_keyed_providers_come_first_in_their_order() -> None:
    assert chain({"HOME": "/nowhere", **KEYS})[:3] == ["brave", "tavily", "perplexity"]
    assert chain({"HOME": "/nowhere", **KEYS})[-2:] == ["duckduckgo", "wikipedia"]


def test_the_local_index_is_asked_from_the_search_after_its_first_document(tmp_path: Path) -> None:
    web = Seekread(environ={"HOME": str(tmp_path), **KEYS}, settings={"index_path": str(tmp_path / "index.sqlite")})
    before = [provider.name for provider in web._parts.chain(())]
    (tmp_path / "index.sqlite").touch()
    assert {provider.name for provider in web._parts.chain(())} == {*before, "index"}
    (tmp_path / "index.sqlite").unlink()
    assert [provider.name for provider in web._parts.chain(())] == before


def test_nobody_can_change_the_chain_of_the_next_search() -> None:
    web = Seekread(environ={"HOME": "/nowhere", **KEYS})
    first = web._parts.chain(())
    expected = list(first)
    first.clear()
    assert web._parts.chain(()) == expected


def test_a_special_corpus_is_asked_only_where_it_is_named() -> None:
    keys = {"OPENALEX_API_KEY": "o", "NCBI_API_KEY": "n", "MARGINALIA_API_KEY": "m", "KEENABLE_API_URL": "http://x"}
    assert chain({"HOME": "/nowhere", **keys}) == ["duckduckgo", "wikipedia"]
    assert chain({"HOME": "/nowhere"}, ("arxiv", "pubmed")) == ["arxiv", "pubmed"]
    assert chain({"HOME": "/nowhere", "WEB_SEARCH_PROVIDER": "hackernews"}) == ["hackernews"]


@pytest.mark.parametrize("variable", ["SEARXNG_URL", "SEARXNG_BASE_URL"])
def test_a_configured_searxng_is_asked_alone(variable: str) -> None:
    assert chain({"HOME": "/nowhere", variable: "http://127.0.0.1:8080", **KEYS}) == ["searxng"]


@pytest.mark.proves("S2-27")
def test_a_chosen_provider_is_asked_alone() -> None:
    assert chain({"HOME": "/nowhere", **KEYS, "WEB_SEARCH_PROVIDER": "tavily"}) == ["tavily"]
    assert chain({"HOME": "/nowhere", **KEYS}, ("perplexity",)) == ["perplexity"]


def test_a_fallback_is_asked_after_the_choice() -> None:
    environ = {"HOME": "/nowhere", "SEARXNG_URL": "http://127.0.0.1:1", **KEYS}
    assert chain(environ, fallback=["brave"]) == ["searxng", "brave"]


@pytest.mark.proves("X-5")
def test_an_unknown_provider_is_an_error_that_names_the_choices() -> None:
    with pytest.raises(Misconfigured, match=r"'gogle'; choose from .*brave"):
        chain({"HOME": "/nowhere"}, ("gogle",))


class Own:
    def __init__(self, name: str) -> None:
        self.name = name

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        raise NotImplementedError


def test_registered_providers_are_asked_the_default_first() -> None:
    web = Seekread(environ={"HOME": "/nowhere", **KEYS})
    web.register(Own("a"))
    web.register(Own("b"), default=True)
    assert [p.name for p in web._parts.chain(())] == ["b", "a"]


def test_a_name_registered_twice_is_an_error() -> None:
    web = Seekread(environ={"HOME": "/nowhere"})
    web.register(Own("a"))
    with pytest.raises(Misconfigured, match="already registered"):
        web.register(Own("a"))
