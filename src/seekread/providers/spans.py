"""Spans of time for services that want both ends named."""

from datetime import UTC, date, datetime

from seekread.provider import Query

EARLIEST = date(1990, 1, 1)
"""Older than any page of the web."""


def both_ends(query: Query) -> tuple[date, date] | None:
    """The first and the last day a query asks for; what it leaves open is as early as the web, or today."""
    if not (query.date_from or query.date_to):
        return None
    first = date.fromisoformat(query.date_from) if query.date_from else EARLIEST
    last = date.fromisoformat(query.date_to) if query.date_to else datetime.now(UTC).date()
    return first, last
