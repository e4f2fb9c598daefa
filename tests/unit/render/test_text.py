"""Numbered text and the native text form."""

from collections.abc import Callable

import pytest

from seekread.models import Page, SearchResponse, SearchResult
from seekread.render.text import continuation, numbered, page_to_text, shortened, to_text, with_notes

Golden = Callable[[str], str]


@pytest.mark.proves("S0-5")
def test_numbered_text_is_pinned(response: SearchResponse, golden: Golden) -> None:
    assert numbered(response.results) == golden("numbered.txt")


def test_native_text_is_pinned(response: SearchResponse, golden: Golden) -> None:
    """X-11: citation numbers, dates and flags."""
    assert with_notes(to_text(response), response.notes) == golden("native.txt")


def test_nothing_found_is_one_line(nothing: SearchResponse) -> None:
    """X-3."""
    assert to_text(nothing) == "No results found for: rare thing"
    assert numbered(()) == ""


@pytest.mark.proves("S3-13")
def test_a_page_is_pinned_and_says_where_to_go_on(page: Page, golden: Golden) -> None:
    """Truncation is visible in the text itself."""
    assert page_to_text(page) == golden("page.txt")
    assert continuation(page.model_copy(update={"truncated": False})) == ""
    unknown = page.model_copy(update={"original_length": None, "next_offset": None})
    assert continuation(unknown) == "[Truncated: characters 0 to 23.]"
    assert page_to_text(Page(url="https://a.example", content="x")) == "https://a.example\n\nx"
    titled = Page(url="https://a.example", title="Tea", content="# Tea\n\nx")
    assert page_to_text(titled) == "https://a.example\n\n# Tea\n\nx"


def test_long_snippets_are_cut_at_a_word_and_marked() -> None:
    """S2-34, S2-41: a thousand characters a result unless something else is asked for."""
    result = SearchResult(title="T", url="https://t.example", snippet="word " * 1000, citation_id=1)
    text = to_text(SearchResponse(query="q", results=(result,), answer="word " * 1000))
    assert len(text) < 2200
    assert text.count(" […]") == 2
    assert "[…]" not in numbered((result,))
    assert len(numbered((result,), length=50)) < 100
    assert shortened("one two three", 9) == "one two […]"
    assert shortened("unbroken" * 3, 5) == "unbro […]"
    assert shortened("short", None) == "short"


def test_a_title_cannot_start_a_line_of_its_own() -> None:
    """X-11."""
    result = SearchResult(title="A\r\nB\u2028C", url="https://a.example\nx", snippet="c\x0bd", citation_id=1)
    assert numbered((result,)) == "1. A B C — https://a.example x\n   c d"
    assert to_text(SearchResponse(query="q", results=(result,))).count("\n") == 1
