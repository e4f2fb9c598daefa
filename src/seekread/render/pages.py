"""
A page that was read: as text that says whose words it holds, as a Markdown file, and as the typed result of a tool.

As text, a page stands below a line that calls it untrusted, whoever asks for it. The typed result holds what its host's
contract names, and nothing else.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from seekread.models import Page
from seekread.outcomes import MEANINGS
from seekread.page.fence import fence, untrusted
from seekread.page.gate import link_text, shown_address, unspoken
from seekread.page.invisible import one_line
from seekread.render.failure import complete, explain_page
from seekread.render.inline import link_target
from seekread.render.results import ToolValue

LONGEST_MOVED = 300
"""Characters that are shown of the address a page was found at."""
RETRY, SKIP = "You can retry once or skip this page.", "You can skip this page."


def page_text(page: Page, *, fenced: bool = False) -> str:
    """
    Head, content and the sentences that say how much this is; a failure says only that.

    fenced: put all that the page says between fences with a word of this call alone, which no page can know
    """
    if not page.success:
        return f"Could not read {shown_address(page.url)}: {explain_page(page)}"
    body = page.content or ("(No part of the page is shown.)" if page.original_length else "(The page has no text.)")
    if fenced:
        inside = "\n\n".join(filter(None, (own_head(page, ""), body)))
        return "\n\n".join(filter(None, (fence(inside, source=source_of_page(page)), tail(page))))
    head = own_head(page, untrusted(source_of_page(page)))
    return "\n\n".join(filter(None, (head, body, tail(page))))


def source_of_page(page: Page) -> str:
    """Where a page was asked for, and where it was found."""
    moved = shown_address(page.final_url) if page.final_url and page.final_url != page.url else ""
    if len(moved) > LONGEST_MOVED:
        # Whoever redirects chooses the words of it, which stand outside of the fence.
        moved = f"{moved[:LONGEST_MOVED]}…"
    return f"{shown_address(page.url)}{f' (redirected to {moved})' if moved else ''}"


def own_head(page: Page, mark: str) -> str:
    """Title, the mark, and what the page says about itself."""
    facts = [one_line(page.metadata.get(name, "")) for name in ("author", "date", "site_name")]
    cached = f"read {page.age_seconds:.0f} s ago" if page.cached and page.age_seconds is not None else ""
    title = f"# {unspoken(one_line(page.title))}" if page.title else ""
    return "\n".join(filter(None, (title, mark, " · ".join(filter(None, (*map(unspoken, facts), cached))))))


def tail(page: Page) -> str:
    """Notes, what was removed, and the handle for going on without another fetch."""
    removed = [unspoken(one_line(f"{signal.kind}: {signal.detail or signal.count}")) for signal in page.signals]
    lines = [*(map(unspoken, map(one_line, page.notes)) if page.notes else filter(None, (continuation(page),)))]
    if removed:
        lines.append("Signals: " + "; ".join(removed) + ".")
    if page.snapshot:
        lines.append(f"Snapshot: {page.snapshot}")
    return "---\n" + "\n".join(lines) if lines else ""


def continuation(page: Page) -> str:
    """What is said about a page of which only a part is there, if the page does not say so itself."""
    if not page.truncated:
        return ""
    seen = f"characters {page.offset} to {page.offset + page.content_length}"
    whole = f" of {page.original_length}" if page.original_length is not None else ""
    more = f" Go on with offset={page.next_offset}." if page.next_offset is not None else ""
    return f"[Truncated: {seen}{whole}.{more}]"


def page_markdown(page: Page) -> str:
    """A page as a file for people: its title linked to its address, then its content."""
    url = page.final_url or page.url
    head = f"# [{link_text(one_line(page.title) or one_line(url))}]({link_target(url)})"
    return "\n\n".join(filter(None, (head, page.content.strip("\n"), continuation(page)))) + "\n"


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
