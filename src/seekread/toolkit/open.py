"""`open_page`: read a page, or the part of it that was asked for, within the tokens a result may have."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from seekread.arguments import read_arguments
from seekread.errors import InvalidQuery
from seekread.models import Page, Pages, estimated_tokens
from seekread.options import OPEN
from seekread.render.pages import page_text
from seekread.toolkit.answer import Budget, ToolAnswer
from seekread.toolkit.definitions import OPEN_PAGE

if TYPE_CHECKING:
    from seekread.client import Seekread

ONE_OR_SEVERAL = replace(OPEN["urls"], name="url", aliases=OPEN["url"].aliases)
"""Models that know other tools send a list where one address is asked for."""
SHORTEST = 200
"""Characters of a page shown in any case."""


async def open_page(web: "Seekread", given: Mapping[str, Any], budget: Budget) -> ToolAnswer:
    """Read one page, or up to ten that share the budget; it is a failure only when none could be read."""
    options = read_arguments(given, {**OPEN_PAGE.takes, "url": ONE_OR_SEVERAL})
    # Whoever sends both wants both.
    urls = tuple(dict.fromkeys((*options.pop("url", ()), *options.pop("urls", ()))))
    if not urls:
        raise InvalidQuery(f"url is required: {OPEN_PAGE.takes['url'].missing}")
    leave_out_links(options)
    tokens = within(options, Budget(budget.usual // len(urls)))
    if len(urls) > 1:
        return several([await fitting(web, page, options, tokens) for page in await web.open_pages(urls, **options)])
    page = await fitting(web, await web.open_page(*urls, **options), options, tokens)
    return ToolAnswer(fenced_text(page), page_values(page), failed=not page.success, complete=page, pages=(page,))


def several(pages: Sequence[Page]) -> ToolAnswer:
    """Pages one below the other, each between fences of its own, and each with its outcome."""
    return ToolAnswer(
        "\n\n".join(map(fenced_text, pages)),
        {"pages": [{**page_values(page), "outcome": page.outcome, "error": page.error} for page in pages]},
        failed=not any(page.success for page in pages),
        complete=Pages(pages=tuple(pages)),
        pages=tuple(pages),
    )


def leave_out_links(options: dict[str, Any]) -> None:
    """Whoever asks a question wants an answer, not addresses, unless he says so."""
    if options.get("query"):
        options.setdefault("links", "none")


def within(options: dict[str, Any], budget: Budget) -> int:
    """The tokens a call may have; a length that cannot fit into them is cut."""
    tokens = budget.tokens(options.get("max_length"))
    if "max_length" in options:
        options["max_length"] = min(options["max_length"], 4 * tokens)
    return tokens


async def fitting(web: "Seekread", page: Page, options: Mapping[str, Any], allowed: int) -> Page:
    """The page, or a smaller part of it while its text has too many tokens: scripts differ in characters per token."""
    if not page.success or estimated_tokens(fenced_text(page)) <= allowed:
        return page
    from seekread.client import snapshot_of
    from seekread.reading.part import Wanted, part_of

    whole_page = (await snapshot_of(web, page)).page
    heard = {"url": page.url, "cached": page.cached, "age_seconds": page.age_seconds}
    length = max(page.content_length, SHORTEST)
    while (tokens := estimated_tokens(fenced_text(page))) > allowed and length > SHORTEST:
        length = max(SHORTEST, min(length - 1, length * allowed // tokens))
        page = part_of(whole_page, Wanted(**{**options, "max_length": length})).model_copy(update=heard)
    return page


def fenced_text(page: Page) -> str:
    """What a model reads of a page."""
    return page_text(page, fenced=True)


def page_values(page: Page) -> dict[str, Any]:
    return {
        "url": page.final_url or page.url,
        "title": page.title,
        "content": page.content,
        "truncated": page.truncated,
        "next_offset": page.next_offset,
        "original_length": page.original_length,
        "snapshot": page.snapshot,
        "notes": list(page.notes),
    }
