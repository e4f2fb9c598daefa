"""Eight processes on one store: what is shared is shared exactly."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support.environments import ROOT
from tests.support.redis_server import RedisServer, why_not

pytestmark = pytest.mark.process

WORKER = ROOT / "tests" / "support" / "store_worker.py"
PROCESSES = 8


def run_together(url: str) -> list[dict[str, Any]]:
    """Let all go at once, and collect their reports."""
    command = [sys.executable, str(WORKER), url, str(PROCESSES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    reports: list[dict[str, Any]] = json.loads(done.stdout)
    return reports


def assert_exactly_one_hundred(reports: list[dict[str, Any]]) -> None:
    assert sorted(number for report in reports for number in report["granted"]) == list(range(1, 101))


def test_eight_processes_share_a_quota_and_a_pace_through_one_file(tmp_path: Path) -> None:
    """A quota of 100 gives exactly 100; slots never come closer than the pace, and everybody gets its own."""
    reports = run_together(str(tmp_path / "store.db"))
    assert_exactly_one_hundred(reports)
    assert [len(report["slots"]) for report in reports] == [12] * PROCESSES
    booked = sorted(at for report in reports for at in report["slots"])
    assert min(later - earlier for earlier, later in pairwise(booked)) > 0.01 - 1e-5


@pytest.mark.skipif(bool(why_not()), reason=why_not() or "redis-server is there")
def test_eight_processes_share_a_quota_and_a_pace_through_redis(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server:
        reports = run_together(server.url)
    assert_exactly_one_hundred(reports)
    assert all(report["slots"] == sorted(report["slots"]) for report in reports)
    assert sum(len(report["slots"]) for report in reports) == 12 * PROCESSES
