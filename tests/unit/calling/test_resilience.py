"""
The engine under faults: every scenario of `benchmarks/faults.py` at about a twentieth of its size.

Only counts are looked at: what was lost, leaked, called too often or ended in anything but a typed error. Times belong
to the benchmark.
"""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.support.environments import ROOT
from tests.support.redis_server import why_not

FAULTS = ROOT / "benchmarks" / "faults.py"

pytestmark = pytest.mark.process


def figures(scenario: str) -> dict[str, Any]:
    """Run a scenario in a process of its own, so that its leaks and forks are its own."""
    command = [sys.executable, str(FAULTS), "--json", "--scale", "0.05", scenario]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def test_no_search_is_lost_while_one_provider_is_healthy() -> None:
    measured = figures("mixed")
    assert measured["searches"] == 500
    assert (measured["unhandled"], measured["lost"]) == (0, 0)


@pytest.mark.parametrize("route", ["black_hole", "hedged_hole"])
def test_a_provider_that_never_answers_is_left_alone_after_a_few_calls(route: str) -> None:
    measured = figures(route)
    assert measured["calls to the hole"] <= 20
    assert (measured["unhandled"], measured["lost"]) == (0, 0)


def test_when_everybody_is_down_every_search_ends_in_a_typed_error_and_leaves_nothing_behind() -> None:
    measured = figures("all_down")
    assert measured["searches"] >= 10
    assert (measured["not typed"], measured["leaked"]) == (0, 0)


def test_cancelling_harms_nobody_else_and_leaves_nothing_behind() -> None:
    measured = figures("cancelled")
    assert measured["cancellations"] == 250
    assert (measured["waiters harmed"], measured["leaked"]) == (0, 0)


def test_a_state_file_that_cannot_be_used_costs_the_cache_and_no_answer() -> None:
    measured = figures("disk")
    assert measured["unhandled"] == 0
    for trouble in ("full", "read-only", "locked", "jumping"):
        assert measured[f"{trouble}: free not answered"] == 0
    for trouble in ("full", "read-only", "locked"):
        assert (measured[f"{trouble}: paid answered"], measured[f"{trouble}: paid stopped"]) == (0, 1)
    assert measured["jumping: paid stopped"] == 0


def test_a_quota_of_100_contested_by_eight_processes_is_100_calls() -> None:
    measured = figures("quota")
    assert measured["unhandled"] == 0
    for store in ("SQLite",) if why_not() else ("SQLite", "Redis"):
        assert measured[f"calls, {store}"] == measured[f"answers, {store}"] == 100


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_while_redis_is_down_the_cache_fails_open_and_what_costs_money_fails_closed() -> None:
    measured = figures("redis_restart")
    assert measured["unhandled"] == 0
    assert [measured[f"paid, answered {phase} %"] for phase in ("before", "down", "after")] == [100, 0, 100]
    assert [measured[f"trusting, answered {phase} %"] for phase in ("before", "down", "after")] == [100, 100, 100]
    assert [measured[f"free, answered {phase} %"] for phase in ("before", "down", "after")] == [100, 100, 100]
    assert (measured["paid calls down"], measured["paid calls not counted"]) == (0, 0)
