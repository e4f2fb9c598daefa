"""What is answered about a quotation: where it stands on a page, or what comes nearest."""

from typing import Literal

from seekread.value import Value

QuoteKind = Literal["exact", "normalised", "fuzzy"]


class Nearest(Value):
    """The words of a page that come nearest to a quotation which is not there: `text == page[start:end]`."""

    text: str
    start: int
    end: int


class Citation(Value):
    """A quotation that stands on a page: where, in which words, when it was read, and a link that opens it there."""

    kind: QuoteKind
    text: str
    start: int
    end: int
    score: float
    sha256: str
    url: str
    link: str
    fetched_at: str
    snapshot: str


class CheckedQuotation(Value):
    """
    Whether a quotation stands on a page.

    If it does, `citation` says where. If not, `differences` say what the page says instead, one sentence each, and
    `nearest` holds the passage that comes nearest, for orientation: it is no citation.
    """

    citation: Citation | None = None
    differences: tuple[str, ...] = ()
    nearest: Nearest | None = None
