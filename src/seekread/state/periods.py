"""Months and days as plans count them: from an anchor, in UTC, over and over."""

import calendar
from datetime import UTC, datetime, timedelta

from seekread.late import dataclass
from seekread.provider import PeriodName, Plan

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""A midnight on the first of a month, from which days and months are counted."""


@dataclass(frozen=True)
class Period:
    """One period: from `start` up to `end`; `end` is `None` when it never ends."""

    start: datetime
    end: datetime | None

    @property
    def label(self) -> str:
        """Its name in keys."""
        return self.start.strftime("%Y-%m-%dT%H:%M") if self.end else "ever"

    @property
    def day(self) -> str:
        """The day it begins on."""
        return f"{self.start:%Y-%m-%d}"

    @property
    def span(self) -> tuple[datetime, ...]:
        """Its borders, as far as it has some."""
        return (self.start, self.end) if self.end else (self.start,)


def moment(seconds: float) -> datetime:
    """A point in time from seconds since the epoch."""
    return datetime.fromtimestamp(seconds, UTC)


def anchor_of(plan: Plan) -> datetime:
    """Where a plan's months are counted from."""
    return EPOCH.replace(day=plan.resets)


def period_at(name: PeriodName, anchor: datetime, now: datetime) -> Period:
    """The period that `now` is in."""
    if name == "none":
        return Period(EPOCH, None)
    if name == "day":
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return Period(midnight, midnight + timedelta(days=1))
    months = (now.year - anchor.year) * 12 + now.month - anchor.month
    if _add_months(anchor, months) > now:
        months -= 1
    return Period(_add_months(anchor, months), _add_months(anchor, months + 1))


def _add_months(anchor: datetime, months: int) -> datetime:
    """The same day so many months later; the last day where a month is too short."""
    years, month = divmod(anchor.month - 1 + months, 12)
    year = anchor.year + years
    day = min(anchor.day, calendar.monthrange(year, month + 1)[1])
    return anchor.replace(year=year, month=month + 1, day=day)
