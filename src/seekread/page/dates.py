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
    for names in (
        "january february march april may june july august september october november december",
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "januar februar märz april mai juni juli august sept oktober november dezember",
        "jänner feber mrz apr mai jun jul aug sep okt nov dez",
        "januari februari maart april mei juni juli augustus september oktober november desember",
        "januari februari mars april maj juni juli augusti september oktober november december",
        "januar februar marts april maj juni juli august september oktober november december",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janv févr mars avr mai juin juil août sept oct nov déc",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "ene feb mar abr may jun jul ago sept oct nov dic",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "gen feb mar apr mag giu lug ago set ott nov dic",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "jan fev mar abr mai jun jul ago set out nov dez",
        "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
        "ledna února března dubna května června července srpna září října listopadu prosince",
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
        "január február március április május június július augusztus szeptember október november december",
        (
            "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta "
            "marraskuuta joulukuuta"
        ),
        "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",  # noqa: RUF001 - Turkish
        "ocak şubat mart nisan mayis haziran temmuz ağustos eylül ekim kasim aralik",
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
        "янв фев мар апр мая июн июл авг сен окт ноя дек",
        "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    )
    for number, name in enumerate(names.split(), start=1)
}
"""Names of the months and their short forms, each line one language of Europe."""

YEAR = r"(?P<year>(?:1\d|20)\d\d)"
A_YEAR = re.compile(YEAR)
NAME = r"(?P<name>[^\W\d_]{3,14})\.?"
OF = r"(?:(?:of|de|del)\s+)?"
ORDINAL = r"(?:st|nd|rd|th)?"
TIME = r"(?:[T ](?P<hour>\d\d):?(?P<minute>\d\d)(?::?(?P<second>\d\d))?(?:\.\d+)?\s?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d){YEAR}-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}})(?!\d){TIME}",
        rf"(?<!\d){YEAR}(?P<month>\d\d)(?P<day>\d\d){TIME}",
        rf"(?<!\d)(?P<day>\d{{1,2}}){ORDINAL}\.?\s+{OF}{NAME},?\s+{OF}{YEAR}(?!\d)",
        rf"(?<![^\W\d_]){NAME}\s+(?P<day>\d{{1,2}}){ORDINAL},?\s+{YEAR}(?!\d)",
        rf"(?<!\d)(?P<day>\d{{1,2}})\.\s?(?P<month>\d{{1,2}})\.\s?{YEAR}(?!\d)",
        rf"(?<!\d){YEAR}\s?[/.年년]\s?(?P<month>\d{{1,2}})\s?[/.月월]\s?(?P<day>\d{{1,2}})(?!\d)",
        rf"(?<!\d){YEAR}\.\s{NAME}\s+(?P<day>\d{{1,2}})(?!\d)",
    )
)
"""Ways to write a date, the plainest first."""
SLASHED = re.compile(rf"(?<!\d)(\d{{1,2}})[/-](\d{{1,2}})[/-]{YEAR}(?!\d)")
MONTH_FIRST = frozenset({"en-us", "en-ph"})
NEVER_DAY_FIRST = frozenset({"", "en", "en-ca"})
"""Languages that leave it open which of two numbers is the day."""
IN_ADDRESS = tuple(
    re.compile(rf"/{YEAR}[/-]{month}[/-](?P<day>\d{{1,2}})(?=[/-]|$)", re.IGNORECASE)
    for month in (r"(?P<month>\d{1,2})", r"(?P<name>[a-z]{3,9})")
)


def day_in(text: str) -> str | None:
    """The day a text names, as `YYYY-MM-DD`."""
    return next((day for day, _ in dates_in(text)), None)


def moment_in(text: str) -> str | None:
    """The day a text names, with the time and the zone if they are written after it, as ISO 8601."""
    return next((day + time_of(match) for day, match in dates_in(text)), None)


def day_in_address(url: str) -> str | None:
    """The day that stands in the path of an address, as in `/2026/10/03/title`."""
    return next((day for spelling in IN_ADDRESS for match in spelling.finditer(url) if (day := day_of(match))), None)


def day_in_figures(text: str, language: str = "") -> str | None:
    """The day of a date like `10/03/2026` where its figures or the language of the page leave no choice."""
    for match in SLASHED.finditer(text):
        first, second = int(match[1]), int(match[2])
        code = language.lower()
        if first <= 12 and second <= 12 and first != second and code in NEVER_DAY_FIRST:
            continue
        day, month = (second, first) if second > 12 or (first <= 12 and code in MONTH_FIRST) else (first, second)
        try:
            return date(int(match["year"]), month, day).isoformat()
        except ValueError:
            continue
    return None


def dates_in(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Every possible day in a text and where it is written, the plainest spelling first."""
    if not A_YEAR.search(text):
        return
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
