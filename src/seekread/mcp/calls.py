"""What `web_search` and `open_page` do: arguments in, a complete text and the same as plain values out."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from seekread.arguments import read_arguments
from seekread.errors import InvalidQuery
from seekread.mcp.answer import Budget, ToolAnswer
from seekread.mcp.arguments import PAGE_NAMES, longest, named, number_at_least, text_or_none
from seekread.mcp.definitions import OPEN_PAGE, PAGE_LOOKUP, WEB_SEARCH
from seekread.mcp.lookup import page_lookup
from seekread.models import Page, SearchResponse, estimated_tokens
from seekread.options import QUESTION
from seekread.outcomes import MEANINGS
from seekread.page.invisible import one_line
from seekread.render.failure import explain_page
from seekread.render.inline import shortened
from seekread.render.pages import page_text
from seekread.render.results import results_text, with_notes

if TYPE_CHECKING:
    from seekread.client import Seekread
    from seekread.options import OpenOptions

SNIPPETS = (1000, 500, 250, 100)
"""Lengths of snippets, from what is usual to what is left when there are many results."""
SHORTEST = 200
"""Characters of a page shown in any case."""


async def web_search(web: "Seekread", given: Mapping[str, Any], budget: Budget) -> ToolAnswer:
    """Search, and number what was found."""
    arguments = read_arguments(given, QUESTION)
    return search_answer(await web.search(arguments.pop("query"), **arguments), budget)


def search_answer(response: SearchResponse, budget: Budget) -> ToolAnswer:
    """The results as text and as values, with snippets as long as the budget allows."""
    notes = [*response.notes, *([] if response.results else [MEANINGS["empty"].advice])]
    for length in SNIPPETS:
        text = with_notes(results_text(response, length=length), notes)
        if estimated_tokens(text) <= budget.usual:
            break
    asked = len(response.results)
    while estimated_tokens(text) > budget.usual and len(response.results) > 1:
        response = response.model_copy(update={"results": response.results[:-1]})
        left_out = f"{asked - len(response.results)} more results are left out; ask for fewer"
        text = with_notes(results_text(response, length=length), [*notes, left_out])
    notes += [left_out] if len(response.results) < asked else []
    rows = [
        {
            "citation_id": result.citation_id,
            "title": one_line(result.title),
            "url": result.url,
            "snippet": shortened(one_line(result.snippet), length),
            "published_date": result.published_date,
        }
        for result in response.results
    ]
    answer = response.answer and shortened(one_line(response.answer), length)
    return ToolAnswer(text, {"outcome": response.outcome, "results": rows, "answer": answer, "notes": notes})


async def open_page(web: "Seekread", given: Mapping[str, Any], budget: Budget) -> ToolAnswer:
    """Read a page, or the part of it that was asked for."""
    if isinstance(given.get("urls"), list) and len(given["urls"]) == 1:
        given = {**{name: value for name, value in given.items() if name != "urls"}, "url": given["urls"][0]}
    arguments = named(given, PAGE_NAMES, OPEN_PAGE.takes["properties"], OPEN_PAGE.takes)
    url = arguments.pop("url", None)
    if not isinstance(url, str) or not url.strip():
        raise InvalidQuery("url is required: send the address of one page")
    allowed = budget.most if arguments.get("max_length") else budget.usual
    options: OpenOptions = {
        "query": text_or_none("query", arguments.get("query")),
        "section": text_or_none("section", arguments.get("section")),
        "offset": number_at_least("offset", arguments.get("offset", 0), least=0),
        "max_length": longest(arguments.get("max_length"), allowed),
    }
    page = await web.open_page(url.strip(), **options)
    if not page.success:
        return ToolAnswer(f"Could not read {one_line(url)}: {explain_page(page)}", failed=True)
    page = await fitting(web, page, options, allowed)
    return ToolAnswer(page_text(page), page_values(page), page=page)


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


async def fitting(web: "Seekread", page: Page, options: "OpenOptions", allowed: int) -> Page:
    """The page, or a smaller part of it while its text has too many tokens: scripts differ in characters per token."""
    if page.snapshot is None or estimated_tokens(page_text(page)) <= allowed:
        return page
    from seekread.reading.part import Wanted, part_of

    whole_page = (await web.snapshot(page.snapshot)).page
    heard = {"url": page.url, "cached": page.cached, "age_seconds": page.age_seconds}
    length = max(page.content_length, SHORTEST)
    while (tokens := estimated_tokens(page_text(page))) > allowed and length > SHORTEST:
        length = max(SHORTEST, min(length - 1, length * allowed // tokens))
        wanted = Wanted(length, options["offset"], options["query"], options["section"])
        page = part_of(whole_page, wanted).model_copy(update=heard)
    return page


CALLS: dict[str, Callable[["Seekread", Mapping[str, Any], Budget], Awaitable[ToolAnswer]]] = {
    WEB_SEARCH.name: web_search,
    OPEN_PAGE.name: open_page,
    PAGE_LOOKUP.name: page_lookup,
}
"""The tools by name."""
