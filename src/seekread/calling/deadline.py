"""One absolute deadline, passed down: every step takes what is left, nobody starts afresh."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from seekread.errors import TimedOut
from seekread.late import dataclass
from seekread.ports import Clock
from seekread.state.bounded import Begun

T = TypeVar("T")


class OutOfTime(TimedOut):
    """Our own time was over before anybody was asked: no news about whoever would have been."""


GRACE = 0.05
"""Seconds a timeout nearer to the wire gets to fire first, because it knows more."""


@dataclass(frozen=True)
class Deadline:
    """A point in time by which an answer is due."""

    clock: Clock
    at: float
    seconds: float

    @classmethod
    def after(cls, clock: Clock, seconds: float) -> "Deadline":
        """The deadline so many seconds from now."""
        return cls(clock, clock.monotonic() + seconds, seconds)

    def remaining(self) -> float:
        """Seconds left; never negative."""
        return max(0.0, self.at - self.clock.monotonic())

    def within(self, seconds: float) -> float:
        """What one step may take: its own cap or what is left, whichever is less."""
        if (left := self.remaining()) <= 0:
            raise self.over()
        return min(seconds, left)

    def over(self) -> OutOfTime:
        """What to tell whoever is still waiting then."""
        return OutOfTime(f"the {self.seconds:.3g} s for this are over")

    async def keeps(self, operation: Awaitable[T]) -> T:
        """The result of something, if it comes in time; what has nothing to wait for needs no clock."""
        begun = Begun(operation)
        if begun.over:
            return begun.result
        try:
            async with asyncio.timeout(self.remaining() + GRACE):
                return await begun
        except TimeoutError:
            raise self.over() from None
