"""
Feeds and sitemaps as Markdown lists; other XML as a block of code.

Everything here runs in a worker process. Each function is linear in its input and stops at the limits it is given.
"""

from collections.abc import Iterator
from typing import Any

from seekread.extraction.data import in_a_block
from seekread.extraction.entries import SUMMARY, FeedEntry, entry_list, words_of_markup
from seekread.extraction.extracted import Extracted
from seekread.extraction.options import ExtractOptions
from seekread.extraction.signals import Tally
from seekread.xml_tree import local_name, parse_xml


def read_xml(text: str, options: ExtractOptions, tally: Tally) -> Extracted:
    """A sitemap as a list of addresses; other XML fenced."""
    root = parsed(text)
    name = local(root.tag) if root is not None else ""
    if root is not None and name in {"urlset", "sitemapindex"}:
        return entry_list("Sitemap", "", sitemap_entries(root), len(root), tally)
    return Extracted(markdown=in_a_block(text, "xml", options, tally))


def read_feed(text: str, options: ExtractOptions, tally: Tally) -> Extracted:
    """RSS and Atom as a Markdown list: title with link, date, and the beginning of each entry."""
    root = parsed(text)
    if root is None:
        return read_xml(text, options, tally)
    channel = next((child for child in root if local(child.tag) == "channel"), root)
    entries = [e for e in channel.iter() if local(e.tag) in {"item", "entry"}]
    # RSS 1.0 puts its items beside the channel.
    if not entries:
        entries = [e for e in root.iter() if local(e.tag) == "item"]
    found = (entry_of(element) for element in entries)
    about = first_text(channel, "description", "subtitle")
    title = first_text(channel, "title") or "Feed"
    extracted = entry_list(title, words_of_markup(about), found, len(entries), tally)
    if not entries:
        return Extracted(markdown=extracted.markdown, title=extracted.title, outcome="empty")
    return extracted


def parsed(text: str) -> Any:
    """The root element of XML, or `None`; what is broken is read as far as it goes."""
    # The declaration names an encoding that no longer applies to decoded text.
    return parse_xml(text.lstrip("\ufeff \t\r\n").encode("utf-8", "replace"), recover=True)


def local(tag: Any) -> str:
    """The name of an element without its namespace, in lower case."""
    return local_name(tag).lower()


def first_text(element: Any, *names: str) -> str:
    """The text of the first child with one of the names, in the order of the names."""
    for name in names:
        for child in element:
            if local(child.tag) == name:
                text = " ".join("".join(child.itertext()).split())
                if text:
                    return text
    return ""


def entry_of(element: Any) -> FeedEntry:
    """Read an RSS item or an Atom entry."""
    return FeedEntry(
        title=words_of_markup(first_text(element, "title"))[:300],
        url=address_of(element),
        date=first_text(element, "pubdate", "published", "updated", "date")[:40],
        summary=words_of_markup(first_text(element, "description", "summary", "encoded", "content"))[:SUMMARY],
    )


def address_of(element: Any) -> str:
    """The address of an entry: Atom's alternate link, RSS's link, or a guid that is one."""
    for child in element:
        if local(child.tag) == "link" and child.get("href") and child.get("rel", "alternate") == "alternate":
            return str(child.get("href")).strip()[:2000]
    return first_text(element, "link", "guid")[:2000]


def sitemap_entries(root: Any) -> Iterator[FeedEntry]:
    for element in root:
        address = first_text(element, "loc")[:2000]
        if address:
            yield FeedEntry(title="", url=address, date=first_text(element, "lastmod")[:40])
