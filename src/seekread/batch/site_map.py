"""
The addresses that a site itself names: its sitemaps (also those in robots.txt), `llms.txt`, and its first page.

A sitemap is only looked through for addresses, by one pattern in one pass: no parser sees what a stranger sent.
"""

import re
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from html import unescape
from typing import Protocol
from urllib.parse import urljoin, urlsplit

from seekread.batch.record import PageRecord, page_key
from seekread.batch.scope import SiteScope
from seekread.errors import ProviderError, Refused, Unreadable
from seekread.http.target import Target, parse
from seekread.outcomes import is_failure

MOST_SITEMAPS = 50
LOCATION = re.compile(rb"<(?:\w{1,20}:)?loc>\s*(?:<!\[CDATA\[)?\s*([^<\]\s]{1,2000})")
LINE = re.compile(rb"^\s*(https?://\S{1,2000})\s*$", re.MULTILINE)
LINKED = re.compile(rb"\]\(<?([^\s()<>]{1,2000})")


class Files(Protocol):
    """Gets what a site names beside its pages."""

    async def sitemaps(self, target: Target) -> list[str]:
        """The sitemaps named in robots.txt."""
        ...

    async def body(self, url: str) -> bytes:
        """A file as it came, unpacked."""
        ...


ReadRecord = Callable[[str], Awaitable[PageRecord]]


async def site_addresses(scope: SiteScope, files: Files, read: ReadRecord) -> AsyncIterator[str]:
    """The addresses within a scope that a site names, each once, up to the limit."""
    seen: set[bytes] = set()
    async for found in named_by_site(scope, files, read):
        address = scope.address(found)
        if address is None or page_key(address) in seen:
            continue
        seen.add(page_key(address))
        yield address
        if len(seen) >= scope.limit:
            return


async def named_by_site(scope: SiteScope, files: Files, read: ReadRecord) -> AsyncIterator[str]:
    """
    The start, what it links to, and what stands in the lists of the site.

    Raises `Unreadable` where the start cannot be read and no list names anything: that is no site without pages.
    """
    first = await read(scope.start)
    unread = is_failure(first.outcome)
    if not unread:
        yield scope.start
    for link in (*first.links, *await in_guide(scope, files)):
        unread = False
        yield link
    async for address in in_sitemaps(scope, files):
        unread = False
        yield address
    if unread:
        raise Unreadable(first.outcome, first.error or "the first page could not be read", status=first.status)


async def in_guide(scope: SiteScope, files: Files) -> list[str]:
    """The addresses in the `llms.txt` of a site; a page that stands in its place is none."""
    url = urljoin(scope.start, "/llms.txt")
    try:
        body = await files.body(url)
    except (ProviderError, Refused):
        return []
    if body.lstrip()[:1] == b"<":
        return []
    return [urljoin(url, found.decode("utf-8", "replace")) for found in LINKED.findall(body)]


async def in_sitemaps(scope: SiteScope, files: Files) -> AsyncIterator[str]:
    """The addresses in the sitemaps of a site, and in those that these name."""
    try:
        named = await files.sitemaps(parse(scope.start))
    except (ProviderError, Refused):
        named = []
    waiting, seen = deque(dict.fromkeys([*named, urljoin(scope.start, "/sitemap.xml")])), set[str]()
    while waiting and len(seen) < MOST_SITEMAPS:
        url = waiting.popleft()
        if url in seen:
            continue
        seen.add(url)
        try:
            body = await files.body(url)
        except (ProviderError, Refused):
            continue
        found = addresses_in(body)
        if b"<sitemapindex" in body[:2000]:
            waiting.extend(found)
            continue
        for address in found:
            yield address


def addresses_in(body: bytes) -> list[str]:
    """The addresses in a sitemap, of XML or of plain lines."""
    pattern = LOCATION if b"<" in body[:200] else LINE
    return [
        address for found in pattern.findall(body) if is_address(address := unescape(found.decode("utf-8", "replace")))
    ]


def is_address(text: str) -> bool:
    try:
        return urlsplit(text).scheme in {"http", "https"}
    except ValueError:
        return False
