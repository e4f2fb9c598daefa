"""What the kit for providers reads from a reply."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from seekread.errors import A_YEAR
from seekread.provider import Request, SecretStr, given, retry_after
from seekread.testing.clock import FakeClock

NOW = FakeClock().time()


def http_date(seconds: float) -> str:
    """A moment so many seconds from now, as HTTP writes it."""
    return format_datetime(datetime.fromtimestamp(NOW + seconds, UTC), usegmt=True)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("1.5", 1.5),
        ("0", 0),
        (http_date(90), 90),
        (http_date(-90), 0),
        (http_date(90).replace("GMT", "-0000"), 90),
        (http_date(90).replace("GMT", ""), 90),
        ("9" * 400, A_YEAR),
        ("0000000000009", 9),
        (http_date(5 * A_YEAR), A_YEAR),
    ],
)
def test_a_wait_is_given_in_seconds_or_as_a_date_and_is_never_longer_than_a_year(value: str, seconds: float) -> None:
    assert retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    "value", ["", "soon", "-5", "1e3", "\u0665", "7 s", "7, 8", "Thu, 99 Xyz 2026 00:00:00 GMT", "1 Jan 99999", "\x00"]
)
def test_what_is_neither_is_no_wait(value: str) -> None:
    assert retry_after(value, NOW) is None


@pytest.mark.parametrize("value", ["86400", http_date(86_400)])
def test_whoever_waits_may_wait_less(value: str) -> None:
    assert retry_after(value, NOW, 60) == 60


def test_a_key_in_an_address_is_sent_and_shown_nowhere() -> None:
    request = Request("GET", "https://a.example", params={"q": "tea", "key": SecretStr("hush-hush-hush")})
    assert given(request.params) == {"q": "tea", "key": "hush-hush-hush"}
    assert "hush" not in repr(request)


def test_what_was_not_asked_for_is_left_out_of_objects_too() -> None:
    wanted = {"q": "tea", "page": None, "filters": {"after": None, "region": "DE"}, "lens": {"sites": None}, "raw": {}}
    assert given(wanted) == {"q": "tea", "filters": {"region": "DE"}, "raw": {}}
