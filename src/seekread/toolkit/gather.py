"""`gather`: the passages that answer a question, from several pages, within the tokens a result may have."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from seekread.arguments import read_arguments
from seekread.gathering.evidence import Gathered
from seekread.models import Page
from seekread.outcomes import MEANINGS
from seekread.render.evidence import fenced_evidence, left_out
from seekread.render.results import with_notes
from seekread.toolkit.answer import Budget, ToolAnswer
from seekread.toolkit.definitions import GATHER_EVIDENCE

if TYPE_CHECKING:
    from seekread.client import Seekread


USUAL_BUDGET = 2000
"""Characters of passages, unless a call asks for another number."""
SHARE = 0.75
"""Of the tokens of a result, what passages may take; numbers, sources and notes need the rest."""


async def gather(web: "Seekread", given: Mapping[str, Any], budget: Budget) -> ToolAnswer:
    """Search, read the best pages, and choose what answers."""
    options = read_arguments(given, GATHER_EVIDENCE.takes)
    options["budget"] = within(options, budget)
    if "pages" in options:
        options["pages"] = min(options["pages"], GATHER_EVIDENCE.takes["pages"].most)
    found = await web.gather(options.pop("question"), **options)
    pages = tuple(Page(url=each.url, title=each.title, snapshot=each.snapshot) for each in found.sources)
    return ToolAnswer(evidence_for_model(found), evidence_values(found), complete=found, pages=pages)


def within(options: Mapping[str, Any], budget: Budget) -> int:
    """The budget, cut to what a result may have. In no usual script a character has more than that share of a token."""
    asked = options.get("budget")
    tokens = budget.tokens(asked)
    return min(asked or USUAL_BUDGET, int(SHARE * tokens) if options.get("unit") == "tokens" else tokens)


def evidence_for_model(found: Gathered) -> str:
    """What a model reads: the evidence, what was left out, and what to do where there is none."""
    advice = [] if found.passages else [MEANINGS["empty"].advise()]
    return with_notes(fenced_evidence(found), [*left_out(found), *found.notes, *advice])


def evidence_values(found: Gathered) -> dict[str, Any]:
    passages = [each.model_dump(include={"source", "text", "heading", "link"}) for each in found.passages]
    sources = [each.model_dump(include={"number", "url", "title", "date", "snapshot"}) for each in found.sources]
    missed = [each.model_dump(mode="json") for each in found.left_out]
    return {
        "outcome": found.outcome,
        "passages": passages,
        "sources": sources,
        "left_out": missed,
        "notes": list(found.notes),
    }
