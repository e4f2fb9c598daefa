"""How far a run is: how many, how fast, failures by outcome, what it cost, and the time that is left."""

from collections import Counter, deque
from dataclasses import field
from typing import Protocol

from seekread.late import dataclass
from seekread.outcomes import Outcome, is_failure
from seekread.ports import Clock

RECENT = 30.0
"""Seconds over which the rate is taken."""


class Done(Protocol):
    """What is counted of a record."""

    @property
    def outcome(self) -> Outcome: ...

    @property
    def is_copy(self) -> bool: ...


@dataclass
class Progress:
    """Counts records as they come."""

    clock: Clock
    total: int | None = None
    """How many there are altogether, where that is known."""
    what: str = "pages"
    """What is counted."""
    skipped: int = 0
    """Those that had their record, or came before in another spelling."""
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    duplicates: int = 0
    dollars: float = 0.0
    """What those who were asked cost."""
    _times: deque[float] = field(default_factory=deque)
    _began: float | None = None

    def skip(self) -> None:
        """One that need not be done."""
        self.skipped += 1

    def add(self, record: Done) -> None:
        """A record that was written."""
        self.outcomes[record.outcome] += 1
        self.duplicates += record.is_copy
        now = self.clock.monotonic()
        self._times.append(now)
        while now - self._times[0] > RECENT:
            self._times.popleft()

    def spend(self, dollars: float) -> None:
        """What one of them cost."""
        self.dollars += dollars

    def begin(self) -> None:
        """The first one is on its way."""
        self._began = self.clock.monotonic()

    @property
    def done(self) -> int:
        """Those that have their record since this run began."""
        return self.outcomes.total()

    @property
    def failures(self) -> dict[Outcome, int]:
        """Those that failed, by outcome, the most frequent first."""
        return {outcome: count for outcome, count in self.outcomes.most_common() if is_failure(outcome)}

    @property
    def rate(self) -> float:
        """How many a second, lately."""
        if self._began is None or not self._times:
            return 0.0
        now = self.clock.monotonic()
        return len(self._times) / max(1e-3, min(RECENT, now - self._began))

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the end, if it goes on like this."""
        if self.total is None or not self.rate:
            return None
        return max(0, self.total - self.done - self.skipped) / self.rate

    def line(self) -> str:
        """All of it on one line."""
        of = f" of {self.total:,}" if self.total is not None else ""
        parts = [f"{self.done + self.skipped:,}{of} {self.what}", f"{self.rate:.1f} a second"]
        if failures := self.failures:
            told = ", ".join(f"{outcome} {count:,}" for outcome, count in failures.items())
            parts.append(f"{sum(failures.values()):,} failed ({told})")
        if empty := self.outcomes["empty"]:
            parts.append(f"{empty:,} empty")
        if self.duplicates:
            parts.append(f"{self.duplicates:,} duplicates")
        if self.skipped:
            parts.append(f"{self.skipped:,} skipped")
        if self.dollars:
            parts.append(money(self.dollars))
        if self.seconds_left:
            parts.append(f"{duration(self.seconds_left)} left")
        return " · ".join(parts)


def money(dollars: float) -> str:
    """Dollars as people say them; of a few cents the tenths count."""
    return f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.3f}"


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"
