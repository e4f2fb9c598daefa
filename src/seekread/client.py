"""`Seekread`: the two verbs as Python callers use them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from seekread.compose import Parts, compose
from seekread.config.sources import load
from seekread.errors import InvalidQuery, Unreadable
from seekread.loops import running_loop
from seekread.models import USUAL, Page, PageShape, SearchResponse
from seekread.options import BudgetUnit, OpenOptions, Query, SearchOptions
from seekread.ports import Clock
from seekread.searching.validate import from_arguments
from seekread.tasks import tasks

if TYPE_CHECKING:
    import httpx2

    from seekread.gathering.evidence import Gathered
    from seekread.page.snapshot import Snapshot
    from seekread.reading.part import Wanted

MAX_PAGES = 10
WHOLE = 100_000_000
"""Characters; more than any page has."""
SMALLEST_SHARE = 200
"""Characters a page gets at least when several share a budget."""


class Seekread:
    """
    Search the web and read pages.

    Settings come from arguments, the environment and the settings file, in that order; nothing is read before the
    instance is made, and no connection is opened before the first call. One instance is one session.
    """

    def __init__(
        self,
        provider: str | Sequence[str] = (),
        *,
        settings: Mapping[str, Any] | None = None,
        providers: Mapping[str, Mapping[str, Any]] | None = None,
        config: str | Path | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        transport: "httpx2.AsyncBaseTransport | None" = None,
        record: str | Path | None = None,
        replay: str | Path | None = None,
    ) -> None:
        """
        Wire an engine.

        provider: whom to ask, in order, instead of the default chain
        settings: settings by name, winning over environment and file
        providers: settings of providers, such as {"brave": {"api_key": …}}
        config: a settings file to read instead of the user's own
        record: a file to write every search and page of this session to
        replay: a recording to answer from, without the network
        """
        configuration = load(settings, providers=providers, environ=environ, file=config)
        self._asked = names(provider)
        self._parts: Parts = compose(
            configuration,
            clock=clock,
            transport=transport,
            record=Path(record) if record else None,
            replay=Path(replay) if replay else None,
        )

    def register(self, provider: Any, *, default: bool = False) -> None:
        """Add a provider of your own; the first one, or the one with `default`, is asked first."""
        self._parts.registry.register(provider, default=default)

    def trust(self, *urls: str) -> None:
        """Say that the user gave these addresses: under `url_policy = seen` they may be opened."""
        self._parts.provenance.trust(*urls)

    async def search(
        self,
        query: str,
        *,
        provider: str | Sequence[str] = (),
        max_age: float | None = None,
        **options: Unpack[SearchOptions],
    ) -> SearchResponse:
        """
        Search. Nothing found is an answer with outcome `empty`; nobody able to answer raises `AllFailed`.

        provider: whom to ask this time, in order
        max_age: seconds an answer given before may be old; 0 asks again
        """
        running_loop()
        wanted = self._read_query(query, options)
        chain = self._parts.chain(names(provider) or self._asked)
        response = await self._parts.searching.search(wanted, chain, max_age=max_age)
        self._parts.provenance.found(result.url for result in response.results)
        return response

    def _read_query(self, query: str, options: SearchOptions) -> Query:
        return from_arguments({**options, "query": query}, strict=True, usual=self._parts.usual_options)

    async def open_page(self, url: str, *, reader: str | Sequence[str] = (), **options: Unpack[OpenOptions]) -> Page:
        """
        Read a page as Markdown.

        Whatever is wrong with the page is a `Page` with `success=False`, its outcome and its error. A wrong argument is
        `InvalidQuery`, an unknown reader `Misconfigured`.
        """
        return await self._open(url, reader, options, USUAL)

    async def _open(self, url: str, reader: str | Sequence[str], options: OpenOptions, shape: PageShape) -> Page:
        """Read a page in a shape."""
        running_loop()
        readers, wanted = self._parts.readers(names(reader)), replace(self._wanted(options), shape=shape)
        if not isinstance(url, str):
            raise InvalidQuery(f"url must be text, not {type(url).__name__}")
        return await self._parts.reading.open(url, readers, wanted)

    async def open_pages(
        self, urls: Sequence[str], *, reader: str | Sequence[str] = (), **options: Unpack[OpenOptions]
    ) -> tuple[Page, ...]:
        """Read up to ten pages at once. They share the budget `total_length`; each has its own outcome."""
        running_loop()
        if isinstance(urls, str) or not all(isinstance(url, str) for url in urls):
            raise InvalidQuery("urls must be a list of addresses; open_page reads a single one")
        if not 1 <= len(urls) <= MAX_PAGES:
            raise InvalidQuery(f"open between 1 and {MAX_PAGES} pages at once, not {len(urls)}")
        readers, wanted = self._parts.readers(names(reader)), self._wanted(options)
        share = max(SMALLEST_SHARE, self._parts.settings.read.total_length // len(urls))
        wanted = replace(wanted, max_length=min(wanted.max_length, share))
        pages: dict[int, Page] = {}

        async def one(number: int, url: str) -> None:
            pages[number] = await self._parts.reading.open(url, readers, wanted)

        async with tasks() as group:
            for number, url in enumerate(urls):
                group.start_soon(one, number, url)
        return tuple(pages[number] for number in range(len(urls)))

    async def gather(
        self,
        question: str,
        *,
        budget: int = 2000,
        unit: BudgetUnit = "characters",
        phrasings: Sequence[str] = (),
        pages: int = 5,
        provider: str | Sequence[str] = (),
        **options: Unpack[SearchOptions],
    ) -> "Gathered":
        """
        Search, read the best pages, and return the passages that answer a question, each with its source.

        Nothing found, or nothing on the pages that has to do with the question, is an answer with outcome `empty`.
        Nobody able to answer raises `AllFailed`; unreadable pages, where the others say nothing, `Unreadable`.

        budget: how much `content` may have, in characters or (unit) estimated tokens
        phrasings: other ways to ask, searched at the same time
        pages: how many results are read
        """
        from seekread.gathering.engine import Gathering

        options.setdefault("limit", pages)

        async def search(text: str) -> SearchResponse:
            return await self.search(text, provider=provider, **options)

        async def read(url: str) -> Page:
            return await self.open_page(url, max_length=WHOLE)

        seconds = self._parts.settings.read.page_seconds
        gathering = Gathering(search, read, seconds)
        return await gathering.gather(question, phrasings=phrasings, budget=budget, unit=unit, pages=pages)

    def _wanted(self, options: OpenOptions) -> "Wanted":
        from seekread.reading.part import to_wanted

        return to_wanted(options, usual_length=self._parts.settings.read.max_length)

    async def snapshot(self, handle: str) -> "Snapshot":
        """A page that was read before, by its handle: outline, find, passages and quote work without another fetch."""
        running_loop()
        found = await self._parts.snapshots.get(handle)
        if found is None:
            raise Unreadable("not_found", f"there is no snapshot {handle!r} (any more): open the page again")
        address = found.page.final_url or found.page.url
        if self._parts.registry.keeper(address) is None:
            # The rules may have changed since it was read.
            self._parts.guard.check(address)
        return found

    async def close(self) -> None:
        """Release connections."""
        running_loop()
        await self._parts.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def snapshot_of(web: Seekread, page: Page) -> "Snapshot":
    """The whole page behind a part of it: the one that was kept, or, where it could not be, the page read again."""
    from seekread.page.snapshot import Snapshot

    if page.snapshot:
        return await web.snapshot(page.snapshot)
    whole = await web.open_page(page.url, max_length=WHOLE)
    if not whole.success:
        raise Unreadable(whole.outcome, whole.error or "the page could not be read again", status=whole.status)
    # The last note is about the part that was asked for.
    return Snapshot(whole.model_copy(update={"notes": whole.notes[:-1]}))


def names(given: str | Sequence[str]) -> tuple[str, ...]:
    """One name or several as a tuple."""
    return tuple(part for part in ((given,) if isinstance(given, str) else given) if part)
