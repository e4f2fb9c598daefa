from datetime import UTC, datetime, timedelta

import pytest

from seekread.state.usage import forecast, ordinal, runs_out

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
RESET = datetime(2026, 12, 1, tzinfo=UTC)


def test_it_runs_out_when_what_is_left_is_used_at_this_rate() -> None:
    assert runs_out(70, 10, NOW, RESET) == NOW + timedelta(days=7)
    assert runs_out(0, 0, NOW, RESET) == NOW


@pytest.mark.parametrize(("remaining", "per_day"), [(None, 10), (10, 0), (1000, 10), (1e30, 1)])
def test_there_is_no_date_where_it_lasts_or_nobody_knows(remaining: float | None, per_day: float) -> None:
    assert runs_out(remaining, per_day, NOW, RESET) is None


@pytest.mark.parametrize(
    ("remaining", "end", "resets_at", "words"),
    [
        (70.0, datetime(2026, 11, 22, tzinfo=UTC), RESET, "brave runs out on the 22nd"),
        (70.0, datetime(2026, 12, 3, tzinfo=UTC), None, "brave runs out on 2026-12-03"),
        (70.0, None, RESET, "brave lasts until it resets on 2026-12-01"),
        (70.0, None, None, ""),
        (0.0, NOW, RESET, "brave is used up until it resets on 2026-12-01"),
        (0.0, NOW, None, "brave is used up"),
        (None, None, RESET, ""),
    ],
)
def test_the_forecast_in_words(
    remaining: float | None, end: datetime | None, resets_at: datetime | None, words: str
) -> None:
    assert forecast("brave", remaining, end, NOW, resets_at) == words


def test_days_have_their_endings() -> None:
    days = (1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 30, 31)
    expected = "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 23rd 30th 31st"
    assert " ".join(ordinal(day) for day in days) == expected
