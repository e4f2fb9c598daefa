"""`seekread cache`: what is kept, and how to forget it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seekread.cli.app import app
from seekread.testing import simulators
from seekread.testing.simulators import Simulator
from tests.support.redis_server import RedisServer, why_not


@pytest.fixture
def brave(monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.process)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "state.sqlite")
        return
    if missing := why_not():
        pytest.skip(missing)
    with RedisServer(tmp_path / "redis") as server:
        yield server.url


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


def info(store: str) -> dict[str, object]:
    facts: dict[str, object] = json.loads(run("--store", store, "cache", "info", "--json").stdout)
    return facts


def test_it_counts_the_answers_and_forgets_them_but_not_what_was_spent(store: str, brave: Simulator) -> None:
    assert info(store)["searches"] == 0
    for query in ("tea", "coffee", "tea"):
        run("--store", store, "search", query, "-p", "brave")
    assert len(brave.received) == 2
    assert info(store)["searches"] == 2
    assert "searches  2" in run("--store", store, "cache", "info").stdout
    assert run("--store", store, "cache", "clear").stdout == "forgot 2 entries\n"
    assert info(store)["searches"] == 0
    [usage] = json.loads(run("--store", store, "usage", "--json").stdout)
    assert usage["calls"] == 2
    run("--store", store, "search", "tea", "-p", "brave")
    assert len(brave.received) == 3


def test_only_one_kind_can_be_forgotten(store: str, brave: Simulator) -> None:
    run("--store", store, "search", "tea", "-p", "brave")
    assert run("--store", store, "cache", "clear", "--only", "pages").stdout == "forgot 0 entries\n"
    assert info(store)["searches"] == 1
    assert run("--store", store, "cache", "clear", "--only", "searches").stdout == "forgot 1 entry\n"
    assert brave.received


@pytest.mark.process
def test_the_password_of_a_store_is_not_shown(tmp_path: Path) -> None:
    if missing := why_not():
        pytest.skip(missing)
    with RedisServer(tmp_path / "redis") as server:
        url = server.url.replace("redis://", "redis://default:not-to-be-shown@")
        result = CliRunner().invoke(app, ["--store", url, "cache", "info"])
    assert "not-to-be-shown" not in result.output + repr(result.exception)
