"""
Dates as people and programs write them, found in a text.

Results of a search, the metadata of a page and the heads of documents are read with the same words and patterns.
A date that could mean two days (`10/03/2026`) is none.
"""

import re
from collections.abc import Iterator
from datetime import date

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar jänner januari janvier enero gennaio janeiro",
            "feb february februar feber februari février febrero febbraio fevereiro",
            "mar march märz mrz maart mars marts marzo março",
            "apr april avril abril aprile",
            "may mai maj mei mayo maggio maio",
            "jun june juni juin junio giugno junho",
            "jul july juli juillet julio luglio julho",
            "aug august augusti augustus août agosto",
            "sep sept september septembre septiembre settembre setembro",
            "oct october oktober okt octobre octubre ottobre outubro",
            "nov november novembre noviembre novembro",
            "dec december desember dez dezember décembre diciembre dicembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}
"""Names of the months and their short forms: English, German, Dutch, Nordic and Romance languages."""

YEAR = r"(?P<year>(?:1\d|20)\d\d)"
NAME = r"(?P<name>[^\W\d_]{3,10})\.?"
ORDINAL = r"(?:st|nd|rd|th)?"
TIME = r"(?:[T ](?P<hour>\d\d):?(?P<minute>\d\d)(?::?(?P<second>\d\d))?(?:\.\d+)?\s?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d){YEAR}-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}})(?!\d){TIME}",
        rf"(?<!\d){YEAR}(?P<month>\d\d)(?P<day>\d\d){TIME}",
        rf"(?<!\d)(?P<day>\d{{1,2}}){ORDINAL}\.?\s+{NAME},?\s+{YEAR}(?!\d)",
        rf"(?<![^\W\d_]){NAME}\s+(?P<day>\d{{1,2}}){ORDINAL},?\s+{YEAR}(?!\d)",
        rf"(?<!\d)(?P<day>\d{{1,2}})\.\s?(?P<month>\d{{1,2}})\.\s?{YEAR}(?!\d)",
        rf"(?<!\d){YEAR}\s?[/.年]\s?(?P<month>\d{{1,2}})\s?[/.月]\s?(?P<day>\d{{1,2}})(?!\d)",
    )
)
"""Ways to write a date, the plainest first."""
IN_ADDRESS = re.compile(rf"/{YEAR}[/-](?P<month>\d{{1,2}})[/-](?P<day>\d{{1,2}})(?=[/-]|$)")


def day_in(text: str) -> str | None:
    """The day a text names, as `YYYY-MM-DD`."""
    return next((day for day, _ in dates_in(text)), None)


def moment_in(text: str) -> str | None:
    """The day a text names, with the time and the zone if they are written after it, as ISO 8601."""
    return next((day + time_of(match) for day, match in dates_in(text)), None)


def day_in_address(url: str) -> str | None:
    """The day that stands in the path of an address, as in `/2026/10/03/title`."""
    return next((day for match in IN_ADDRESS.finditer(url) if (day := day_of(match))), None)


def dates_in(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Every possible day in a text and where it is written, the plainest spelling first."""
    for pattern in PATTERNS:
        for match in pattern.finditer(text):
            if day := day_of(match):
                yield day, match


def day_of(match: re.Match[str]) -> str | None:
    """The day of the calendar that a match names."""
    parts = match.groupdict()
    month = MONTHS.get(parts["name"].casefold(), 0) if "name" in parts else int(parts["month"])
    try:
        return date(int(parts["year"]), month, int(parts["day"])).isoformat()
    except ValueError:
        return None


def time_of(match: re.Match[str]) -> str:
    """The time of day that a match names, or an empty string."""
    parts = match.groupdict()
    if not parts.get("hour"):
        return ""
    return f"T{parts['hour']}:{parts['minute']}:{parts['second'] or '00'}{parts['zone'] or ''}"
