"""Dates as search engines write them: ISO, RFC, absolute, relative and epoch, all to `YYYY-MM-DD` or `None`."""

import re
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime

DAYS = {"minute": 0, "hour": 0, "day": 1, "week": 7, "month": 30, "year": 365}
MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august",
         "sep sept september", "oct october", "nov november", "dec december"), 1,
    )
    for name in names.split()
}  # fmt: skip
RELATIVE = re.compile(
    r"(?:about\s+)?(\d{1,4}|an?|one)\s*(min|minute|hour|hr|day|week|month|year)s?\.?\s+ago", re.IGNORECASE
)
ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")
DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})")


def parse_date(text: object, now: datetime) -> str | None:
    """Read a date in any of the common spellings, as seen from `now`."""
    if text is None or isinstance(text, bool):
        return None
    words = str(text).strip()
    if not words:
        return None
    return epoch(words) or relative(words, now) or absolute(words)


def epoch(words: str) -> str | None:
    """Seconds or milliseconds since 1970, if the number is a plausible one."""
    if not re.fullmatch(r"\d{9,13}(\.\d+)?", words):
        return None
    seconds = float(words)
    return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC).date().isoformat()


def relative(words: str, now: datetime) -> str | None:
    lowered = words.lower()
    if lowered in {"today", "just now", "now"}:
        return now.date().isoformat()
    if lowered == "yesterday":
        return (now - timedelta(days=1)).date().isoformat()
    if not (match := RELATIVE.match(lowered)):
        return None
    count = int(match[1]) if match[1].isdigit() else 1
    unit = {"min": "minute", "hr": "hour"}.get(match[2], match[2])
    step = {"minute": timedelta(minutes=count), "hour": timedelta(hours=count)}.get(
        unit, timedelta(days=count * DAYS[unit])
    )
    try:
        return (now - step).date().isoformat()
    except OverflowError:
        return None


def absolute(words: str) -> str | None:
    if match := ISO.match(words):
        return calendar_day(int(match[1]), int(match[2]), int(match[3]))
    if match := MONTH_FIRST.search(words):
        return calendar_day(int(match[3]), MONTHS.get(match[1].lower(), 0), int(match[2]))
    if match := DAY_FIRST.search(words):
        return calendar_day(int(match[3]), MONTHS.get(match[2].lower(), 0), int(match[1]))
    try:
        return parsedate_to_datetime(words).date().isoformat()
    except (TypeError, ValueError):
        return None


def calendar_day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
