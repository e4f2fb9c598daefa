"""`web_search`: search, and number what was found."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from seekread.arguments import read_arguments
from seekread.models import SearchResponse, estimated_tokens
from seekread.outcomes import MEANINGS
from seekread.page.fence import fence
from seekread.page.invisible import one_line
from seekread.render.inline import shortened
from seekread.render.results import results_text, with_notes
from seekread.toolkit.answer import Budget, ToolAnswer
from seekread.toolkit.definitions import WEB_SEARCH

if TYPE_CHECKING:
    from seekread.client import Seekread

SNIPPETS = (1000, 500, 250, 100)
"""Lengths of snippets, from what is usual to what is left when there are many results."""


async def web_search(web: "Seekread", given: Mapping[str, Any], budget: Budget) -> ToolAnswer:
    """Search, and number what was found."""
    options = read_arguments(given, WEB_SEARCH.takes)
    return found(await web.search(options.pop("query"), **options), budget)


def found(response: SearchResponse, budget: Budget) -> ToolAnswer:
    """The results as text and as values, with snippets as long as the budget allows."""
    complete, notes = response, [*response.notes, *([] if response.results else [MEANINGS["empty"].advise()])]
    for length in SNIPPETS:
        text = with_notes(fenced_results(response, length), notes)
        if estimated_tokens(text) <= budget.usual:
            break
    asked = len(response.results)
    while estimated_tokens(text) > budget.usual and len(response.results) > 1:
        response = response.model_copy(update={"results": response.results[:-1]})
        left_out = f"{asked - len(response.results)} more results are left out; ask for fewer"
        text = with_notes(fenced_results(response, length), [*notes, left_out])
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
    values = {"outcome": response.outcome, "results": rows, "answer": answer, "notes": notes}
    return ToolAnswer(text, values, complete=complete)


def fenced_results(response: SearchResponse, length: int) -> str:
    """What a model reads of an answer; that there is none is nobody else's word."""
    text = results_text(response, length=length)
    return fence(text, source="a search") if response.results or response.answer else text
