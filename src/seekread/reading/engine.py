"""The reading half of the engine: the steps that turn an address into a page, in order."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import anyio
import anyio.to_thread

from seekread.calling.deadline import Deadline
from seekread.calling.gate import LOCAL
from seekread.calling.perform import perform
from seekread.calling.trace import Trace
from seekread.errors import BadReply, InvalidQuery, ProviderError, Refused, SeekreadError, TimedOut, Unreadable
from seekread.http.guard import Guard, Target
from seekread.models import Page, estimated_tokens
from seekread.outcomes import MEANINGS, is_failure
from seekread.page.snapshot import Snapshot
from seekread.page.window import footer, window
from seekread.ports import Clock, Sender
from seekread.provider import ReadProvider
from seekread.reading.provenance import Provenance
from seekread.reading.snapshots import Snapshots
from seekread.searching.ask import GRACE, Gatekeeper
from seekread.searching.policy import Policy
from seekread.state.flight import SingleFlight

FOR_A_BROWSER = frozenset({"needs_js", "blocked"})
LONG = 50_000
"""Characters of a page on which work leaves the event loop."""


@dataclass(frozen=True)
class Wanted:
    """Which part of a page is wanted: from an offset, a section, or the passages that answer a question."""

    max_length: int = 15_000
    offset: int = 0
    query: str | None = None
    section: str | None = None
    max_age: float | None = None


def unseen(_url: str, _page: Page | ProviderError, _seconds: float) -> None:
    """Nobody records."""


async def as_it_is(page: Page) -> Page:
    """No wash."""
    return page


@dataclass(frozen=True)
class Reading:
    """Opens pages. Everything it needs is handed to it."""

    guard: Guard
    policy: Policy
    provenance: Provenance
    snapshots: Snapshots
    sender: Sender
    gate: Gatekeeper
    clock: Clock
    seconds: float = 20.0
    fresh_seconds: float = 86_400.0
    witness: Callable[[str, Page | ProviderError, float], None] = unseen
    wash: Callable[[Page], Awaitable[Page]] = as_it_is
    _flights: SingleFlight[Page] = field(default_factory=SingleFlight)

    async def open(self, url: str, readers: Sequence[ReadProvider], wanted: Wanted) -> Page:
        """Policy, guard, snapshot, readers, window. Always returns a page; a problem is `success=False`."""
        started, trace = self.clock.monotonic(), Trace("read")
        try:
            self.policy.check_outgoing(url, "url")
            target = self.guard.check(url)
            self.provenance.check(url)
            page = await self._part(await self._whole(url, target, readers, wanted, trace), wanted)
        except SeekreadError as error:
            page = failed(url, error)
        else:
            self.provenance.linked(link.url for link in page.links)
        took = round((self.clock.monotonic() - started) * 1000)
        return page.model_copy(update={"attempts": tuple(trace.attempts), "latency_ms": took})

    async def _whole(
        self, url: str, target: Target, readers: Sequence[ReadProvider], wanted: Wanted, trace: Trace
    ) -> Page:
        """The whole page: the one read before while it is fresh, otherwise read now, once for all who ask."""
        address, names = kept_address(target.url), [reader.name for reader in readers]
        fresh = self.fresh_seconds if wanted.max_age is None else wanted.max_age
        known = await self.snapshots.latest(address, names)
        if known and known[1] <= fresh and fresh > 0:
            # The rules may have changed since it was read.
            self.guard.check(known[0].final_url)
            page = known[0].model_copy(update={"url": url, "cached": True, "age_seconds": known[1]})
            self.witness(address, known[0], 0.0)
            return page

        async def read() -> Page:
            return await self._read_and_keep(target, readers, trace, known[0] if known else None)

        return (await self._flights.run(f"{address} {names}", read)).model_copy(update={"url": url})

    async def _read_and_keep(
        self, target: Target, readers: Sequence[ReadProvider], trace: Trace, known: Page | None
    ) -> Page:
        started = self.clock.monotonic()
        address = kept_address(target.url)
        try:
            page = await self.snapshots.keep(await self._read(target, readers, trace, known))
        except ProviderError as error:
            self.witness(address, error, self.clock.monotonic() - started)
            raise
        self.witness(address, page, self.clock.monotonic() - started)
        return page

    async def _read(self, target: Target, readers: Sequence[ReadProvider], trace: Trace, known: Page | None) -> Page:
        """One reader after another, while the next could do better."""
        deadline = Deadline.after(self.clock, self.seconds)
        problem: ProviderError | None = None
        before = ""
        for reader in readers:
            if (before, reader.name) == ("builtin", "browser") and problem and problem.outcome not in FOR_A_BROWSER:
                # What our own fetch could not reach, a browser on the same machine cannot reach either.
                continue
            before = reader.name
            started = self.clock.monotonic()
            try:
                page = await self._once(reader, target, deadline, known)
            except ProviderError as error:
                trace.failed(reader.name, error, self.clock.monotonic() - started)
                problem = error
                if MEANINGS[error.outcome].step == "stop":
                    break
            else:
                trace.attempt(reader.name, page.outcome, self.clock.monotonic() - started, status=page.status)
                return page.model_copy(update={"reader": reader.name, "url": kept_address(target.url)})
        raise problem or InvalidQuery("no reader is configured: name one in readers under [read]")

    async def _once(self, reader: ReadProvider, target: Target, deadline: Deadline, known: Page | None) -> Page:
        try:
            with anyio.fail_after(deadline.remaining() + GRACE):
                if reader.name not in LOCAL:
                    # A cloud reader fetches by itself; what it is asked to fetch is vetted all the same.
                    await self.guard.vet(target)
                async with self.gate.enter(reader, deadline) as visit:
                    renew = getattr(reader, "renew", None)
                    task = renew(known) if renew and known and known.reader == reader.name else reader.read(target.url)
                    seconds = deadline.within(self.seconds)
                    page = checked(await perform(task, self.sender, seconds=seconds, heard=visit.heard), reader.name)
                if page.final_url:
                    # Readers that follow redirects by themselves may end anywhere.
                    self.guard.check(page.final_url)
                return page if reader.name in LOCAL else await self.wash(page)
        except TimeoutError:
            raise TimedOut(f"the page was not read within {self.seconds:.3g} s") from None

    async def _part(self, page: Page, wanted: Wanted) -> Page:
        """The part that is wanted; on a long page finding it takes a while, which is not the event loop's business."""
        if len(page.content) < LONG:
            return part(page, wanted)
        return await anyio.to_thread.run_sync(part, page, wanted)


