"""What is kept of a page that was read in bulk, and what tells two pages apart."""

import hashlib

from seekread.models import Attempt, Page
from seekread.outcomes import Outcome, is_failure
from seekread.reading.snapshots import kept_address
from seekread.searching.fuse import canonical
from seekread.value import Value, declared


class PageRecord(Value):
    """
    One address and what came of it: the page as Markdown, or the reason why not.

    A page that another address brought before names that in `duplicate_of` and has no text of its own.
    """

    url: str
    final_url: str = ""
    outcome: Outcome = "ok"
    status: int | None = None
    error: str = ""
    tries: int = 1
    """How often the page was asked for …"""
    attempts: tuple[Attempt, ...] = ()
    """… and how the last try went, reader by reader."""
    title: str = ""
    markdown: str = ""
    sha256: str = ""
    duplicate_of: str | None = None
    fetched_at: str = ""
    content_type: str = ""
    reader: str = ""
    metadata: dict[str, str] = declared(default_factory=dict)
    links: tuple[str, ...] = ()
    depth: int | None = None
    """Links between this page and the one a crawl began with."""

    @property
    def key(self) -> bytes:
        """What names the page in every spelling of its address."""
        return page_key(self.url)

    @property
    def is_copy(self) -> bool:
        """Whether its text stands with another address."""
        return self.duplicate_of is not None

    def as_duplicate(self, of: str) -> "PageRecord":
        """The same without the text, which stands with another address."""
        return self.model_copy(update={"duplicate_of": of, "markdown": "", "links": ()})


def record_of(page: Page, tries: int) -> PageRecord:
    """The record of a page."""
    return PageRecord(
        url=page.url,
        final_url=page.final_url,
        outcome=page.outcome,
        status=page.status,
        error=page.error,
        tries=tries,
        attempts=page.attempts,
        title=page.title,
        markdown=page.content,
        sha256=page.sha256 if page.content else "",
        fetched_at=page.fetched_at,
        content_type=page.content_type,
        reader=page.reader,
        metadata=page.metadata,
        links=tuple(link.url for link in page.links),
    )


def page_from(record: PageRecord) -> Page:
    """The page of a record."""
    return Page(
        url=record.url,
        final_url=record.final_url,
        title=record.title,
        content=record.markdown,
        content_length=len(record.markdown),
        original_length=len(record.markdown),
        success=not is_failure(record.outcome),
        error=record.error,
        outcome=record.outcome,
        status=record.status,
        sha256=record.sha256,
        fetched_at=record.fetched_at,
        reader=record.reader,
        content_type=record.content_type,
        metadata=record.metadata,
    )


def page_key(url: str) -> bytes:
    """A short name for a page in every spelling of its address; fragments count where scripts route by them."""
    routed = kept_address(url).partition("#")[2]
    return hashlib.sha256(f"{canonical(url)}#{routed}".encode("utf-8", "surrogatepass")).digest()[:16]
