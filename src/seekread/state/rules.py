"""
The arithmetic every backend keeps to.

A counter with a period is a sliding log: each grant is a hit at a point in time, and a new hit goes to the earliest
moment at which the hits of the period before it leave room. Hits may lie in the future (booked ahead), always behind
those booked before: first come, first served, so nobody starves. `Limit(1, 0.1)` is therefore an even pace of ten a
second, and `Limit(10, 1)` the same rate in bursts.

Clocks go wrong. What a correct clock could not have written is taken as not there:
a value from the future, a hit booked further ahead than anyone may book, a lock that has longer to live than it got.
"""

import math
from collections.abc import Sequence

from seekread.late import dataclass
from seekread.ports import Entry, Limit, Reservation

TOLERANCE = 1e-9
"""Sums of prices such as 0.005 are not exact; differences below this are none."""

SKEW = 1.0
"""Seconds that whoever asks for a lock may have looked at the clock before its holder did; more, and it went back."""

HORIZON = 300.0
"""Seconds that clocks of several machines may differ, and that a hit may be booked ahead."""

HOLD_SECONDS = 900.0
"""Seconds after which a hold is taken as abandoned, longer than a call takes: what it reserved stays spent."""

SWEEP_SECONDS = 60.0
"""Seconds between two rounds in which a store forgets, by the way, what nobody can ask for any more."""


@dataclass
class Rounds:
    """When to make the next round."""

    _last: float = -math.inf

    def due(self, monotonic: float) -> bool:
        """Whether it is time; whoever is told so makes the round."""
        if monotonic - self._last < SWEEP_SECONDS:
            return False
        self._last = monotonic
        return True


def is_abandoned(taken_at: float, now: float) -> bool:
    """Whether nobody will settle a hold any more."""
    return not now - HOLD_SECONDS <= taken_at <= now + HORIZON


def alive(entry: Entry, now: float) -> bool:
    """Whether an entry's lifetime is running."""
    return (entry.expires_at is None or now < entry.expires_at) and entry.written_at <= now + HORIZON


def fits(used: float, amount: float, limit: Limit) -> bool:
    """Whether a counter without a period has room."""
    return used + amount <= limit.amount + TOLERANCE


def counts(at: float, seconds: float, now: float) -> bool:
    """Whether a hit still matters to a counter with a period."""
    return now - seconds < at <= now + HORIZON


def earliest(hits: Sequence[tuple[float, float]], amount: float, limit: Limit, now: float) -> float | None:
    """When `amount` fits, given the hits (time, amount) in order of time; `None` if it never does."""
    if not fits(0.0, amount, limit):
        return None
    start = max(now, hits[-1][0]) if hits else now
    total = amount
    for at, taken in reversed(hits):
        total += taken
        if total > limit.amount + TOLERANCE:
            return max(start, at + (limit.seconds or 0.0))
    return start


def is_free(expires_at: float, lifetime: float, now: float) -> bool:
    """Whether a lock's holder has had its time."""
    return expires_at <= now or expires_at - now > lifetime + SKEW


def after(prefix: bytes) -> bytes:
    """The first key behind all keys with this prefix. UTF-8 never holds the byte 0xFF, so the last byte can grow."""
    return prefix[:-1] + bytes([prefix[-1] + 1]) if prefix else b"\xff"


def spread(reservation: Reservation, amounts: tuple[float, ...]) -> tuple[float, ...]:
    """One amount per want; a single 0 stands for all of them."""
    if amounts == (0.0,):
        return (0.0,) * len(reservation.wants)
    return amounts
