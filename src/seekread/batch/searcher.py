"""
`Searcher`: queries in bulk, within the plans, the pace and the caps that every search keeps.

1. **room** As many searches are under way as whoever is asked first takes at once: a list is no reason to ask the next.
2. **pause** A pause that it asked for is waited for, and not got around.
3. **again** What passes by itself (a timeout, a service that is busy) is asked again later.
4. **end** Where whatever is asked next would fail alike (plans and caps used up, a wrong key), the list ends there: it
   can be gone on with, and no query is written down as failed that nobody was asked.
"""

import random
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

import anyio

from seekread.batch.each import each, firsts
from seekread.batch.search_record import SearchRecord, failed_record, query_key, record_of
from seekread.client import names
from seekread.compose import compose
from seekread.config.sources import load
from seekread.errors import AllFailed, InvalidQuery, Refused
from seekread.options import Query, SearchOptions
from seekread.outcomes import MEANINGS
from seekread.searching.estimate import Estimate, estimate, who_is_asked
from seekread.searching.validate import from_arguments
from seekread.state.ledger import Bill, billed
from seekread.tasks import tasks

AT_ONCE = 16
TRIES = 3
SECONDS = 60.0
"""Seconds one search may take at least: its turn in the pace is waited for."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before a query is asked again; twice as many each time."""
PATIENCE, LAST_PATIENCE = 60.0, 3600.0
"""Seconds of a pause that are waited for where somebody else could be asked, and where nobody could."""

TakeSearch = Callable[[SearchRecord], Awaitable[None]]


class Searcher:
    """
    Asks any number of queries, each as one search with the same options.

    What plans and caps allow holds over all processes that share the store; `max_dollars` for this searcher alone.
    """

    def __init__(
        self,
        provider: str | Sequence[str] = (),
        *,
        at_once: int = AT_ONCE,
        tries: int = TRIES,
        max_dollars: float | None = None,
        max_age: float | None = None,
        settings: Mapping[str, Any] | None = None,
        providers: Mapping[str, Mapping[str, Any]] | None = None,
        config: str | Path | None = None,
        environ: Mapping[str, str] | None = None,
        **options: Unpack[SearchOptions],
    ) -> None:
        """
        Wire a searcher.

        provider: whom to ask, in order, instead of the default chain
        at_once: searches under way at once, where the pace of whoever is asked allows as many
        tries: how often a query is asked that may be answered later
        max_dollars: what may be spent altogether
        max_age: seconds an answer given before may be old; 0 asks again
        settings, providers, config: as for `Seekread`
        """
        parts = compose(load(settings, providers=providers, environ=environ, file=config))
        dollars = [cap for cap in (max_dollars, parts.caps.session_dollars) if cap is not None]
        self._parts = parts.for_lists(replace(parts.caps, session_dollars=min(dollars, default=None)), SECONDS)
        self._chain = self._parts.chain(names(provider))
        self._route = self._parts.settings.search.route
        self._first, self._others = who_is_asked(self._chain, self._route)
        self._options, self._max_age = options, max_age
        self._at_once, self._tries = at_once, tries
        self._query_of("a question")

    async def estimate(self, query: str) -> Estimate:
        """What searches like this one cost, as far as it is known before anybody is asked."""
        parts = self._parts
        return await estimate(self._query_of(query), self._chain, self._route, parts.ledger, parts.clock)

    async def search_all(self, queries: Iterable[str] | AsyncIterable[str], done: TakeSearch) -> None:
        """
        Ask queries as they come, and hand over the record of each, one at a time, in no certain order.

        Where nobody can answer any more, those under way are finished, and `AllFailed` says why the rest was not asked.
        """
        places, telling, feeding = anyio.CapacityLimiter(1), anyio.Lock(), anyio.CancelScope()
        ended: list[AllFailed] = []
        waiting, coming = anyio.create_memory_object_stream[str](0)

        async def work() -> None:
            async for query in coming:
                places.total_tokens = self._room()
                async with places:
                    if ended:
                        return
                    try:
                        record = await self._searched(query)
                    except AllFailed as error:
                        ended.append(error)
                        feeding.cancel()
                        return
                async with telling:
                    await done(record)

        async with coming, tasks() as group:
            for _ in range(self._at_once):
                group.start_soon(work)
            with feeding:
                async with waiting:
                    async for query in each(queries):
                        await waiting.send(query)
        if ended:
            raise ended[0]

    async def search(self, queries: Iterable[str]) -> list[SearchRecord]:
        """The records of some queries, in their order; of several spellings of one query the first is asked."""
        wanted = firsts(queries, query_key)
        found: dict[bytes, SearchRecord] = {}

        async def keep(record: SearchRecord) -> None:
            found[record.key] = record

        await self.search_all(wanted.values(), keep)
        return [found[key] for key in wanted]

    def _room(self) -> int:
        """Searches that may be under way at once."""
        return min([self._at_once, *(self._parts.gate.takes(provider) for provider in self._first)])

    async def _searched(self, query: str) -> SearchRecord:
        """The record of a query; raises `AllFailed` where whatever is asked next ends the same way."""
        tries = 0
        with billed() as bill:
            while True:
                tries += 1
                try:
                    return await self._once(query, tries, bill)
                except AllFailed as error:
                    if lasts(error):
                        raise
                    if tries >= self._tries or not passes(error):
                        return failed_record(error, query, tries, bill.dollars, self._now())
                    await self._parts.clock.sleep(pause_after(error, tries))
                except (InvalidQuery, Refused) as error:
                    return failed_record(error, query, tries, bill.dollars, self._now())

    async def _once(self, query: str, tries: int, bill: Bill) -> SearchRecord:
        wanted = self._query_of(query)
        patience = PATIENCE if self._others else LAST_PATIENCE
        for provider in self._first:
            await self._parts.gate.pause_of(provider, patience)
        response = await self._parts.searching.search(wanted, self._chain, max_age=self._max_age)
        return record_of(response, query, tries, bill.dollars, self._now())

    def _query_of(self, text: str) -> Query:
        return from_arguments({**self._options, "query": text}, strict=True, usual=self._parts.usual_options)

    def _now(self) -> str:
        return datetime.fromtimestamp(self._parts.clock.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    async def close(self) -> None:
        """End connections."""
        await self._parts.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def lasts(error: AllFailed) -> bool:
    """Whether nobody of those who were asked can answer anything for now."""
    return all(MEANINGS[attempt.outcome].lasts for attempt in error.response.attempts)


def passes(error: AllFailed) -> bool:
    """Whether somebody may answer later."""
    return any(MEANINGS[attempt.outcome].passes for attempt in error.response.attempts)


def pause_after(error: AllFailed, tries: int) -> float:
    """Seconds before a query is asked again."""
    own = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.0)
    return max(own, min(error.retry_after or 0.0, LAST_PATIENCE))
