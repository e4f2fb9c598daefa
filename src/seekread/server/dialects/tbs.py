"""Google's `tbs`, which several vendors hand through: how old results may be."""

import re
from datetime import UTC, datetime
from typing import Any

from seekread.errors import InvalidQuery
from seekread.server.dialects.offers import not_offered

FRESHNESS = {"h": "day", "d": "day", "w": "week", "m": "month", "y": "year"}
"""An hour is a day to every other engine."""
AGE = re.compile(r"qdr:([hdwmy])\d*")
EDGE = re.compile(r"cd_(min|max):(\d{1,2}/\d{1,2}/\d{4})")
NO_FILTER = frozenset({"", "cdr:1", "sbd:1", "sbd:0"})
"""Parts that ask for no age: a range says so before its days, and the order is ours."""


def recency(tbs: str | None) -> dict[str, Any]:
    """`qdr:w`, or `cdr:1,cd_min:10/1/2026,cd_max:10/31/2026`, as options of a search."""
    found: dict[str, Any] = {}
    for part in (tbs or "").replace(" ", "").split(","):
        if age := AGE.fullmatch(part):
            found["freshness"] = FRESHNESS[age[1]]
        elif edge := EDGE.fullmatch(part):
            found["date_from" if edge[1] == "min" else "date_to"] = american_day(edge[2])
        elif part not in NO_FILTER:
            raise InvalidQuery(not_offered(f"tbs {part[:30]!r}", "send qdr:d, qdr:w, qdr:m, qdr:y or a range cdr:1"))
    return found


def american_day(text: str | None) -> str | None:
    """`10/31/2026` as `2026-10-31`."""
    if not text:
        return None
    try:
        return f"{datetime.strptime(text, '%m/%d/%Y').replace(tzinfo=UTC):%Y-%m-%d}"
    except ValueError:
        raise InvalidQuery(f"a date is written as 10/31/2026, not {text[:30]!r}") from None
