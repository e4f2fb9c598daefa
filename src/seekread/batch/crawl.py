"""
A crawl: the pages of a site, from its first one and from what it names, into a file that can be gone on with.

1. **learn** What the site says of a page that does not exist; what it names (sitemaps, llms.txt).
2. **follow** Pages are read as they were found; their links within the scope join the frontier.
3. **bound** Depth, count, patterns and traps; what is only a copy, or does not exist, leads nowhere.
"""

import secrets
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urljoin

import anyio

from seekread.batch.frontier import Frontier, Lead
from seekread.batch.lanes import TakeRecord
from seekread.batch.page_file import PageFile
from seekread.batch.progress import Progress
from seekread.batch.reader import Reader
from seekread.batch.record import PageRecord
from seekread.batch.record_file import Learner
from seekread.batch.scope import SiteScope
from seekread.batch.site_map import in_guide, in_sitemaps, site_addresses
from seekread.batch.traps import ALIKE, STALE_STEPS, Traps, likeness, shape_of, words_of
from seekread.outcomes import is_failure

NOT_THERE = "the site answers so for pages that do not exist"


async def nobody(_record: PageRecord) -> None:
    """Nobody wants to know."""


class Crawl:
    """Reads one site into a file."""

    def __init__(self, scope: SiteScope, reader: Reader, path: Path, progress: Progress) -> None:
        self.scope = scope
        self.reader = reader
        self.progress = progress
        self._traps = Traps()
        self._under_way = 0
        self._news = anyio.Event()
        self._file = PageFile(path, self._learner)

    def _learner(self, database: sqlite3.Connection) -> Learner[PageRecord]:
        self._frontier = Frontier(database)
        return self._follow

    async def run(self, done: TakeRecord = nobody) -> None:
        """Read until nothing is left within the scope; `done` is told of each record that was written."""

        async def keep(record: PageRecord) -> None:
            written = self._file.add(self._judged(record))
            self.progress.add(written)
            self._under_way -= 1
            self._news.set()
            await done(written)

        self.progress.begin()
        with self._file:
            await self._learn(keep)
            await self.reader.read_all(self._addresses(), keep)

    async def _learn(self, keep: TakeRecord) -> None:
        """What a site says of a page that does not exist, and what it names."""
        nowhere = urljoin(self.scope.start, f"/{secrets.token_hex(12)}")
        first, missing = await self.reader.read([self.scope.start, nowhere])
        words = words_of(missing.markdown)
        if words and likeness(words, words_of(first.markdown)) < ALIKE:
            self._traps.missing = words
        if first.final_url and not is_failure(first.outcome):
            # A site that moved is read where it is now.
            self.scope = replace(self.scope, start=first.final_url)
        if self._frontier.is_begun:
            return
        self._frontier.add([Lead(first.url, 0)])
        if not self._file.has(first.url):
            self._under_way += 1
            await keep(first)
        self._add(await in_guide(self.scope, self.reader.files), 1)
        async for address in in_sitemaps(self.scope, self.reader.files):
            self._add([address], 1)
        self._frontier.begin()

    async def _addresses(self) -> AsyncIterator[str]:
        """What was found and is not in the file yet, for as long as more may be found."""
        handed_out = self._file.kept + self.progress.done
        while handed_out < self.scope.limit:
            news = self._news = anyio.Event()
            following = self._frontier.following()
            if not following:
                if not self._under_way:
                    return
                await news.wait()
            for found in following:
                if handed_out < self.scope.limit and not self._file.has(found.url):
                    handed_out += 1
                    self._under_way += 1
                    yield found.url

    def _judged(self, record: PageRecord) -> PageRecord:
        """A record with its depth; a page that does not exist is told as such, whatever its status."""
        found = self._frontier.known(record.url)
        depth = found.depth if found else 0
        if depth and record.markdown and self._traps.is_missing(record):
            gone = {"outcome": "not_found", "error": NOT_THERE, "markdown": "", "links": (), "sha256": ""}
            return record.model_copy(update={**gone, "depth": depth})
        return record.model_copy(update={"depth": depth})

    def _follow(self, record: PageRecord) -> None:
        """Add the links of a record; those of copies stand with what they are copies of."""
        if record.duplicate_of:
            self._traps.copied(record.url, record.duplicate_of)
            return
        if is_failure(record.outcome) or not self.scope.is_of_the_site(record.final_url or record.url):
            return
        found = self._frontier.known(record.url)
        stale = (found.stale if found else 0) + 1 if self._traps.is_stale(record) else 0
        self._add(record.links, (record.depth or 0) + 1, stale, shape_of(record.url))

    def _add(self, links: tuple[str, ...] | list[str], depth: int, stale: int = 0, shape: str = "") -> None:
        if depth > self.scope.depth:
            return
        addresses = filter(None, (self.scope.address(link, self._traps.ignored) for link in links))
        steps = ((address, stale if shape_of(address) == shape else 0) for address in addresses)
        self._frontier.add(Lead(address, depth, step) for address, step in steps if step <= STALE_STEPS)


async def map_site(scope: SiteScope, reader: Reader) -> AsyncIterator[str]:
    """The addresses that a site names, and those its first page links to."""

    async def read(url: str) -> PageRecord:
        (record,) = await reader.read([url])
        return record

    async for address in site_addresses(scope, reader.files, read):
        yield address
