"""
Arguments as models send them: under the names they know from other tools, and numbers as text.

A mistake is answered with what to send instead.
"""

import re
from collections.abc import Container, Mapping
from typing import Any

from seekread.errors import InvalidQuery

PAGE_NAMES = {
    "link": "url", "uri": "url", "address": "url", "max_chars": "max_length", "max_characters": "max_length",
    "start_index": "offset", "start": "offset", "question": "query", "heading": "section",
}  # fmt: skip
LOOKUP_NAMES = {
    "url": "page", "snapshot": "page", "snapshot_id": "page", "handle": "page", "id": "page", "operation": "action",
    "query": "text", "question": "text", "heading": "text", "section": "text", "quotation": "text", "needle": "text",
    "max_chars": "max_length",
}  # fmt: skip
WHOLE = re.compile(r"-?[0-9]{1,12}(\.0)?")


def named(
    given: Mapping[str, Any], others: Mapping[str, str], known: Container[str], offered: Mapping[str, Any]
) -> dict[str, Any]:
    """Arguments under their own names, those left empty taken out; a name nobody knows is a mistake."""
    arguments: dict[str, Any] = {}
    for name, value in given.items():
        own = name if name in known else others.get(name, name)
        if own not in known:
            raise InvalidQuery(f"unknown argument {name!r}; known are {', '.join(offered['properties'])}")
        if value is not None and value != "":
            arguments.setdefault(own, value)
    return arguments


def number_at_least(name: str, value: Any, *, least: int) -> int:
    """A whole number, also where it was sent as text."""
    if isinstance(value, bool) or not WHOLE.fullmatch(str(value).strip()):
        raise InvalidQuery(f"{name} must be a whole number, not {str(value)[:40]!r}")
    if (number := int(float(value))) < least:
        raise InvalidQuery(f"{name} must be at least {least}, not {number}")
    return number


def longest(asked: Any, tokens: int) -> int | None:
    """The characters a call may have: what it asked for, unless that cannot fit into its tokens."""
    return None if asked is None else min(number_at_least("max_length", asked, least=1), 4 * tokens)


def text_or_none(name: str, value: Any) -> str | None:
    """Text, or nothing."""
    if value is None or isinstance(value, str):
        return (value or "").strip() or None
    raise InvalidQuery(f"{name} must be text, not {type(value).__name__}")
