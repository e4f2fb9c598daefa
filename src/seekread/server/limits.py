"""
How much the service takes on: the size and the time of what arrives, requests at once, requests a minute of one token.

Who has no token where one is needed is counted apart from those who have, so that strangers, however many, only get
into each other's way.
"""

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field

from seekread.late import dataclass
from seekread.ports import Limit, Store, Want
from seekread.server.problems import overloaded, rejected
from seekread.server.tokens import Token

MAX_HEAD = 64 * 1024
HEAD_SECONDS = 10.0
"""For the head of a request, from the moment its client is connected."""
MAX_BODY = 1024 * 1024
BODY_SECONDS = 10.0
MAX_CONCURRENT = 512
"""Requests under way that have arrived in full; as many more may be sending their body."""
MAX_STRANGERS = 32
"""The same for clients that have not shown a token where one is needed."""
BUSY_SECONDS = 1.0
"""How long a client is asked to wait that was turned away."""
UNCOUNTED = frozenset({"/healthz", "/readyz", "/metrics"})
"""Questions about the service itself are answered however busy it is."""


@dataclass
class Concurrency:
    """Requests under way. One too many is turned away at once: a client that waits in a queue has given up already."""

    most: int = MAX_CONCURRENT
    now: int = 0
    of_tokens: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def one(self, token: Token | None = None) -> Iterator[None]:
        """Take one place, of all and of a token's own."""
        if token and token.max_concurrent is not None and self.of_tokens[token.id] >= token.max_concurrent:
            detail = f"This token may have {token.max_concurrent} requests under way at once."
            raise rejected(429, "rate_limited", detail, retry_after=f"{BUSY_SECONDS:.0f}")
        if self.now >= self.most:
            raise overloaded(BUSY_SECONDS)
        name = token.id if token else ""
        self.now += 1
        self.of_tokens[name] += 1
        try:
            yield
        finally:
            self.now -= 1
            self.of_tokens[name] -= 1
            if not self.of_tokens[name]:
                del self.of_tokens[name]


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
