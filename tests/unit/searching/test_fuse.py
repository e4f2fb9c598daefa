"""Several rankings become one, and no page is shown twice."""

import pytest

from seekread.models import SearchResult
from seekread.searching.fuse import canonical, fuse, unique


def result(path: str, *, provider: str = "p", snippet: str = "") -> SearchResult:
    return SearchResult(title=path, url=f"https://e.org/{path}", snippet=snippet, providers=(provider,))


def test_a_page_several_rank_high_comes_first_and_names_them_all() -> None:
    merged = fuse([[result("a"), result("b")], [result("b", provider="q"), result("c", provider="q")]])
    assert [r.title for r in merged] == ["b", "a", "c"]
    assert merged[0].providers == ("p", "q")


@pytest.mark.parametrize(
    "spelling",
    ["https://www.e.org/a/", "http://e.org/a", "https://E.org:443/a#top", "https://e.org/a?utm_source=x&gclid=1",
     "https://e.org./a", "https://ｅ。org/a", " https://e.org/a "],
)  # fmt: skip
def test_spellings_of_one_address_are_one_page(spelling: str) -> None:
    assert canonical(spelling) == canonical("https://e.org/a")


def test_an_international_name_and_its_ascii_spelling_are_one_site() -> None:
    assert canonical("https://www.bücher.de/a") == canonical("https://xn--bcher-kva.de/a")


def test_different_queries_are_different_pages() -> None:
    assert canonical("https://e.org/a?id=1") != canonical("https://e.org/a?id=2")


def test_a_snippet_that_adds_something_is_kept_a_near_duplicate_is_not() -> None:
    first = result("a", snippet="solid state batteries enter production")
    again = result("a", provider="q", snippet="Solid-state batteries enter production!")
    other = result("a", provider="r", snippet="the plant is in Osaka and employs many people")
    [merged] = unique([first, again, other])
    assert merged.extra_snippets == (other.snippet,)


def test_an_address_that_cannot_be_parsed_is_left_alone() -> None:
    assert canonical("http://[broken") == "http://[broken"
