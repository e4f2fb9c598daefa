"""What was gathered: passages with where they stand, numbered sources, and what was left out and why."""

from typing import Literal

from seekread.outcomes import Outcome
from seekread.value import Value

LeftOutWhy = Literal["failed", "nothing to say", "repeats", "budget"]
"""Why a page gave nothing: not read, no word of the question, only what others say as well, or no room left."""


class EvidencePassage(Value):
    """A verbatim part of a source, `text == page[offset:end]`. `link` opens the page at it."""

    source: int
    text: str
    heading: str
    offset: int
    end: int
    score: float
    link: str


class EvidenceSource(Value):
    """A page that passages are from, under the number they cite. What an engine brought along has no snapshot."""

    number: int
    url: str
    title: str
    date: str | None = None
    sha256: str = ""
    snapshot: str | None = None
    fetched_at: str = ""


class LeftOut(Value):
    """A page that was found and gave nothing, with its outcome and the reason."""

    url: str
    why: LeftOutWhy
    outcome: Outcome = "ok"
    detail: str = ""


class Gathered(Value):
    """
    The passages that answer a question, from several pages, within one budget.

    Outcome `ok` has passages; `empty` has none although somebody was asked, which is an answer too. `content` is what a
    model reads; `used` is its size in the unit of the budget.
    """

    question: str
    outcome: Outcome = "ok"
    content: str = ""
    used: int = 0
    passages: tuple[EvidencePassage, ...] = ()
    sources: tuple[EvidenceSource, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
