"""From nothing to a search that works: `seekread setup` in a fresh home, with simulators as the vendors."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from seekread.testing import simulators
from tests.support.terminals import at_a_terminal, fresh_home

pytestmark = pytest.mark.process

KEY = "simulated-brave-key"
FLAGS = ("--engine", "brave", "--keep", "file", "--test", "--keyless", "none", "--client", "cursor", "--search", "tea")


def home(folder: Path, url: str) -> dict[str, str]:
    """A home in which Cursor is installed and Brave answers on loopback."""
    (folder / ".cursor").mkdir(parents=True)
    return fresh_home(folder, SEEKREAD_BRAVE_BASE_URL=url)


def run(environ: dict[str, str], *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "seekread", *arguments]
    return subprocess.run(command, env=environ, input=typed, capture_output=True, text=True, check=False, timeout=90)


def settings_of(folder: Path) -> Path:
    return folder / ".config" / "seekread" / "config.toml"


def test_flags_answer_every_question_and_everything_can_be_taken_back(tmp_path: Path) -> None:
    with simulators.start("brave") as brave:
        environ = home(tmp_path, brave.base_url)
        done = run(environ, "setup", *FLAGS, typed=f"{KEY}\n")
        assert done.returncode == 0, done.stderr
        assert "✓ brave answers" in done.stderr
        assert "tea & more, part 1" in done.stdout
        assert KEY not in done.stdout + done.stderr
        assert run(environ, "search", "milk", "--json").returncode == 0
        assert run(environ, "doctor").returncode == 0
    written = tomllib.loads(settings_of(tmp_path).read_text())
    assert written == {"providers": {"brave": {"api_key": KEY}}, "search": {"keyless": []}}
    assert settings_of(tmp_path).stat().st_mode & 0o777 == 0o600
    entry = json.loads((tmp_path / ".cursor" / "mcp.json").read_text())["mcpServers"]["seekread"]
    assert KEY not in json.dumps(entry)
    undone = run(environ, "setup", "--undo")
    assert undone.returncode == 0, undone.stderr
    assert not settings_of(tmp_path).exists()
    assert not (tmp_path / ".cursor" / "mcp.json").exists()
    assert run(environ, "setup", "--undo").returncode == 2


def test_a_key_that_is_not_accepted_is_not_kept(tmp_path: Path) -> None:
    with simulators.start("brave") as brave:
        done = run(home(tmp_path, brave.base_url), "setup", *FLAGS, typed="nonsense-0123456789\n")
    assert done.returncode == 4
    assert "brave could not answer" in done.stderr
    assert "nonsense" not in done.stdout + done.stderr
    assert not settings_of(tmp_path).exists()
    assert not (tmp_path / ".cursor" / "mcp.json").exists()


def test_a_key_that_does_not_come_is_a_mistake_and_no_set_up(tmp_path: Path) -> None:
    done = run(home(tmp_path, "http://127.0.0.1:9"), "setup", *FLAGS, typed="")
    assert done.returncode == 2
    assert "there is no line for BRAVE_SEARCH_API_KEY" in done.stderr
    assert not settings_of(tmp_path).exists()


def test_settings_that_were_there_stay_and_come_back(tmp_path: Path) -> None:
    mine = "# mine\n[search]\nlimit = 3  # few\n"
    with simulators.start("brave") as brave:
        environ = home(tmp_path, brave.base_url)
        settings_of(tmp_path).parent.mkdir(parents=True)
        settings_of(tmp_path).write_text(mine)
        assert run(environ, "setup", *FLAGS, typed=f"{KEY}\n").returncode == 0
    assert settings_of(tmp_path).read_text().startswith(mine)
    assert run(environ, "setup", "--undo").returncode == 0
    assert settings_of(tmp_path).read_text() == mine


def test_a_person_is_led_through_it(tmp_path: Path) -> None:
    answers = [
        ("return for none", "braev\n"),
        ("return for none", "Brave\n"),
        ("BRAVE_SEARCH_API_KEY", f"{KEY}\n"),
        ("It may be charged.", "y\n"),
        ("Ask them?", "n\n"),
        ("Connect them?", "curser\n"),
        ("Connect them?", "y\n"),
        ("look for?", "tea\n"),
    ]
    with simulators.start("brave") as brave:
        environ = home(tmp_path, brave.base_url)
        seen = at_a_terminal(environ, "setup", answers=answers)
    assert KEY not in seen
    assert "did you mean 'brave'?" in seen
    assert "there is no agent 'curser'" in seen
    assert "✓ brave answers" in seen
    assert "cursor: written to" in seen
    assert "part 1" in seen
    assert KEY in settings_of(tmp_path).read_text()


@pytest.mark.parametrize("mistake", [("--client", "curser"), ("--keyless", "brave")], ids=" ".join)
def test_a_mistake_in_a_later_flag_is_told_before_anything_is_written(tmp_path: Path, mistake: tuple[str, ...]) -> None:
    with simulators.start("brave") as brave:
        flags = ("--engine", "brave", "--keep", "file", "--no-test", *mistake)
        done = run(home(tmp_path, brave.base_url), "setup", *flags, typed=f"{KEY}\n")
        assert not brave.received
    assert done.returncode in {2, 4}
    assert mistake[1] in done.stderr
    assert not settings_of(tmp_path).exists()


def test_an_engine_nobody_knows_is_named_with_the_nearest(tmp_path: Path) -> None:
    done = run(home(tmp_path, "http://127.0.0.1:9"), "setup", "--engine", "brav")
    assert done.returncode == 2
    assert "did you mean 'brave'?" in done.stderr
