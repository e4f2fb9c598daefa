"""A state file that is damaged or newer than this version, under a whole engine with a provider that costs money."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from seekread import AllFailed, Seekread
from seekread.testing import simulators
from seekread.testing.simulators import Simulator
from tests.support.state_files import open_state

pytestmark = pytest.mark.anyio


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    file = tmp_path / "state.sqlite"
    file.write_bytes(b"not a database " * 1000)
    return file


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    file = tmp_path / "state.sqlite"
    open_state(file).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version=99")
    return file


def engine(file: Path, brave: Simulator) -> Seekread:
    return Seekread("brave", settings={"store": str(file), "attempts": 1}, providers={"brave": brave.settings()})


async def test_over_a_damaged_state_file_a_paid_provider_answers_and_is_counted(
    damaged: Path, brave: Simulator
) -> None:
    """It was refused until a person deleted the file."""
    async with engine(damaged, brave) as web:
        assert (await web.search("tea")).results
        assert (await web.search("tea")).cached
        [usage] = await web._parts.ledger.usage()
    assert usage.calls == 1


async def test_over_a_newer_state_file_a_paid_provider_is_not_asked(newer: Path, brave: Simulator) -> None:
    async with engine(newer, brave) as web:
        with pytest.raises(AllFailed, match="nothing is spent on brave") as caught:
            await web.search("tea")
    assert "layout 99 of a newer seekread" in str(caught.value)
    assert not brave.received
