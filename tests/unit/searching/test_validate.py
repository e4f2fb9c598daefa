"""Raw arguments become a query, or a message that says what to send instead."""

from typing import Any

import pytest

from seekread.errors import InvalidQuery
from seekread.searching.validate import from_arguments, to_query, usual_options


@pytest.mark.proves("X-2", "X-35")
@pytest.mark.parametrize("name", ["limit", "max_results", "count", "num_results", "n"])
def test_the_names_models_send_for_a_limit_are_understood(name: str) -> None:
    assert from_arguments({"query": "tea", name: 7}).limit == 7


@pytest.mark.proves("X-2")
def test_the_default_limit_is_five() -> None:
    assert to_query("tea").limit == 5


@pytest.mark.proves("X-8", "S3-9")
@pytest.mark.parametrize(
    ("name", "value", "freshness"),
    [
        ("freshness", "week", "week"),
        ("time_range", "w", "week"),
        ("time_range", "y", "year"),
        ("time_range", "all", None),
        ("freshness", "DAY", "day"),
    ],
)
def test_both_spellings_of_recency_are_one_field(name: str, value: str, freshness: str | None) -> None:
    assert from_arguments({"query": "tea", name: value}).freshness == freshness


@pytest.mark.proves("X-8")
def test_an_unknown_recency_is_an_error_not_a_silent_all() -> None:
    with pytest.raises(InvalidQuery, match="day, week, month, year"):
        from_arguments({"query": "tea", "time_range": "fortnight"})


@pytest.mark.proves("S1-6", "S1-7", "S1-46")
def test_recent_means_the_last_month_unless_a_freshness_says_otherwise() -> None:
    assert to_query("tea", search_type="recent").freshness == "month"
    assert to_query("tea", search_type="recent", freshness="day").freshness == "day"
    assert to_query("tea", search_type="news", freshness="year").freshness == "year"


@pytest.mark.proves("X-20")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": ""}, "must not be empty"),
        ({"query": "  \n "}, "must not be empty"),
        ({}, "query is required"),
        ({"query": None}, "query is required"),
        ({"query": 5}, "must be text, not int"),
        ({"query": "x" * 2001}, "at most 2000"),
        ({"query": "x", "limit": 0}, "at least 1"),
        ({"query": "x", "limit": -1}, "at least 1"),
        ({"query": "x", "limit": "many"}, "whole number"),
        ({"query": "x", "limit": 2.5}, "whole number"),
        ({"query": "x", "limit": True}, "whole number"),
        ({"query": "x", "search_type": "images"}, "general, news, recent"),
        ({"query": "x", "safe_search": "maybe"}, "off, moderate, strict"),
        ({"query": "x", "country": "Germany"}, "two-letter"),
        ({"query": "x", "language": "english!"}, "language code"),
        ({"query": "x", "date_from": "yesterday"}, "date such as"),
        ({"query": "x", "date_from": "2026-02-02", "date_to": "2026-01-01"}, "after date_to"),
        ({"query": "x", "date_from": "2026-02-02", "freshness": "day"}, "not both"),
        ({"query": "x", "freshness": "day", "time_range": "w"}, "two names of one thing"),
        ({"query": "x", "allowed_domains": ["not a domain"]}, "not a domain"),
        ({"query": "x", "page": 0}, "at least 1"),
        ({"query": "x", "company": 3}, "must be text"),
        ({"query": "caf\udce9"}, "query holds broken characters"),
        ({"query": "x", "company": "\ud800"}, "company holds broken characters"),
        ({"query": "x", "allowed_domains": ["\ud800.org"]}, "allowed_domains holds broken characters"),
        ({"query": "x", "limit": 10**400}, "at most"),
        ({"query": "x", "limit": 10**5000}, "at most"),
        ({"query": "x", "limit": -(10**5000)}, "at least 1"),
        ({"query": "x", "limit": "9" * 5000}, "whole number"),
        ({"query": "x", "limit": float("inf")}, "whole number"),
        ({"query": "x", "limit": float("nan")}, "whole number"),
        ({"query": "x", "limit": []}, "whole number"),
        ({"query": "x", "freshness": []}, "day, week, month, year"),
        ({"query": "x", "freshness": {}}, "day, week, month, year"),
        ({"query": "x", "limit": 3, "count": 7}, "limit and count are two names of one thing"),
        ({"query": "x", "n": 3, "max_results": 7}, "n and max_results are two names of one thing"),
        ({"query": "x", "q": "y"}, "two names of one thing"),
        ({"query": "x", "allowed_domains": ["a.org"], "include_domains": ["b.org"]}, "two names of one thing"),
        ({"query": "x", "highlight": "perhaps"}, "true or false"),
        ({"query": "x", "only_mentions": []}, "true or false"),
    ],
)
def test_a_wrong_argument_is_named_with_what_to_send(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidQuery, match=message):
        from_arguments(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 7, "count": "7"},
        {"n": 7, "max_results": None},
        {"limit": "", "num_results": 7},
        {"limit": 7.0},
    ],
)
def test_two_names_that_agree_or_are_left_open_are_fine(arguments: dict[str, Any]) -> None:
    assert from_arguments({"query": "x", **arguments}).limit == 7


