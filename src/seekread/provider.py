"""
Everything a provider file needs, and nothing that does I/O.

A provider turns a `Query` into a `Call`: the request to send and the function that reads the reply.
The engine sends it, so retries, pace, quota, caching, timeouts and the guard live in one place.
A library or a browser cannot be split that way; it hands over a `Job`, which runs under the same rules.

What a class may declare, beside `name`:

    max_results   how many results one search can give            10
    max_news      how many one search of the news can give        the same
    page_size     results per page, when the engine may page on   all at once
    max_query     longest query in characters                     2,000
    max_words     longest query in words                          any number
    max_allowed   domains of a list to allow that it takes        any number
    max_blocked   domains of a list to block that it takes        any number
    honours       the wishes it fulfils by itself                 none
    operators     whether `site:` in the query text works         no
    label         its name for people                             the name
    caveat        what its users should know                      nothing
    cache_seconds how long its terms allow results to be kept     the setting decides
    scope         the web, or one corpus                          the web
    local         whether it works on this machine                no
    renders       whether it runs the scripts of a page           no
    extracts      whether seekread's workers make its Markdown    no
    archives      whether it reads copies of pages that are gone  no
    self_hosted   whether its service is the operator's own       no
    plans         what its service sells, a new key's plan first  nothing
    by_name       whether it is asked only where it is named      no
    keyless       what it does for those without a key            nothing
    limits        what the headers of a reply say about limits    nothing
    known_answers questions it must find a certain site for       none

The fields of a dataclass are its settings (`setting`): one of type `SecretStr` is a key and is masked wherever it could
show; one of `kind="resource"` is handed over by the engine: a `guard`, a `fetcher`, `workers`, the `index_path`, and
`counted`, whether somebody set a plan or a cap, so that a service should say what a call cost, and `installation`, a
function that gives a random name of this installation.
A provider with a method `ready() -> bool` is left out of the default chain while it says no. One whose settings can
contradict themselves has a static method `mistake_in(table) -> Mistake | None`; the line of the file is found for it.
"""

import dataclasses
import json
import math
import re
import weakref
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC
from functools import wraps
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, get_args, runtime_checkable

from seekread.errors import (
    A_YEAR,
    BadReply,
    Blocked,
    Misconfigured,
    NotConfigured,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    SuspiciousEmpty,
    TimedOut,
    Unauthorized,
    Unreachable,
    Unreadable,
)
from seekread.late import dataclass
from seekread.models import Cost, Page, PageShape, ReadResult, SearchResult
from seekread.options import Query, Wish
from seekread.redact import ANNOUNCED, passwords_in
from seekread.secret import SecretStr

SHORTEST_SECRET = 8
"""Characters of a value that is a secret by its name alone; shorter ones are words such as `bearer`."""

__all__ = [
    "BadReply",
    "Blocked",
    "Call",
    "Cost",
    "Found",
    "Job",
    "Keyless",
    "KnownAnswer",
    "Limits",
    "Mistake",
    "NotConfigured",
    "Page",
    "Params",
    "Plan",
    "ProviderError",
    "Query",
    "QuotaExhausted",
    "RateLimited",
    "RateWindow",
    "ReadProvider",
    "ReadResult",
    "Reply",
    "Request",
    "Scope",
    "SearchProvider",
    "SearchResult",
    "SecretStr",
    "SuspiciousEmpty",
    "TimedOut",
    "Traits",
    "Unauthorized",
    "Unreachable",
    "Unreadable",
    "Wish",
    "setting",
    "told_cost",
    "traits",
]

SECONDS = re.compile(r"\d+(?:\.\d*)?", re.ASCII)

ONE_UNIT = Cost()
"""What a call costs where nobody says more."""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


Params = Mapping[str, str | int | Sequence[str] | SecretStr | None]
"""The parameters in an address."""


