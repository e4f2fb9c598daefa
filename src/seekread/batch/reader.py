"""`Reader`: pages in bulk, for scripts and for engines that bring their own machines."""

from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from seekread.batch.each import each, firsts
from seekread.batch.kept import KeptPages
from seekread.batch.lanes import Lanes, TakeRecord
from seekread.batch.record import PageRecord, page_key
from seekread.calling.courtesy import Manners
from seekread.client import WHOLE
from seekread.compose import Parts, compose
from seekread.config.sources import Configuration, load
from seekread.http.target import Target
from seekread.late import dataclass
from seekread.models import Page
from seekread.ports import Telemetry
from seekread.readers.builtin.gunzip import MAGIC, BadGzip, Gunzip
from seekread.reading.part import Wanted

AT_ONCE = 32
"""Pages under way in one process: enough to keep its workers busy while sites are slow."""
TRIES = 3
WINDOW = 2000
"""Addresses in memory at once."""
LARGEST = 50_000_000
"""Bytes of a sitemap: what its rules allow one to have."""


class Reader:
    """
    Reads any number of pages, politely towards each site.

    How polite (`Manners`) holds for everybody who shares the store: processes on one machine through its file, machines
    through Redis. Pages are not kept in the store: whoever reads in bulk keeps them.
    """

    def __init__(
        self,
        *,
        manners: Manners | None = None,
        reader: str | Sequence[str] = (),
        at_once: int = AT_ONCE,
        tries: int = TRIES,
        window: int = WINDOW,
        workers: int | None = None,
        settings: Mapping[str, Any] | None = None,
        config: str | Path | None = None,
        environ: Mapping[str, str] | None = None,
        configuration: Configuration | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        """
        Wire a reader.

        manners: how sites are treated, instead of what the settings say
        reader: readers to try, in order, instead of those of the settings
        at_once: pages under way at once
        tries: how often a page is asked for that may come by itself, such as one of a busy site
        window: addresses in memory at once
        workers: child processes that read documents; usually as many as there are CPUs, up to four
        settings: settings by name, winning over environment and file
        config: a settings file to read instead of the user's own
        configuration: all of that, where it was read already
        telemetry: who hears of what is read, where that is somebody's already
        """
        loaded = configuration or load(settings, environ=environ, file=config)
        read = loaded.settings.read
        self.manners = manners or Manners(read.bulk_delay, read.bulk_per_host)
        own = {
            "respect_robots": self.manners.robots,
            "pages_at_once": at_once,
            "pages_per_host": self.manners.at_once,
        }
        in_bulk = loaded.settings.model_copy(update={"read": read.model_copy(update=own)})
        self._parts = compose(
            replace(loaded, settings=in_bulk), manners=self.manners, workers=workers, telemetry=telemetry
        )
        self._named = (reader,) if isinstance(reader, str) and reader else tuple(reader)
        self._at_once, self._tries, self._window = at_once, tries, window

    async def read_all(self, urls: Iterable[str] | AsyncIterable[str], done: TakeRecord) -> None:
        """Read addresses as they come, and hand over the record of each, one at a time, in no certain order."""
        parts = self._parts
        readers, wanted = parts.readers(self._named), Wanted(max_length=WHOLE)

        async def open_page(url: str) -> Page:
            return await parts.reading.open(url, readers, wanted)

        lanes = Lanes(
            open=open_page,
            courtesy=parts.courtesy,
            crawl_delay=parts.fetcher.crawl_delay,
            clock=parts.clock,
            at_once=self._at_once,
            tries=self._tries,
            window=self._window,
        )
        await lanes.run(each(urls), done)

    async def read(self, urls: Iterable[str], *, run: str = "") -> list[PageRecord]:
        """
        The records of some addresses, in their order; of several spellings of one address the first is read.

        run: names a run whose pages are kept in the store for a while: the same addresses, asked for again in the same
            order because whoever was asked died, are not read again
        """
        wanted = firsts(urls, page_key)
        kept = KeptPages(self._parts.store, run, wanted) if run else None
        found = {record.key: record for record in await kept.found()} if kept else {}

        async def keep(record: PageRecord) -> None:
            found[record.key] = record
            if kept:
                await kept.add(record)

        await self.read_all([url for key, url in wanted.items() if key not in found], keep)
        if kept:
            await kept.write()
        return [found[key] for key in wanted]

    async def forget(self, records: Iterable[PageRecord], *, run: str) -> None:
        """Keep what `read` returned for a run no longer: it is where it belongs."""
        await KeptPages(self._parts.store, run, [record.key for record in records]).forget()

    @property
    def files(self) -> "SiteFiles":
        """What sites name beside their pages."""
        return SiteFiles(self._parts)

    async def close(self) -> None:
        """End workers and connections."""
        await self._parts.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


@dataclass(frozen=True)
class SiteFiles:
    """Gets what sites name beside their pages, as politely as the pages."""

    parts: Parts

    async def sitemaps(self, target: Target) -> list[str]:
        """The sitemaps named in robots.txt."""
        return await self.parts.fetcher.named_sitemaps(target)

    async def body(self, url: str) -> bytes:
        """A file as it came, unpacked where it is packed itself."""
        async with self.parts.courtesy.visit(self.parts.guard.check(url).authority):
            fetched = await self.parts.fetcher.of_any_kind().fetch(url)
        return unpacked(fetched.body) if fetched.body.startswith(MAGIC) else fetched.body


def unpacked(body: bytes) -> bytes:
    """What a packed file holds; of a large one, or one that is broken, the beginning."""
    whole = BytesIO()
    with suppress(BadGzip):
        for part in Gunzip().feed(body):
            whole.write(part)
            if whole.tell() > LARGEST:
                break
    return whole.getvalue()
