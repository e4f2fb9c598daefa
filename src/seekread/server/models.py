"""What the native endpoints are asked and what they answer, beside the values of `seekread.models`."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from seekread.models import Freshness, Page, SafeSearch, SearchType
from seekread.page.snapshot import Citation
from seekread.searching.validate import ALIASES

MOST_RESULTS = 100
MOST_PAGES = 10
"""Pages of results; engines give no more, and answer with an error when asked for them."""
LONGEST = 1_000_000
"""Characters of a page handed out at once at most."""


class ApiRequest(BaseModel):
    """Base of what can be sent: unknown fields are a mistake, and said to be one."""

    model_config = ConfigDict(frozen=True, extra="forbid")


UrlText = Annotated[str, Field(min_length=1, max_length=8000)]
Domains = Annotated[tuple[Annotated[str, Field(max_length=253)], ...], Field(max_length=100)]
ProviderNames = Annotated[tuple[Annotated[str, Field(max_length=50)], ...], Field(max_length=20)]


class SearchRequest(ApiRequest):
    """A search. The names other services use for these fields (`max_results`, `time_range`, …) are understood."""

    query: str = Field(min_length=1, max_length=2000, description="Words to search for.")
    limit: int | None = Field(default=None, ge=1, le=MOST_RESULTS, description="How many results.")
    company: str | None = Field(default=None, max_length=200, description="A name or ticker the search is about.")
    search_type: SearchType | None = Field(default=None, description="`recent` means the last 30 days.")
    freshness: Freshness | None = Field(default=None, description="How old at most.")
    date_from: str | None = Field(default=None, max_length=10, description="First day, YYYY-MM-DD.")
    date_to: str | None = Field(default=None, max_length=10, description="Last day, YYYY-MM-DD.")
    allowed_domains: Domains | None = Field(default=None, description="Only these domains and those below them.")
    blocked_domains: Domains | None = Field(default=None, description="None of these domains.")
    country: str | None = Field(default=None, max_length=2, description="Two letters, such as US.")
    language: str | None = Field(default=None, max_length=10, description="A language code, such as en.")
    safe_search: SafeSearch | None = Field(default=None, description="off, moderate or strict.")
    page: int | None = Field(default=None, ge=1, le=MOST_PAGES, description="Page of results, from 1.")
    only_mentions: bool | None = Field(default=None, description="With `company`: keep results that mention it.")
    highlight: bool | None = Field(default=None, description="With `company`: mark its mentions.")
    provider: ProviderNames | None = Field(
        default=None, description="Whom to ask, in order, instead of the default chain."
    )
    max_age: float | None = Field(default=None, ge=0, description="Seconds an answer may be old; 0 asks again.")

    @model_validator(mode="before")
    @classmethod
    def understand(cls, values: Any) -> Any:
        """Take fields under their other names, and recency in one letter."""
        if not isinstance(values, dict):
            return values
        named = {ALIASES.get(name, name): value for name, value in values.items()}
        letters = {"d": "day", "w": "week", "m": "month", "y": "year", "all": None, "": None}
        if isinstance(fresh := named.get("freshness"), str):
            named["freshness"] = letters.get(fresh, fresh)
        return named

    def options(self) -> dict[str, Any]:
        """What `Seekread.search` takes."""
        return self.model_dump(exclude_none=True)


class OpenRequest(ApiRequest):
    """Which page to read, or which pages, and how much of each."""

    url: UrlText | None = Field(default=None, description="Address of the page.")
    urls: Annotated[tuple[UrlText, ...], Field(min_length=1, max_length=10)] | None = Field(
        default=None, description="Several addresses; their pages share a budget of characters."
    )
    max_length: int | None = Field(default=None, ge=1, le=LONGEST, description="Characters handed out at most.")
    offset: int = Field(default=0, ge=0, description="Where to begin, as `next_offset` of the part before said.")
    query: str | None = Field(default=None, max_length=2000, description="Only the passages that answer this.")
    section: str | None = Field(default=None, max_length=500, description="Only this section, by title or number.")
    max_age: float | None = Field(default=None, ge=0, description="Seconds a page may be old; 0 reads it again.")
    reader: ProviderNames | None = Field(default=None, description="Readers to try, in order.")

    @model_validator(mode="after")
    def one_of_both(self) -> "OpenRequest":
        """Either one page or several."""
        if (self.url is None) == (self.urls is None):
            raise ValueError("send either url or urls")
        return self

    def options(self) -> dict[str, Any]:
        """What `Seekread.open_page` takes beside the address."""
        return self.model_dump(exclude_none=True, exclude={"url", "urls"})


class WindowRequest(ApiRequest):
    """A part of a page by its place."""

    offset: int = Field(default=0, ge=0, description="Where to begin.")
    max_length: int = Field(default=15_000, ge=1, le=LONGEST, description="Characters handed out at most.")


class FindRequest(ApiRequest):
    """A text to look for."""

    text: str = Field(min_length=1, max_length=1000, description="What to look for, in any case.")
    context: int = Field(default=120, ge=0, le=2000, description="Characters shown before and after.")
    limit: int = Field(default=20, ge=1, le=200, description="Places shown at most.")


class PassagesRequest(ApiRequest):
    """A question to be answered from the page."""

    query: str = Field(min_length=1, max_length=2000, description="The question.")
    budget: int = Field(default=4000, ge=1, le=LONGEST, description="How much the passages may hold together.")
    unit: Literal["characters", "tokens"] = Field(default="characters", description="What the budget counts.")


class QuoteRequest(ApiRequest):
    """A quotation to be checked."""

    text: str = Field(min_length=1, max_length=20_000, description="The quotation.")


class SectionRequest(ApiRequest):
    """A section by its name."""

    heading: str = Field(min_length=1, max_length=500, description="Title, number or path of the section.")


class ApiResponse(BaseModel):
    """Base of what is answered."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Pages(ApiResponse):
    """Several pages, each with its own outcome."""

    pages: tuple[Page, ...]


