"""
What happens while a request is under way.

Every attempt at a provider or reader is logged as one event (`calling.trace`). A handler on that log counts them for
the metrics, keeps the last failures for people to look at, and tells whoever streams the request they belong to.
"""

import json
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from pydantic import BaseModel
from starlette.types import Receive, Scope, Send

from seekread.late import dataclass
from seekread.outcomes import is_failure
from seekread.server.metrics import Metrics
from seekread.value import Value

ATTEMPTS = logging.getLogger("seekread.attempts")
HEARTBEAT = 10.0
"""Seconds after which a silent stream says that it is alive."""
REMEMBERED = 50
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    # A proxy that collects the answer before it passes it on would make a stream pointless.
    (b"x-accel-buffering", b"no"),
]

Listener = Callable[[dict[str, Any]], None]
_listener: ContextVar[Listener | None] = ContextVar("seekread_progress", default=None)

KINDS = {
    "search": ("seekread_searches_total", "seekread_search_duration_seconds", "provider"),
    "read": ("seekread_reads_total", "seekread_read_duration_seconds", "reader"),
}


class Attempts(logging.Handler):
    """Hears of every attempt in this process."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(logging.INFO)
        self._metrics = metrics
        self.failures: deque[dict[str, Any]] = deque(maxlen=REMEMBERED)

    def emit(self, record: logging.LogRecord) -> None:
        """Count one attempt and pass it on."""
        event = getattr(record, "seekread", None)
        if not isinstance(event, dict) or event.get("kind") not in KINDS:
            return
        total, duration, label = KINDS[event["kind"]]
        named = {label: event["provider"]}
        self._metrics.count(total, **named, outcome=event["outcome"])
        self._metrics.time(duration, event["milliseconds"] / 1000, **named)
        if is_failure(event["outcome"]):
            self.failures.append({**event, "at": record.created})
        if listener := _listener.get():
            listener(event)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear while the service runs. Events are written at a level that is usually off."""
        before = ATTEMPTS.level
        ATTEMPTS.setLevel(logging.INFO)
        ATTEMPTS.addHandler(self)
        try:
            yield
        finally:
            ATTEMPTS.removeHandler(self)
            ATTEMPTS.setLevel(before)


@dataclass(frozen=True)
class EventStream:
    """An answer in server-sent events: `progress` for every attempt, then `result` or `problem`, and that is all."""

    work: Callable[[], Awaitable[tuple[str, BaseModel | Value]]]
    heartbeat: float = HEARTBEAT

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        speak, listen = anyio.create_memory_object_stream[tuple[str, str]](256)

        def hear(event: dict[str, Any]) -> None:
            # Somebody who reads too slowly for this gets the result all the same.
            with suppress(anyio.WouldBlock):
                speak.send_nowait(("progress", json.dumps(event)))

        async def work() -> None:
            _listener.set(hear)
            with speak:
                name, value = await self.work()
                await speak.send((name, value.model_dump_json(exclude_none=name == "problem")))

        async with anyio.create_task_group() as group:
            group.start_soon(work)
            with listen:
                await self._deliver(listen, send)

    async def _deliver(self, listen: MemoryObjectReceiveStream[tuple[str, str]], send: Send) -> None:
        """Send each event when it comes, and a sign of life when none does."""
        while True:
            line = ": still at work\n\n"
            with anyio.move_on_after(self.heartbeat):
                try:
                    name, text = await listen.receive()
                except anyio.EndOfStream:
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
                    return
                line = f"event: {name}\ndata: {text}\n\n"
            await send({"type": "http.response.body", "body": line.encode(), "more_body": True})
