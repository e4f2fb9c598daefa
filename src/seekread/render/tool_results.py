"""
Results and pages as the typed results of a tool: models of pydantic, which hosts ask for.

They hold what their host's contract names, and nothing else. What a framework hands to a model as `str(result)` is
JSON, not a Python repr; a failure stands in `message` or `error`, never in an empty list alone.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from seekread.models import Page, SearchResult, Source
from seekread.outcomes import MEANINGS
from seekread.page.invisible import one_line
from seekread.render.failure import complete, explain_page
from seekread.render.inline import shortened

MORE = "Use open_page tool to read the full content of any URL if the snippet is not enough."
NOTHING = "No results found. Try other words, fewer filters or a longer time range."
RETRY, SKIP = "You can retry once or skip this page.", "You can skip this page."


class ToolValue(BaseModel):
    """Base of the results: unchangeable, and JSON when turned into text."""

    model_config = ConfigDict(frozen=True)

    def __str__(self) -> str:
        return self.model_dump_json()


class SearchResultItem(ToolValue):
    """One result, with the number to cite it by."""

    title: str
    url: str
    snippet: str
    citation_id: int


class WebSearchToolResult(ToolValue):
    """What a search brought; `message` says what to do next, or what went wrong."""

    results: list[SearchResultItem] = []
    message: str = ""
    sources: list[Source] = []


def search_result(
    results: Sequence[SearchResult], *, notes: Sequence[str] = (), length: int | None = 1000
) -> WebSearchToolResult:
    """Results as a tool result, numbered from 1."""
    items = [
        SearchResultItem(
            title=one_line(result.title),
            url=result.url,
            snippet=shortened(one_line(result.snippet), length),
            citation_id=number,
        )
        for number, result in enumerate(results, start=1)
    ]
    return WebSearchToolResult(
        results=items,
        message=" ".join([MORE if items else NOTHING, *(f"Note: {one_line(note)}." for note in notes)]),
        sources=[Source(citation_id=item.citation_id, url=item.url, title=item.title) for item in items],
    )


class OpenPageToolResult(ToolValue):
    """One page, whole or visibly cut."""

    url: str
    title: str
    content: str
    content_length: int
    original_length: int | None = None
    truncated: bool = False
    status: Literal["success", "error"]
    error: str = ""


class OpenPagesToolResult(ToolValue):
    """Several pages that share one budget of characters."""

    pages: list[OpenPageToolResult] = Field(default=[])
    total: int = 0
    success_count: int = 0
    error_count: int = 0
    total_content_length: int = 0
    budget_warning: str = ""
    message: str = ""


def page_result(page: Page) -> OpenPageToolResult:
    """A page as a tool result; a failed read says so and what to do."""
    return OpenPageToolResult(
        url=page.url,
        title=page.title,
        content=page.content if page.success else "",
        content_length=page.content_length if page.success else 0,
        original_length=page.original_length,
        truncated=page.truncated,
        status="success" if page.success else "error",
        error="" if page.success else explained(page),
    )


def explained(page: Page) -> str:
    """What went wrong, and what can be done: at a closed door trying again cannot help, and a refusal is final."""
    if page.outcome == "refused" or complete(page):
        return explain_page(page)
    meaning = MEANINGS[page.outcome]
    return f"{explain_page(page)} {RETRY if meaning.charged or meaning.passes else SKIP}"


def pages_result(pages: Sequence[OpenPageToolResult], *, budget: int) -> OpenPagesToolResult:
    """Several pages as one tool result, with a warning when their budget is nearly used up."""
    used = sum(page.content_length for page in pages)
    good = sum(page.status == "success" for page in pages)
    return OpenPagesToolResult(
        pages=list(pages),
        total=len(pages),
        success_count=good,
        error_count=len(pages) - good,
        total_content_length=used,
        budget_warning=(
            f"Content budget nearly exhausted ({used}/{budget} chars). "
            "Consider reducing the number of URLs or use max_length_per_page."
            if used >= 0.9 * budget
            else ""
        ),
    )
