"""
What the console says about numbers, times and the closed sets of the engine, in a person's words.

Those for outcomes stand in `outcomes`.
"""

from collections.abc import Mapping

from seekread.gathering.evidence import LeftOutWhy
from seekread.models import Enforcement
from seekread.options import SEARCH, Wish
from seekread.page.cited import QuoteKind

LONGEST_ADDRESS = 70

CHOICES: Mapping[str, Mapping[str, str]] = {
    "search_type": {"general": "Everything", "news": "News", "recent": "The last 30 days"},
    "freshness": {"": "Any time", "day": "Past day", "week": "Past week", "month": "Past month", "year": "Past year"},
}
"""What can be chosen in the search form, where the choices' own words are not enough."""

WISHES: Mapping[Wish, str] = {
    **{option.wish: option.word.lower() for option in SEARCH.values() if option.wish},
    "dates": "dates",
    "news": "news only",
}
ENFORCEMENTS: Mapping[Enforcement, str] = {
    "native": "applied by the engine",
    "emulated": "added to the words of the query",
    "post-filtered": "filtered here afterwards",
    "not enforced": "not applied: this engine cannot",
}

FLAGS: Mapping[str, str] = {
    "undated": "The page carries no date, so the filter by age could not judge it. It is kept.",
    "dated outside the range": "The date on the page is outside the range; the engine counts a later change.",
}

LEFT_OUT: Mapping[LeftOutWhy, str] = {
    "failed": "not read",
    "nothing to say": "says nothing about it",
    "repeats": "says what others say",
    "budget": "no room left",
}

QUOTES: Mapping[QuoteKind, tuple[str, str]] = {
    "exact": ("It stands on the page", "letter for letter."),
    "normalised": ("It stands on the page", "apart from case, spacing or typographic signs."),
    "fuzzy": ("It stands on the page", "apart from punctuation, hyphens or what you marked as left out."),
}

SIGNALS: Mapping[str, str] = {
    "hidden-text": "Text a visitor could not see was removed",
    "invisible-characters": "Invisible characters were removed",
    "unsafe-link": "Links that are not safe to follow were taken off",
    "suspicious-link": "Links that look as if they carry data away",
    "base64": "Long encoded data was collapsed",
    "stuffing": "Endless repetition was collapsed",
    "charset-lie": "The page lies about its character set",
    "double-encoded": "Text that was encoded twice was read as it was meant",
    "undecodable-characters": "Characters that could not be decoded",
    "null-characters": "Zero characters were dropped",
    "text-cut": "The page was longer than is kept",
    "links-left-out": "There are more links than are kept",
    "pages-left-out": "There are more pages than were read",
    "entries-left-out": "There are more entries than were read",
    "damaged-pages": "Damaged pages were left out",
    "plain-text": "Shown as plain text",
    "tags-stripped": "Read in a simplified way",
    "extraction-unsure": "Which part of the page is its content is unsure",
    "page-tamed": "A page made to overload readers was read in a simpler form",
    "hidden-text-kept": "Text a visitor does not see at once was kept",
    "hidden-text-unchecked": "There was no time to look whether all text can be seen",
    "styles-unread": "Style sheets elsewhere were not looked at",
    "styles-too-large": "The style sheets ask for too much work and were read roughly",
    "invalid-json": "The JSON does not parse",
}


def signal(kind: str) -> str:
    """What a signal means; an unknown one speaks for itself."""
    return SIGNALS.get(kind, kind.replace("-", " ").capitalize())


def short_address(url: str) -> str:
    """An address as people read it: without its scheme, and not too long."""
    bare = url.partition("://")[2] or url
    bare = bare.removesuffix("/")
    return bare if len(bare) <= LONGEST_ADDRESS else bare[: LONGEST_ADDRESS - 1] + "…"


def count(amount: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"


def number(amount: float) -> str:
    """A number as people write it."""
    return f"{amount:,.0f}" if amount == int(amount) else f"{amount:,.3f}".rstrip("0")


def duration(milliseconds: float) -> str:
    """How long something took."""
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def ago(seconds: float | None) -> str:
    """How long ago something was, in its largest unit."""
    if seconds is None or seconds < 1:
        return "just now"
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if seconds >= length:
            return count(int(seconds // length), unit) + " ago"
    return "just now"


def size(amount: float) -> str:
    """Bytes in a unit people read."""
    for unit in ("bytes", "kB", "MB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GB"
