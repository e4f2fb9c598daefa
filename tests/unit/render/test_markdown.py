"""Markdown: term2's byte-exact form and the one for people."""

from collections.abc import Callable

import pytest

from seekread.models import Page, SearchResponse, SearchResult
from seekread.render.markdown import escaped, harmless, link_target, page_to_markdown, term2, to_markdown

Golden = Callable[[str], str]


DOCUMENTED = (
    "## Answer\n\nANS\n\n\n## Search Results\n\n### 1. T1\n\n**URL:** U1\n\n**Published:** D1\n\n\nC1\n\n\n---\n\n"
    "### 2. T2\n\n**URL:** U2\n\n\nC2\n\n\n---\n"
)


def response(answer: str | None, *rows: tuple[str, str, str | None, str]) -> SearchResponse:
    results = tuple(SearchResult(title=t, url=u, published_date=d, snippet=c) for t, u, d, c in rows)
    return SearchResponse(query="q", answer=answer, results=results)


@pytest.mark.proves("S2-21")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            response("ANS", ("T1", "U1", "D1", "C1"), ("T2", "U2", None, "C2")),
            DOCUMENTED,
        ),
        (response(None), "No results found for this query.\n"),
        (response("ANS"), "## Answer\n\nANS\n\n\nNo results found for this query.\n"),
    ],
)
def test_the_documents_golden_texts(given: SearchResponse, expected: str) -> None:
    assert term2(given) == expected


def test_term2_is_pinned_with_content_that_would_break_it(request: pytest.FixtureRequest, golden: Golden) -> None:
    """X-11."""
    assert term2(request.getfixturevalue("response")) == golden("term2.md")


def test_markdown_is_pinned(request: pytest.FixtureRequest, golden: Golden) -> None:
    assert to_markdown(request.getfixturevalue("response")) == golden("native.md")


def test_a_page_is_pinned(page: Page, golden: Golden) -> None:
    assert page_to_markdown(page) == golden("page.md")
    assert page_to_markdown(Page(url="https://a.example", content="x")).startswith("# [https://a.example](<https")


def test_nothing_found(nothing: SearchResponse) -> None:
    """X-3."""
    assert to_markdown(nothing) == "No results found for: rare thing\n"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("## x", "\\## x"),
        ("a\n### b", "a\n\\### b"),
        ("#hashtag", "#hashtag"),
        ("---", "\\---"),
        ("a --- b", "a --- b"),
        ("**URL:** x", "*\\*URL:** x"),
        ("see **Published:** y", "see *\\*Published:** y"),
        ("a\r\n## b\rc", "a\n\\## b\nc"),
        ("a\u2028# b", "a\n\\# b"),
        ("  ## b", "  \\## b"),
        ("plain", "plain"),
    ],
)
def test_structure_in_content_is_made_harmless(text: str, safe: str) -> None:
    assert harmless(text) == safe


def test_a_link_cannot_be_ended_early() -> None:
    assert escaped("a](b) [c") == "a\\](b) \\[c"
    assert link_target("https://a.example/x> <y\n") == "<https://a.example/x%3E%20%3Cy>"


def test_long_snippets_are_cut() -> None:
    """S2-41."""
    result = SearchResult(title="T", url="https://t.example", snippet="word " * 1000, citation_id=1)
    assert len(to_markdown(SearchResponse(query="q", results=(result,)))) < 1100
    assert len(to_markdown(SearchResponse(query="q", results=(result,)), length=100)) < 200
