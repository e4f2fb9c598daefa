"""How far a run is: pages, rate, failures by outcome, and the time that is left."""

from collections import Counter, deque
from dataclasses import dataclass, field

from seekread.batch.record import PageRecord
from seekread.outcomes import Outcome, is_failure
from seekread.ports import Clock

RECENT = 30.0
"""Seconds over which the rate is taken."""


@dataclass
class Progress:
    """Counts records as they come."""

    clock: Clock
    total: int | None = None
    """Addresses there are altogether, where that is known."""
    skipped: int = 0
    """Addresses that had their record, or came before in another spelling."""
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    duplicates: int = 0
    _times: deque[float] = field(default_factory=deque)
    _began: float | None = None

    def skip(self) -> None:
        """An address that need not be read."""
        self.skipped += 1

    def add(self, record: PageRecord) -> None:
        """A record that was written."""
        self.outcomes[record.outcome] += 1
        self.duplicates += record.duplicate_of is not None
        now = self.clock.monotonic()
        self._times.append(now)
        while now - self._times[0] > RECENT:
            self._times.popleft()

    def begin(self) -> None:
        """The first address is on its way."""
        self._began = self.clock.monotonic()

    @property
    def done(self) -> int:
        """Pages that have their record since this run began."""
        return self.outcomes.total()

    @property
    def failures(self) -> dict[Outcome, int]:
        """Pages that could not be read, by outcome, the most frequent first."""
        return {outcome: count for outcome, count in self.outcomes.most_common() if is_failure(outcome)}

    @property
    def rate(self) -> float:
        """Pages a second, lately."""
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
        parts = [f"{self.done + self.skipped:,}{of} pages", f"{self.rate:.1f} a second"]
        if failures := self.failures:
            told = ", ".join(f"{outcome} {count:,}" for outcome, count in failures.items())
            parts.append(f"{sum(failures.values()):,} failed ({told})")
        if self.duplicates:
            parts.append(f"{self.duplicates:,} duplicates")
        if self.skipped:
            parts.append(f"{self.skipped:,} skipped")
        if self.seconds_left:
            parts.append(f"{duration(self.seconds_left)} left")
        return " · ".join(parts)


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"
