"""What a provider cannot do is made up for, and the response says how."""

from datetime import date

import pytest

from seekread.models import SearchResult
from seekread.provider import Traits
from seekread.searching.adapt import Sieve, plan
from seekread.searching.validate import to_query

TODAY = date(2026, 11, 15)
ABLE = Traits("able", "Able", honours=frozenset({"freshness", "allowed_domains", "news", "country"}))
DATES = Traits("dates", "Dates", honours=frozenset({"dates"}))
WORDS = Traits("words", "Words", operators=True, max_query=60, max_results=20)
TURNS = Traits("turns", "Turns", max_results=20, honours=frozenset({"page"}))
POOR = Traits("poor", "Poor", max_results=20)


def result(url: str, day: str | None = None) -> SearchResult:
    return SearchResult(title="t", url=url, published_date=day)


def test_a_wish_the_provider_honours_is_native() -> None:
    made = plan(to_query("x", freshness="week", allowed_domains=["a.org"]), ABLE, TODAY)
    assert made.filters == {"freshness": "native", "allowed_domains": "native"}
    assert made.query.text == "x"


def test_domains_are_emulated_with_operators() -> None:
    made = plan(to_query("tea", allowed_domains=["a.org", "b.org"], blocked_domains=["c.org"]), WORDS, TODAY)
    assert made.query.text == "tea (site:a.org OR site:b.org) -site:c.org"
    assert set(made.filters.values()) == {"emulated"}


def test_operators_that_do_not_fit_become_a_filter_afterwards() -> None:
    made = plan(to_query("tea " * 10, allowed_domains=["a-very-long-domain.example.org"]), WORDS, TODAY)
    assert "site:" not in made.query.text
    assert made.filters == {"allowed_domains": "post-filtered"}


@pytest.mark.proves("X-24")
def test_more_is_fetched_when_filtering_comes_afterwards() -> None:
    assert plan(to_query("x", limit=5, allowed_domains=["a.org"]), POOR, TODAY).query.limit == 15
    assert plan(to_query("x", limit=5), POOR, TODAY).query.limit == 5


def test_a_later_page_begins_where_the_one_before_ended() -> None:
    paged = Traits("paged", "Paged", page_size=10, max_results=50)
    made = plan(to_query("x", limit=8, page=3), paged, TODAY)
    assert (made.query.page, made.reach.drop, made.reach.needed) == (2, 6, 14)
    assert made.filters == {"page": "native"}
    assert plan(to_query("x", limit=8, page=3), TURNS, TODAY).query.page == 3


def test_a_later_page_of_what_is_filtered_afterwards_is_counted_from_the_first_result() -> None:
    made = plan(to_query("x", limit=5, page=2, allowed_domains=["a.org"]), TURNS, TODAY)
    assert (made.query.page, made.query.limit, made.reach.needed, made.reach.turns) == (1, 20, 30, 2)


def test_international_domains_are_sent_as_services_know_them() -> None:
    made = plan(to_query("x", allowed_domains=["bücher.de"]), ABLE, TODAY)
    assert made.query.allowed_domains == ("xn--bcher-kva.de",)
    made = plan(to_query("x", blocked_domains=["bücher.de"]), WORDS, TODAY)
    assert made.query.text == "x -site:xn--bcher-kva.de"


def test_freshness_becomes_a_date_range_where_that_is_what_the_provider_knows() -> None:
    made = plan(to_query("x", freshness="week"), DATES, TODAY)
    assert (made.query.date_from, made.query.date_to) == ("2026-11-08", "2026-11-15")
    assert made.filters == {"freshness": "native"}


def test_a_wish_nobody_can_meet_is_said_to_be_not_enforced() -> None:
    made = plan(
        to_query("x", search_type="news", country="DE", language="de", safe_search="strict", page=2), POOR, TODAY
    )
    assert set(made.filters.values()) == {"not enforced"}
    assert "poor cannot apply news" in made.notes


