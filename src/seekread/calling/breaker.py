"""
Leave a provider alone that does not answer, and notice when it is back.

The last calls are remembered; when half of them failed and the latest ones all did, the breaker opens, and after a
while one call is let through to see. Half alone would be too little: a service that fails in one call out of five has
such bad luck every few thousand calls, and while it rests, every search that only it could answer is lost.

A provider that asks us to slow down, or says that its plan or key is of no use, rests for as long as it said.
Any answer, even a refusal, shows that a provider is back.
"""

import math
from collections import deque
from dataclasses import dataclass, field

from seekread.errors import ProviderError, QuotaExhausted, RateLimited, TimedOut, Unauthorized, Unreachable
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


@dataclass
class Breaker:
    """The state of one provider, as this process sees it."""

    name: str
    clock: Clock
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    rests_until: float = 0.0
    probing: bool = False
    reason: ProviderError | None = None
    last: Outcome | None = None
    answered_at: float = -math.inf

    @property
    def is_open(self) -> bool:
        """Whether calls are turned away now."""
        return self.clock.monotonic() < self.rests_until

    def look(self) -> None:
        """Turn a call away while the provider rests or is being tried; takes nothing."""
        left = self.rests_until - self.clock.monotonic()
        if left > 0 or self.probing:
            raise self._resting(max(left, 0.1))

    def check(self) -> None:
        """The same, for a call that is about to be made: the first one after a rest is the probe."""
        self.look()
        if self.rests_until:
            self.probing = True

    def worked(self) -> None:
        """A call was answered."""
        self.recent.append(True)
        self._close()
        self.last, self.answered_at = "ok", self.clock.monotonic()

    def failed(self, error: ProviderError) -> None:
        """A call failed: count it, and rest if the provider asked for it or failed too often."""
        probe, self.probing, self.last = self.probing, False, error.outcome
        if rest := asked_for(error):
            self._rest(rest, error)
        elif MEANINGS[error.outcome].held_against:
            self.recent.append(False)
            if probe or self._is_down():
                self._rest(REST, error)
        elif probe:
            self._close()

    def abandoned(self) -> None:
        """A call ended before the provider said anything: it was cancelled, or never made."""
        self.probing = False

    def outwaited(self, began: float) -> None:
        """
        A call was cancelled that had taken longer than usual, as a hedge does: that counts like no answer.

        Unless others were answered meanwhile: then the provider is there, and only this call was unlucky.
        """
        if self.answered_at >= began:
            self.abandoned()
        else:
            seconds = self.clock.monotonic() - began
            self.failed(TimedOut(f"no answer after {seconds:.3g} s, which is slower than usual"))

    def _is_down(self) -> bool:
        seen = list(self.recent)
        return len(seen) >= FEWEST and seen.count(False) * 2 >= len(seen) and not any(seen[-LATEST:])

    def _close(self) -> None:
        self.rests_until, self.probing, self.reason = 0.0, False, None

    def _rest(self, seconds: float, error: ProviderError) -> None:
        self.rests_until, self.reason = self.clock.monotonic() + seconds, error
        self.recent.clear()

    def _resting(self, left: float) -> ProviderError:
        kind = type(self.reason) if isinstance(self.reason, RateLimited | Unauthorized | QuotaExhausted) else None
        why = f" after: {self.reason}" if self.reason else ""
        return (kind or Unreachable)(
            f"{self.name} was not asked: it rests for {math.ceil(left)} s{why}", retry_after=left
        )


def asked_for(error: ProviderError) -> float | None:
    """Seconds of rest that an error asks for by itself, however often it happened."""
    match error:
        case RateLimited(retry_after=seconds) if seconds:
            return min(seconds, LONGEST_REST)
        case QuotaExhausted(retry_after=seconds):
            return min(seconds or KEY_REST, LONGEST_REST)
        case Unauthorized():
            return KEY_REST
        case _:
            return None
