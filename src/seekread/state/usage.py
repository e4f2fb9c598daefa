"""What a key has used, what is left, and when it runs out at this rate."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from seekread.late import dataclass
from seekread.provider import Plan


@dataclass(frozen=True)
class Usage:
    """One key of one provider in the current period of its plan. `identity` names the key without telling it."""

    provider: str
    identity: str
    plan: Plan
    calls: float
    used: float
    dollars: float
    days: Mapping[str, float]
    """Dollars by day: of the current period, and of thirty days if it began later."""
    limit: float | None
    remaining: float | None
    resets_on: str | None
    per_day: float
    runs_out_on: str | None
    forecast: str


def runs_out(remaining: float | None, per_day: float, now: datetime, resets_at: datetime | None) -> datetime | None:
    """When the plan is used up at this rate; `None` if it lasts until it resets, or nobody can know."""
    if remaining is None or (remaining > 0 and per_day <= 0):
        return None
    # A date further than a lifetime away is no forecast, and too large for a calendar.
    days = remaining / per_day if remaining > 0 else 0.0
    if days > 36_500:
        return None
    end = now + timedelta(days=days)
    return end if resets_at is None or end < resets_at else None


def forecast(
    provider: str, remaining: float | None, end: datetime | None, now: datetime, resets_at: datetime | None
) -> str:
    """The forecast in words; empty when nothing limits the plan."""
    if remaining is None:
        return ""
    reset = f" until it resets on {resets_at:%Y-%m-%d}" if resets_at else ""
    if remaining <= 0:
        return f"{provider} is used up{reset}"
    if end is None:
        return f"{provider} lasts{reset}" if reset else ""
    if (end.year, end.month) == (now.year, now.month):
        return f"{provider} runs out on the {ordinal(end.day)}"
    return f"{provider} runs out on {end:%Y-%m-%d}"


def ordinal(day: int) -> str:
    """1st, 2nd, 3rd, 4th …"""
    ending = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"
