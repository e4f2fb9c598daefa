"""
A page as it was read: immutable, named after its content, and good for everything that follows without another fetch.

What looks into its text is imported when it is asked for: who only reads pages never needs it.
"""

import hashlib
from typing import TYPE_CHECKING

from seekread.late import dataclass
from seekread.models import Page, estimated_tokens
from seekread.options import USUAL_ANSWER, BudgetUnit
from seekread.page.cited import CheckedQuotation, Citation
from seekread.page.window import Window, window

if TYPE_CHECKING:
    from seekread.page.outline import Heading, Match
    from seekread.page.passages import Passages
    from seekread.page.quote import Quote


@dataclass(frozen=True)
class Snapshot:
    """A whole page, and the ways to read parts of it."""

    page: Page

    @property
    def id(self) -> str:
        """The handle under which it is stored."""
        return identity(self.page)

    @property
    def text(self) -> str:
        """The whole text."""
        return self.page.content

    def window(self, offset: int = 0, max_length: int = 15_000) -> Window:
        """One part of the page, cut at a paragraph where possible."""
        return window(self.text, offset, max_length)

    def outline(self) -> "tuple[Heading, ...]":
        """The headings, with offset and length of their sections."""
        from seekread.page.outline import outline

        return outline(self.text)

    def section(self, heading: str) -> str | None:
        """The text of a section by title, number or path; `None` when it is not there or not clear which."""
        from seekread.page.outline import section

        span = section(self.text, heading)
        return self.text[span.offset : span.end] if span else None

    def missing_section(self, heading: str) -> str:
        """What to tell somebody whose section was not found."""
        from seekread.page.outline import missing

        return missing(self.text, heading)

    def find(self, text: str, *, context: int = 120, limit: int = 20) -> "tuple[Match, ...]":
        """Every place where a text stands, in any case."""
        from seekread.page.outline import find

        return find(self.text, text, context=context, limit=limit)

    def passages(self, query: str, *, budget: int = USUAL_ANSWER, unit: BudgetUnit = "characters") -> "Passages":
        """The parts that answer a question, in order, within a budget."""
        from seekread.page.passages import passages

        return passages(self.text, query, budget=budget, unit=unit)

    def quote(self, text: str) -> Citation | None:
        """Where a quotation stands, letter for letter or apart from signs; `None` says it is not there."""
        from seekread.page.quote import Quotable

        found = Quotable(self.text).quote(text)
        return self._citation(found) if found else None

    def check_quote(self, text: str) -> CheckedQuotation:
        """Where a quotation stands, or what differs."""
        from seekread.page.quote import Quotable

        checked = Quotable(self.text).check(text)
        citation = self._citation(checked.found) if checked.found else None
        return CheckedQuotation(citation=citation, differences=checked.differences, nearest=checked.nearest)

    def _citation(self, found: "Quote") -> Citation:
        """A quotation that was found, with all that others need to find it again."""
        from seekread.page.quote import text_fragment

        url = self.page.final_url or self.page.url
        return Citation(
            kind=found.kind,
            text=found.text,
            start=found.start,
            end=found.end,
            score=found.score,
            sha256=self.page.sha256,
            url=url,
            link=text_fragment(url, found.text),
            fetched_at=self.page.fetched_at,
            snapshot=self.id,
        )


def identity(page: Page) -> str:
    """The handle of a page: its address and its content, hashed."""
    named = f"{page.final_url or page.url}\n{page.sha256}"
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def with_handle(page: Page) -> Page:
    """A page as it is kept: hashed, counted, and carrying its handle."""
    content = page.content
    tokens = estimated_tokens(content)
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    kept = page.model_copy(
        update={
            "final_url": page.final_url or page.url,
            "sha256": digest,
            "content_length": len(content),
            # Of a page that came cut, only its reader can know how long it was.
            "original_length": page.original_length if page.truncated else len(content),
            "tokens": tokens,
            "original_tokens": tokens,
        }
    )
    return kept.model_copy(update={"snapshot": identity(kept)})
