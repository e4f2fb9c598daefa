"""What reading a document brought, before it becomes a page."""

from dataclasses import dataclass, field

from seekread.models import Link, PageHtml, Signal
from seekread.outcomes import Outcome


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