class HeadingFound(ApiResponse):
    """A heading; `length` is that of its section."""

    level: int
    title: str
    offset: int
    length: int
    number: str
    path: tuple[str, ...]


class Outline(ApiResponse):
    """The headings of a page in order."""

    headings: tuple[HeadingFound, ...]


class MatchFound(ApiResponse):
    """A place where the text stands."""

    offset: int
    end: int
    before: str
    match: str
    after: str
    heading: str


class Matches(ApiResponse):
    """The places where the text stands; none means it is not on the page."""

    matches: tuple[MatchFound, ...]


class PassageFound(ApiResponse):
    """A verbatim part of the page."""

    offset: int
    end: int
    text: str
    heading: str
    score: float


class PassagesFound(ApiResponse):
    """The parts of the page that answer the question, and all of them as one text."""

    passages: tuple[PassageFound, ...]
    content: str
    total: int
    used: int


class QuoteChecked(ApiResponse):
    """Whether a quotation stands on the page, and where."""

    found: bool
    citation: Citation | None = None


class WindowShown(ApiResponse):
    """A part of a page."""

    content: str
    offset: int
    end: int
    total: int
    truncated: bool
    next_offset: int | None
    tokens: int
    total_tokens: int


class SectionShown(ApiResponse):
    """The text of a section."""

    heading: str
    content: str
    content_length: int


class ProviderShown(ApiResponse):
    """A provider: what it can do, whether it is set up, and how it is."""

    name: str
    label: str
    roles: tuple[str, ...]
    configured: bool
    keyless: bool
    needs: tuple[str, ...]
    max_results: int
    honours: tuple[str, ...]
    caveat: str
    in_chain: bool
    resting: bool = Field(description="Whether it is left alone for a while after failures.")
    last_outcome: str | None = Field(description="How its last call in this process ended.")


class Providers(ApiResponse):
    """Every provider that is installed."""

    providers: tuple[ProviderShown, ...]
    chain: tuple[str, ...] = Field(description="Whom a search asks by default, in order.")


class UsageShown(ApiResponse):
    """What a key has used, what is left, and when it runs out at this rate."""

    provider: str
    identity: str
    calls: float
    used: float
    unit: str
    dollars: float
    limit: float | None
    remaining: float | None
    resets_on: str | None
    per_day: float
    runs_out_on: str | None
    forecast: str


class Usages(ApiResponse):
    """What every key has used."""

    usage: tuple[UsageShown, ...]
