"""`seekread usage`: what was spent, what is left, and when it runs out."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seekread.cli.app import app
from seekread.testing import simulators
from seekread.testing.simulators import Simulator


@pytest.fixture
def brave(monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


def test_before_anything_was_asked_it_says_so(tmp_path: Path) -> None:
    result = run("--store", str(tmp_path / "state.sqlite"), "usage")
    assert (result.exit_code, result.stdout) == (0, "nothing was asked yet\n")
    assert run("--store", str(tmp_path / "state.sqlite"), "usage", "--json").stdout == "[]\n"


def test_calls_and_dollars_are_shown_for_the_key_without_telling_it(tmp_path: Path, brave: Simulator) -> None:
    store = str(tmp_path / "state.sqlite")
    for query in ("tea", "coffee"):
        assert run("--store", store, "search", query, "-p", "brave").exit_code == 0
    result = run("--store", store, "usage")
    assert "brave" in result.stdout
    assert "2 calls  $0.010" in result.stdout
    assert "no limit" in result.stdout
    assert brave.key not in result.stdout


def test_a_plan_shows_what_is_left_when_it_resets_and_how_long_it_lasts(
    tmp_path: Path, brave: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[spending]\nplans = { brave = "free" }\n')
    monkeypatch.setenv("SEEKREAD_CONFIG", str(config))
    store = str(tmp_path / "state.sqlite")
    run("--store", store, "search", "tea", "-p", "brave")
    shown = run("--store", store, "usage").stdout
    [row] = json.loads(run("--store", store, "usage", "--json").stdout)
    assert "1999 of 2000 searches left, resets on " in shown
    assert "brave lasts until it resets on " in shown
    assert (row["provider"], row["calls"], row["remaining"]) == ("brave", 1, 1999)


def test_a_store_that_cannot_be_used_is_an_error_and_not_an_empty_list(tmp_path: Path) -> None:
    from seekread.ports import StoreUnavailable

    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable):
        run("--store", str(tmp_path / "file" / "state.sqlite"), "usage")


@pytest.mark.parametrize("cap", ["DAILY_DOLLARS", "SESSION_DOLLARS"])
def test_caps_in_dollars_hold_at_the_command_line(
    tmp_path: Path, brave: Simulator, monkeypatch: pytest.MonkeyPatch, cap: str
) -> None:
    """A day is shared by all commands; a session is one command, which a cap below one call's price stops."""
    monkeypatch.setenv(f"SEEKREAD_{cap}", {"DAILY_DOLLARS": "0.01", "SESSION_DOLLARS": "0.004"}[cap])
    store = str(tmp_path / "state.sqlite")
    codes = [run("--store", store, "search", f"tea {number}", "-p", "brave").exit_code for number in range(3)]
    assert codes == {"DAILY_DOLLARS": [0, 0, 5], "SESSION_DOLLARS": [5, 5, 5]}[cap]
    assert brave.charged == pytest.approx(0.005 * codes.count(0))
