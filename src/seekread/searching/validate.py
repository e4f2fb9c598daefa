"""
Step 1, validate: raw arguments become a `Query`, or a message that says what to send instead.

Models send what they remember from other tools, so the common other names of an argument are understood.
"""

from collections.abc import Mapping
from typing import Any

from seekread.arguments import read_arguments, read_value
from seekread.errors import InvalidQuery
from seekread.options import QUESTION, Query

NOTHING_USUAL: Mapping[str, Any] = {}


def from_arguments(
    arguments: Mapping[str, Any], *, strict: bool = False, usual: Mapping[str, Any] = NOTHING_USUAL
) -> Query:
    """
    Build a query from a tool call's arguments.

    strict: unknown names are an error; otherwise they are left out
    usual: what arguments mean that were not sent
    """
    return sensible({**usual, **read_arguments(arguments, QUESTION, strict=strict)})


def usual_options(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """What the settings of searches say about questions that leave something open."""
    return {name: read_value(option, defaults[name]) for name, option in QUESTION.items() if defaults.get(name)}


def to_query(query: object, **options: object) -> Query:
    """Build a query from its words and options, however they are written."""
    return from_arguments({"query": query, **options}, strict=True)


def sensible(wanted: dict[str, Any]) -> Query:
    """A query whose options make sense together."""
    first, last, recency = wanted.get("date_from"), wanted.get("date_to"), wanted.get("freshness")
    if first and last and first > last:
        raise InvalidQuery(f"date_from {first} is after date_to {last}; swap them")
    if recency and (first or last):
        raise InvalidQuery("send either freshness or a date range, not both")
    # "recent" is the last 30 days unless a freshness says otherwise.
    if wanted.get("search_type") == "recent" and not (recency or first or last):
        wanted["freshness"] = "month"
    return Query(text=wanted.pop("query"), **wanted)
