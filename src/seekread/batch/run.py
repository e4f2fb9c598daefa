"""A run: names in, records in a file, each once, as often as it is begun."""

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import Protocol, TypeVar

from seekread.batch.lanes import TakeRecord
from seekread.batch.page_file import PageFile
from seekread.batch.progress import Progress
from seekread.batch.record import PageRecord
from seekread.batch.record_file import RecordFile
from seekread.batch.search_record import SearchFile, SearchRecord
from seekread.batch.searcher import Searcher, TakeSearch

R = TypeVar("R", PageRecord, SearchRecord)

Take = Callable[[R], Awaitable[None]]
RecordMaker = Callable[[AsyncIterator[str], Take[R]], Awaitable[None]]
"""Makes the records of names as they come, and hands over each."""


class ReadsAll(Protocol):
    """Reads addresses as they come, on this machine or on others."""

    async def read_all(self, urls: AsyncIterable[str], done: TakeRecord) -> None: ...


async def read_into(
    file: PageFile, reader: ReadsAll, urls: AsyncIterable[str], progress: Progress, done: TakeRecord
) -> None:
    """Read what the file does not hold yet, and write it there; `done` is told of each record that was written."""
    await into(file, urls, reader.read_all, progress, done)


async def search_into(
    file: SearchFile, searcher: Searcher, queries: AsyncIterable[str], progress: Progress, done: TakeSearch
) -> None:
    """Ask what the file does not hold yet, and write it there; `done` is told of each record that was written."""

    async def tell(record: SearchRecord) -> None:
        progress.spend(record.cost)
        await done(record)

    await into(file, queries, searcher.search_all, progress, tell)


async def into(
    file: RecordFile[R], names: AsyncIterable[str], work: RecordMaker[R], progress: Progress, done: Take[R]
) -> None:
    under_way: set[bytes] = set()

    async def new() -> AsyncIterator[str]:
        async for name in names:
            key = file.key_of(name)
            if key in under_way or file.has(name):
                progress.skip()
                continue
            under_way.add(key)
            yield name

    async def keep(record: R) -> None:
        written = file.add(record)
        under_way.discard(written.key)
        progress.add(written)
        await done(written)

    progress.begin()
    await work(new(), keep)
