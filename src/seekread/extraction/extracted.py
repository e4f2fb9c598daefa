"""What reading a document brought, before it becomes a page."""

import hashlib
from dataclasses import field

from seekread.late import dataclass
from seekread.models import Link, Page, PageHtml, Signal, estimated_tokens
from seekread.outcomes import Outcome

READER = "builtin"


@dataclass(frozen=True)
class Extracted:
    """The main content of a document as Markdown, or the reason why there is none."""

    markdown: str = ""
    title: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    signals: tuple[Signal, ...] = ()
    outcome: Outcome = "ok"
    error: str = ""
    markup: PageHtml = field(default_factory=PageHtml)


def page_from(extracted: Extracted, url: str) -> Page:
    """A whole page from what was extracted."""
    content = extracted.markdown
    tokens = estimated_tokens(content)
    return Page(
        url=url,
        final_url=url,
        title=extracted.title,
        content=content,
        content_length=len(content),
        original_length=len(content),
        tokens=tokens,
        original_tokens=tokens,
        outcome=extracted.outcome,
        sha256=hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
        reader=READER,
        metadata=extracted.metadata,
        signals=extracted.signals,
        links=extracted.links,
        kept_html=extracted.markup if extracted.markup != PageHtml() else None,
    )
