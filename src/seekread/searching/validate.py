"""
Step 1, validate: raw arguments become a `Query`, or a message that says what to send instead.

Models send what they remember from other tools, so the common other names of an argument are understood.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import partial
from typing import Any, NamedTuple, get_args

from seekread.errors import InvalidQuery
from seekread.hostnames import BadHost, fold_host, host_of
from seekread.models import Freshness, Query, SafeSearch, SearchType

MAX_QUERY = 2000
MAX_NUMBER = 1_000_000
ALIASES = {
    "max_results": "limit",
    "count": "limit",
    "num_results": "limit",
    "n": "limit",
    "q": "query",
    "time_range": "freshness",
    "recency": "freshness",
    "include_domains": "allowed_domains",
    "exclude_domains": "blocked_domains",
    "safesearch": "safe_search",
    "lang": "language",
}
"""Other names models send for an argument; accepted, never shown in a schema."""

FRESHNESS: dict[str, Freshness | None] = {
    "d": "day", "w": "week", "m": "month", "y": "year", "all": None, "": None,
    **{word: word for word in get_args(Freshness)},
}  # fmt: skip
FLAGS = {
    **dict.fromkeys(("true", "1", "yes", "on"), True),
    **dict.fromkeys(("false", "0", "no", "off", "", "none"), False),
}
UNSAID = (None, "")
"""Values of arguments that a caller named and left open."""
ARGUMENTS = frozenset(Query.model_fields) - {"text"} | {"query"}


def from_arguments(
    arguments: Mapping[str, Any], *, strict: bool = False, defaults: Mapping[str, Any] | None = None
) -> Query:
    """
    Build a query from a tool call's arguments.

    strict: unknown names are an error; otherwise they are left out
    defaults: values for arguments that were not sent
    """
    sent: dict[str, Sent] = {}
    for given, value in arguments.items():
        name = ALIASES.get(given, given)
        if name in ARGUMENTS:
            sent[name] = agreed(name, sent.get(name), Sent(given, value))
        elif strict:
            raise InvalidQuery(f"unknown argument {given!r}; known are {', '.join(sorted(ARGUMENTS))}")
    known = {**(defaults or {}), **{name: item.value for name, item in sent.items() if item.value is not None}}
    return to_query(known.pop("query", None), **{name: value for name, value in known.items() if value is not None})


class Sent(NamedTuple):
    """A value, and the name it was sent under."""

    name: str
    value: Any


def agreed(name: str, before: Sent | None, now: Sent) -> Sent:
    """The value of an argument that may have been sent under two names: both must mean the same."""
    if before is None or before.value in UNSAID:
        return now
    if now.value in UNSAID:
        return before
    meaning = COMPARED.get(name, str)
    if meaning(before.value) != meaning(now.value):
        raise InvalidQuery(f"{before.name} and {now.name} are two names of one thing; send one of them")
    return now


def to_query(
    query: object,
    *,
    limit: object = 5,
    company: object = None,
    search_type: object = "general",
    freshness: object = None,
    date_from: object = None,
    date_to: object = None,
    allowed_domains: object = (),
    blocked_domains: object = (),
    country: object = None,
    language: object = None,
    safe_search: object = None,
    page: object = 1,
    only_mentions: object = False,
    highlight: object = False,
) -> Query:
    """Check every argument and build the query."""
    kind: SearchType = choice("search_type", search_type, get_args(SearchType))
    recency = freshness_of(freshness)
    first, last = day("date_from", date_from), day("date_to", date_to)
    if first and last and first > last:
        raise InvalidQuery(f"date_from {first} is after date_to {last}; swap them")
    if recency and (first or last):
        raise InvalidQuery("send either freshness or a date range, not both")
    safe: SafeSearch | None = choice("safe_search", safe_search, get_args(SafeSearch)) if safe_search else None
    return Query(
        text=text(query),
        limit=positive_number("limit", limit),
        company=optional_text("company", company),
        search_type=kind,
        # "recent" is the last 30 days unless a freshness says otherwise.
        freshness=recency or ("month" if kind == "recent" and not first and not last else None),
        date_from=first,
        date_to=last,
        allowed_domains=domains("allowed_domains", allowed_domains),
        blocked_domains=domains("blocked_domains", blocked_domains),
        country=code("country", country, r"[A-Za-z]{2}", "a two-letter country code such as US or DE").upper() or None,
        language=code("language", language, r"[A-Za-z]{2,3}(-[A-Za-z]{2,4})?", "a language code such as en") or None,
        safe_search=safe,
        page=positive_number("page", page),
        only_mentions=flag("only_mentions", only_mentions),
        highlight=flag("highlight", highlight),
    )


def text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidQuery(
            f"query must be text, not {type(value).__name__}" if value is not None else "query is required"
        )
    if not (stripped := " ".join(whole_characters("query", value).replace("\0", " ").split())):
        raise InvalidQuery("query must not be empty: send the words to search for")
    if len(stripped) > MAX_QUERY:
        raise InvalidQuery(f"query has {len(stripped)} characters, at most {MAX_QUERY} are allowed; shorten it")
    return stripped


def optional_text(name: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidQuery(f"{name} must be text, not {type(value).__name__}")
    return " ".join(whole_characters(name, value).split()) or None


def whole_characters(name: str, value: str) -> str:
    """Text that can be sent; halves of characters, as bytes that are no UTF-8 become, cannot."""
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidQuery(f"{name} holds broken characters: send it as valid UTF-8")
    return value


def positive_number(name: str, value: object) -> int:
    number = number_of(value)
    if number is None:
        raise InvalidQuery(f"{name} must be a whole number, not {value!r}")
    # Too large a number is not repeated: Python refuses to write out the longest ones.
    if number > MAX_NUMBER:
        raise InvalidQuery(f"{name} must be at most {MAX_NUMBER}")
    if number < 1:
        raise InvalidQuery(f"{name} must be at least 1{f', not {number}' if number > -MAX_NUMBER else ''}")
    return number


def number_of(value: object) -> int | None:
    """A whole number, however it was written; `None` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | str | float):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    try:
        return int(value)
    except ValueError:
        return None