@pytest.mark.proves("X-2")
@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("one two three four", "one two three"),
        ("one two OR three", "one two"),
        ("one two - three", "one two"),
        ('one "two three four"', "one two three"),
        ("one two three", "one two three"),
    ],
)
def test_a_query_of_too_many_words_is_cut_between_two_of_them(text: str, sent: str) -> None:
    made = plan(to_query(text), Traits("few", "Few", max_words=3), TODAY)
    assert made.query.text == sent
    assert bool(made.notes) == (len(text.split()) > 3)


def test_operators_count_as_words() -> None:
    few = Traits("few", "Few", operators=True, max_words=3)
    assert plan(to_query("one two", blocked_domains=["a.org"]), few, TODAY).query.text == "one two -site:a.org"
    made = plan(to_query("one two three", blocked_domains=["a.org"]), few, TODAY)
    assert (made.query.text, made.filters) == ("one two three", {"blocked_domains": "post-filtered"})


def test_a_limit_above_the_cap_is_clamped_with_a_note() -> None:
    made = plan(to_query("x", limit=50), POOR, TODAY)
    assert made.query.limit == 20
    assert "at most 20" in made.notes[0]


@pytest.mark.proves("S3-9")
def test_domain_lists_are_enforced_on_what_came_back_even_if_native() -> None:
    query = to_query("x", allowed_domains=["a.org"], blocked_domains=["bad.a.org"])
    results = [result(f"https://{host}/") for host in ("a.org", "www.a.org", "nota.org", "a.org.evil.com", "bad.a.org")]
    kept = Sieve(query, {"allowed_domains": "native", "blocked_domains": "native"}, TODAY).passed(results)
    assert [r.url for r in kept] == ["https://a.org/", "https://www.a.org/"]


def test_a_blocked_international_domain_is_held_back_in_every_spelling() -> None:
    query = to_query("x", blocked_domains=["bücher.de"])
    results = [result(f"https://{host}/") for host in ("xn--bcher-kva.de", "www.bücher.de", "bucher.de")]
    assert [r.url for r in Sieve(query, {}, TODAY).passed(results)] == ["https://bucher.de/"]


def test_undated_results_are_kept_and_flagged_old_ones_go() -> None:
    query = to_query("x", freshness="week")
    results = [result("https://a/", "2026-11-10"), result("https://b/", "2020-01-01"), result("https://c/")]
    kept = Sieve(query, {"freshness": "post-filtered"}, TODAY).passed(results)
    assert [(r.url, r.flags) for r in kept] == [("https://a/", ()), ("https://c/", ("undated",))]


def test_what_the_provider_itself_let_through_is_flagged_not_dropped() -> None:
    query = to_query("x", freshness="week")
    kept = Sieve(query, {"freshness": "native"}, TODAY).passed([result("https://b/", "2020-01-01")])
    assert kept[0].flags == ("dated outside the range",)


def test_a_date_range_filters_both_ends() -> None:
    query = to_query("x", date_from="2026-01-01", date_to="2026-01-31")
    results = [result(f"https://{day}/", day) for day in ("2025-12-31", "2026-01-01", "2026-01-31", "2026-02-01")]
    kept = Sieve(query, {"dates": "post-filtered"}, TODAY).passed(results)
    assert [r.published_date for r in kept] == ["2026-01-01", "2026-01-31"]


def test_a_page_that_nobody_reaches_is_empty_and_costs_no_turn_for_each_page_before() -> None:
    made = plan(query := to_query("x", page=10**9, allowed_domains=["a.org"]), TURNS, TODAY)
    assert Sieve(query, made.filters, TODAY).page([result("https://a.org/1")] * 20, made.reach) == []


def test_what_did_not_pass_is_counted_by_the_wish_it_did_not_meet() -> None:
    query = to_query("x", allowed_domains=["a.org"], blocked_domains=["bad.a.org"], freshness="week")
    sieve = Sieve(query, {"freshness": "post-filtered"}, TODAY)
    sieve.passed([result("https://a.org/", "2020-01-01"), result("https://b.org/"), result("https://bad.a.org/")])
    assert sieve.dropped == {"freshness": 1, "allowed_domains": 1, "blocked_domains": 1}
