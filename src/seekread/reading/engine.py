"""The reading engine: the steps that turn an address into a page, in order. Each step lives in its own module."""

from collections.abc import Callable, Sequence

from seekread.calling.deadline import Deadline
from seekread.calling.outgoing import Outgoing
from seekread.calling.trace import Trace
from seekread.calling.unwatched import UNWATCHED
from seekread.errors import InvalidQuery, Malformed, ProviderError, Refused, SeekreadError
from seekread.http.guard import Guard
from seekread.late import dataclass
from seekread.models import USUAL, Page, PageShape
from seekread.ports import Clock, Telemetry
from seekread.provider import ReadProvider, ShapingReader
from seekread.reading.ask import PageAsker
from seekread.reading.part import Wanted, take
from seekread.reading.provenance import Provenance
from seekread.reading.route import first
from seekread.reading.snapshots import PageCache


def nobody(_url: str) -> None:
    """Every address is one of the web."""


@dataclass(frozen=True)
class Reading:
    """Opens pages. Everything it needs is handed to it."""

    outgoing: Outgoing
    guard: Guard
    provenance: Provenance
    cache: PageCache
    asker: PageAsker
    clock: Clock
    seconds: float = 20.0
    keeper: Callable[[str], ReadProvider | None] = nobody
    """Who keeps the document of an address, where it is none of the web."""
    hands_out_source: bool = False
    """Whether the HTML of a page may be had as it came."""
    telemetry: Telemetry = UNWATCHED

    async def open(self, url: str, readers: Sequence[ReadProvider], wanted: Wanted) -> Page:
        """Outgoing, guard, provenance, cache, route, ask, part. A problem is a page too, with `success=False`."""
        with self.telemetry.work("read", text=url) as work:
            page = await self._open(url, readers, wanted)
            work.ended(
                failed=not page.success,
                outcome=page.outcome,
                cached=page.cached,
                reader=page.reader,
                characters=page.original_length,
            )
            return page

    async def _open(self, url: str, readers: Sequence[ReadProvider], wanted: Wanted) -> Page:
        started, trace = self.clock.monotonic(), Trace("read", telemetry=self.telemetry)
        try:
            self.outgoing.check(url, "url")
            keeper = self.keeper(url)
            address = url if keeper else self._address(url)
            self.provenance.check(url)
            able = self._able([keeper] if keeper else readers, wanted.shape)
            # What is at hand may have changed a moment ago.
            whole = await self._whole(address, able, 0 if keeper else wanted.max_age, trace, wanted.shape)
            page = (await take(whole, wanted)).model_copy(update={"url": url})
        except SeekreadError as error:
            page = failed_page(url, error, trace)
        else:
            self.provenance.linked(link.url for link in page.links)
        return page.model_copy(update={"latency_ms": round((self.clock.monotonic() - started) * 1000)})

    def _able(self, readers: Sequence[ReadProvider], shape: PageShape) -> Sequence[ReadProvider]:
        """The readers that can read a page in a shape."""
        if shape.source and not self.hands_out_source:
            raise InvalidQuery("HTML as it came is not handed out here: its operator would set raw_html under [read]")
        able = readers if shape == USUAL else [reader for reader in readers if isinstance(reader, ShapingReader)]
        if not able and readers:
            raise InvalidQuery("HTML and selectors need a reader of ours: builtin or browser in readers under [read]")
        return able

    def _address(self, url: str) -> str:
        """The address in its one spelling; what is none is the caller's mistake and no matter of policy."""
        try:
            return self.guard.check(url).url
        except Malformed as error:
            raise InvalidQuery(str(error)) from None

    async def _whole(
        self, address: str, readers: Sequence[ReadProvider], max_age: float | None, trace: Trace, shape: PageShape
    ) -> Page:
        """The whole page: the one read before while it is fresh, otherwise read now."""
        deadline = Deadline.after(self.clock, self.seconds)

        async def read(known: Page | None) -> Page:
            async def ask(reader: ReadProvider) -> Page:
                alone = reader is readers[-1]
                return await self.asker.ask(reader, address, deadline, trace, known, patient=alone, shape=shape)

            page = await first(readers, ask)
            return page.model_copy(update={"attempts": tuple(trace.attempts)})

        names = [reader.name for reader in readers]
        page = await self.cache.through(address, names, read, deadline=deadline, max_age=max_age, shape=shape)
        if page.cached:
            # The rules may have changed since it was read.
            self.guard.check(page.final_url)
        return page


def failed_page(url: str, error: SeekreadError, trace: Trace) -> Page:
    """A page that could not be read, and why."""
    page = Page(url=url, success=False, error=str(error), attempts=tuple(trace.attempts))
    match error:
        case ProviderError():
            return page.model_copy(update={"outcome": error.outcome, "status": error.status})
        case Refused():
            return page.model_copy(update={"outcome": "refused", "metadata": {"code": error.code}})
        case _:
            # What was asked for is not there, and the message says what is: no page problem, so no advice about pages.
            code = "invalid_argument" if isinstance(error, InvalidQuery) else "not_available"
            return page.model_copy(update={"outcome": "not_found", "metadata": {"code": code}})
