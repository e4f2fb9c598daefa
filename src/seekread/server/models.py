"""What the native endpoints are asked and what they answer, beside the values of `seekread.models`."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from seekread.arguments import LONGEST_TEXT, read_arguments
from seekread.batch.record import PageRecord
from seekread.options import GATHER, OPEN, SEARCH, Option, OptionKind
from seekread.page.cited import Citation, Nearest

LONGEST = OPEN["max_length"].most
"""Characters of a page handed out at once at most."""
MOST_PAGES = 1000
"""Pages of one crawl."""
M = TypeVar("M", bound="OptionsRequest")
Pattern = Annotated[str, Field(min_length=1, max_length=200)]


class ApiRequest(BaseModel):
    """Base of what can be sent: unknown fields are a mistake, and said to be one."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class OptionsRequest(ApiRequest):
    """Base of requests made of options: they are read as everybody's are, under every name they have."""

    table: ClassVar[Mapping[str, Option]]

    @model_validator(mode="before")
    @classmethod
    def understand(cls, values: Any) -> Any:
        """Take fields under their other names, and values however they are written."""
        return read_arguments(values, cls.table) if isinstance(values, dict) else values

    def options(self) -> dict[str, Any]:
        """What was asked for, by name."""
        return self.model_dump(exclude_none=True)


class SearchAsked(OptionsRequest):
    """A search. The names other services use for these fields (`max_results`, `time_range`, …) are understood."""

    table = SEARCH


class GatherAsked(OptionsRequest):
    """A question, how much may be answered, and what the searches may find."""

    table = GATHER


class OpenAsked(OptionsRequest):
    """Which page to read, or which pages, and how much of each."""

    table = OPEN

    @model_validator(mode="after")
    def one_of_both(self) -> Self:
        """Either one page or several."""
        if ("url" in self.options()) == ("urls" in self.options()):
            raise ValueError("send either url or urls")
        return self


def text(most: int, least: int = 0) -> Any:
    return Annotated[str, Field(min_length=least or None, max_length=most or None)]


def listed(item: Any, most: int, least: int = 0) -> Any:
    return Annotated[tuple[item, ...], Field(min_length=least or None, max_length=most)]


FIELDS: Mapping[OptionKind, Callable[[Option], Any]] = {
    "text": lambda option: text(option.most, least=int(bool(option.missing))),
    "number": lambda option: Annotated[int, Field(ge=option.least, le=option.most or None)],
    "seconds": lambda _: Annotated[float, Field(ge=0)],
    "flag": lambda _: bool,
    "choice": lambda option: Literal[option.choices],
    "day": lambda _: text(10),
    "country": lambda _: text(2),
    "language": lambda _: text(10),
    "domains": lambda _: listed(text(253), most=100),
    "names": lambda _: listed(text(50), most=20),
    "texts": lambda option: listed(text(LONGEST_TEXT), most=option.most),
    "address": lambda _: text(8000, least=1),
    "addresses": lambda option: listed(text(8000, least=1), most=option.most, least=1),
}
"""The type of a field for each kind of option, with what the service takes at most."""


def request_model(name: str, base: type[M]) -> type[M]:
    """The model of a request: a field for every option of its table."""
    fields: dict[str, Any] = {
        option.name: (FIELDS[option.kind](option), Field(description=option.sentence))
        if option.missing
        else (FIELDS[option.kind](option) | None, Field(default=None, description=option.sentence))
        for option in base.table.values()
    }
    return create_model(name, __base__=base, __doc__=base.__doc__, **fields)


SearchRequest = request_model("SearchRequest", SearchAsked)
OpenRequest = request_model("OpenRequest", OpenAsked)
GatherRequest = request_model("GatherRequest", GatherAsked)


class TrustRequest(ApiRequest):
    """Addresses the user gave."""

    urls: tuple[str, ...] = Field(min_length=1, max_length=1000, description="The addresses, as the user wrote them.")


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
    budget: int = Field(default=1500, ge=1, le=LONGEST, description="How much the passages may hold together.")
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


class Trusted(ApiResponse):
    """How many addresses may be opened because the user gave them, after this call alone."""

    trusted: int


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
    """Whether a quotation stands on the page, and where; if not, what differs, and the passage nearest to it."""

    found: bool
    citation: Citation | None = None
    differences: tuple[str, ...] = ()
    nearest: Nearest | None = None


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


class SiteAsked(ApiRequest):
    """Which addresses of a site."""

    url: str = Field(min_length=1, max_length=8192)
    limit: int = Field(default=100, ge=1, le=MOST_PAGES, description="Pages at most.")
    include: tuple[Pattern, ...] = Field(default=(), max_length=50, description="Only paths such as /docs/*.")
    exclude: tuple[Pattern, ...] = Field(default=(), max_length=50, description="No paths such as */tag/*.")
    subdomains: bool = Field(default=False, description="Those of the domains below it too.")


class CrawlAsked(SiteAsked):
    """Which pages of a site."""

    depth: int = Field(default=10, ge=0, le=50, description="Links from the first page.")


class CrawlWindow(ApiRequest):
    """Which pages of a crawl are wanted."""

    offset: int = Field(default=0, ge=0, le=MOST_PAGES)
    limit: int = Field(default=20, ge=1, le=100)


class SiteMapped(ApiResponse):
    """The addresses that a site names."""

    urls: tuple[str, ...]
    complete: bool = Field(description="Whether there was time to look at everything that names addresses.")


class CrawlShown(ApiResponse):
    """How far a crawl is, and pages of it in the order in which they were read."""

    id: str
    url: str
    state: Literal["waiting", "running", "done", "cancelled", "failed"]
    error: str = ""
    pages: int = Field(description="Pages that have their record by now …")
    failed: int = Field(description="… and those among them that could not be read.")
    results: tuple[PageRecord, ...] = ()
    next_offset: int | None = Field(default=None, description="Where to go on; none at the end of what is there.")


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
    days: dict[str, float]
    limit: float | None
    remaining: float | None
    resets_on: str | None
    per_day: float
    runs_out_on: str | None
    forecast: str


class Usages(ApiResponse):
    """What every key has used."""

    usage: tuple[UsageShown, ...]
