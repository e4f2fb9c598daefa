"""Company research: named once, kept, marked."""

import pytest

from seekread.models import SearchResult
from seekread.searching.company import highlighted, only_mentioning, with_company


@pytest.mark.proves("S1-4", "S1-20", "X-28")
@pytest.mark.parametrize(
    ("text", "company", "sent"),
    [
        ("management changes", "Apple Inc", "management changes Apple Inc"),
        ("apple inc revenue", "Apple Inc", "apple inc revenue"),
        ("Apple revenue", "Apple Inc", "Apple revenue"),
        ("gap analysis", "Gap Inc", "gap analysis Gap Inc"),
        ("the market", "The Coca-Cola Company", "the market The Coca-Cola Company"),
        ("pineapple farms", "Apple Inc", "pineapple farms Apple Inc"),
        ("AAPL outlook", "AAPL", "AAPL outlook"),
        ("  spaced  ", None, "spaced"),
        ("x", "   ", "x"),
    ],
)
def test_the_company_is_named_once(text: str, company: str | None, sent: str) -> None:
    assert with_company(text, company) == sent


APPLE = SearchResult(title="Apple Inc reports", url="https://a.example", snippet="x")
OTHER = SearchResult(title="Fruit", url="https://b.example", snippet="about apple inc farms")
NEITHER = SearchResult(title="Tea", url="https://c.example")


@pytest.mark.proves("S1-24")
def test_results_that_mention_the_company_are_kept() -> None:
    """S1-51"""
    assert only_mentioning([APPLE, OTHER, NEITHER], "Apple Inc") == [APPLE, OTHER]


@pytest.mark.proves("S1-24")
def test_all_results_stay_when_none_mentions_the_company() -> None:
    assert only_mentioning([NEITHER], "Apple Inc") == [NEITHER]


@pytest.mark.proves("S1-25")
def test_mentions_are_marked_in_snippets_never_in_title_or_url() -> None:
    """S1-51"""
    result = SearchResult(
        title="Apple Inc", url="https://apple.example", snippet="apple inc grows", extra_snippets=("At Apple Inc.",)
    )
    marked = highlighted(result, "Apple Inc")
    assert marked.snippet == "**apple inc** grows"
    assert marked.extra_snippets == ("At **Apple Inc**.",)
    assert (marked.title, marked.url) == (result.title, result.url)
