"""
Leave a provider alone that does not answer, and notice when it is back.

The last calls are remembered; when half of them failed and the latest ones all did, the breaker opens, and after a
while one call is let through to see. Half alone would be too little: a service that fails in one call out of five has
such bad luck every few thousand calls, and while it rests, every search that only it could answer is lost.
Whoever has nobody else to ask need not wait for the end of the rest: once a second one of them tries.

A provider that says that its plan or key is of no use rests for as long as it said. One that asks us to slow down is
not down: that pause is kept by the pace. Any answer, even a refusal, shows that a provider is back.
"""

import asyncio
import math
from collections import deque
from concurrent.futures import Future
from dataclasses import field

import anyio

from seekread.errors import ProviderError, QuotaExhausted, RateLimited, TimedOut, Unauthorized, Unreachable
from seekread.late import dataclass
from seekread.outcomes import MEANINGS, Outcome
from seekread.ports import Clock

REMEMBERED = 20
FEWEST = 5
"""Calls before the breaker judges: one bad call out of one is bad luck."""
LATEST = 8
"""Calls that must have failed one after the other, or all there were: then it is down now, not only bad at times."""
REST = 15.0
LONGEST_REST = 300.0
KEY_REST = 60.0
"""Seconds a provider is left alone whose key was rejected or whose plan is used up, if it did not say how long."""
BETWEEN_PROBES = 1.0
"""Seconds between two tries of a resting provider by those who have nobody else to ask."""


@dataclass
class Breaker:
    """The state of one provider, as this process sees it."""

    name: str
    clock: Clock
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    rests_until: float = 0.0
    reason: ProviderError | None = None
    last: Outcome | None = None
    answered_at: float = -math.inf
    _down: bool = False
    """Whether the rest is an outage, which ends with a call that works, and not just with time."""
    _probe: "Future[None] | None" = None
    _probed_at: float = -math.inf

    @property
    def is_open(self) -> bool:
        """Whether calls are turned away now."""
        return self.clock.monotonic() < self.rests_until

    @property
    def is_tried(self) -> bool:
        """Whether the provider was down, and nobody knows yet whether it is back."""
        return self._down and not self.is_open

    def look(self) -> None:
        """Turn a call away while the provider rests or is being tried; takes nothing."""
        left = self.rests_until - self.clock.monotonic()
        if left > 0 or self._probe:
            raise self._resting(max(left, 0.1))

    def check(self) -> None:
        """The same, for a call that is about to be made: the first one after an outage is the probe."""
        self.look()
        if self._down:
            self._begin_probe()

    async def turn(self, seconds: float) -> None:
        """
        The same for whoever has nobody else to ask, and so many seconds to wait.

        Of those one tries a resting provider, at most once a second, and the others wait for what it learns.
        """
        latest = self.clock.monotonic() + seconds
        if self._down and not self._probe and 0 < (pause := self._until_probe()) < seconds:
            await self.clock.sleep(pause)
        if self._probe:
            await self._probe_ended(latest - self.clock.monotonic())
        if self._down and not self._probe and self._until_probe() <= 0:
            self._begin_probe()
        else:
            self.check()

    def worked(self) -> None:
        """A call was answered."""
        self.recent.append(True)
        self._close()
        self.last, self.answered_at = "ok", self.clock.monotonic()

    def failed(self, error: ProviderError) -> None:
        """A call failed: count it, and rest if the provider asked for it or failed too often."""
        probe, self.last = self._probe is not None, error.outcome
        if rest := asked_for(error):
            self._rest(rest, error, down=False)
        elif MEANINGS[error.outcome].held_against and error.retry_after is None:
            self.recent.append(False)
            if probe or self._is_down():
                self._rest(REST, error, down=True)
        elif probe:
            self._close()
        self._end_probe()

    def abandoned(self) -> None:
        """A call ended before the provider said anything: it was cancelled, or never made."""
        self._end_probe()

    def outwaited(self, began: float) -> bool:
        """
        A hedge gave up a call that had taken longer than usual: that counts like no answer, and says so.

        Unless others were answered meanwhile: then the provider is there, and only this call was unlucky.
        """
        if self.answered_at >= began:
            return False
        seconds = self.clock.monotonic() - began
        self.failed(TimedOut(f"no answer after {seconds:.3g} s, which is slower than usual"))
        return True

    def _is_down(self) -> bool:
        seen = list(self.recent)
        return len(seen) >= FEWEST and seen.count(False) * 2 >= len(seen) and not any(seen[-LATEST:])

    def _until_probe(self) -> float:
        return self._probed_at + BETWEEN_PROBES - self.clock.monotonic()

    def _begin_probe(self) -> None:
        self._probe, self._probed_at = Future(), self.clock.monotonic()

    def _end_probe(self) -> None:
        probe, self._probe = self._probe, None
        if probe:
            probe.set_result(None)

    async def _probe_ended(self, seconds: float) -> None:
        if probe := self._probe:
            # A future of no loop: the one who tries may be on another.
            with anyio.move_on_after(max(0.0, seconds)):
                await asyncio.shield(asyncio.wrap_future(probe))

    def _close(self) -> None:
        self.rests_until, self.reason, self._down = 0.0, None, False
        self._end_probe()

    def _rest(self, seconds: float, error: ProviderError, *, down: bool) -> None:
        self.rests_until, self.reason, self._down = self.clock.monotonic() + seconds, error, down
        if down:
            self._probed_at = self.clock.monotonic()
        self.recent.clear()

    def _resting(self, left: float) -> ProviderError:
        kind = type(self.reason) if isinstance(self.reason, RateLimited | Unauthorized | QuotaExhausted) else None
        why = f" after: {self.reason}" if self.reason else ""
        # Whoever has nobody else may try earlier.
        wait = min(left, max(0.0, self._until_probe())) if self._down else left
        return (kind or Unreachable)(
            f"{self.name} was not asked: it rests for {math.ceil(left)} s{why}", retry_after=wait
        )


def asked_for(error: ProviderError) -> float | None:
    """Seconds of rest that an error asks for by itself, however often it happened."""
    match error:
        case QuotaExhausted(retry_after=seconds):
            return min(seconds or KEY_REST, LONGEST_REST)
        case Unauthorized():
            return KEY_REST
        case _:
            return None