def flag(name: str, value: object) -> bool:
    """Yes or no, also as the words models and forms send."""
    if isinstance(value, bool | int | str) and (word := str(value).strip().lower()) in FLAGS:
        return FLAGS[word]
    raise InvalidQuery(f"{name} must be true or false, not {value!r}")


def choice(name: str, value: object, choices: tuple[Any, ...]) -> Any:
    word = value.strip().lower() if isinstance(value, str) else value
    if word not in choices:
        raise InvalidQuery(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    return word


def freshness_of(value: object) -> Freshness | None:
    if value is None:
        return None
    if not isinstance(value, str) or (word := value.strip().lower()) not in FRESHNESS:
        raise InvalidQuery(f"freshness must be one of day, week, month, year (or d, w, m, y, all), not {value!r}")
    return FRESHNESS[word]


def day(name: str, value: object) -> str | None:
    if value is None or value == "":
        return None
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise InvalidQuery(f"{name} must be a date such as 2026-10-31, not {value!r}") from None


def code(name: str, value: object, pattern: str, wanted: str) -> str:
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise InvalidQuery(f"{name} must be {wanted}, not {value!r}")
    return value


def domains(name: str, value: object) -> tuple[str, ...]:
    """Domains as the guard spells hosts; schemes, paths, leading dots and wildcards that people paste are taken off."""
    items: Iterable[object] = (
        value.split(",") if isinstance(value, str) else value if isinstance(value, Iterable) else (value,)
    )
    found: dict[str, None] = {}
    for item in items:
        if item is None or item == "":
            continue
        pasted = whole_characters(name, str(item)).strip()
        host = host_of(pasted if "://" in pasted else f"https://{pasted.removeprefix('*').strip('.')}")
        try:
            found[fold_host(host)] = None
        except BadHost:
            raise InvalidQuery(f"{name} holds {item!r}, which is not a domain such as example.org") from None
    return tuple(found)


COMPARED: dict[str, Callable[[Any], object]] = {
    "limit": partial(positive_number, "limit"),
    "freshness": freshness_of,
    "allowed_domains": partial(domains, "allowed_domains"),
    "blocked_domains": partial(domains, "blocked_domains"),
}
"""What two values sent for one argument are compared by; the others are by their text."""
