"""
Step 4, cache: a page that was read before is not fetched again while it is fresh, and those who want the same page at
the same time share one read, in this process and in all that share the store.

What was read is kept once, under a handle named after its content, and found again by its address.
"""

import hashlib
import json
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import field, replace
from typing import Any, Protocol

from seekread.calling.deadline import Deadline
from seekread.errors import TimedOut
from seekread.late import dataclass
from seekread.models import USUAL, Page, PageShape
from seekread.page.snapshot import Snapshot, with_handle
from seekread.ports import Clock, Store
from seekread.state.flight import SingleFlight, once
from seekread.state.owners import apart
from seekread.state.pulse import Pulse

Read = Callable[[Page | None], Coroutine[Any, Any, Page]]
"""Reads the page afresh, or renews the copy it is given; raises when nobody can."""

NOT_KEPT = "The page could not be kept, so there is no snapshot of it: to read on, open it again."
LEASE_SECONDS = 2.5
"""
Seconds after which the page of a process that died is read by another one. On a machine with seven times the work it
can do, a process that was just importing showed no sign of life for longer than a second, and the page was read twice.
"""


class PageCache(Protocol):
    """Keeps pages for a while, and lets those who want the same one share it."""

    async def through(
        self,
        address: str,
        readers: Sequence[str],
        read: Read,
        *,
        deadline: Deadline,
        max_age: float | None = None,
        shape: PageShape = USUAL,
    ) -> Page:
        """The page kept for an address if it is fresh, otherwise a new one."""
        ...

    def alone(self, owner: str = "") -> "PageCache":
        """
        The same pages for callers who must not share a read that is under way, nor its failure.

        owner: whose pages are kept apart from everybody else's
        """
        ...


@dataclass(frozen=True)
class Snapshots:
    """Keeps snapshots in the store. Content is stored once; an address points to the latest."""

    store: Store
    clock: Clock
    lifetime: float
    """Seconds a page is kept."""
    fresh: float = 0.0
    """Seconds a page is handed out again without looking whether it has changed."""
    variant: str = ""
    """Names the settings that change what a page looks like."""
    owner: str = ""
    """Whose pages these are, where they are kept apart."""
    _flights: SingleFlight[Page] = field(default_factory=SingleFlight)
    _pulse: Pulse = field(default_factory=Pulse)

    async def through(
        self,
        address: str,
        readers: Sequence[str],
        read: Read,
        *,
        deadline: Deadline,
        max_age: float | None = None,
        shape: PageShape = USUAL,
    ) -> Page:
        """The latest page of an address if it is fresh (no older than `max_age`), otherwise a new one."""
        address, fresh = kept_address(address), self.fresh if max_age is None else max_age
        known, age = await self.latest(address, readers, shape)
        if known and age <= fresh and fresh > 0:
            return known.model_copy(update={"cached": True, "age_seconds": age})

        async def afresh() -> Page:
            page = await read(known)
            return await self.keep(page.model_copy(update={"url": address}), shape)

        async def left_by_another() -> Page | None:
            found, since = await self.latest(address, readers, shape)
            return found.model_copy(update={"cached": True, "age_seconds": since}) if found and since <= fresh else None

        async def work() -> Page:
            if fresh <= 0:
                return await afresh()
            return await once(
                self.store, f"flight/{self._pointer(address, ' '.join(readers), shape)}", look=left_by_another,
                work=afresh, pulse=self._pulse, wait=deadline.remaining() / 2, lease_seconds=LEASE_SECONDS,
            )  # fmt: skip

        try:
            return await self._flights.run(f"{address} {readers} {shape}", work, deadline.remaining)
        except TimeoutError:
            raise TimedOut(f"the {deadline.seconds:.3g} s for this are over") from None

    def alone(self, owner: str = "") -> "Snapshots":
        """The same pages with flights of their own, or an owner's own pages."""
        return replace(self, owner=owner, _flights=SingleFlight())

    async def keep(self, page: Page, shape: PageShape = USUAL) -> Page:
        """
        Store a page and point its address to it; returns it with its handle.

        A page that the store could not keep is handed out without a handle, and says so.
        """
        kept = with_handle(page)
        pointer = json.dumps({"snapshot": kept.snapshot, "at": self.clock.time()}).encode()
        # How it was read this time is no part of the page.
        stored = json.dumps(kept.model_copy(update={"attempts": ()}).with_markup()).encode()
        if not await self.store.keep(self._content(kept.snapshot), stored, lifetime=self.lifetime):
            return kept.model_copy(update={"snapshot": None, "notes": (*kept.notes, NOT_KEPT)})
        for url in {page.url, kept.final_url}:
            await self.store.put(self._pointer(url, page.reader, shape), pointer, lifetime=self.lifetime)
        return kept

    async def get(self, handle: str) -> Snapshot | None:
        """The snapshot of that handle, unless it has expired."""
        # A handle is one word; with more it would lead to the pages of somebody else.
        entry = None if "/" in handle else await self.store.get(self._content(handle))
        try:
            return Snapshot(Page.model_validate_json(entry.value)) if entry else None
        except ValueError:
            # Written by another version, whose pages had other fields.
            return None

    async def latest(self, address: str, readers: Sequence[str], shape: PageShape = USUAL) -> tuple[Page | None, float]:
        """The latest page of an address by one of these readers, and its age: whoever asks decides if that is fresh."""
        for reader in readers:
            if entry := await self.store.get(self._pointer(address, reader, shape)):
                pointer = json.loads(entry.value)
                found = await self.get(pointer["snapshot"])
                # Who read the page before may not have asked for its HTML.
                if found and found.page.markup.holds(shape):
                    return found.page, max(0.0, self.clock.time() - pointer["at"])
        return None, 0.0

    def _content(self, handle: str | None) -> str:
        return f"snapshot/{apart(self.owner)}{handle}"

    def _pointer(self, address: str, reader: str, shape: PageShape) -> str:
        named = f"{reader}\n{self.variant}{shape.key}\n{address}".encode("utf-8", "surrogatepass")
        return f"address/{apart(self.owner)}{hashlib.sha256(named).hexdigest()}"


class Unkept:
    """Reads every page afresh and keeps none: for those who read in bulk and keep the pages themselves."""

    async def through(
        self,
        address: str,
        readers: Sequence[str],  # noqa: ARG002
        read: Read,
        *,
        deadline: Deadline,  # noqa: ARG002
        max_age: float | None = None,  # noqa: ARG002
        shape: PageShape = USUAL,  # noqa: ARG002
    ) -> Page:
        page = await read(None)
        return with_handle(page.model_copy(update={"url": kept_address(address)}))

    def alone(self, owner: str = "") -> "Unkept":  # noqa: ARG002
        return self


def kept_address(url: str) -> str:
    """The address a page is kept under: without its fragment, unless a script on the page routes by it."""
    address, _, fragment = url.partition("#")
    return url if fragment.startswith(("/", "!")) else address
