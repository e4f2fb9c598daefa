"""Many clients at once: nobody gets an error, whoever else is slow, leaves or listens."""

import pytest

from benchmarks.service_load import SCENARIOS, run

pytestmark = pytest.mark.process

TIMED = {"share of what is possible", "memory, second half"}
"""What only a quiet machine and a longer run can tell."""


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_many_clients_at_once_get_no_errors(scenario: str) -> None:
    missed = [promise for promise in run([scenario], 0.1) if not promise.kept and promise.what not in TIMED]
    assert missed == []
