"""
Step 6, ask: one reader asked properly.

Here stand the deadline, the gate and the guard: a cloud reader fetches by itself, so what it is asked to fetch is
vetted before, and where it ended is checked afterwards. A copy that was read before is renewed where the reader can.
"""

from collections.abc import Awaitable, Callable

import anyio

from seekread.calling.deadline import GRACE, Deadline
from seekread.calling.gate import Gatekeeper
from seekread.calling.perform import perform
from seekread.calling.trace import Trace
from seekread.errors import BadReply, ProviderError, TimedOut, Unreadable
from seekread.hostnames import host_of
from seekread.http.guard import Guard
from seekread.late import dataclass
from seekread.models import USUAL, Link, Page, PageShape
from seekread.outcomes import is_failure
from seekread.page.gate import leads_elsewhere
from seekread.page.invisible import one_line
from seekread.ports import Clock, Sender
from seekread.provider import Call, Job, ReadProvider, ShapingReader, secrets_of, traits


async def as_it_is(page: Page) -> Page:
    """No wash."""
    return page


@dataclass(frozen=True)
class PageAsker:
    """Asks readers. Everything it needs is handed to it."""

    guard: Guard
    sender: Sender
    clock: Clock
    gate: Gatekeeper
    wash: Callable[[Page], Awaitable[Page]] = as_it_is
    """What is done with a page that somebody else read."""

    async def ask(
        self,
        reader: ReadProvider,
        address: str,
        deadline: Deadline,
        trace: Trace,
        known: Page | None,
        *,
        patient: bool = True,
        shape: PageShape = USUAL,
    ) -> Page:
        """Ask one reader; raise its error when it could not read the page. Who is `patient` has no other to ask."""
        started = self.clock.monotonic()
        try:
            keyed = await self.gate.with_key(reader)
            task = task_of(keyed, address, known, shape)
            page = await self._once(keyed, address, deadline, task, patient=patient)
        except ProviderError as error:
            trace.failed(reader.name, error, self.clock.monotonic() - started)
            if self.gate.has_another_key(reader, error):
                return await self.ask(reader, address, deadline, trace, known, patient=patient, shape=shape)
            raise
        trace.attempt(reader.name, page.outcome, self.clock.monotonic() - started, status=page.status)
        return page.model_copy(update={"reader": reader.name})

    async def _once(
        self,
        reader: ReadProvider,
        address: str,
        deadline: Deadline,
        task: Call[Page] | Job[Page],
        *,
        patient: bool,
    ) -> Page:
        """One attempt, waiting for its turn included."""
        about = traits(reader)
        try:
            with anyio.fail_after(deadline.remaining() + GRACE):
                if not about.local:
                    await self.guard.vet(self.guard.check(address))
                host = host_of(address)
                async with self.gate.enter(reader, deadline, patient=patient, host=host, cost=task.cost) as admission:
                    seconds = deadline.within(deadline.seconds)
                    admission.hurried = seconds < deadline.seconds
                    reply = await perform(
                        task,
                        self.sender,
                        self.clock,
                        seconds=seconds,
                        heard=admission.heard,
                        secrets=secrets_of(reader),
                    )
                    admission.answered(reply)
                    page = as_read(reply, reader.name)
                if page.final_url:
                    # Readers that follow redirects by themselves may end anywhere.
                    self.guard.check(page.final_url)
                return page if about.extracts else in_sight(await self.wash(page))
        except TimeoutError:
            raise TimedOut(f"the page was not read within {deadline.seconds:.3g} s") from None


def task_of(reader: ReadProvider, address: str, known: Page | None, shape: PageShape) -> Call[Page] | Job[Page]:
    """What a reader wants done: a look whether its own copy is still good, or the page read anew."""
    if isinstance(reader, ShapingReader) and shape != USUAL:
        return reader.read_shaped(address, shape)
    renew: Callable[[Page], Call[Page] | Job[Page]] | None = getattr(reader, "renew", None)
    return renew(known) if renew and known and known.reader == reader.name else reader.read(address)


def in_sight(page: Page) -> Page:
    """A page that somebody else read: nothing hidden stands beside its text, and its links lead to the web."""
    return page.model_copy(
        update={
            "title": one_line(page.title),
            "notes": tuple(map(one_line, page.notes)),
            "metadata": {one_line(name): one_line(value) for name, value in page.metadata.items()},
            "links": tuple(
                Link(text=one_line(link.text), url=url)
                for link in page.links
                if not leads_elsewhere(url := one_line(link.url))
            ),
        }
    )


def as_read(page: object, reader: str) -> Page:
    """A page that was really read; a reader that says it failed has failed."""
    if not isinstance(page, Page):
        raise BadReply(f"{reader} returned {type(page).__name__}, not a page")
    if not page.success or is_failure(page.outcome):
        outcome = page.outcome if is_failure(page.outcome) else "unreachable"
        raise Unreadable(outcome, page.error or "the page could not be read", status=page.status)
    return page
