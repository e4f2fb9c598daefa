"""One lenient parser for the dates engines write."""

from datetime import UTC, datetime

import pytest

from seekread.searching.dates import parse_date

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.proves("X-31", "X-10")
@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2 days ago", "2026-11-13"),
        ("1 week ago", "2026-11-08"),
        ("3 months ago", "2026-08-17"),
        ("a year ago", "2025-11-15"),
        ("13 hours ago", "2026-11-14"),
        ("5 minutes ago", "2026-11-15"),
        ("yesterday", "2026-11-14"),
        ("today", "2026-11-15"),
        ("2026-10-03", "2026-10-03"),
        ("2026-10-03T09:12:00", "2026-10-03"),
        ("2026-10-03T23:12:00Z", "2026-10-03"),
        ("2026/1/3", "2026-01-03"),
        ("Sat, 03 Oct 2026 09:12:00 GMT", "2026-10-03"),
        ("October 3, 2026", "2026-10-03"),
        ("Oct 3rd, 2026", "2026-10-03"),
        ("3 October 2026", "2026-10-03"),
        ("Saturday, October 3, 2026", "2026-10-03"),
        ("3. Oktober 2026", "2026-10-03"),
        ("03.10.2026", "2026-10-03"),
        ("2026年10月3日", "2026-10-03"),
        ("20261003", "2026-10-03"),
        ("Updated 2026-10-03", "2026-10-03"),
        ("Sat Oct  3 09:12:00 2026", "2026-10-03"),
        ("Sat, 03 Oct 26 09:12:00 GMT", "2026-10-03"),
        ("1790000000", "2026-09-21"),
        (1790000000000, "2026-09-21"),
        ("", None),
        (None, None),
        ("soon", None),
        ("2026-13-45", None),
        ("9999999 years ago", None),
        ("Foo 99, 2026", None),
        ("10/03/2026", None),
        ("Sat Nov 21 09:12:00 201120170912", None),
    ],
)
def test_dates_become_days(text: object, day: str | None) -> None:
    assert parse_date(text, NOW) == day
