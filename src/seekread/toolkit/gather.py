"""`gather`: the passages that answer a question, from several pages, within the tokens a result may have."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from seekread.arguments import read_arguments
from seekread.gathering.evidence import Gathered
from seekread.models import Page, estimated_tokens
from seekread.outcomes import MEANINGS
from seekread.render.evidence import fenced_evidence, left_out
from seekread.render.results import with_notes
from seekread.toolkit.answer import Budget, ToolAnswer
from seekread.toolkit.definitions import GATHER_EVIDENCE

if TYPE_CHECKING:
    from seekread.client import Seekread


async def gather(web: "Seekread", given: Mapping[str, Any], budget: Budget) -> ToolAnswer:
    """Search, read the best pages, and choose what answers."""
    options = read_arguments(given, GATHER_EVIDENCE.takes)
    tokens = budget.tokens(options.get("budget"))
    for name, most in {"budget": 4 * tokens, "pages": GATHER_EVIDENCE.takes["pages"].most}.items():
        if name in options:
            options[name] = min(options[name], most)
    found = await web.gather(options.pop("question"), **options)
    shown = fitting(found, tokens)
    pages = tuple(Page(url=each.url, title=each.title, snapshot=each.snapshot) for each in shown.sources)
    return ToolAnswer(evidence_for_model(shown), evidence_values(shown), complete=found, pages=pages)


def fitting(found: Gathered, allowed: int) -> Gathered:
    """As many of the best passages as have room, the first in any case: scripts differ in characters per token."""
    for count in range(len(found.passages), 1, -1):
        shown = best(found, count)
        if estimated_tokens(evidence_for_model(shown)) <= allowed:
            return shown
    return best(found, 1)


def best(found: Gathered, count: int) -> Gathered:
    """The first passages with their sources, and a word about the others."""
    others = len(found.passages) - count
    if others <= 0:
        return found
    passages = found.passages[:count]
    cited = {passage.source for passage in passages}
    sources = tuple(source for source in found.sources if source.number in cited)
    notes = (*found.notes, f"{others} more passages are left out; ask more narrowly")
    return found.model_copy(update={"passages": passages, "sources": sources, "notes": notes})


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
