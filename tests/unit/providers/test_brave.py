"""Brave on the wire and back."""

import json
from typing import Any

import pytest

from seekread.calling.perform import read_reply
from seekread.options import Query
from seekread.provider import (
    Found,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Reply,
    SecretStr,
    Unauthorized,
    Unreadable,
)
from seekread.providers.brave import Brave, Preset, language_code, parse_results
from seekread.testing import simulators
from seekread.testing.provider_contract import ProviderCase, search, wire
from seekread.testing.server import Fault

pytestmark = pytest.mark.anyio


def brave(preset: Preset = "native") -> Brave:
    return Brave(SecretStr("k"), preset=preset)


def params(query: Query, preset: Preset = "native") -> dict[str, Any]:
    return dict(brave(preset).search(query).request.params)


def reply(body: Any, status: int = 200, **headers: str) -> Reply:
    return Reply(status, {name.replace("_", "-"): value for name, value in headers.items()}, json.dumps(body).encode())


@pytest.mark.proves("S0-14", "S0-24", "S0-26", "X-30")
async def test_bare_sends_query_count_and_token_only() -> None:
    with simulators.start("brave") as simulator:
        case = ProviderCase(Brave(**simulator.settings(), preset="bare"), simulator)
        [request] = await wire(case, limit=7)
    assert request.path == "/res/v1/web/search"
    assert request.params.keys() == {"q", "count"}
    assert request.params["count"] == "7"
    assert request.headers["x-subscription-token"] == simulator.key
    assert request.headers["accept"] == "application/json"
    assert "authorization" not in request.headers


@pytest.mark.proves("S1-15", "S1-16", "S1-17", "X-17", "X-30")
async def test_complete_sends_the_nine_parameters() -> None:
    """S1-14."""
    with simulators.start("brave") as simulator:
        case = ProviderCase(Brave(**simulator.settings(), preset="complete"), simulator)
        [request] = await wire(case, limit=10, freshness="month")
    assert request.params | {"q": ""} == {
        "q": "",
        "count": "10",
        "offset": "0",
        "extra_snippets": "true",
        "text_decorations": "false",
        "search_lang": "en",
        "country": "US",
        "safesearch": "moderate",
        "freshness": "pm",
    }
    assert request.headers["accept-encoding"] == "gzip"


@pytest.mark.proves("S1-16")
def test_complete_lets_the_query_choose_its_country() -> None:
    assert params(Query(text="x", country="DE"), "complete")["country"] == "DE"


@pytest.mark.proves("S1-17")
async def test_extra_snippets_are_always_asked_for_and_come_back() -> None:
    """Up to five per result, for web and news alike."""
    with simulators.start("brave") as simulator:
        case = ProviderCase(Brave(**simulator.settings()), simulator)
        for search_type in ("general", "news"):
            found = await search(case, "tea", search_type=search_type)
            assert [len(result.extra_snippets) for result in found.results] == [5] * 5
    assert all(request.params["extra_snippets"] == "true" for request in simulator.received)


@pytest.mark.proves("X-8", "X-17")
@pytest.mark.parametrize(("word", "sent"), [("day", "pd"), ("week", "pw"), ("month", "pm"), ("year", "py")])
def test_freshness_is_sent_in_braves_words(word: Any, sent: str) -> None:
    assert params(Query(text="x", freshness=word))["freshness"] == sent


def test_a_span_of_dates_has_two_ends() -> None:
    assert (
        params(Query(text="x", date_from="2026-01-02", date_to="2026-03-04"))["freshness"] == "2026-01-02to2026-03-04"
    )
    assert params(Query(text="x", date_to="2026-03-04"))["freshness"] == "1990-01-01to2026-03-04"
    assert params(Query(text="x", date_from="2026-01-02"))["freshness"].startswith("2026-01-02to20")


@pytest.mark.proves("X-18")
async def test_news_goes_to_the_news_endpoint() -> None:
    with simulators.start("brave") as simulator:
        [request] = await wire(ProviderCase(Brave(**simulator.settings()), simulator), search_type="news")
    assert request.path == "/res/v1/news/search"
    assert not {"result_filter", "text_decorations"} & request.params.keys()


