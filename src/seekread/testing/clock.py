"""A clock that tests turn by hand."""

import heapq
from dataclasses import dataclass, field
from itertools import count

import anyio
from anyio.lowlevel import checkpoint

AN_AUTUMN_DAY = 1_793_500_000.0
"""2026-11-01, some hours after midnight in Greenwich."""


@dataclass
class FakeClock:
    """
    Time that passes only when told to; it keeps the `Clock` port.

    A `sleep` turns the clock itself and returns at once, so that back-off needs no waiting.
    With `manual=True` it waits until somebody calls `advance`, so that races can be laid out step by step.
    """

    now: float = AN_AUTUMN_DAY
    manual: bool = False
    slept: list[float] = field(default_factory=list)
    _sleepers: list[tuple[float, int, anyio.Event]] = field(default_factory=list, repr=False)
    _numbers: "count[int]" = field(default_factory=count, repr=False)

    def time(self) -> float:
        """Seconds since the epoch."""
        return self.now

    def monotonic(self) -> float:
        """The same seconds: this clock never goes back."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Note the wish, then turn the clock, or wait for `advance`."""
        self.slept.append(seconds)
        if not self.manual:
            self.now += max(0.0, seconds)
            await checkpoint()
            return
        woken = anyio.Event()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._numbers), woken))
        await woken.wait()

    async def advance(self, seconds: float) -> None:
        """Let time pass and wake, in order, everyone whose time has come."""
        until = self.now + seconds
        while self._sleepers and self._sleepers[0][0] <= until:
            self.now, _, woken = heapq.heappop(self._sleepers)
            woken.set()
            await anyio.wait_all_tasks_blocked()
        self.now = until
        await checkpoint()
