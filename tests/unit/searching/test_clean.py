"""Results are cleaned in one place."""

from datetime import UTC, datetime

import pytest

from seekread.models import SearchResult
from seekread.searching.clean import clean_result, clean_text

NOW = datetime(2026, 11, 15, tzinfo=UTC)


@pytest.mark.proves("X-27")
@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("A &quot;pilot&quot; line <strong>opened</strong> ...", 'A "pilot" line opened ...'),
        ("un<b>believ</b>able", "unbelievable"),
        ("one<br>two<p>three", "one two three"),
        ("  many \n\t spaces  ", "many spaces"),
        ("List&lt;T&gt; stays", "List<T> stays"),
        ("a < b and c > d", "a < b and c > d"),
        ("zero\u200bwidth \u202ebidi\u202c tag\U000e0041", "zerowidth bidi tag"),
        (None, ""),
        ("", ""),
    ],
)
def test_text_is_plain_and_on_one_line(dirty: str | None, clean: str) -> None:
    assert clean_text(dirty) == clean


@pytest.mark.proves("S1-10", "S1-23", "S1-41")
def test_a_result_gets_its_source_date_and_provider() -> None:
    raw = SearchResult(
        title="<b>T</b>",
        url=" https://www.Example.org/a ",
        snippet="&amp;",
        extra_snippets=("<i>x</i>", ""),
        age="2 days ago",
    )
    clean = clean_result(raw, "brave", NOW)
    assert (clean.title, clean.source, clean.snippet) == ("T", "example.org", "&")
    assert clean.published_date == "2026-11-13"
    assert clean.extra_snippets == ("x",)
    assert clean.providers == ("brave",)


@pytest.mark.proves("S1-23")
@pytest.mark.parametrize("url", ["", "not a url", "http://[", "https://"])
def test_an_odd_address_has_no_source(url: str) -> None:
    assert clean_result(SearchResult(title="t", url=url), "x", NOW).source == ""


def test_oversized_texts_are_cut_before_they_are_cleaned() -> None:
    raw = SearchResult(
        title="t" * 10_000,
        url="https://a.org/",
        snippet="a <b " * 1_000_000,
        extra_snippets=("e" * 10_000,) * 100,
        content="c" * 1_000_000,
        age="1 day ago" + " " * 1_000_000,
        published_date="9" * 1_000_000,
    )
    clean = clean_result(raw, "x", NOW)
    assert (len(clean.title), len(clean.content or "")) == (500, 200_000)
    assert 4_000 < len(clean.snippet) <= 5_000
    assert [len(snippet) for snippet in clean.extra_snippets] == [2_000] * 20
    assert (clean.age, clean.published_date) == ("1 day ago", "2026-11-14")


@pytest.mark.parametrize("end", ["<strong>x</strong>", "&quot;&quot;", "&#8222;x", '<a href="https://a.org/x">'])
def test_a_cut_leaves_no_half_tag_or_entity_behind(end: str) -> None:
    for spare in range(1, len(end)):
        text = clean_text("a" * (500 - spare) + end, 500)
        assert not set(text) & set("<&#")
