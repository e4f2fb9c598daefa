"""The status page: how every provider is, what is left of the plans, what went wrong lately, what is kept."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from seekread.compose import Parts
from seekread.late import dataclass
from seekread.outcomes import Outcome
from seekread.providers.catalog import Facts
from seekread.server.console.pages import page
from seekread.server.sessions import current
from seekread.state.usage import Usage

ADDRESSES = "address/"
MOST_COUNTED = 1000
SHOWN_FAILURES = 20
SPENDING_DAYS = 30


@dataclass(frozen=True)
class Health:
    """How one provider is, as this process sees it."""

    provider: Facts
    state: str
    detail: str
    last: Outcome | None
    recent: tuple[int, int] | None
    """Answered calls, and all calls, of those the breaker remembers."""


@dataclass(frozen=True)
class FailedAttempt:
    """One attempt that failed."""

    seconds_ago: float
    kind: str
    provider: str
    outcome: Outcome
    status: int | None
    milliseconds: int


@dataclass(frozen=True)
class Kept:
    """What is kept, and how much of the room it takes."""

    where: str
    entries: int
    bytes: int
    most_bytes: int | None
    pages: int
    """Addresses that point to a page; counting stops at `MOST_COUNTED`."""


@dataclass(frozen=True)
class DayOfSpending:
    """What one day cost, and how high its bar is."""

    date: str
    dollars: float
    by_provider: Mapping[str, float]
    height: float
    """Its share of the dearest day."""


async def status_page(request: Request) -> Response:
    """How the service is doing."""
    parts = current().parts
    known = parts.catalog()
    usage = [row for row in await parts.ledger.usage() if row.calls or row.limit is not None or any(row.days.values())]
    failures = recent_failures(request.app.state.service.attempts.failures)
    values = {
        "ready": [health(provider, parts) for provider in known if not provider.missing],
        "missing": [provider for provider in known if provider.missing],
        "chain": [provider.name for provider in known if provider.position],
        "route": parts.settings.search.route,
        "usage": usage,
        "spending": spending(usage, parts.clock.time()),
        "failures": failures[:SHOWN_FAILURES],
        "common": Counter((failure.provider, failure.outcome) for failure in failures).most_common(3),
        "kept": await kept(parts),
        "used_share": used_share,
        "most_counted": MOST_COUNTED,
    }
    return page(request, "status.html", values)


def health(provider: Facts, parts: Parts) -> Health:
    """How a provider is."""
    breaker = parts.gate.breakers.get(provider.name)
    calls = tuple(breaker.recent) if breaker else ()
    state, detail = condition(provider, parts)
    return Health(
        provider, state, detail, breaker.last if breaker else None, (sum(calls), len(calls)) if calls else None
    )


def condition(provider: Facts, parts: Parts) -> tuple[str, str]:
    """The state of a provider in one word, and a sentence about it."""
    breaker = parts.gate.breakers.get(provider.name)
    if provider.about.local and not parts.registry.ready(provider.name):
        return "empty", "nothing was put into it yet"
    if breaker is None:
        # What lies on this machine has nobody to rest from, and so no breaker that would remember its calls.
        return "ready", "" if provider.about.local else "not asked yet"
    if breaker.is_open:
        left = max(1, round(breaker.rests_until - parts.clock.monotonic()))
        return "resting", f"left alone for {left} s" + (f" after: {breaker.reason}" if breaker.reason else "")
    if breaker.is_tried:
        return "trying again", "the next call decides whether it is back"
    return "ready", ""


def recent_failures(events: Iterable[Mapping[str, Any]]) -> list[FailedAttempt]:
    """The failures that are remembered, the latest first."""
    now = time.time()
    return [
        FailedAttempt(
            seconds_ago=max(0.0, now - event["at"]),
            kind=event["kind"],
            provider=event["provider"],
            outcome=event["outcome"],
            status=event["status"],
            milliseconds=event["milliseconds"],
        )
        for event in reversed(list(events))
    ]


async def kept(parts: Parts) -> Kept:
    """What the store holds."""
    entries, size = await parts.store.size()
    named = parts.settings.state.store
    remote = named.startswith("redis")
    return Kept(
        where="Redis" if remote else "memory" if named == "memory:" else "a file on this machine",
        entries=entries,
        bytes=size,
        most_bytes=None if remote else parts.settings.state.max_megabytes * 1024 * 1024,
        # Only the pointers are scanned: the pages themselves are large.
        pages=len(await parts.store.scan(ADDRESSES, limit=MOST_COUNTED)),
    )


def spending(usage: Iterable[Usage], now: float) -> list[DayOfSpending]:
    """Money over the last thirty days, the oldest first; nothing at all where nothing was spent."""
    days: dict[str, dict[str, float]] = {}
    for row in usage:
        for date, dollars in row.days.items():
            if dollars:
                of_day = days.setdefault(date, {})
                of_day[row.provider] = of_day.get(row.provider, 0.0) + dollars
    today = datetime.fromtimestamp(now, UTC)
    shown = [f"{today - timedelta(days=ago):%Y-%m-%d}" for ago in reversed(range(SPENDING_DAYS))]
    totals = {date: sum(days.get(date, {}).values()) for date in shown}
    most = max(totals.values())
    return (
        [DayOfSpending(date, totals[date], days.get(date, {}), totals[date] / most) for date in shown] if most else []
    )


def used_share(row: Usage) -> float:
    """How much of a plan is used, from 0 to 1."""
    return min(1.0, row.used / row.limit) if row.limit else 1.0 if row.limit == 0 else 0.0