@dataclass(frozen=True)
class Request:
    """
    A request to send. Values that are `None` are left out of `params`, `headers` and `json`.

    A key that a service wants in its address goes into `params` as the secret it is, so that nothing shows it.
    """

    method: Literal["GET", "POST"]
    url: str
    params: Params = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    json: Mapping[str, Any] | None = field(default=None, repr=False)


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that were set, those inside an object too; secrets in the clear, for sending only."""
    told = {name: in_the_clear(value) for name, value in values.items() if value is not None}
    return {name: value for name, value in told.items() if value != {} or values[name] == {}}


def in_the_clear(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return given(value) if isinstance(value, dict) else value


@dataclass(frozen=True)
class Reply:
    """A reply, whole and in memory."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    def json(self) -> Any:
        return json.loads(self.body)

    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


def retry_after(value: str, now: float, most: float = A_YEAR) -> float | None:
    """The seconds a `Retry-After` asks for from `now` on, written as seconds or as a date; `None` if as neither."""
    text = value.strip()
    if SECONDS.fullmatch(text):
        return min(float(text), most)
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max(0.0, moment.timestamp() - now), most)


@dataclass(frozen=True)
class Found:
    """
    What a search brought beside its results: an answer box, notes for the caller, the query really searched.

    `unmet` are the wishes a provider honours but could not pass on this time, such as a country its service does not
    know. The engine makes up for them, or says that they were not met.
    """

    results: Sequence[SearchResult]
    answer: str | None = None
    notes: tuple[str, ...] = ()
    query: str | None = None
    unmet: frozenset[Wish] = frozenset()
    cost: Cost | None = None
    """What the service says that this search cost; `None` where it does not say."""


def told_cost(units: object = None, *, dollars: object = None) -> Cost | None:
    """The cost a reply tells, in units or in dollars; `None` where it tells none that makes sense."""
    match units, dollars:
        case _, float() | int() if is_amount(dollars):
            return Cost(dollars=float(dollars))
        case float() | int(), None if is_amount(units):
            return Cost(float(units))
    return None


def is_amount(value: float) -> bool:
    return not isinstance(value, bool) and 0 <= value < math.inf


def by_status(_reply: Reply) -> ProviderError | None:
    """The default `explain`: nothing to add, the engine judges by the status code."""
    return None


def nothing_more(_answer: object) -> None:
    """The default `then`: one request is enough."""


@dataclass(frozen=True)
class Call(Generic[T_co]):
    """What to send, how to read the answer, and how to explain an unusual refusal."""

    request: Request
    parse: Callable[[Reply], T_co]
    explain: Callable[[Reply], ProviderError | None] = by_status
    answers: frozenset[int] = frozenset()
    """Statuses beyond 2xx that are answers all the same, for services that say "nothing found" with one."""
    cost: Cost = ONE_UNIT
    """The most it is expected to cost; what the answer says counts in the end."""
    then: "Callable[[Any], Call[T_co] | None]" = nothing_more
    """The call that completes an answer, for services that name their hits first and tell about them when asked."""


@dataclass(frozen=True)
class Job(Generic[T_co]):
    """The sibling of `Call` for libraries and browsers: an async function run under the same deadline and rules."""

    run: Callable[[], Awaitable[T_co]]
    cost: Cost = ONE_UNIT


class SearchProvider(Protocol):
    """Finds pages."""

    name: ClassVar[str]

    def search(self, query: Query, /) -> Call[Sequence[SearchResult] | Found] | Job[Sequence[SearchResult] | Found]: ...


class ReadProvider(Protocol):
    """Reads one page."""

    name: ClassVar[str]

    def read(self, url: str, /) -> Call[Page] | Job[Page]: ...


@runtime_checkable
class ShapingReader(Protocol):
    """Reads chosen elements of a page too, and its HTML."""

    def read_shaped(self, url: str, shape: PageShape, /) -> Call[Page] | Job[Page]: ...


PeriodName = Literal["month", "day", "none"]
PlanUnit = Literal["searches", "requests", "credits", "tokens", "dollars"]


