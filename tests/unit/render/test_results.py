"""What a search found, as numbered text, as Markdown and as a tool result."""

import json
from collections.abc import Callable

import pytest

from seekread.models import Page, SearchResponse, SearchResult
from seekread.render.results import (
    numbered,
    results_markdown,
    results_text,
    term2_markdown,
    with_notes,
)
from seekread.render.tool_results import search_result

Golden = Callable[[str], str]


@pytest.mark.proves("S0-5")
def test_numbered_text_is_pinned(response: SearchResponse, golden: Golden) -> None:
    assert numbered(response.results) == golden("numbered.txt")


def test_native_text_is_pinned(response: SearchResponse, golden: Golden) -> None:
    """X-11: citation numbers, dates and flags."""
    assert with_notes(results_text(response), response.notes) == golden("native.txt")


def test_nothing_found_is_one_line(nothing: SearchResponse) -> None:
    """X-3."""
    assert results_text(nothing) == "No results found for: rare thing"
    assert numbered(()) == ""


def test_long_snippets_are_cut_at_a_word_and_marked() -> None:
    """S2-34, S2-41: a thousand characters a result unless something else is asked for."""
    result = SearchResult(title="T", url="https://t.example", snippet="word " * 1000, citation_id=1)
    text = results_text(SearchResponse(query="q", results=(result,), answer="word " * 1000))
    assert len(text) < 2200
    assert text.count(" […]") == 2
    assert "[…]" not in numbered((result,))
    assert len(numbered((result,), length=50)) < 100


def test_a_title_cannot_start_a_line_of_its_own() -> None:
    """X-11."""
    result = SearchResult(title="A\r\nB\u2028C", url="https://a.example\nx", snippet="c\x0bd", citation_id=1)
    assert numbered((result,)) == "1. A B C — https://a.example x\n   c d"
    assert results_text(SearchResponse(query="q", results=(result,))).count("\n") == 1


DOCUMENTED = (
    "## Answer\n\nANS\n\n\n## Search Results\n\n### 1. T1\n\n**URL:** U1\n\n**Published:** D1\n\n\nC1\n\n\n---\n\n"
    "### 2. T2\n\n**URL:** U2\n\n\nC2\n\n\n---\n"
)


def answered(answer: str | None, *rows: tuple[str, str, str | None, str]) -> SearchResponse:
    results = tuple(SearchResult(title=t, url=u, published_date=d, snippet=c) for t, u, d, c in rows)
    return SearchResponse(query="q", answer=answer, results=results)


@pytest.mark.proves("S2-21")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            answered("ANS", ("T1", "U1", "D1", "C1"), ("T2", "U2", None, "C2")),
            DOCUMENTED,
        ),
        (answered(None), "No results found for this query.\n"),
        (answered("ANS"), "## Answer\n\nANS\n\n\nNo results found for this query.\n"),
    ],
)
def test_the_documents_golden_texts(given: SearchResponse, expected: str) -> None:
    assert term2_markdown(given) == expected


def test_term2_is_pinned_with_content_that_would_break_it(request: pytest.FixtureRequest, golden: Golden) -> None:
    """X-11."""
    assert term2_markdown(request.getfixturevalue("response")) == golden("term2.md")


def test_term2_gets_every_word_unless_a_length_is_given() -> None:
    """S2-21, S2-41: the byte-exact form is uncut."""
    result = SearchResult(title="T", url="https://t.example", snippet="word " * 1000, citation_id=1)
    response = SearchResponse(query="q", results=(result,))
    assert term2_markdown(response).count("word") == 1000
    assert term2_markdown(response, length=100).count("word") == 20


def test_markdown_is_pinned(request: pytest.FixtureRequest, golden: Golden) -> None:
    assert results_markdown(request.getfixturevalue("response")) == golden("native.md")


def test_nothing_found_is_one_line_of_markdown(nothing: SearchResponse) -> None:
    """X-3."""
    assert results_markdown(nothing) == "No results found for: rare thing\n"


def test_long_snippets_are_cut_in_markdown() -> None:
    """S2-41."""
    result = SearchResult(title="T", url="https://t.example", snippet="word " * 1000, citation_id=1)
    assert len(results_markdown(SearchResponse(query="q", results=(result,)))) < 1100
    assert len(results_markdown(SearchResponse(query="q", results=(result,)), length=100)) < 200


@pytest.mark.proves("X-9", "X-10")
def test_the_whole_response_is_pinned_as_json(response: SearchResponse, page: Page, golden: Golden) -> None:
    """The core's own names."""
    assert response.model_dump_json(indent=2) + "\n" == golden("native.json")
    assert page.model_dump_json(indent=2) + "\n" == golden("page.json")


@pytest.mark.proves("S3-11", "S3-13", "S3-25")
def test_a_search_is_pinned_as_json(response: SearchResponse, golden: Golden) -> None:
    """`str` is what a model reads."""
    made = search_result(response.results, notes=response.notes)
    assert json.dumps(json.loads(str(made)), indent=2) + "\n" == golden("search-result.json")


def test_nothing_found_has_a_message() -> None:
    """X-3."""
    assert search_result(()).message.startswith("No results found.")
