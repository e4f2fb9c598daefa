"""Dates as search engines write them: absolute, relative, RFC and epoch, all to `YYYY-MM-DD` or `None`."""

import re
from datetime import UTC, datetime, timedelta

from seekread.page.dates import day_in

UNITS = {
    "min": timedelta(minutes=1),
    "minute": timedelta(minutes=1),
    "hr": timedelta(hours=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
RELATIVE = re.compile(
    r"(?:about\s+)?(\d{1,4}|an?|one)\s*(min|minute|hour|hr|day|week|month|year)s?\.?\s+ago", re.IGNORECASE
)


def parse_date(text: object, now: datetime) -> str | None:
    """Read a date in any of the common spellings, as seen from `now`."""
    if text is None or isinstance(text, bool):
        return None
    words = str(text).strip()
    if not words:
        return None
    return epoch(words) or relative(words, now) or day_in(words) or in_a_mail(words)


def epoch(words: str) -> str | None:
    """Seconds or milliseconds since 1970, if the number is a plausible one."""
    if not re.fullmatch(r"\d{9,13}(\.\d+)?", words):
        return None
    seconds = float(words)
    return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC).date().isoformat()


def relative(words: str, now: datetime) -> str | None:
    """The day of "yesterday" or "3 days ago"."""
    lowered = words.lower()
    if lowered in {"today", "just now", "now"}:
        return now.date().isoformat()
    if lowered == "yesterday":
        return (now - timedelta(days=1)).date().isoformat()
    if not (match := RELATIVE.match(lowered)):
        return None
    count = int(match[1]) if match[1].isdigit() else 1
    try:
        return (now - count * UNITS[match[2]]).date().isoformat()
    except OverflowError:
        return None


def in_a_mail(words: str) -> str | None:
    """The day as mail and old servers write it, with the year last or in two digits."""
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(words).date().isoformat()
    except (TypeError, ValueError, OverflowError):
        return None
