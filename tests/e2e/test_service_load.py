"""Many clients at once: nobody gets an error, and memory does not grow with the requests."""

import pytest

from benchmarks.service_load import measure

pytestmark = pytest.mark.process


def test_many_clients_at_once_get_no_errors() -> None:
    tally = measure(clients=40, seconds=3.0)
    assert tally.errors == 0, tally.statuses
    assert len(tally.seconds) > 40
    if tally.memory:
        assert tally.memory[-1] < 400