@dataclass(frozen=True)
class Plan:
    """
    What a service sells. Prices age: what counts is what the operator sets and what the replies say. Dates are UTC.

    It counts `unit`s: searches or requests where each call costs one, credits or tokens where the call says how many,
    dollars where the allowance is money. `resets` is the day of the month on which a month begins; `price` is in
    dollars per unit, beyond the `limit` nothing is bought. A plan of period `none` has a limit that never resets.
    """

    name: str
    period: PeriodName = "month"
    limit: float | None = None
    unit: PlanUnit = "searches"
    price: float = 0.0
    per_second: float | None = None
    resets: int = 1


DAY = 86_400.0


@dataclass(frozen=True)
class RateWindow:
    """One limit of a service: so much in so many seconds; `limit` is `None` when it is not capped."""

    seconds: float
    limit: float | None
    remaining: float | None = None
    resets_in: float | None = None

    @property
    def is_quota(self) -> bool:
        """Whether this is a plan's quota (a day or longer) and not a pace."""
        return self.seconds >= DAY


Scope = Literal["web", "corpus"]
"""Where a provider looks: a corpus (an encyclopedia, your own documents) cannot say what the web has."""


@dataclass(frozen=True)
class KnownAnswer:
    """
    A question, and the site that every believable answer to it holds a page of; any page will do where none is named.

    `seekread doctor --live` asks them. The first is also asked, at most once an hour, where an empty answer is not
    believed and the provider declares no `plans`, so that asking costs nothing.
    """

    question: str
    site: str = ""


@dataclass(frozen=True)
class Keyless:
    """
    What a service does for those without a key, and where: nobody's queries go there before they have agreed to it.

    Whoever agrees gets the provider with `api_key=None`; of its traits those differ that are named here.
    """

    host: str
    honours: frozenset[Wish] | None = None
    max_results: int | None = None
    operators: bool | None = None


Limits = Callable[[Mapping[str, str]], Sequence[RateWindow]]
"""What the headers of a reply say about the limits of its service."""


def no_limits(_headers: Mapping[str, str]) -> Sequence[RateWindow]:
    """The default `limits`: the headers of this service say nothing about them."""
    return ()


@dataclass(frozen=True)
class Traits:
    """What a provider declares about itself, with the defaults filled in."""

    name: str
    label: str
    max_results: int = 10
    max_news: int | None = None
    page_size: int | None = None
    max_query: int = 2000
    max_words: int | None = None
    max_allowed: int | None = None
    max_blocked: int | None = None
    honours: frozenset[Wish] = frozenset()
    operators: bool = False
    caveat: str = ""
    cache_seconds: int | None = None
    scope: Scope = "web"
    local: bool = False
    """It works on this machine: nobody is paid, and a page it cannot read says nothing about the next one."""
    renders: bool = False
    extracts: bool = False
    """Its pages are made by our own workers. Anybody else's Markdown is foreign, on whichever machine it was made."""
    archives: bool = False
    """It keeps copies of pages: what is not there for anybody else may be there for it."""
    self_hosted: bool = False
    """Whoever set it up means it: nobody's query silently leaves their own service."""
    plans: tuple[Plan, ...] = ()
    """The first is what a new key gets."""
    limits: Limits = no_limits
    by_name: bool = False
    """A special corpus, such as papers: nobody who asks about anything else is served by it."""
    at_once: int | None = None
    """Calls it takes at a time, where that is fewer than we would send."""
    known_answers: tuple[KnownAnswer, ...] = ()
    keyless: Keyless | None = None
    anonymous: bool = False
    """It is used without a key, as somebody agreed to."""


def collected_once(work: Callable[[Any], T]) -> Callable[[Any], T]:
    """Work something out once for a provider that is frozen, as most are."""
    # By the number of an object, because not every provider can be hashed.
    known: dict[int, tuple[weakref.ref[object], T]] = {}

    def result(provider: object) -> T:
        number = id(provider)
        if (kept := known.get(number)) and kept[0]() is provider:
            return kept[1]
        found = work(provider)
        parameters = getattr(type(provider), "__dataclass_params__", None)
        if parameters is not None and parameters.frozen and hasattr(provider, "__weakref__"):
            known[number] = (weakref.ref(provider, lambda _: known.pop(number, None)), found)
        return found

    return wraps(work)(result)


