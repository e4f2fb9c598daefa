"""
The style sheets that a page links, where the operator wants them looked at for hidden text.

Only sheets of the page's own site, at most three, each through the same fetcher as the page: guard, redirects, robots
and limits are the same, and all of it happens within the time of the page. What cannot be had in time is left out; the
wash tells how many sheets nobody looked at.
"""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import urljoin

import anyio

from seekread.errors import ProviderError, Refused
from seekread.hostnames import site_of
from seekread.readers.builtin.fetch import Fetched, Fetcher

MAX_SHEETS = 3
MAX_BYTES = 100_000
"""Bytes of one sheet that are looked at."""
SECONDS = 3.0
"""Seconds for all sheets of a page, within those of the page."""
SEARCHED = 500_000
"""Bytes of a page in which links to sheets are looked for."""
LINK = re.compile(r"<link\b([^>]*+)>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""([a-z-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++))""", re.IGNORECASE)
BASE = re.compile(r"""<base\b[^>]*?\bhref\s*+=\s*+["']?([^"'\s>]++)""", re.IGNORECASE)


async def linked_sheets(fetcher: Fetcher, page: Fetched) -> dict[str, str]:
    """The sheets of a page's own site, by the address as the page writes it."""
    found: dict[str, str] = {}
    with anyio.move_on_after(SECONDS):
        for href, address in addresses(page):
            if len(found) >= MAX_SHEETS:
                break
            text = await sheet_at(fetcher, address, page.final_url)
            if text is not None:
                found[href] = text
    return found


def addresses(page: Fetched) -> Iterator[tuple[str, str]]:
    """The sheets a page links on its own site: as it writes them, and whole."""
    text = page.body[:SEARCHED].decode("latin-1")
    base = BASE.search(text)
    start = urljoin(page.final_url, unescape(base[1])) if base else page.final_url
    for link in LINK.finditer(text):
        attributes = {
            found[1].lower(): unescape(next(filter(None, found.groups()[1:]), ""))
            for found in ATTRIBUTE.finditer(link[1])
        }
        if "stylesheet" not in attributes.get("rel", "").lower().split():
            continue
        href = attributes.get("href", "").strip()
        try:
            address = urljoin(start, href)
            own = bool(href) and address.startswith(("http:", "https:")) and site_of(address) == site_of(page.final_url)
        except ValueError:
            continue
        if own:
            yield href, address


async def sheet_at(fetcher: Fetcher, address: str, page: str) -> str | None:
    """One sheet, or `None` when it cannot be had, or lies on another site after all."""
    try:
        fetched = await fetcher.fetch(address, seconds=SECONDS)
    except (ProviderError, Refused):
        return None
    if site_of(fetched.final_url) != site_of(page) or "css" not in fetched.content_type.lower():
        return None
    return fetched.body[:MAX_BYTES].decode("utf-8", "replace")
