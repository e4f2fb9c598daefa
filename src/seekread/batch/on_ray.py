"""
The same reader on a Ray cluster (extra `ray`): actors read, one process writes.

Every actor is a `Reader` on a CPU of its own, wherever Ray finds one. How polite they are together, and what is read
already, is kept in the store, so that has to be one that all machines reach. What an actor has read stays there until
it is in the file: whoever does the batch of an actor or a machine that died reads again only what was under way, and
the last few pages.
"""

import asyncio
import gc
import logging
import math
import secrets
from collections.abc import AsyncIterable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import anyio.from_thread
import anyio.to_thread

from seekread.batch.each import each
from seekread.batch.lanes import TakeRecord
from seekread.batch.reader import Reader
from seekread.batch.record import PageRecord
from seekread.config.sources import Configuration
from seekread.errors import Misconfigured, SeekreadError

BATCH = 64
"""Addresses an actor is given at once …"""
WINDOW = 20_000
"""… and those that are on their way to actors."""
SHARED = ("redis://", "rediss://", "unix://")
"""Beginnings of the names of stores that all machines reach."""


class ReadPages:
    """What Ray gives batches to: a column `url` comes in, a column `record` with a page as JSON each goes out."""

    def __init__(self, configuration: Configuration, run: str, options: Mapping[str, Any]) -> None:
        self._runner, self._run = asyncio.Runner(), run
        # An actor has one CPU.
        self._reader = Reader(configuration=configuration, workers=1, **options)
        # The process of an actor does nothing else, and stays until its end with a hundred thousand objects of
        # Ray: a look for cycles among them takes long, and finds none.
        gc.freeze()

    def __call__(self, batch: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
        records = self._runner.run(self._reader.read(map(str, batch["url"]), run=self._run))
        return {"record": [record.model_dump_json() for record in records]}


class RayReader:
    """Reads any number of pages as `Reader` does, on the cluster that RAY_ADDRESS names, or on one of its own."""

    def __init__(self, configuration: Configuration, *, actors: int | None = None, **options: Any) -> None:
        """
        Wire a reader.

        actors: processes that read, a CPU each; usually as many as the cluster has CPUs, but one
        options: those of `Reader`, for each actor
        """
        if not configuration.settings.state.store.startswith(SHARED):
            raise Misconfigured("reading on Ray needs a store that all its machines reach: --store redis://…")
        self._configuration, self._options, self._actors = configuration, options, actors
        self._run = secrets.token_hex(8)
        self._ray = required()
        self._reader = Reader(configuration=configuration, **options)

    async def read_all(self, urls: Iterable[str] | AsyncIterable[str], done: TakeRecord) -> None:
        """Read addresses as they come, and hand over the record of each, one at a time, in no certain order."""

        async def keep(records: Sequence[PageRecord]) -> None:
            for record in records:
                await done(record)
            await self._reader.forget(records, run=self._run)

        def read(window: Sequence[str]) -> None:
            for records in self._read(window):
                anyio.from_thread.run(keep, records)

        window: list[str] = []
        async for url in each(urls):
            window.append(url)
            if len(window) == WINDOW:
                await anyio.to_thread.run_sync(read, window, abandon_on_cancel=True)
                window = []
        await anyio.to_thread.run_sync(read, window, abandon_on_cancel=True)

    def _read(self, urls: Sequence[str]) -> Iterator[list[PageRecord]]:
        """Records of a few pages at a time, as they come."""
        if not urls:
            return
        source = self._ray.data.from_items(
            [{"url": url} for url in urls], override_num_blocks=math.ceil(len(urls) / BATCH)
        )
        cpus = int(self._ray.cluster_resources().get("CPU", 1))
        most = self._actors or max(1, cpus - 1)
        pages = source.map_batches(
            ReadPages,
            fn_constructor_args=(self._configuration, self._run, self._options),
            # A block is a batch: Ray would put several into one task, and do all of them again.
            batch_size=None,
            num_cpus=1,
            compute=self._ray.data.ActorPoolStrategy(min_size=1, initial_size=most, max_size=most),
        )
        try:
            for batch in pages.iter_batches(batch_size=None, batch_format="numpy"):
                yield [PageRecord.model_validate_json(record) for record in batch["record"]]
        except self._ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None)
            raise cause if isinstance(cause, SeekreadError) else Misconfigured(f"Ray gave up: {error}") from None

    async def __aenter__(self) -> Self:
        self._ray.init(log_to_driver=False, logging_level=logging.ERROR)
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        self._ray.data.DataContext.get_current().enable_progress_bars = False
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ray.shutdown()
        await self._reader.close()


def required() -> Any:
    """The package."""
    try:
        import ray.data
    except ImportError:
        raise Misconfigured("reading on Ray needs a package: install seekread[ray]") from None
    return ray