@collected_once
def traits(provider: object) -> Traits:
    """What a provider (or its class) declares."""
    declared = {f.name: getattr(provider, f.name) for f in dataclasses.fields(Traits) if hasattr(provider, f.name)}
    if not isinstance(declared.get("name"), str):
        raise TypeError(f"{provider!r} declares no name")
    about = Traits(**{"label": declared["name"], **declared})
    if wrong := misdeclared(about):
        raise Misconfigured(f"the provider {about.name} declares {wrong}")
    if about.keyless and getattr(provider, "api_key", ...) is None:
        return without_key(about, about.keyless)
    return about


def without_key(about: Traits, tier: Keyless) -> Traits:
    """The traits of a provider for those without a key, who have no plan."""
    differing = {name: value for name, value in vars(tier).items() if name != "host" and value is not None}
    return dataclasses.replace(about, plans=(), anonymous=True, **differing)


COUNTS = (
    "max_results", "max_news", "page_size", "max_query", "max_words", "max_allowed", "max_blocked", "at_once",
)  # fmt: skip


def misdeclared(about: Traits) -> str | None:
    """What a provider's author got wrong, said before it can spoil a search."""
    for name, value in ((name, getattr(about, name)) for name in COUNTS):
        if value is not None and (type(value) is not int or value < 1):
            return f"{name} = {value!r}, which is not a whole number of at least 1"
    unknown = sorted(set(about.honours) - set(get_args(Wish)))
    if unknown:
        return f"to honour {', '.join(unknown)}; known wishes are {', '.join(get_args(Wish))}"
    return None if about.scope in get_args(Scope) else f"scope = {about.scope!r}, which is neither web nor corpus"


def secrets_of(provider: object) -> frozenset[str]:
    """The keys a provider holds, wherever it sends them; those of a wrapper are those of its `inner` provider."""
    held = vars(provider) if hasattr(provider, "__dict__") else {}
    own = frozenset(key for name, value in held.items() for key in secrets_in(name, value))
    return own | (secrets_of(held["inner"]) if "inner" in held else frozenset())


def own_key(provider: object) -> str | None:
    """The key a provider's calls are counted under; one without a key counts under none."""
    held = vars(provider) if hasattr(provider, "__dict__") else {}
    keys = [value.get_secret_value() for value in held.values() if isinstance(value, SecretStr)]
    return min(filter(None, keys), default=None) or (own_key(held["inner"]) if "inner" in held else None)


def secrets_in(name: str, value: object) -> Iterator[str]:
    """The keys in one field: its type says so, its name does, or it is an address with a password."""
    match value:
        case SecretStr():
            yield value.get_secret_value()
            yield from passwords_in(value.get_secret_value())
        case str():
            if ANNOUNCED.search(name) and len(value) >= SHORTEST_SECRET:
                yield value
            yield from passwords_in(value)
        case Mapping():
            for inner, item in value.items():
                yield from secrets_in(str(inner), item)
        case tuple() | list():
            for item in value:
                yield from secrets_in(name, item)


@dataclass(frozen=True)
class Mistake:
    """What is wrong in a table of settings: the names that lead to it, and a sentence that goes on from there."""

    place: tuple[str, ...]
    sentence: str


def setting(
    default: Any = dataclasses.MISSING,
    *,
    env: str | tuple[str, ...] = (),
    about: str = "",
    kind: str = "",
) -> Any:
    """Declare a field of a provider as a setting: the environment names people use for it, and a sentence about it."""
    names = (env,) if isinstance(env, str) else env
    metadata = {"env": names, "about": about, "kind": kind}
    if default is dataclasses.MISSING:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)
