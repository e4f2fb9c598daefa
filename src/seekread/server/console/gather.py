"""The evidence page: the passages that answer a question, and beside them the sources they are from."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Self

from anyio import to_thread
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from seekread.errors import SeekreadError
from seekread.gathering.evidence import EvidencePassage, Gathered
from seekread.late import dataclass
from seekread.options import GATHER
from seekread.outcomes import MEANINGS
from seekread.server.console.links import here, is_own_wish
from seekread.server.console.markdown import render_part
from seekread.server.console.pages import page
from seekread.server.console.search import failed
from seekread.server.problems import retry_headers
from seekread.server.sessions import current

BUDGETS = {"500": "500 characters", "1000": "1,000 characters", "": "2,000 characters", "5000": "5,000 characters"}
PAGES = {"3": "3 pages", "": "5 pages", "10": "10 pages"}
LONGEST_QUESTION = GATHER["question"].most


@dataclass(frozen=True)
class GatherForm:
    """What stands in the form: the question, and how much is wanted, where that is not the usual."""

    question: str
    budget: str
    pages: str

    @classmethod
    def of(cls, sent: Mapping[str, str]) -> Self:
        """The form as it was sent; a choice it does not offer is the usual one."""
        return cls(
            sent.get("question", "").strip()[:LONGEST_QUESTION],
            next((choice for choice in BUDGETS if choice == sent.get("budget")), ""),
            next((choice for choice in PAGES if choice == sent.get("pages")), ""),
        )

    def options(self) -> dict[str, Any]:
        """What is asked for beside the question."""
        return {name: int(value) for name, value in (("budget", self.budget), ("pages", self.pages)) if value}


@dataclass(frozen=True)
class ShownEvidence:
    """A passage as a person reads it."""

    passage: EvidencePassage
    html: Markup


async def gather_page(request: Request) -> Response:
    """The form, and the evidence for the question that stands in it."""
    form = GatherForm.of(request.query_params)

    def same() -> str:
        """The address of this question."""
        return here(request, "/gather", **vars(form))

    values: dict[str, Any] = {
        "form": form, "found": None, "failure": None, "held_back": False, "same": same, "budgets": BUDGETS,
        "page_counts": PAGES,
    }  # fmt: skip
    if not form.question:
        return page(request, "gather.html", values)
    if not is_own_wish(request):
        return page(request, "gather.html", {**values, "held_back": True})
    try:
        found = await current().gather(form.question, **form.options())
    except SeekreadError as error:
        failure = failed(error)
        status = MEANINGS[failure.outcome].status if failure.outcome else 400
        return page(request, "gather.html", {**values, "failure": failure}, status=status, headers=retry_headers(error))
    passages = await to_thread.run_sync(shown, found)
    cited = Counter(passage.source for passage in found.passages)
    values |= {"cited": cited, "unread_urls": {each.url for each in found.left_out if each.why == "failed"}}
    return page(request, "gather.html", {**values, "found": found, "passages": passages})


def shown(found: Gathered) -> list[ShownEvidence]:
    """The passages, rendered."""
    return [ShownEvidence(passage, render_part(passage.text.strip())) for passage in found.passages]