@pytest.mark.proves("X-18")
@pytest.mark.parametrize(
    "wrap",
    [lambda rows: {"web": {"results": rows}}, lambda rows: {"news": {"results": rows}}, lambda rows: {"results": rows}],
)
def test_results_are_found_under_all_three_names(wrap: Any) -> None:
    found = parse_results(reply(wrap([{"title": "T", "url": "https://e.org"}, {"title": "U", "url": "https://f.org"}])))
    assert [result.title for result in found.results] == ["T", "U"]


@pytest.mark.proves("S1-45")
def test_absent_fields_are_empty_and_the_order_is_kept() -> None:
    rows = [
        {},
        {"title": None, "url": "u", "extra_snippets": None, "age": None},
        {"title": "T", "page_age": "2026-10-03T09:12:00"},
    ]
    first, second, third = parse_results(reply({"web": {"results": rows}})).results
    assert (first.title, first.url, first.snippet, first.age, first.extra_snippets) == ("", "", "", "", ())
    assert first.published_date is None
    assert (second.url, third.title, third.published_date) == ("u", "T", "2026-10-03T09:12:00")


@pytest.mark.proves("S1-12", "S1-45")
@pytest.mark.parametrize(
    "body",
    [
        {"type": "search", "query": {"original": "x"}},
        {"query": {}, "web": None},
        {"query": {}, "web": {"results": None}},
        {"query": {}, "results": None},
        {"query": {}, "results": []},
    ],
)
def test_a_section_left_out_is_nothing_found(body: Any) -> None:
    assert list(parse_results(reply(body)).results) == []


@pytest.mark.parametrize(
    "body", [{}, [], None, {"web": 3}, {"web": {"results": {}}}, {"query": {}, "web": {}}, {"type": "x"}]
)
def test_another_shape_is_not_nothing_found(body: Any) -> None:
    with pytest.raises((ValueError, AttributeError, TypeError)):
        parse_results(reply(body))


@pytest.mark.parametrize(
    ("asked", "sent"),
    [("en", "en"), ("en-GB", "en-gb"), ("en-US", "en"), ("ja", "jp"), ("zh", "zh-hans"), ("zh-TW", "zh-hant"),
     ("pt-BR", "pt-br"), ("pt", "pt-pt"), ("no", "nb"), ("de-AT", "de"), ("tlh", None), (None, None)],
)  # fmt: skip
def test_languages_are_sent_in_braves_codes(asked: str | None, sent: str | None) -> None:
    assert language_code(asked) == sent


def test_a_country_brave_does_not_know_is_left_out_with_a_note() -> None:
    call = brave().search(Query(text="x", country="IS", language="tlh"))
    assert not {"country", "search_lang"} & call.request.params.keys()
    assert call.parse(reply({"query": {}})).notes == (
        "Brave knows no country 'IS'; it was left out",
        "Brave knows no language 'tlh'; it was left out",
    )


def test_greece_is_a_country_brave_knows() -> None:
    """It stands in the official table (M8)."""
    assert params(Query(text="x", country="gr"))["country"] == "GR"


def test_domains_become_a_goggle_and_leave_the_query_alone() -> None:
    sent = params(Query(text="x", allowed_domains=("a.org", "b.org"), blocked_domains=("c.org",)))
    assert sent["q"] == "x"
    assert sent["goggles"] == "$discard\n$site=a.org\n$site=b.org\n$discard,site=c.org"


def test_pages_count_from_zero() -> None:
    assert "offset" not in params(Query(text="x"))
    assert params(Query(text="x", page=3))["offset"] == 2


def test_a_corrected_query_is_mentioned() -> None:
    found = parse_results(reply({"query": {"original": "batery", "altered": "battery"}, "web": {"results": []}}))
    assert found.notes == ("Brave searched for 'battery'",)


def refused(body: Any, status: int, **headers: str) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        read_reply(brave().search(Query(text="x")), reply(body, status, **headers))
    return caught.value


def error(code: str, **meta: Any) -> dict[str, Any]:
    return {"type": "ErrorResponse", "error": {"code": code, "detail": "words", "meta": meta}}


