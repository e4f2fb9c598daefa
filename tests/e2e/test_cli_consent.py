"""Consent to services without a key: asked once, at a terminal, in a process of its own."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from seekread.testing import simulators
from seekread.testing.simulators import KEYLESS
from tests.support.terminals import at_a_terminal, fresh_home

pytestmark = pytest.mark.process

SECONDS = 60


@pytest.mark.parametrize(("typed", "agreed"), [("y\n", 6), ("exa\n", 1), ("\n", 0)])
def test_a_person_is_asked_once_and_nobody_agrees_by_saying_nothing(tmp_path: Path, typed: str, agreed: int) -> None:
    with simulators.start(f"exa{KEYLESS}") as exa, simulators.start("duckduckgo") as duckduckgo:
        environ = fresh_home(tmp_path, **exa.environment(), **duckduckgo.environment())
        closed = dict.fromkeys(CLOSED, "http://127.0.0.1:9")
        first = at_a_terminal({**environ, **closed}, "search", "tea", answers=[("]:", typed)])
        again = at_a_terminal({**environ, **closed}, "search", "milk", answers=[("]:", "y\n")])
        assert bool(exa.received) == bool(agreed)
    assert "Ask them?" in first
    assert "mcp.exa.ai" in first
    assert "Ask them?" not in again
    assert "part 1" in first
    written = tomllib.loads((tmp_path / ".config" / "seekread" / "config.toml").read_text())
    assert len(written["search"]["keyless"]) == agreed


CLOSED = (
    "SEEKREAD_PARALLEL_KEYLESS_URL",
    "SEEKREAD_YOU_KEYLESS_URL",
    "KEENABLE_API_URL",
    "SEEKREAD_TAVILY_BASE_URL",
    "FIRECRAWL_API_URL",
    "SEEKREAD_WIKIPEDIA_BASE_URL",
)
"""Whoever else could be asked is not there."""


def test_nobody_is_asked_who_is_not_there(tmp_path: Path) -> None:
    with simulators.start("duckduckgo") as duckduckgo:
        environ = fresh_home(tmp_path, **duckduckgo.environment())
        command = [sys.executable, "-m", "seekread", "search", "tea"]
        done = subprocess.run(
            command, env=environ, capture_output=True, text=True, check=False, timeout=SECONDS, input=""
        )
    assert done.returncode == 0
    assert "Ask them?" not in done.stderr
    assert not (tmp_path / ".config").exists()