def checked(page: object, reader: str) -> Page:
    """A page that was really read; a reader that says it failed has failed."""
    if not isinstance(page, Page):
        raise BadReply(f"{reader} returned {type(page).__name__}, not a page")
    if not page.success or is_failure(page.outcome):
        outcome = page.outcome if is_failure(page.outcome) else "unreachable"
        raise Unreadable(outcome, page.error or "the page could not be read", status=page.status)
    return page


def kept_address(url: str) -> str:
    """The address a page is kept under: without its fragment, unless a script on the page routes by it."""
    address, _, fragment = url.partition("#")
    return url if fragment.startswith(("/", "!")) else address


def part(page: Page, wanted: Wanted) -> Page:
    """The part of a page that is wanted, with exact counts and how to go on."""
    snapshot = Snapshot(page)
    if wanted.query:
        found = snapshot.passages(wanted.query, budget=wanted.max_length)
        note = f"{len(found.passages)} passages for {wanted.query!r} out of {found.total:,} characters."
        if not found.passages:
            note = f"Nothing on this page has to do with {wanted.query!r}."
        return shown(page, found.content, note)
    if wanted.section:
        text = snapshot.section(wanted.section)
        if text is None:
            raise InvalidQuery(snapshot.missing_section(wanted.section))
        return windowed(page, text, wanted, "section")
    return windowed(page, page.content, wanted, "page")


def windowed(page: Page, text: str, wanted: Wanted, noun: str) -> Page:
    """A window of the page or of one of its sections, with exact counts and how to go on."""
    cut = window(text, wanted.offset, wanted.max_length)
    return page.model_copy(
        update={
            "content": cut.content,
            "content_length": len(cut.content),
            "offset": cut.offset,
            "truncated": len(cut.content) < len(page.content),
            "next_offset": cut.next_offset,
            "tokens": cut.tokens,
            "notes": (*page.notes, footer(cut, noun=noun)),
        }
    )


def shown(page: Page, content: str, note: str) -> Page:
    """A page of which only some text is shown."""
    return page.model_copy(
        update={
            "content": content,
            "content_length": len(content),
            "tokens": estimated_tokens(content),
            "truncated": len(content) < (page.original_length or 0),
            "notes": (*page.notes, note),
        }
    )


def failed(url: str, error: SeekreadError) -> Page:
    """A page that could not be read, and why."""
    match error:
        case ProviderError():
            return Page(url=url, success=False, outcome=error.outcome, error=str(error), status=error.status)
        case Refused():
            return Page(url=url, success=False, outcome="refused", error=str(error), metadata={"code": error.code})
        case _:
            # What was asked for is not there, and the message says what is: no page problem, so no advice about pages.
            code = "invalid_argument" if isinstance(error, InvalidQuery) else "not_available"
            return Page(url=url, success=False, outcome="not_found", error=str(error), metadata={"code": code})
