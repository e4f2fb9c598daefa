"""What a command loads before it does anything, and that its errors are told all the same."""

import subprocess
import sys

import pytest

HEAVY = ("pydantic", "asyncio", "ssl", "logging", "httpx2", "anyio", "seekread.errors", "seekread.models")
WATCHED = f"""
import sys
from seekread.__main__ import main
try:
    main()
finally:
    print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.process
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["-h"]], ids=" ".join)
def test_help_and_version_wait_for_nothing_they_do_not_need(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", WATCHED, *arguments], capture_output=True, text=True, check=True)
    assert "seekread" in done.stdout.lower()
    assert done.stderr.strip() == "[]"


@pytest.mark.process
@pytest.mark.parametrize("arguments", [[], ["cache"]], ids=" ".join)
def test_a_group_without_a_command_shows_its_help(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "seekread", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "\n\nCommands:\n  " in done.stderr


@pytest.mark.process
def test_an_error_of_ours_is_a_sentence_and_a_mistake_a_traceback() -> None:
    command = [sys.executable, "-m", "seekread", "search", "tea", "-p", "nobody"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 4
    assert told.stderr.startswith("seekread: unknown provider 'nobody'")
    code = "from seekread.cli.exits import reported\nwith reported(): {}['x']"
    failed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert failed.stderr.strip().endswith("KeyError: 'x'")
