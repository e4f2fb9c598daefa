"""The sliding log, by property: whoever asks whenever, no period ever holds more than its limit."""

from hypothesis import given
from hypothesis import strategies as st

from seekread.ports import Limit
from seekread.state.rules import HORIZON, after, earliest, is_free


@given(
    st.lists(st.floats(0, 5), min_size=1, max_size=40),
    st.integers(1, 5),
    st.sampled_from([0.25, 1.0, 2.0]),
)
def test_no_period_holds_more_than_its_limit(pauses: list[float], amount: int, seconds: float) -> None:
    limit = Limit(amount, seconds=seconds)
    now, hits = 0.0, list[tuple[float, float]]()
    for pause in pauses:
        now += pause / 4
        at = earliest(hits, 1, limit, now)
        assert at is not None
        assert at >= now
        hits.append((at, 1))
    times = [at for at, _ in hits]
    assert times == sorted(times)
    for start in times:
        assert sum(start <= at < start + seconds - 1e-9 for at in times) <= amount


def test_a_lock_that_lives_longer_than_it_was_given_is_from_a_wrong_clock() -> None:
    assert not is_free(expires_at=130, lifetime=30, now=100)
    assert is_free(expires_at=130, lifetime=30, now=130)
    assert is_free(expires_at=130 + HORIZON, lifetime=30, now=100)
    # Who looked at the clock a moment before the holder takes nothing from it.
    assert not is_free(expires_at=130.01, lifetime=30, now=100)


def test_the_end_of_a_prefix_lies_behind_all_its_keys() -> None:
    assert "a/\U0010ffff".encode() < after(b"a/") <= b"a0"
    assert after(b"") > "\U0010ffff".encode()
