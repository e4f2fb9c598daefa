"""
Leave a provider alone that does not answer, and notice when it is back.

The last calls are remembered; when half of them failed, the breaker opens, and after a while one call is let through
to see. A provider that asks us to slow down rests for as long as it said.
"""

from collections import deque
from dataclasses import dataclass, field

from seekread.errors import ProviderError, RateLimited, Unauthorized, Unreachable
from seekread.outcomes import Outcome
from seekread.ports import Clock

COUNTED: frozenset[Outcome] = frozenset({"timeout", "unreachable", "bad_reply", "blocked"})
REMEMBERED = 20
FEWEST = 5
"""Calls before the breaker judges: one bad call out of one is bad luck."""
REST = 15.0
LONGEST_REST = 300.0
KEY_REST = 60.0


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

    @property
    def is_open(self) -> bool:
        """Whether calls are turned away now."""
        return self.clock.monotonic() < self.rests_until

    def check(self) -> None:
        """Turn a call away while the provider rests; let one through when the rest is over."""
        left = self.rests_until - self.clock.monotonic()
        if left > 0 or self.probing:
            raise self._resting(max(left, 0.1))
        if self.rests_until:
            self.probing = True

    def worked(self) -> None:
        """A call was answered."""
        self.recent.append(True)
        self.rests_until, self.probing, self.reason, self.last = 0.0, False, None, "ok"

    def failed(self, error: ProviderError) -> None:
        """A call failed: count it, and rest if the provider asked for it or failed too often."""
        probe, self.probing, self.last = self.probing, False, error.outcome
        if isinstance(error, RateLimited) and error.retry_after:
            self._rest(min(error.retry_after, LONGEST_REST), error)
        elif isinstance(error, Unauthorized):
            self._rest(KEY_REST, error)
        elif error.outcome in COUNTED:
            self.recent.append(False)
            wrong = self.recent.count(False)
            if probe or (len(self.recent) >= FEWEST and wrong * 2 >= len(self.recent)):
                self._rest(REST, error)

    def abandoned(self) -> None:
        """A call was cancelled before it said anything."""
        self.probing = False

    def _rest(self, seconds: float, error: ProviderError) -> None:
        self.rests_until, self.reason = self.clock.monotonic() + seconds, error
        self.recent.clear()

    def _resting(self, left: float) -> ProviderError:
        kind = type(self.reason) if isinstance(self.reason, RateLimited | Unauthorized) else Unreachable
        why = f" after: {self.reason}" if self.reason else ""
        return kind(f"{self.name} was not asked: it rests for {left:.0f} s{why}", retry_after=left)
