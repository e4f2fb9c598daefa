"""
What the engine needs from outside, as protocols.

`Clock` and `Sender` are small on purpose: tests and hosts bring their own. `Telemetry` is what spans and metrics are
made of, whoever makes them.
`Store` is four primitives (values with a lifetime, reserve and settle on counters, a lock with fencing, scan);
cache, snapshots, ledger, pace and single flight are all built on them.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Literal, Protocol

from seekread.errors import SeekreadError
from seekread.late import dataclass
from seekread.provider import Reply, Request


class Clock(Protocol):
    """Time, so that tests can bring their own."""

    def time(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Sender(Protocol):
    """Sends a request to a service of the operator's choice."""

    async def send(self, request: Request, *, seconds: float) -> Reply:
        """
        Send within so many seconds; raise `TimedOut` or `Unreachable` if no reply came.

        An error, and a cancellation, may carry `sent = False` where the request certainly never left.
        """
        ...


@dataclass(frozen=True)
class Entry:
    """A stored value, when it was written and when it ends (seconds since the epoch)."""

    key: str
    value: bytes
    written_at: float
    expires_at: float | None


@dataclass(frozen=True)
class Limit:
    """
    At most `amount` within any period of `seconds`; `None` seconds means until the counter is dropped.

    `keep` says after how many idle seconds a counter without a period may be dropped; `None` means never.
    """

    amount: float
    seconds: float | None = None
    keep: float | None = None


@dataclass(frozen=True)
class Want:
    """What a caller wants to take from one counter."""

    key: str
    amount: float
    limit: Limit


@dataclass(frozen=True)
class Reservation:
    """
    The answer to `reserve`.

    Granted: `starts_in` says how many seconds to wait before using it, `used` what each counter holds now.
    Refused: `refused` is the want that did not fit, `retry_after` how many seconds until it could, when that is known.
    """

    granted: bool
    wants: tuple[Want, ...] = ()
    token: str = ""
    starts_in: float = 0.0
    used: tuple[float, ...] = ()
    refused: Want | None = None
    retry_after: float | None = None


@dataclass(frozen=True)
class Counter:
    """What a counter without a period holds."""

    key: str
    used: float


@dataclass(frozen=True)
class Lease:
    """A lock that is held. `fence` grows with every holder, so that a late writer can be told apart."""

    key: str
    fence: int
    token: str


class StoreUnavailable(SeekreadError):
    """The store could not do what it must not get wrong; whoever counts money stops here."""


class Store(Protocol):
    """
    Memory that may be shared between processes and machines. Keys are text, values are bytes.

    Values are a cache: when the backend fails, `get` misses and `put` and `delete` do nothing, with one warning in
    the log. Everything else must be right or not at all: it raises `StoreUnavailable`.
    """

    async def get(self, key: str) -> Entry | None:
        """The entry, or `None` when there is none or its lifetime is over."""
        ...

    async def put(self, key: str, value: bytes, *, lifetime: float | None = None) -> None:
        """Write a value that ends after `lifetime` seconds."""
        ...

    async def keep(self, key: str, value: bytes, *, lifetime: float | None = None) -> bool:
        """The same, for values somebody is promised: waits until it is written, and says whether it is."""
        ...

    async def delete(self, key: str) -> None:
        """Forget a key."""
        ...

    async def scan(self, prefix: str, *, limit: int = 1000) -> list[Entry]:
        """The entries whose key starts with `prefix`, in key order."""
        ...

    async def reserve(self, *wants: Want, ahead: float = 0.0) -> Reservation:
        """
        Take all that is wanted, or nothing, atomically over all processes.

        Counters with a period may be booked up to `ahead` seconds in advance, first come, first served.
        """
        ...

    async def settle(self, reservation: Reservation, *amounts: float) -> None:
        """
        Correct a granted reservation to what was really used, one amount per want; a single 0 gives everything back.

        Settling twice changes nothing. What is never settled stays spent.
        """
        ...

    async def counter(self, key: str) -> float:
        """What a counter without a period holds; 0 if nobody ever took from it."""
        ...

    async def counters(self, prefix: str) -> list[Counter]:
        """The counters without a period whose key starts with `prefix`, in key order."""
        ...

    def lock(self, key: str, *, lifetime: float, wait: float) -> AbstractAsyncContextManager[Lease | None]:
        """Hold a lock for at most `lifetime` seconds; `None` if it was not free within `wait` seconds."""
        ...

    def renew(self, *leases: Lease, lifetime: float) -> None:
        """Hold locks for another `lifetime` seconds, but none that somebody else has by now. For any thread."""
        ...

    async def size(self) -> tuple[int, int]:
        """Number of entries and bytes stored."""
        ...

    async def clear(self, prefix: str = "") -> int:
        """Forget every value under a prefix, but no counter; returns how many entries went."""
        ...

    async def close(self) -> None:
        """Release files and connections."""
        ...


WorkKind = Literal["search", "read", "crawl", "request"]
WorkFact = str | int | float | bool | None


class WatchedWork(Protocol):
    """A piece of work under way, as whoever watches from outside sees it."""

    def ended(self, *, failed: bool, **facts: WorkFact) -> None:
        """How it ended, in facts that name neither a query nor an address. What nobody knows is `None`."""
        ...


class Telemetry(Protocol):
    """Hears of work and attempts, and tells whoever watches the operator's machines."""

    active: bool
    """Whether anybody watches."""

    def work(
        self, kind: WorkKind, *, text: str = "", caller: Mapping[str, str] | None = None
    ) -> AbstractContextManager[WatchedWork]:
        """
        Work that goes on while the block does; an error that leaves the block says how it ended.

        text: the query or the address, shown only where the operator asks for that
        caller: what a caller from outside says of the trace this belongs to: `traceparent`, `tracestate`
        """
        ...

    def attempt(self, kind: str, provider: str, outcome: str, seconds: float, *, status: int | None) -> None:
        """One attempt at a provider or reader, which took so many seconds and has just ended."""
        ...

    def handed_on(self) -> dict[str, str]:
        """What to give to whoever goes on with the work under way, so that it belongs to the same trace."""
        ...

    async def close(self) -> None:
        """Send what was not sent yet."""
        ...


__all__: Sequence[str] = (
    "Clock",
    "Counter",
    "Entry",
    "Lease",
    "Limit",
    "Reservation",
    "Sender",
    "Store",
    "StoreUnavailable",
    "Telemetry",
    "Want",
    "WatchedWork",
    "WorkFact",
    "WorkKind",
)