def test_domains_under_two_names_may_be_written_differently() -> None:
    query = from_arguments({"query": "x", "allowed_domains": ["a.org"], "include_domains": "https://A.org/"})
    assert query.allowed_domains == ("a.org",)


def test_a_default_is_not_a_second_name() -> None:
    usual = usual_options({"limit": 5, "language": "de", "safe_search": None, "route": "first"})
    query = from_arguments({"query": "x", "count": 7, "lang": "en"}, strict=True, usual=usual)
    assert (query.limit, query.language) == (7, "en")
    assert from_arguments({"query": "x", "limit": None}, usual=usual).limit == 5


@pytest.mark.parametrize(
    ("value", "meant"),
    [("false", False), ("True", True), ("0", False), (1, True), (0, False), ("yes", True), ("", False), (True, True)],
)
def test_yes_and_no_are_understood_as_words(value: object, meant: bool) -> None:
    query = from_arguments({"query": "x", "highlight": value, "only_mentions": value})
    assert (query.highlight, query.only_mentions) == (meant, meant)


@pytest.mark.proves("X-35")
def test_an_unknown_argument_is_an_error_only_when_strict() -> None:
    assert from_arguments({"query": "x", "colour": "red"}).text == "x"
    with pytest.raises(InvalidQuery, match="'colour'"):
        from_arguments({"query": "x", "colour": "red"}, strict=True)


def test_domains_are_taken_as_people_paste_them() -> None:
    query = to_query(
        "x", allowed_domains=["https://www.Example.org/path", "*.gov", ".example.com"], blocked_domains="a.b,c.d"
    )
    assert query.allowed_domains == ("www.example.org", "gov", "example.com")
    assert query.blocked_domains == ("a.b", "c.d")


def test_a_domain_is_read_as_the_guard_reads_a_host() -> None:
    """One site in two spellings is one domain, in the spelling that services and addresses have."""
    query = to_query("x", allowed_domains=["bücher.de", "https://www.BÜCHER.de/x", "xn--bcher-kva.de", "１.example"])
    assert query.allowed_domains == ("xn--bcher-kva.de", "www.xn--bcher-kva.de", "1.example")


@pytest.mark.parametrize(
    "odd", ["ex*.de", "a..b", "-a.de", "x.1.2", "xn--a.de", "so\u00adft.de", "[::1]", "%65.org", "@"]
)
def test_a_domain_that_could_match_nothing_is_an_error_and_not_a_filter(odd: str) -> None:
    with pytest.raises(InvalidQuery, match="not a domain such as"):
        to_query("x", blocked_domains=[odd])


@pytest.mark.proves("S1-3", "S1-2")
def test_special_characters_or_and_quotes_pass_through() -> None:
    text = 'litigation OR "quality problems" C++ & 50% <b>'
    assert to_query(text).text == text
