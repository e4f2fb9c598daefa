"""The line about a run: how far, how fast, what failed, how long still."""

import pytest

from seekread.batch.progress import Progress, duration
from seekread.batch.record import PageRecord
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


def page(outcome: str = "ok", **more: object) -> PageRecord:
    return PageRecord.model_validate({"url": "https://harbour.example/", "outcome": outcome, **more})


async def test_the_line_tells_rate_failures_by_outcome_and_time_left() -> None:
    clock = FakeClock()
    progress = Progress(clock, total=100)
    progress.begin()
    progress.skip()
    for outcome in ["ok"] * 16 + ["timeout"] * 1 + ["not_found"] * 2:
        await clock.sleep(0.5)
        progress.add(page(outcome))
    progress.add(page(duplicate_of="https://harbour.example/other"))
    assert progress.line() == (
        "21 of 100 pages · 2.1 a second · 3 failed (not_found 2, timeout 1) · 1 duplicates · 1 skipped · 38 s left"
    )


async def test_the_rate_is_that_of_late() -> None:
    """A run that stood still for an hour does not promise another hour."""
    clock = FakeClock()
    progress = Progress(clock, total=1000)
    progress.begin()
    await clock.sleep(3600)
    for _ in range(60):
        await clock.sleep(0.5)
        progress.add(page())
    assert round(progress.rate) == 2


def test_without_a_total_no_end_is_promised() -> None:
    progress = Progress(FakeClock())
    progress.begin()
    progress.add(page())
    assert progress.seconds_left is None
    assert "left" not in progress.line()


def test_durations_are_said_as_people_say_them() -> None:
    assert [duration(seconds) for seconds in (7, 65, 3720)] == ["7 s", "1 min 5 s", "1 h 2 min"]
