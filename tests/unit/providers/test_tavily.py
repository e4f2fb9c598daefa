"""Tavily on the wire and back."""

import json
from typing import Any

import pytest

from seekread.calling.perform import perform, read_reply
from seekread.clock import SystemClock
from seekread.http.client import ServiceClient
from seekread.options import Query
from seekread.provider import Call, Page, QuotaExhausted, Reply, SecretStr, Unreadable, traits
from seekread.providers.tavily import Tavily, parse_results
from seekread.testing import simulators
from seekread.testing.hits import NOTHING
from seekread.testing.provider_contract import ProviderCase, search, wire

pytestmark = pytest.mark.anyio


def tavily(**fields: Any) -> Tavily:
    return Tavily(SecretStr("k"), **fields)


def body(query: Query, **fields: Any) -> dict[str, Any]:
    sent = tavily(**fields).search(query).request.json or {}
    return {name: value for name, value in sent.items() if value is not None}


def reply(data: Any, status: int = 200) -> Reply:
    return Reply(status, {}, json.dumps(data).encode())


@pytest.mark.proves("X-14", "X-15")
async def test_a_bare_query_is_nothing_but_the_query() -> None:
    with simulators.start("tavily") as simulator:
        [request] = await wire(ProviderCase(Tavily(**simulator.settings()), simulator))
    assert (request.method, request.path) == ("POST", "/search")
    assert request.json.keys() == {"query"}
    assert request.headers["authorization"] == f"Bearer {simulator.key}"
    assert request.headers["content-type"] == "application/json"


@pytest.mark.proves("S2-9", "X-14")
async def test_the_old_form_puts_key_and_query_into_the_body_and_nothing_else() -> None:
    with simulators.start("tavily") as simulator:
        [request] = await wire(ProviderCase(Tavily(**simulator.settings(), auth="body"), simulator))
    assert request.json.keys() == {"api_key", "query"}
    assert request.json["api_key"] == simulator.key
    assert "authorization" not in request.headers
    assert request.headers["content-type"] == "application/json"


@pytest.mark.proves("X-15")
def test_only_what_differs_from_the_defaults_is_sent() -> None:
    assert body(Query(text="x", limit=8)) == {"query": "x", "max_results": 8}
    assert body(Query(text="x", freshness="week"), search_depth="advanced", include_answer=True) == {
        "query": "x",
        "search_depth": "advanced",
        "include_answer": True,
        "time_range": "week",
        "include_published_date": True,
    }


def test_wishes_have_their_names() -> None:
    assert body(
        Query(
            text="x",
            search_type="news",
            date_from="2026-01-02",
            date_to="2026-02-03",
            allowed_domains=("a.org",),
            blocked_domains=("b.org",),
            language="de",
            safe_search="strict",
        )
    ) == {
        "query": "x",
        "topic": "news",
        "start_date": "2026-01-02",
        "end_date": "2026-02-03",
        "include_domains": ["a.org"],
        "exclude_domains": ["b.org"],
        "language": "de",
        "filter_by_language": True,
        "safe_search": True,
    }


def test_countries_are_sent_by_name_and_only_outside_the_news() -> None:
    assert body(Query(text="x", country="us"))["country"] == "united states"
    assert "country" not in body(Query(text="x", country="US", search_type="news"))
    call = tavily().search(Query(text="x", country="XX"))
    found = call.parse(reply({"results": []}))
    assert found.notes == ("Tavily cannot prefer country 'XX' here",)
    assert found.unmet == {"country"}


def test_safe_search_is_sent_whenever_it_was_asked_for() -> None:
    assert body(Query(text="x", safe_search="off"))["safe_search"] is False
    assert body(Query(text="x", safe_search="moderate"))["safe_search"] is True


@pytest.mark.parametrize("depth", ["fast", "ultra-fast"])
def test_the_fast_depths_have_no_safe_search_and_say_so(depth: str) -> None:
    """It was sent, which is a bad request (M7)."""
    call = tavily(search_depth=depth).search(Query(text="x", safe_search="strict"))
    assert (call.request.json or {})["safe_search"] is None
    found = call.parse(reply({"results": []}))
    assert found.unmet == {"safe_search"}
    assert found.notes == ("Tavily has no safe search at this depth",)


@pytest.mark.proves("S2-13")
def test_the_reply_is_mapped_in_order() -> None:
    dated = {"score": 0.8, "published_date": "Sat, 03 Oct 2026 09:12:00 GMT"}
    rows = [
        {"title": "T", "url": "https://e.org", "content": "C", **dated},
        {"title": None, "url": "https://f.org", "content": None, "raw_content": "whole"},
    ]
    found = parse_results(reply({"query": "asked", "answer": "ANS", "results": rows}))
    first, second = found.results
    assert (found.query, found.answer) == ("asked", "ANS")
    assert (first.title, first.url, first.snippet, first.score) == ("T", "https://e.org", "C", 0.8)
    assert first.published_date == "Sat, 03 Oct 2026 09:12:00 GMT"
    assert (second.title, second.snippet, second.content) == ("", "", "whole")


@pytest.mark.proves("S2-13")
@pytest.mark.parametrize("data", [{"query": "x"}, {"query": "x", "results": None}, {"query": "x", "results": []}])
def test_missing_results_are_nothing_found(data: Any) -> None:
    assert list(parse_results(reply(data)).results) == []


@pytest.mark.parametrize("status", [432, 433])
def test_two_statuses_of_its_own_mean_the_plan_is_used_up(status: int) -> None:
    with pytest.raises(QuotaExhausted) as caught:
        read_reply(tavily().search(Query(text="x")), reply({"detail": {"error": "limit"}}, status))
    assert caught.value.status == status
    assert "limit" in caught.value.body


async def page(provider: Tavily, url: str) -> Page:
    client = ServiceClient()
    try:
        return await perform(provider.read(url), client, SystemClock(), seconds=10)
    finally:
        await client.close()


@pytest.mark.proves("S3-8")
async def test_one_instance_searches_and_reads() -> None:
    """S3-3."""
    with simulators.start("tavily") as simulator:
        provider = Tavily(**simulator.settings())
        assert (await search(ProviderCase(provider, simulator))).results
        opened = await page(provider, "https://example.org/a?b=c#d")
        assert simulator.received[-1].json == {"urls": ["https://example.org/a?b=c#d"]}
    assert opened.content.startswith("# Page")
    assert opened.url == "https://example.org/a?b=c#d"
    assert traits(provider).label == "Tavily"


async def test_a_page_that_failed_is_not_an_empty_page() -> None:
    """Tavily answers with status 200 even when it could read nothing."""
    with simulators.start("tavily") as simulator, pytest.raises(Unreadable, match="Failed to fetch url"):
        await page(Tavily(**simulator.settings()), f"https://example.org/{NOTHING}")


@pytest.mark.parametrize("content", ["", "  \n", None])
def test_a_page_without_text_is_suspicious(content: str | None) -> None:
    with pytest.raises(Unreadable) as caught:
        tavily().read("https://e.org").parse(reply({"results": [{"url": "u", "raw_content": content}]}))
    assert caught.value.outcome == "suspicious_empty"


def test_a_reply_without_either_list_is_not_as_documented() -> None:
    call: Call[Page] = tavily().read("https://e.org")
    data: dict[str, Any]
    for data in ({}, {"results": []}, {"results": [], "failed_results": []}):
        with pytest.raises(ValueError, match="neither"):
            call.parse(reply(data))
