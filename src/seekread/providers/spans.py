"""Spans of time for services that want both ends named."""

from datetime import UTC, date, datetime, time

from seekread.provider import Query

DAY = 86_400
EARLIEST = date(1990, 1, 1)
"""Older than any page of the web."""


def both_ends(query: Query) -> tuple[date, date] | None:
    """The first and the last day a query asks for; what it leaves open is as early as the web, or today."""
    if not (query.date_from or query.date_to):
        return None
    first = date.fromisoformat(query.date_from) if query.date_from else EARLIEST
    last = date.fromisoformat(query.date_to) if query.date_to else datetime.now(UTC).date()
    return first, last


def epochs(query: Query) -> tuple[int, int] | None:
    """The same as seconds since 1970: the first of the first day, and the last of the last one."""
    if not (ends := both_ends(query)):
        return None
    first, last = (int(datetime.combine(day, time(), UTC).timestamp()) for day in ends)
    return first, last + DAY - 1
