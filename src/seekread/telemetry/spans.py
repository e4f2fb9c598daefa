"""
What the engines tell, as spans and metrics of OpenTelemetry.

A span says what kind of work it was, how long it took and how it ended. A query or an address stands in it only where
the operator asks for that, and then without keys. Errors are told by their outcome: their messages may repeat an
address. An attempt is one span, written when it is over, below the search or read it belongs to.
"""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Self

import anyio
from opentelemetry import context, metrics, trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from seekread.errors import InvalidQuery
from seekread.late import dataclass
from seekread.outcomes import MEANINGS, is_failure
from seekread.ports import WorkFact, WorkKind
from seekread.version import VERSION

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)
"""Seconds; the same edges as those of `/metrics`."""
FLUSH_SECONDS = 2.0
"""How long the end waits for a collector to take what is left."""
WIRE = TraceContextTextMapPropagator()
"""Trace context as it travels: `traceparent` and `tracestate`, whatever else is propagated in this process."""
STANDARD = {
    "method": "http.request.method",
    "route": "http.route",
    "status": "http.response.status_code",
}
"""Facts that have a name in the conventions of OpenTelemetry; all others are ours."""


@dataclass(frozen=True)
class Described:
    """How a kind of work is shown: its metric, the facts that count apart in it, where its text would stand."""

    metric: str
    about: str
    labels: tuple[str, ...]
    text: str = ""
    span: SpanKind = SpanKind.INTERNAL


KINDS: Mapping[WorkKind, Described] = {
    "search": Described("seekread.search.duration", "How long searches took.", ("outcome", "cached"), "seekread.query"),
    "read": Described("seekread.read.duration", "How long reading pages took.", ("outcome", "cached"), "url.full"),
    "crawl": Described("seekread.crawl.duration", "How long crawls were worked on.", ("outcome",), "url.full"),
    "request": Described(
        "http.server.request.duration",
        "How long requests took.",
        ("method", "route", "status"),
        span=SpanKind.SERVER,
    ),
}


def named(facts: Mapping[str, WorkFact]) -> dict[str, str | int | float | bool]:
    """Facts under the names they are shown by."""
    return {STANDARD.get(name, f"seekread.{name}"): value for name, value in facts.items() if value is not None}


def outcome_of(error: BaseException) -> str:
    """How work ended that an error ended, in one word and never in its message."""
    told = getattr(error, "outcome", None)
    if told in MEANINGS:
        return str(told)
    if isinstance(error, anyio.get_cancelled_exc_class()):
        return "cancelled"
    return "invalid_argument" if isinstance(error, InvalidQuery) else type(error).__name__


class SpanWork:
    """A piece of work as a span."""

    def __init__(self, telemetry: "OpenTelemetry", kind: WorkKind, span: trace.Span) -> None:
        self._telemetry = telemetry
        self._kind: WorkKind = kind
        self._span = span
        self._began = time.perf_counter()
        self._told = False

    def __enter__(self) -> Self:
        self._before = context.attach(trace.set_span_in_context(self._span))
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        context.detach(self._before)
        if error is not None and not self._told:
            self.ended(failed=True, outcome=outcome_of(error))
        self._span.end()

    def ended(self, *, failed: bool, **facts: WorkFact) -> None:
        """How it ended."""
        self._told = True
        if self._kind == "request":
            self._span.update_name(f"{facts.get('method')} {facts.get('route')}")
        self._span.set_attributes(named(facts))
        if failed:
            mark_failed(self._span, str(facts.get("outcome") or facts.get("status")))
        counted = {name: facts[name] for name in KINDS[self._kind].labels if name in facts}
        self._telemetry.timed(KINDS[self._kind].metric, time.perf_counter() - self._began, counted)


def mark_failed(span: trace.Span, outcome: str) -> None:
    """Say that something failed, and how."""
    span.set_attribute("error.type", outcome)
    span.set_status(Status(StatusCode.ERROR, outcome))


class OpenTelemetry:
    """
    Spans and metrics of one engine.

    shows_text: says how a query or an address is shown; without it none is
    close: ends what sends them, where that is ours
    """

    active = True

    def __init__(
        self,
        tracers: trace.TracerProvider,
        meters: metrics.MeterProvider,
        *,
        shows_text: Callable[[str], str] | None = None,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self._tracer = tracers.get_tracer("seekread", VERSION)
        meter = meters.get_meter("seekread", VERSION)
        described = [(kind.metric, kind.about) for kind in KINDS.values()]
        described.append(("seekread.attempt.duration", "How long attempts at providers and readers took."))
        self._times = {
            name: meter.create_histogram(name, "s", about, explicit_bucket_boundaries_advisory=BUCKETS)
            for name, about in described
        }
        self._shows_text = shows_text
        self._close = close

    def work(self, kind: WorkKind, *, text: str = "", caller: Mapping[str, str] | None = None) -> SpanWork:
        """Work that begins."""
        described = KINDS[kind]
        shown = {described.text: self._shows_text(text)} if self._shows_text and text and described.text else {}
        span = self._tracer.start_span(kind, parent(caller), described.span, attributes=shown)
        return SpanWork(self, kind, span)

    def attempt(self, kind: str, provider: str, outcome: str, seconds: float, *, status: int | None) -> None:
        """An attempt that ended just now."""
        now = time.time_ns()
        facts = named({"provider": provider, "outcome": outcome, "status": status})
        span = self._tracer.start_span(
            f"{kind} {provider}", kind=SpanKind.CLIENT, attributes=facts, start_time=now - round(seconds * 1e9)
        )
        if outcome in MEANINGS and is_failure(outcome):
            mark_failed(span, outcome)
        span.end(now)
        self.timed("seekread.attempt.duration", seconds, {"kind": kind, "provider": provider, "outcome": outcome})

    def timed(self, metric: str, seconds: float, facts: Mapping[str, WorkFact]) -> None:
        """Count how long something took."""
        self._times[metric].record(seconds, named(facts))

    def handed_on(self) -> dict[str, str]:
        """The trace of the work under way."""
        carrier: dict[str, str] = {}
        WIRE.inject(carrier)
        return carrier

    async def close(self) -> None:
        """Send what is left, for as long as that may take."""
        # A collector that does not answer keeps this thread, and the thread keeps nobody.
        sending = threading.Thread(target=self._close, daemon=True)
        sending.start()
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(sending.join, FLUSH_SECONDS)


def parent(caller: Mapping[str, str] | None) -> Context | None:
    """The context a span begins in: the caller's where it sends one that is well-formed, or the one at hand."""
    if not caller:
        return None
    told = WIRE.extract(caller, Context())
    return told if trace.get_current_span(told).get_span_context().is_valid else None
