"""Read some pages politely, and say what came of each."""

import asyncio
import sys

from seekread.batch import Manners, PageRecord, Reader


async def show(record: PageRecord) -> None:
    print(record.outcome, record.url, len(record.markdown))


async def main() -> None:
    async with Reader(manners=Manners(delay=0.5, at_once=1)) as reader:
        await reader.read_all(sys.argv[1:], show)


asyncio.run(main())
