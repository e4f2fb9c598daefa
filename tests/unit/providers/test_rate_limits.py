import pytest

from seekread.provider import RateWindow
from seekread.providers.rate_limits import windows


def test_brave_tells_one_window_per_comma() -> None:
    headers = {
        "X-RateLimit-Limit": "1, 2000",
        "X-RateLimit-Policy": "1;w=1, 2000;w=2592000",
        "x-ratelimit-remaining": "0, 1985",
        "X-RateLimit-Reset": "1, 1419704",
    }
    second, month = windows(headers)
    assert second == RateWindow(1, 1, 0, 1)
    assert month == RateWindow(2_592_000, 2000, 1985, 1_419_704)
    assert (second.is_quota, month.is_quota) == (False, True)


def test_a_window_whose_limit_is_0_is_not_capped() -> None:
    headers = {"X-RateLimit-Policy": "50;w=1, 0;w=2592000", "X-RateLimit-Remaining": "49, 0"}
    assert windows(headers) == [RateWindow(1, 50, 49), RateWindow(2_592_000, None)]


@pytest.mark.parametrize(
    "policy", ["", "50", "50;w=", "-1;w=1", "50;w=0", "fifty;w=1", "50;w=1e9", "٥;w=1", ";w=1", ",,;;"]
)
def test_what_makes_no_sense_is_not_believed(policy: str) -> None:
    assert windows({"X-RateLimit-Policy": policy, "X-RateLimit-Remaining": "0"}) == []


def test_missing_values_are_unknown_not_zero() -> None:
    assert windows({"X-RateLimit-Policy": "50;w=1", "X-RateLimit-Remaining": "soon"}) == [RateWindow(1, 50, None, None)]
