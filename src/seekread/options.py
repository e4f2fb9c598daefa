"""
Every option of a search, of a read and of gathering, once: what it takes, what it means, and who shows it.

Arguments are read by these tables. The command line, the HTTP requests, the agents' tools, the console's filters and
the docs are made from them, so nobody keeps a list of their own. Beside each table stand the types that programs are
checked with; a test compares the two. CONTRIBUTING.md shows how an option is added.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Literal, TypedDict, get_args

from seekread.late import dataclass
from seekread.value import Value, declared

Freshness = Literal["day", "week", "month", "year"]
SearchType = Literal["general", "news", "recent"]
BudgetUnit = Literal["characters", "tokens"]
SafeSearch = Literal["off", "moderate", "strict"]
LinkStyle = Literal["inline", "list", "none"]
"""Where the links of a page are written: in its text, below it, or nowhere."""
Wish = Literal[
    "freshness", "dates", "news", "allowed_domains", "blocked_domains", "country", "language", "safe_search", "page"
]
"""A wish of a query that some providers honour and others cannot."""
OptionKind = Literal[
    "text",
    "number",
    "seconds",
    "flag",
    "choice",
    "day",
    "country",
    "language",
    "domains",
    "names",
    "texts",
    "address",
    "addresses",
]
"""What an option takes; the names are those of providers. `arguments.py` reads each."""

USUAL_ANSWER = 1500
"""Characters of the passages for a question, unless a call asks for another number."""
CODES: Mapping[OptionKind, tuple[str, str]] = {
    "country": ("[A-Za-z]{2}", "a two-letter country code such as US or DE"),
    "language": ("[A-Za-z]{2,3}(-[A-Za-z]{2,4})?", "a language code such as en or pt-BR"),
}
"""The pattern of a code, and what it is."""


DOMAIN_PROFILE = "@"
"""Before the name of a list of domains in the settings, where a list of domains is asked for."""


@dataclass(frozen=True)
class Option:
    """
    One option. The command line and HTTP show every one of them.

    sentence: what it does, for people and for models
    aliases: other names models send for it; understood everywhere, shown nowhere
    flags: how the command line spells it, if not by its name; the console's addresses carry the first spelling
    label: what people call it, if not by its name
    least: the smallest number
    most: the longest text; for a number, the largest the service takes (elsewhere it is cut to what there is); 0: any
    choices, spellings: what can be chosen, and other ways to write a choice
    missing: what to send; whoever has it is required
    wish: what providers call it, where some honour it and others cannot
    tool, form: whether the agents' tools and the console's filters show it
    """

    name: str
    kind: OptionKind
    sentence: str
    aliases: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    label: str = ""
    least: int = 1
    most: int = 0
    choices: tuple[str, ...] = ()
    spellings: Mapping[str, str | None] = field(default_factory=dict)
    missing: str = ""
    wish: Wish | None = None
    tool: bool = False
    form: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Its own name, then the others it is understood by."""
        return (self.name, *self.aliases)

    @property
    def flag_names(self) -> tuple[str, ...]:
        """How the command line spells it."""
        return self.flags or (f"--{self.name.replace('_', '-')}",)

    @property
    def form_name(self) -> str:
        """How the console's addresses spell it."""
        return self.flag_names[0].removeprefix("--").replace("-", "_")

    @property
    def word(self) -> str:
        """What people call it."""
        return self.label or self.name.replace("_", " ").capitalize()


def table(*options: Option) -> Mapping[str, Option]:
    """Options by their names."""
    return {option.name: option for option in options}


SEARCH = table(
    Option(
        "query", "text", "Search query text.", aliases=("q",), most=2000, missing="send the words to search for",
        tool=True,
    ),
    Option(
        "provider", "names", "Providers to ask, in order, instead of the default chain.", flags=("--provider", "-p"),
        label="Engine", form=True,
    ),
    Option(
        "limit", "number", "Maximum number of results. Default: 5.",
        aliases=("max_results", "count", "num_results", "n"), flags=("--limit", "-n"), label="Results", most=100,
        tool=True, form=True,
    ),
    Option("company", "text", "Name or ticker the search is about.", most=200, tool=True),
    Option(
        "search_type", "choice", "What kind; recent = last 30 days.", flags=("--type",), label="Kind",
        choices=get_args(SearchType), tool=True, form=True,
    ),
    Option(
        "freshness", "choice", "How old at most.", aliases=("time_range", "recency"),
        flags=("--freshness", "--time-range"), label="Age", choices=get_args(Freshness),
        spellings={**{word[0]: word for word in get_args(Freshness)}, "all": None}, wish="freshness",
        tool=True, form=True,
    ),
    Option("date_from", "day", "First day, YYYY-MM-DD.", flags=("--from",), wish="dates", tool=True),
    Option("date_to", "day", "Last day, YYYY-MM-DD.", flags=("--to",), wish="dates", tool=True),
    Option(
        "allowed_domains", "domains", "Only these domains and those below them.", aliases=("include_domains",),
        flags=("--site",), label="Only these sites", wish="allowed_domains", tool=True, form=True,
    ),
    Option(
        "blocked_domains", "domains", "None of these domains.", aliases=("exclude_domains",), flags=("--not-site",),
        label="Not these sites", wish="blocked_domains", tool=True, form=True,
    ),
    Option(
        "language", "language", "Language code, such as en.", aliases=("lang",), wish="language", tool=True, form=True
    ),
    Option("country", "country", "Two-letter country code, such as US.", wish="country", tool=True, form=True),
    Option(
        "safe_search", "choice", "Whether adult content is left out.", aliases=("safesearch",),
        choices=get_args(SafeSearch), wish="safe_search",
    ),
    Option("page", "number", "Page of results, from 1.", most=10, wish="page", tool=True),
    Option("only_mentions", "flag", "With company: keep results that mention it."),
    Option("highlight", "flag", "With company: mark its mentions."),
    Option("max_age", "seconds", "Seconds an answer may be old; 0 asks again."),
)  # fmt: skip
"""What can be asked of a search."""


