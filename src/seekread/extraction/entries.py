"""Entries of feeds and sitemaps as a Markdown list, whatever they were written in."""

import html as entities
import re
from collections.abc import Iterable
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any

from seekread.extraction.extracted import Extracted
from seekread.extraction.links import safe_link
from seekread.extraction.signals import Tally
from seekread.late import dataclass
from seekread.models import Link, Signal
from seekread.page.dates import moment_in
from seekread.page.gate import link_text, unspoken, unspoken_paragraph

MAX_ITEMS = 500
"""Entries of a feed or addresses of a sitemap that are listed."""
SUMMARY = 500
TAG = re.compile(r"<[^<>]{0,10000}>")


@dataclass(frozen=True)
class FeedEntry:
    """One entry of a feed or sitemap."""

    title: str
    url: str
    date: str = ""
    summary: str = ""


def entry_list(title: str, about: str, entries: Iterable[FeedEntry], total: int, tally: Tally) -> Extracted:
    """Write entries as a list, at most `MAX_ITEMS`, and say when there are more."""
    lines, links = [], []
    for entry in islice(entries, MAX_ITEMS):
        address = safe_link(tally.clean_characters(entry.url), None, tally)
        name = tally.clean_characters(entry.title) or address
        shown = f"[{link_text(name)}]({address})" if address else unspoken(name)
        date = f" ({unspoken(tally.clean_characters(iso_date(entry.date)))})" if entry.date else ""
        summary = f"\n  {unspoken(tally.clean_characters(entry.summary))}" if entry.summary else ""
        lines.append(f"- {shown}{date}{summary}")
        if address:
            links.append(Link(text=name, url=address))
    more = (Signal(kind="entries-left-out", count=total - MAX_ITEMS),) if total > MAX_ITEMS else ()
    title = tally.clean_characters(title)
    about = unspoken_paragraph(tally.clean_characters(about))
    parts = [f"# {unspoken(title)}", about, "\n".join(lines)]
    markdown = "\n\n".join(part for part in parts if part)
    return Extracted(markdown=markdown, title=title, links=tuple(links), signals=more)


def iso_date(written: str) -> str:
    """A date as ISO 8601 where it can be read, else as it came."""
    try:
        moment = parsedate_to_datetime(written)
    except (ValueError, TypeError, IndexError, OverflowError):
        return moment_in(written) or written
    return moment.isoformat().replace("+00:00", "Z")


def is_feed(value: Any) -> bool:
    """Say whether JSON is a feed."""
    return (
        isinstance(value, dict) and isinstance(value.get("items"), list) and "jsonfeed.org" in str(value.get("version"))
    )


def read_json_feed(feed: dict[str, Any], tally: Tally) -> Extracted:
    """A JSON Feed as a list: title with link, date, and the beginning of each item."""
    items = [item for item in feed["items"] if isinstance(item, dict)]
    about = one_text(feed, "description")
    return entry_list(one_text(feed, "title") or "Feed", words_of_markup(about), map(item_of, items), len(items), tally)


def item_of(item: dict[str, Any]) -> FeedEntry:
    """Read an item of a JSON Feed."""
    return FeedEntry(
        title=words_of_markup(one_text(item, "title"))[:300],
        url=one_text(item, "url", "external_url", "id")[:2000],
        date=one_text(item, "date_published", "date_modified")[:40],
        summary=words_of_markup(one_text(item, "summary", "content_text", "content_html"))[:SUMMARY],
    )


def one_text(thing: dict[str, Any], *names: str) -> str:
    """The first of several values that is a text, on one line."""
    return next((" ".join(value.split()) for name in names if isinstance(value := thing.get(name), str) and value), "")


def words_of_markup(markup: str) -> str:
    """Words of a snippet of HTML, on one line."""
    return " ".join(entities.unescape(TAG.sub(" ", entities.unescape(markup[:20_000]))).split())
