"""The command line before a person: what is shown while engines are asked, and how mistakes are told."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from seekread.testing import simulators
from seekread.testing.server import Fault
from seekread.testing.simulators.simulator import Simulator
from tests.support.service_process import Held
from tests.support.terminals import at_a_terminal, fresh_home

pytestmark = pytest.mark.process


def environment(home: Path, *services: Simulator) -> dict[str, str]:
    named = {name: value for service in services for name, value in service.environment().items()}
    return fresh_home(home, TERM="xterm", **named)


def run(environ: dict[str, str], *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "seekread", *arguments]
    return subprocess.run(command, env=environ, input=typed, capture_output=True, text=True, check=False, timeout=90)


def test_a_person_sees_who_is_asked_and_who_could_not_answer(tmp_path: Path) -> None:
    with simulators.start("brave") as brave, simulators.start("tavily") as tavily:
        brave.fail(Fault(how="hang"))
        engine = Held(tavily, 1)
        environ = {**environment(tmp_path, brave, tavily), "SEEKREAD_ATTEMPT_SECONDS": "4"}
        command = ("search", "tea", "-p", "brave,Tavily", "--route", "first")
        seen = at_a_terminal(environ, *command, answers=[("asking tavily", engine.release)])
    assert re.search(r"asking brave [1-4]\.", seen)
    assert "brave: no answer in time → asking tavily" in seen
    assert "\x1b[1;36mtea & more, part 1" in seen


def test_without_a_terminal_there_is_no_escape_and_no_line(tmp_path: Path) -> None:
    with simulators.start("brave") as brave:
        brave.fail(Fault(delay=1))
        done = run(environment(tmp_path, brave), "search", "tea", "--limit", "1")
    assert (
        done.stdout
        == '[1] tea & more, part 1 — https://www.example.org/tea/1\n    2026-10-30\n    What page 1 says about "tea".\n'
    )
    assert "\x1b" not in done.stdout + done.stderr
    assert "asking" not in done.stderr


def test_a_failure_is_a_line_with_a_hint_and_details_on_request(tmp_path: Path) -> None:
    with simulators.start("brave") as brave:
        brave.fail(brave.refusals["wrong key"].fault)
        environ = environment(tmp_path, brave)
        seen = at_a_terminal(environ, "search", "tea", "-p", "brave")
        detailed = at_a_terminal(environ, "search", "tea", "-p", "brave", "-v")
    assert "auth_failed" not in seen
    assert "→ brave: its api_key comes from the environment" in seen
    assert "brave: auth_failed" in detailed


def test_a_long_line_is_broken_between_words(tmp_path: Path) -> None:
    seen = at_a_terminal({**environment(tmp_path), "SEARXNG_URL": "localhost", "COLUMNS": "40"}, "doctor", "--live")
    assert "✗ searxng could not answer:" in seen
    assert max(len(line) for line in seen.splitlines() if "/" not in line) <= 40
    assert "\n  " in seen.partition("✗ searxng")[2].replace("\r", "")


def test_fresh_asks_again(tmp_path: Path) -> None:
    with simulators.start("brave") as brave:
        environ = environment(tmp_path, brave)
        for flags in ((), (), ("--fresh",)):
            assert run(environ, "search", "tea", *flags).returncode == 0
        assert len(brave.received) == 2


def test_options_of_every_command_may_stand_behind_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[search]\nlimit = 2\n")
    with simulators.start("brave") as brave:
        environ = environment(tmp_path, brave)
        done = run(environ, "search", "tea", "--config", str(file), "--store=memory:", "--json", "-v")
        words = run(environ, "search", "--store", "memory:", "--json", "--", "-v", "--config")
    assert len(json.loads(done.stdout)["results"]) == 2
    assert "outcome=ok" in done.stderr
    assert json.loads(words.stdout)["query"] == "-v --config"


def test_a_command_with_a_typing_mistake_is_answered_with_the_right_one(tmp_path: Path) -> None:
    done = run(environment(tmp_path), "serch", "tea")
    assert done.returncode == 2
    assert "there is no command 'serch'; did you mean 'search'?" in done.stderr


def test_pages_from_stdin_are_json_lines(tmp_path: Path) -> None:
    addresses = "http://127.0.0.1:9/a\nhttp://127.0.0.1:9/b\n"
    done = run(environment(tmp_path), "open", "-", "--json", typed=addresses)
    assert [json.loads(line)["success"] for line in done.stdout.splitlines()] == [False, False]
