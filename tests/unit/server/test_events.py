"""Streams that show they are alive, and attempts that are heard of."""

import logging
from typing import Any

import anyio
import pytest

from seekread.calling.trace import Trace
from seekread.models import Source
from seekread.server.events import ATTEMPTS, Attempts, EventStream
from seekread.server.metrics import Metrics

pytestmark = pytest.mark.anyio


async def test_a_silent_stream_says_that_it_is_alive() -> None:
    beaten, sent = anyio.Event(), []

    async def work() -> tuple[str, Source]:
        await beaten.wait()
        return "result", Source(citation_id=1, url="https://example.org/", title="Tea")

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))
        if b": still at work" in message.get("body", b""):
            beaten.set()

    async def receive() -> Any:
        await anyio.sleep_forever()

    with anyio.fail_after(10):
        await EventStream(work, heartbeat=0.01)({}, receive, send)
    assert sent[-2].startswith(b"event: result\ndata: {")
    assert sent[-1] == b""


def test_attempts_are_heard_only_while_the_service_runs() -> None:
    metrics = Metrics()
    attempts = Attempts(metrics)
    level = ATTEMPTS.level
    with attempts.listening():
        Trace().attempt("brave", "ok", 0.1)
        Trace("read").attempt("builtin", "blocked", 0.1)
        logging.getLogger("seekread.attempts").info("something else")
    Trace().attempt("brave", "ok", 0.1)
    assert metrics.numbers["seekread_searches_total", (("provider", "brave"), ("outcome", "ok"))] == 1
    assert [failure["provider"] for failure in attempts.failures] == ["builtin"]
    assert ATTEMPTS.level == level
