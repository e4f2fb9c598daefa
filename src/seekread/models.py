"""The values that travel through seekread: frozen, validated on construction, free of I/O."""

import json
import math
from dataclasses import asdict
from typing import Any, Literal

from seekread.late import dataclass
from seekread.options import SearchType, Wish
from seekread.outcomes import Outcome
from seekread.value import Value, declared

RouteName = Literal["auto", "first", "hedge", "fuse"]
"""How a chain of providers is asked: one after another, with a head start, or all at once."""
Enforcement = Literal["native", "emulated", "post-filtered", "not enforced"]
"""How a wish was met: by the provider, by words added to the query, by filtering afterwards, or not at all."""


@dataclass(frozen=True)
class Cost:
    """What a call costs: units of the plan, and dollars where the plan's price does not say it."""

    units: float = 1.0
    dollars: float | None = None
    calls: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what nobody can be charged: it would turn a ledger to nonsense for good."""
        if not all(math.isfinite(amount) and amount >= 0 for amount in (self.units, self.dollars or 0.0, self.calls)):
            raise ValueError("a cost is a number that is not negative")


class SearchResult(Value):
    """One search result. `published_date` is `YYYY-MM-DD` once the engine has cleaned it."""

    title: str
    url: str
    snippet: str = ""
    extra_snippets: tuple[str, ...] = ()
    content: str | None = None
    source: str = ""
    age: str = ""
    published_date: str | None = None
    score: float | None = None
    citation_id: int | None = None
    providers: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class Source(Value):
    """Where a citation number points to."""

    citation_id: int
    url: str
    title: str


class Attempt(Value):
    """One provider asked once, and how it went."""

    provider: str
    outcome: Outcome
    status: int | None = None
    milliseconds: int = 0
    message: str = ""
    retry_after: float | None = None
    """Seconds until it may be asked again, where that is known."""


class SearchResponse(Value):
    """The answer to a search, with everything needed to judge it."""

    query: str
    query_sent: str = ""
    results: tuple[SearchResult, ...] = ()
    sources: tuple[Source, ...] = ()
    answer: str | None = None
    outcome: Outcome = "ok"
    attempts: tuple[Attempt, ...] = ()
    filters: dict[Wish, Enforcement] = declared(default_factory=dict)
    notes: tuple[str, ...] = ()
    cached: bool = False
    age_seconds: float | None = None
    latency_ms: int = 0
    search_type: SearchType = "general"
    provider: str | None = None


class Link(Value):
    """A link found on a page, made safe."""

    text: str
    url: str


class Signal(Value):
    """Something about a page a careful reader should know, such as hidden text that was removed."""

    kind: str
    count: int = 1
    detail: str = ""


@dataclass(frozen=True)
class PageShape:
    """
    Which elements of a page are read, and what is wanted beside its Markdown.

    only, without: CSS selectors; nothing but what the first match, and nothing of what the second do
    whole: all visible text, and not only what the page is about
    html: its HTML too, made safe
    source: its HTML too, as it came
    """

    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    whole: bool = False
    html: bool = False
    source: bool = False

    @property
    def selects(self) -> bool:
        """Whether elements are chosen by name."""
        return bool(self.only or self.without)

    @property
    def key(self) -> str:
        """What of it changes the Markdown, as one word; nothing for a page as everybody reads it."""
        chosen = [list(self.only), list(self.without), self.whole]
        return json.dumps(chosen) if any(chosen) else ""


USUAL = PageShape()
"""The main content, as Markdown."""


@dataclass(frozen=True)
class PageHtml:
    """A page as HTML: made safe, and as it came."""

    html: str = ""
    source: str = ""

    def holds(self, shape: PageShape) -> bool:
        """Whether everything is there that a shape asks for."""
        return (bool(self.html) or not shape.html) and (bool(self.source) or not shape.source)


class Page(Value):
    """One page read as Markdown, or the reason why not. Lengths are counted in characters."""

    url: str
    final_url: str = ""
    title: str = ""
    content: str = ""
    content_length: int = 0
    original_length: int | None = None
    offset: int = 0
    truncated: bool = False
    next_offset: int | None = None
    tokens: int = 0
    original_tokens: int | None = None
    success: bool = True
    error: str = ""
    outcome: Outcome = "ok"
    status: int | None = None
    snapshot: str | None = None
    sha256: str = ""
    fetched_at: str = ""
    reader: str = ""
    content_type: str = ""
    metadata: dict[str, str] = declared(default_factory=dict)
    signals: tuple[Signal, ...] = ()
    links: tuple[Link, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()
    cached: bool = False
    age_seconds: float | None = None
    latency_ms: int = 0
    cost: Cost | None = declared(default=None, internal=True)
    """What its reader says that this reading cost; for the ledger, and neither kept nor shown."""
    kept_html: PageHtml | None = declared(default=None, internal=True)
    """The page as HTML, where that was asked for; kept, and shown to nobody who did not ask."""

    @property
    def markup(self) -> PageHtml:
        """The page as HTML, as far as it was asked for."""
        return self.kept_html or PageHtml()

    def with_markup(self) -> dict[str, Any]:
        """The page as values of JSON, its HTML included where there is some."""
        html = {"kept_html": asdict(self.kept_html)} if self.kept_html else {}
        return {**self.model_dump(mode="json"), **html}


class Pages(Value):
    """Several pages, each with its own outcome."""

    pages: tuple[Page, ...]


ReadResult = Page
"""The contracts' name for a page that was read."""


def estimated_tokens(text: str) -> int:
    """Estimate tokens as UTF-8 bytes divided by four, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)
