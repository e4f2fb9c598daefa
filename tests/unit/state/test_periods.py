from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seekread.state.periods import EPOCH, period_at

TIMES = st.datetimes(datetime(2001, 1, 1), datetime(2099, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(TIMES, TIMES)
def test_now_is_always_within_its_month(anchor: datetime, now: datetime) -> None:
    found = period_at("month", anchor, now)
    assert found.end is not None
    assert found.start <= now < found.end
    assert 28 <= (found.end - found.start).days <= 31


@pytest.mark.parametrize(
    ("day", "now", "start", "end"),
    [
        (1, "2025-10-31", "2025-10-01", "2025-11-01"),
        (1, "2025-11-01", "2025-11-01", "2025-12-01"),
        (1, "2025-12-24", "2025-12-01", "2026-01-01"),
        (15, "2026-01-03", "2025-12-15", "2026-01-15"),
        (31, "2026-02-14", "2026-01-31", "2026-02-28"),
        (31, "2026-02-28", "2026-02-28", "2026-03-31"),
        (30, "2024-02-29", "2024-02-29", "2024-03-30"),
    ],
)
def test_months_begin_on_their_day_or_the_last_there_is(day: int, now: str, start: str, end: str) -> None:
    found = period_at("month", EPOCH.replace(day=day), datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert found.end is not None
    assert (f"{found.start:%Y-%m-%d}", f"{found.end:%Y-%m-%d}") == (start, end)


def test_a_day_ends_at_midnight_and_ever_does_not_end() -> None:
    now = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
    assert period_at("day", EPOCH, now).end == datetime(2027, 1, 1, tzinfo=UTC)
    assert period_at("none", EPOCH, now).end is None
    assert period_at("none", EPOCH, now).label == "ever"