def test_a_used_up_plan_says_how_large_it_was_and_when_it_resets() -> None:
    """S1-30."""
    problem = refused(
        error("QUOTA_LIMITED", quota_limit=2000, quota_current=2000),
        429,
        x_ratelimit_limit="1, 2000",
        x_ratelimit_remaining="1, 0",
        x_ratelimit_reset="1, 86400",
    )
    assert isinstance(problem, QuotaExhausted)
    assert (problem.limit, problem.retry_after, problem.status) == (2000, 86400, 429)
    assert problem.resets_on
    assert len(problem.resets_on) == len("2026-11-16")


def test_too_fast_is_a_matter_of_a_second_and_an_uncapped_window_is_not_used_up() -> None:
    headers = {"x_ratelimit_limit": "50, 0", "x_ratelimit_remaining": "0, 0", "x_ratelimit_reset": "1, 1419704"}
    problem = refused(error("RATE_LIMITED"), 429, **headers)
    assert isinstance(problem, RateLimited)
    assert problem.retry_after == 1
    assert refused(error("RATE_LIMITED"), 429).retry_after == 1


def test_each_limit_waits_for_its_own_window() -> None:
    headers = {"x_ratelimit_limit": "1, 2000", "x_ratelimit_remaining": "0, 0", "x_ratelimit_reset": "1, 86400"}
    assert refused(error("RATE_LIMITED"), 429, **headers).retry_after == 1
    assert refused(error("QUOTA_LIMITED"), 429, **headers).retry_after == 86400


def test_an_absurd_reset_is_still_a_date() -> None:
    headers = {"x_ratelimit_limit": "1", "x_ratelimit_remaining": "0", "x_ratelimit_reset": "9" * 400}
    assert isinstance(refused(error("QUOTA_LIMITED"), 429, **headers), QuotaExhausted)


@pytest.mark.proves("S1-29")
def test_a_wrong_key_is_a_422() -> None:
    assert isinstance(refused(error("SUBSCRIPTION_TOKEN_INVALID"), 422), Unauthorized)
    assert isinstance(refused({"errors": [{"code": "SUBSCRIPTION_TOKEN_INVALID"}]}, 422), Unauthorized)


async def test_a_query_brave_would_refuse_is_a_bad_reply_with_its_reason() -> None:
    with simulators.start("brave") as simulator, pytest.raises(ProviderError, match="VALIDATION"):
        await search(ProviderCase(Brave(**simulator.settings()), simulator), "word " * 51)


async def test_the_first_failure_may_pass() -> None:
    """Faults can be limited in number, so that a retry can be seen to help."""
    with simulators.start("brave") as simulator:
        simulator.fail(Fault(503), times=1)
        case = ProviderCase(Brave(**simulator.settings()), simulator)
        with pytest.raises(ProviderError):
            await search(case)
        assert isinstance(await search(case), Found)


def test_a_domain_that_could_be_read_as_a_rule_is_left_to_the_engine() -> None:
    """Goggles have a syntax of their own; what is no plain host must not write in it."""
    odd = "a.org,$boost=9"
    blocked = Query(text="x", blocked_domains=("b.org", odd, "c.org\n$boost"))
    assert params(blocked)["goggles"] == "$discard,site=b.org"
    allowed = Query(text="x", allowed_domains=("b.org", odd))
    assert "goggles" not in params(allowed)
    for query, wish in ((blocked, "blocked_domains"), (allowed, "allowed_domains")):
        assert brave().search(query).parse(reply({"web": {"results": []}})).unmet == {wish}


def test_there_is_no_page_after_the_tenth() -> None:
    assert params(Query(text="x", page=10))["offset"] == 9
    with pytest.raises(Unreadable, match="brave has no page 11") as caught:
        brave().search(Query(text="x", page=11))
    assert caught.value.outcome == "not_found"


def test_what_brave_has_no_word_for_is_unmet() -> None:
    call = brave().search(Query(text="x", country="KE", language="sw"))
    assert call.parse(reply({"web": {"results": []}})).unmet == {"country", "language"}
    call = brave().search(Query(text="x", country="DE", language="de"))
    assert call.parse(reply({"web": {"results": []}})).unmet == frozenset()
