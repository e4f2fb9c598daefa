"""Companies by all their names, and lists of domains by name, on every engine and through every door."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from seekread import InvalidQuery, Seekread, tools
from seekread.cli.app import app
from seekread.errors import Misconfigured
from seekread.models import SearchResult
from seekread.options import Query
from seekread.searching.profiles import CompanyProfile, Profiles
from seekread.testing import simulators
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio

APPLE = CompanyProfile("Apple Inc", "AAPL", ("Apple Computer",), ("apple.com", "*.apple.news"))
PROFILES = Profiles({"fruit": APPLE}, {"government": ("*.gov.uk", "gov.scot")})
SETTINGS: dict[str, Any] = {
    "store": "memory:",
    "companies": {
        "fruit": {"name": "Apple Inc", "ticker": "AAPL", "aliases": ["Apple Computer"], "domains": ["apple.com"]}
    },
    "domain_profiles": {"ours": ["*.example.org", "example.com"]},
}
ENGINES = ("brave", "exa", "firecrawl", "jina", "perplexity", "searxng", "serper", "tavily", "wikipedia")


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


def web(running: Simulator, **settings: Any) -> Seekread:
    given = {**SETTINGS, **settings}
    return Seekread(running.name, settings=given, providers={running.name: running.settings()}, environ={})


@pytest.mark.parametrize("called", ["Apple Inc", "apple inc", "AAPL", "aapl", "Apple Computer", "fruit"])
def test_a_company_is_found_by_any_of_its_names(called: str) -> None:
    assert PROFILES.company(called) == PROFILES.companies["fruit"]
    assert PROFILES.applied(Query(text="supply chain", company=called)).company == "Apple Inc"


@pytest.mark.parametrize(("text", "company"), [("AAPL outlook", "AAPL"), ("apple computer history", "Apple Computer")])
def test_a_query_that_names_the_company_names_it_once(text: str, company: str) -> None:
    assert PROFILES.applied(Query(text=text, company="fruit")).company == company


def test_a_company_without_a_profile_stays_as_it_is() -> None:
    assert PROFILES.applied(Query(text="x", company="Gap Inc")).company == "Gap Inc"


def result(title: str, url: str = "https://news.example/a", snippet: str = "") -> SearchResult:
    return SearchResult(title=title, url=url, snippet=snippet)


@pytest.mark.parametrize(
    ("found", "concerns"),
    [
        (result("Apple Inc reports"), True),
        (result("Shares", snippet="AAPL fell by 2 %"), True),
        (result("Newsroom", "https://www.apple.com/newsroom"), True),
        (result("Today", "https://apple.news/x"), True),
        (result("aapl is a word in no language"), False),
        (result("Pineapple Inc reports"), False),
        (result("Newsroom", "https://apple.com.evil.example/"), False),
    ],
)
def test_a_result_is_about_a_company_that_it_names_or_that_it_belongs_to(found: SearchResult, concerns: bool) -> None:
    assert PROFILES.companies["fruit"].concerns(found) == concerns


def test_every_name_is_marked_and_none_twice() -> None:
    shown = APPLE.highlighted(result("t", snippet="Apple Inc (AAPL), once Apple Computer"))
    assert shown.snippet == "**Apple Inc** (**AAPL**), once **Apple Computer**"


def test_a_profile_of_domains_is_spelled_out_with_its_wildcards() -> None:
    query = PROFILES.applied(Query(text="x", allowed_domains=("@government", "who.int"), blocked_domains=("@fruit",)))
    assert query.allowed_domains == ("gov.uk", "gov.scot", "who.int")
    assert query.blocked_domains == ("apple.com", "apple.news")


def test_an_unknown_profile_is_a_mistake_that_names_the_known_ones() -> None:
    with pytest.raises(InvalidQuery, match="no domain profile '@goverment'; known are @fruit, @government"):
        PROFILES.applied(Query(text="x", allowed_domains=("@goverment",)))


def test_a_profile_with_something_that_is_no_domain_does_not_start() -> None:
    with pytest.raises(Misconfigured, match=r"domain_profiles\.a"):
        Profiles(domains={"a": ("https://example.org/",)})


@pytest.mark.parametrize("engine", ENGINES)
async def test_every_engine_is_asked_for_the_company_by_its_name(engine: str) -> None:
    with simulators.start(engine) as running:
        async with web(running) as client:
            response = await client.search("supply chain", company="AAPL")
        assert response.query_sent.startswith("supply chain Apple Inc")
        sent = running.received[0]
        assert "Apple Inc" in json.dumps([sent.params, sent.json])


async def test_only_mentions_keeps_every_name_and_the_companys_own_site(brave: Simulator) -> None:
    rows = [
        {"title": "Newsroom", "url": "https://www.apple.com/newsroom", "description": "New phones"},
        {"title": "Markets", "url": "https://news.example/a", "description": "AAPL fell"},
        {"title": "Fruit", "url": "https://news.example/b", "description": "an apple a day"},
    ]
    brave.fail(Fault(200, {"type": "search", "web": {"results": rows}}))
    async with web(brave) as client:
        response = await client.search("tea", company="Apple Computer", only_mentions=True, highlight=True)
    assert [found.snippet for found in response.results] == ["New phones", "**AAPL** fell"]


async def test_a_named_list_filters_like_a_written_one(brave: Simulator) -> None:
    async with web(brave) as client:
        named = await client.search("tea", allowed_domains=["@ours"], limit=8)
        written = await client.search("tea", allowed_domains=["example.org", "example.com"], limit=8)
        with pytest.raises(InvalidQuery, match="known are @fruit, @ours"):
            await client.search("tea", allowed_domains="@theirs")
    assert {found.source for found in named.results} == {"example.org", "example.com"}
    assert [found.url for found in named.results] == [found.url for found in written.results]


async def test_a_tool_call_with_an_unknown_list_is_told_the_known_ones(brave: Simulator) -> None:
    async with web(brave) as client:
        search = next(tool for tool in tools(client) if tool.name == "web_search")
        assert "example.org" in str(await search.call({"query": "tea", "allowed_domains": ["@ours"]}))
        assert "known are @fruit, @ours" in str(await search.call({"query": "tea", "allowed_domains": ["@theirs"]}))


def test_the_command_line_takes_a_list_by_name(brave: Simulator, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[search.domain_profiles]\nours = ["*.example.org"]\n[search.companies.tea]\nname = "Tea Ltd"\n')
    run = ["--store", "memory:", "--config", str(file), "search", "-p", "brave", "--json"]
    found = CliRunner(env=brave.environment()).invoke(app, [*run, "--site", "@ours", "--company", "tea", "leaves"])
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert {one["source"] for one in told["results"]} == {"example.org"}
    assert "leaves Tea Ltd" in told["query_sent"]
    unknown = CliRunner(env=brave.environment()).invoke(app, [*run, "--site", "@theirs", "leaves"])
    assert (unknown.exit_code, "known are @ours" in unknown.output) == (2, True)
