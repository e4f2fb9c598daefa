"""Typed tool results."""

import json
from collections.abc import Callable

import pytest
from pydantic import ValidationError

from seekread.models import Page, SearchResponse
from seekread.render.results import OpenPageToolResult, page_result, pages_result, response_result, search_result

Golden = Callable[[str], str]


@pytest.mark.proves("X-9", "X-10")
def test_the_whole_response_is_pinned_as_json(response: SearchResponse, page: Page, golden: Golden) -> None:
    """The core's own names."""
    assert response.model_dump_json(indent=2) + "\n" == golden("native.json")
    assert page.model_dump_json(indent=2) + "\n" == golden("page.json")


@pytest.mark.proves("S3-11", "S3-13", "S3-25")
def test_a_search_is_pinned_as_json(response: SearchResponse, golden: Golden) -> None:
    """`str` is what a model reads."""
    assert json.dumps(json.loads(str(response_result(response))), indent=2) + "\n" == golden("search-result.json")


@pytest.mark.proves("S3-12", "S3-36")
def test_a_page_is_pinned_as_json(page: Page, golden: Golden) -> None:
    assert json.dumps(json.loads(str(page_result(page))), indent=2) + "\n" == golden("page-result.json")


def test_several_pages_are_pinned_as_json(page: Page, golden: Golden) -> None:
    """X-23."""
    gone = Page(url="https://example.org/gone", success=False, outcome="not_found", error="status 404")
    both = pages_result([page_result(page), page_result(gone)], budget=25)
    assert json.dumps(json.loads(str(both)), indent=2) + "\n" == golden("pages-result.json")


def test_nothing_found_has_a_message() -> None:
    """X-3."""
    assert search_result(()).message.startswith("No results found.")


def test_a_failed_page_has_no_content_and_says_what_to_do() -> None:
    """S3-39; a refusal is final."""
    failed = page_result(Page(url="u", content="x", content_length=1, success=False, outcome="timeout", error="late"))
    assert (failed.status, failed.content, failed.content_length) == ("error", "", 0)
    assert failed.error.startswith("late. ")
    assert failed.error.endswith("You can retry once or skip this page.")
    refused = page_result(Page(url="u", success=False, outcome="refused", error="no"))
    assert "retry" not in refused.error


def test_results_cannot_be_changed_and_have_only_two_states() -> None:
    result = page_result(Page(url="u", content="x", content_length=1))
    with pytest.raises(ValidationError):
        result.status = "error"
    with pytest.raises(ValidationError):
        OpenPageToolResult(url="u", title="", content="", content_length=0, status="maybe")  # type: ignore[arg-type]


@pytest.mark.parametrize(("used", "warned"), [(35_999, False), (36_000, True)])
def test_the_budget_warning_comes_at_ninety_per_cent(used: int, warned: bool) -> None:
    page = OpenPageToolResult(url="u", title="", content="", content_length=used, status="success")
    assert bool(pages_result([page], budget=40_000).budget_warning) is warned
