"""A run: addresses in, records in a file, each page once, as often as it is begun."""

from collections.abc import AsyncIterable, AsyncIterator

from seekread.batch.lanes import TakeRecord
from seekread.batch.page_file import PageFile
from seekread.batch.progress import Progress
from seekread.batch.reader import Reader
from seekread.batch.record import PageRecord, page_key


async def read_into(
    file: PageFile,
    reader: Reader,
    urls: AsyncIterable[str],
    progress: Progress,
    done: TakeRecord,
) -> None:
    """Read what the file does not hold yet, and write it there; `done` is told of each record that was written."""
    under_way: set[bytes] = set()

    async def new() -> AsyncIterator[str]:
        async for url in urls:
            key = page_key(url)
            if key in under_way or file.has(url):
                progress.skip()
                continue
            under_way.add(key)
            yield url

    async def keep(record: PageRecord) -> None:
        written = file.add(record)
        under_way.discard(written.key)
        progress.add(written)
        await done(written)

    progress.begin()
    await reader.read_all(new(), keep)