class Query(Value):
    """What a caller asked for, already validated. `text` is the option `query`."""

    text: str = declared(min_length=1, max_length=2000)
    limit: int = declared(default=5, ge=1)
    company: str | None = None
    search_type: SearchType = "general"
    freshness: Freshness | None = None
    date_from: str | None = None
    date_to: str | None = None
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    language: str | None = None
    country: str | None = None
    safe_search: SafeSearch | None = None
    page: int = declared(default=1, ge=1)
    only_mentions: bool = False
    highlight: bool = False

    @property
    def news(self) -> bool:
        """Whether current news was asked for."""
        return self.search_type == "news"


class SearchOptions(TypedDict, total=False):
    """What can be asked of a search beside its words; `time_range` d, w, m, y or all is another name of `freshness`."""

    limit: int
    company: str | None
    search_type: SearchType
    freshness: Freshness | None
    time_range: str | None
    date_from: str | None
    date_to: str | None
    allowed_domains: Sequence[str]
    blocked_domains: Sequence[str]
    language: str | None
    country: str | None
    safe_search: SafeSearch | None
    page: int
    only_mentions: bool
    highlight: bool


QUESTION = {name: option for name, option in SEARCH.items() if name == "query" or name in Query.model_fields}
"""The options that make the query; the others say who is asked, and how old an answer may be."""


OPEN = table(
    Option("url", "address", "URL of the page to read.", aliases=("link", "uri", "address"), tool=True),
    Option("urls", "addresses", "Several addresses; their pages share a budget of characters.", most=10, tool=True),
    Option("query", "text", "Only the passages that answer this.", aliases=("question",), most=2000, tool=True),
    Option("section", "text", "Only this section, by title or number.", aliases=("heading",), most=500, tool=True),
    Option(
        "offset", "number", "Where to begin, as the part before said.", aliases=("start_index", "start"), least=0,
        tool=True,
    ),
    Option(
        "max_length", "number", "Characters to return at most.",
        aliases=("max_chars", "max_characters", "max_length_per_page"), most=1_000_000, tool=True,
    ),
    Option("links", "choice", "Links in the text, below it, or none.", choices=get_args(LinkStyle)),
    Option("max_age", "seconds", "Seconds a page read before may be old; 0 reads it again."),
    Option("reader", "names", "Readers to try, in order."),
)  # fmt: skip
"""What can be asked of a read."""


class OpenOptions(TypedDict, total=False):
    """Which part of a page is wanted, and how old it may be."""

    query: str | None
    section: str | None
    offset: int
    max_length: int | None
    links: LinkStyle
    max_age: float | None


FILTERING = (
    "provider", "company", "search_type", "freshness", "date_from", "date_to", "allowed_domains", "blocked_domains",
    "language", "country", "safe_search",
)  # fmt: skip
"""What may be asked of the searches that gathering makes."""
GATHER = table(
    Option(
        "question", "text", "What to find out.", aliases=("query", "q"), most=2000, missing="send the question",
        tool=True,
    ),
    Option(
        "phrasings", "texts", "Other ways to ask, searched as well.", aliases=("queries",), flags=("--also",), most=4,
        tool=True,
    ),
    Option(
        "budget", "number", "Characters to return at most. Default: 2000.",
        aliases=("max_length", "max_chars", "max_characters"), most=100_000, tool=True,
    ),
    Option("unit", "choice", "What the budget counts; tokens are estimated.", choices=("characters", "tokens")),
    Option("pages", "number", "Pages to read. Default: 5.", aliases=("limit", "max_results"), most=10, tool=True),
    *(replace(SEARCH[name], tool=name in {"freshness", "allowed_domains"}) for name in FILTERING),
)  # fmt: skip
"""What can be asked of gathering."""
