"""Ask some queries, within plans and caps, and say what each found and what it cost."""

import asyncio
import sys

from seekread.batch import Searcher, SearchRecord


async def show(record: SearchRecord) -> None:
    print(record.outcome, record.query, len(record.results), record.cost)


async def main() -> None:
    async with Searcher("brave", limit=3, max_dollars=1.0) as searcher:
        await searcher.search_all(sys.argv[1:], show)


asyncio.run(main())
