"""`seekread forget`: what a person wants gone is gone, and nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner, Result

from seekread.cli.app import app
from seekread.cli.forget import is_meant
from seekread.compose import compose
from seekread.config.sources import load
from seekread.models import Page
from seekread.server.metrics import Metrics
from seekread.server.sessions import Sessions
from seekread.server.tokens import Tokens
from seekread.testing import simulators
from seekread.testing.simulators import Simulator


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return str(tmp_path / "state.sqlite")


def run(store: str, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["--store", store, *arguments])


def kept(store: str) -> tuple[int, int]:
    facts = json.loads(run(store, "cache", "info", "--json").stdout)
    return facts["searches"], facts["pages"]


async def fill(store: str, brave: Simulator, folder: Path) -> None:
    """Two tokens ask and read."""
    tokens = Tokens(folder / "seekread" / "tokens.json")
    settings: dict[str, Any] = {"providers": ["brave"], "store": store, "url_policy": "seen"}
    parts = compose(load(settings, providers={"brave": brave.settings()}, environ={}))
    sessions = Sessions(parts, Metrics(), boot="boot", apart=lambda: True)
    for name in ("ada", "bob"):
        session = sessions.of(tokens.find(tokens.create(name)))
        for query in ("fever at night", "train to Oslo"):
            await session.search(query)
        for url in ("https://health.example/fever", "https://www.health.example/x", "https://rail.example/oslo"):
            page = Page(url=url, final_url=url, content=f"Words of {url} for {name}.", reader="builtin")
            await session.parts.snapshots.keep(page)
    await parts.close()


def test_words_an_address_a_site_a_token_and_everything(store: str, brave: Simulator, tmp_path: Path) -> None:
    anyio.run(fill, store, brave, tmp_path)

    def forget(*arguments: str) -> tuple[str, tuple[int, int]]:
        return run(store, "forget", *arguments).stdout.strip(), kept(store)

    assert forget("FEVER at") == ("forgot 2 entries", (2, 6))
    assert forget("FEVER at") == ("nothing of it was kept", (2, 6))
    assert forget("https://rail.example/oslo") == ("forgot 4 entries", (2, 4))
    assert forget("health.example") == ("forgot 8 entries", (2, 0))
    told, left = forget("--token", "ada")
    assert (told.startswith("forgot"), left) == (True, (1, 0))
    told, left = forget("--all")
    assert (told.startswith("forgot"), left) == (True, (0, 0))
    assert json.loads(run(store, "usage", "--json").stdout)[0]["calls"] == 4


def test_what_to_forget_has_to_be_said(store: str) -> None:
    assert run(store, "forget").exit_code == 2
    assert run(store, "forget", "tea", "--all").exit_code == 2
    assert "there is no token named 'eve'" in str(run(store, "forget", "--token", "eve").exception)


@pytest.mark.parametrize(
    ("text", "url", "meant"),
    [
        ("a.example", "https://a.example/x", True),
        ("a.example", "https://b.a.example/x", True),
        ("a.example", "https://ba.example/x", False),
        ("example", "https://a.example/x", False),
        ("https://a.example/x", "https://a.example/x", True),
        ("https://a.example/", "https://a.example/x", False),
        ("a.example", "", False),
    ],
)
def test_an_address_is_meant_as_a_whole_and_a_site_with_what_is_below_it(text: str, url: str, meant: bool) -> None:
    assert is_meant(text, url) is meant
