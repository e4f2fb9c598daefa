"""SearXNG on the wire and back."""

import json
from typing import Any

import pytest

from seekread.calling.perform import read_reply
from seekread.options import Query
from seekread.provider import BadReply, NotConfigured, RateLimited, Reply, SecretStr, SuspiciousEmpty
from seekread.providers.searxng import SearXNG, parse_results
from seekread.testing import simulators
from seekread.testing.provider_contract import ProviderCase, search, wire

pytestmark = pytest.mark.anyio


def params(query: Query, **fields: Any) -> dict[str, Any]:
    sent = SearXNG("https://s.example", **fields).search(query).request.params
    return {name: value for name, value in sent.items() if value is not None}


def reply(data: Any, status: int = 200) -> Reply:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return Reply(status, {}, raw)


def parsed(data: Any, status: int = 200) -> Any:
    return read_reply(SearXNG("https://s.example").search(Query(text="x")), reply(data, status))


@pytest.mark.proves("S0-10", "S0-11", "S0-26")
async def test_a_plain_query_carries_three_parameters_and_no_key() -> None:
    with simulators.start("searxng") as simulator:
        [request] = await wire(ProviderCase(SearXNG(simulator.url), simulator))
    assert (request.method, request.path) == ("GET", "/search")
    assert request.params | {"q": ""} == {"q": "", "format": "json", "categories": "general"}
    assert "authorization" not in request.headers


@pytest.mark.proves("S0-11")
async def test_a_key_is_sent_as_a_bearer() -> None:
    with simulators.start("searxng") as simulator:
        [request] = await wire(ProviderCase(SearXNG(simulator.url, SecretStr("proxy-token")), simulator))
    assert request.headers["authorization"] == "Bearer proxy-token"


async def test_the_bot_check_lets_us_pass() -> None:
    """The limiter wants HTML to be acceptable, compression, and a language."""
    with simulators.start("searxng") as simulator:
        [request] = await wire(ProviderCase(SearXNG(simulator.url), simulator))
    assert "text/html" in request.headers["accept"]
    assert "gzip" in request.headers["accept-encoding"]
    assert request.headers["accept-language"] == "en"
    assert "python" not in request.headers["user-agent"]


def test_an_instance_below_a_path_keeps_it() -> None:
    for base in ("https://e.org/searx", "https://e.org/searx/"):
        assert SearXNG(base).search(Query(text="x")).request.url == "https://e.org/searx/search"


def test_wishes_have_their_names() -> None:
    query = Query(text="x", search_type="news", freshness="week", language="de", safe_search="strict", page=3)
    assert params(query, engines="brave,bing") == {
        "q": "x",
        "format": "json",
        "categories": "news",
        "engines": "brave,bing",
        "language": "de",
        "time_range": "week",
        "safesearch": 2,
        "pageno": 3,
    }
    assert params(Query(text="x", language="de", country="at"))["language"] == "de-AT"
    assert params(Query(text="x", language="zh-Hans"))["language"] == "zh"


@pytest.mark.proves("S0-12")
async def test_title_url_and_content_come_back() -> None:
    with simulators.start("searxng") as simulator:
        found = await search(ProviderCase(SearXNG(simulator.url), simulator), "tea")
    first = found.results[0]
    assert (first.title, first.url) == ("tea & more, part 1", "https://www.example.org/tea/1")
    assert first.snippet == 'What page 1 says about "tea".'


def test_rows_without_an_address_are_left_out() -> None:
    rows = [{"url": None, "title": "x"}, {"url": "https://e.org", "title": "T", "content": None}]
    assert [result.title for result in parse_results(reply({"results": rows})).results] == ["T"]


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        ({"answers": ["42"]}, "42"),
        ({"answers": [{"answer": "42"}]}, "42"),
        ({"answers": [{"translations": []}, {"answer": "43"}]}, "43"),
        ({"answers": None, "infoboxes": [{"infobox": "Tea", "content": "a drink"}]}, "a drink"),
        ({"answers": [], "infoboxes": []}, None),
        ({}, None),
    ],
)
def test_answers_are_text_or_objects(data: dict[str, Any], answer: str | None) -> None:
    assert parse_results(reply({"results": [], **data})).answer == answer


def test_engines_that_did_not_answer_are_named() -> None:
    silent = {"unresponsive_engines": [["google", "Suspended: CAPTCHA"]]}
    found = parse_results(reply({"results": [{"url": "https://e.org", "title": "T"}], **silent}))
    assert found.notes == ("engines that did not answer: google (Suspended: CAPTCHA)",)
    with pytest.raises(SuspiciousEmpty, match="google"):
        parse_results(reply({"results": [], **silent}))


def test_nothing_found_by_engines_that_all_answered_is_believed() -> None:
    assert list(parsed({"query": "x", "results": [], "unresponsive_engines": []}).results) == []


def test_an_instance_that_forbids_json_says_what_to_change() -> None:
    with pytest.raises(NotConfigured, match=r"search\.formats") as caught:
        parsed(b"<!doctype html><title>403</title>", 403)
    assert caught.value.status == 403


def test_a_web_page_is_named_as_such() -> None:
    with pytest.raises(BadReply, match="does not speak JSON"):
        parsed(b"\n <!doctype html><p>hello")


def test_the_limiter_is_a_rate_limit_with_a_hint() -> None:
    with pytest.raises(RateLimited, match="limiter"):
        parsed(b"Too Many Requests", 429)


def test_a_redirect_is_not_followed() -> None:
    with pytest.raises(BadReply, match="redirected"):
        parsed(b"", 302)
