"""
The engine under faults: cells of `benchmarks/faults` that are small enough for every run of the tests.

Only counts are looked at: what was lost, leaked, called too often or ended in anything but a typed error. Times belong
to the benchmark.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.environments import ROOT
from tests.support.redis_server import why_not

pytestmark = pytest.mark.process

needs_redis = pytest.mark.skipif(bool(why_not()), reason=why_not())


def cells(*arguments: str) -> list[dict[str, Any]]:
    """Run cells in a process of their own, so that their leaks and forks are their own."""
    command = [sys.executable, "-m", "benchmarks.faults", "--json", "--scale", "0.2", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=ROOT)
    assert done.returncode in {0, 1}, done.stderr
    measured = [json.loads(line) for line in done.stdout.splitlines()]
    assert measured
    return measured


def broken(cell: dict[str, Any]) -> list[str]:
    """The promises about counts that a cell broke."""
    return [promise for promise in cell["missed"] if " ms " not in promise]


@pytest.mark.parametrize("route", ["first", "hedge"])
def test_no_search_is_lost_while_one_provider_is_healthy(route: str) -> None:
    [measured] = cells("impolite", "--route", route, "--width", "6", "--latency", "0.3")
    assert measured["searches"] >= 6
    assert (measured["unhandled"], measured["lost"]) == (0, 0)


@pytest.mark.parametrize("route", ["first", "hedge"])
def test_a_provider_that_never_answers_is_left_alone_after_a_few_calls(route: str) -> None:
    [measured] = cells("black_hole", "--route", route, "--width", "6", "--latency", "0")
    assert broken(measured) == []


def test_when_everybody_is_down_every_search_ends_in_a_typed_error_and_leaves_nothing_behind() -> None:
    [measured] = cells("all_down", "--route", "first", "--width", "6")
    assert measured["nobody could"] == measured["searches"] >= 6
    assert (measured["unhandled"], measured["leaked"]) == (0, 0)


def test_cancelling_harms_nobody_else_and_leaves_nothing_behind() -> None:
    [measured] = cells("shared_flight", "--width", "24", "--latency", "0")
    assert measured["searches"] == 48
    assert broken(measured) == []


@pytest.mark.parametrize("trouble", ["full", "read-only"])
def test_a_state_file_that_cannot_be_used_costs_the_cache_and_no_answer(trouble: str) -> None:
    [measured] = cells("store_trouble_wide", "--width", "20", "--latency", "0", "--store", trouble)
    assert broken(measured) == []


@pytest.mark.parametrize("trouble", [pytest.param("hung", marks=needs_redis), "locked"])
def test_a_store_that_does_not_answer_costs_the_cache_and_no_answer(trouble: str) -> None:
    """L3"""
    [measured] = cells("store_trouble_wide", "--width", "20", "--latency", "0", "--store", trouble)
    assert broken(measured) == []


def test_a_clock_that_jumps_costs_no_answer() -> None:
    [measured] = cells("clock", "--store", "sqlite")
    assert broken(measured) == []


@pytest.mark.parametrize("store", ["sqlite", pytest.param("redis", marks=needs_redis)])
def test_a_quota_of_100_contested_by_eight_processes_is_100_calls(store: str) -> None:
    [measured] = cells("quota", "--store", store)
    assert (measured["calls"], measured["answers"], measured["unhandled"]) == (100, 100, 0)


@needs_redis
def test_while_redis_is_down_the_cache_fails_open_and_what_costs_money_fails_closed() -> None:
    [measured] = cells("redis_restart")
    assert broken(measured) == []
    assert measured["paid down %"] == 0


@pytest.mark.parametrize(("promise", "code"), [("searches == 2", 0), ("searches <= 1", 1)])
def test_a_broken_promise_makes_the_run_fail(promise: str, code: int, tmp_path: Path) -> None:
    case = f'about = "One."\nplay = "closed"\nwidths = [2]\nlatencies = [0.0]\nrounds = 1\npromises = ["{promise}"]'
    (tmp_path / "one.toml").write_text(case)
    command = [sys.executable, "-m", "benchmarks.faults", "--cases", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=ROOT)
    assert (done.returncode, f"cells that break a promise: {code}," in done.stdout) == (code, True)
