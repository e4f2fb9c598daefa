"""How much the service takes on: the size of a body, requests at once, requests a minute of one token."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope

from seekread.ports import Limit, Store, Want
from seekread.server.problems import Rejected, rejected
from seekread.server.tokens import Token

MAX_BODY = 1024 * 1024
MAX_CONCURRENT = 512
UNCOUNTED = frozenset({"/healthz", "/readyz", "/metrics"})
"""Questions about the service itself are answered however busy it is."""


def bounded(scope: Scope, receive: Receive, largest: int = MAX_BODY) -> Receive:
    """Receive a body, but not more of it than that."""
    declared = Headers(scope=scope).get("content-length", "0")
    if not declared.isdecimal() or int(declared[:20]) > largest:
        raise too_large(largest)
    read = 0

    async def counted() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > largest:
            raise too_large(largest)
        return message

    return counted


def too_large(largest: int) -> Rejected:
    return rejected(413, "body_too_large", f"The body may have {largest:,} bytes.", connection="close")


@dataclass
class Concurrency:
    """Requests under way. One too many is turned away at once: a client that waits in a queue has given up already."""

    most: int = MAX_CONCURRENT
    now: int = 0

    @contextmanager
    def one(self, scope: Scope) -> Iterator[None]:
        """Take one place."""
        if scope["path"] in UNCOUNTED:
            yield
            return
        if self.now >= self.most:
            raise rejected(
                503, "overloaded", f"{self.most} requests are under way; try again in a moment.", retry_after="1"
            )
        self.now += 1
        try:
            yield
        finally:
            self.now -= 1


async def keep_rate(token: Token, store: Store) -> None:
    """Count a request of a token, over all workers; raise when it has sent too many in the last minute."""
    if token.per_minute is None:
        return
    taken = await store.reserve(Want(f"rate/{token.id}", 1, Limit(token.per_minute, seconds=60)))
    if not taken.granted:
        wait = str(max(1, math.ceil(taken.retry_after or 1)))
        raise rejected(
            429, "rate_limited", f"This token may send {token.per_minute} requests a minute.", retry_after=wait
        )
