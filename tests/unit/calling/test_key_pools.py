"""Several keys of one service: taken by what is left, a rejected one rests, and none ever shows."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from seekread.cli.app import app
from seekread.client import Seekread
from seekread.config.sources import load
from seekread.errors import AllFailed, Misconfigured
from seekread.providers.brave import Brave
from seekread.state.ledger import identity
from seekread.testing import simulators
from seekread.testing.server import Answer, Received
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio

KEYS = ("first-key-of-somebody-1", "second-key-of-somebody-2", "third-key-of-somebody-3")


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


def accept(service: Simulator, *keys: str) -> None:
    """Let the service know several keys."""
    answer = service.answer

    def reply(received: Received) -> Answer:
        sent = received.headers.get("x-subscription-token")
        service.key = sent if sent in keys else keys[0] if keys else "none"
        return answer(received)

    service.answer = reply


def sent(service: Simulator) -> list[str]:
    return [received.headers["x-subscription-token"] for received in service.received]


@asynccontextmanager
async def asking(service: Simulator, *keys: str, store: str = "memory:", **settings: Any) -> AsyncIterator[Seekread]:
    fields = {"base_url": service.base_url, "api_keys": list(keys)}
    given = {"store": store, "cache": False, **settings}
    async with Seekread("brave", settings=given, providers={"brave": fields}, environ={}) as web:
        yield web


async def test_keys_are_taken_in_turn_by_what_is_left(brave: Simulator) -> None:
    accept(brave, *KEYS)
    async with asking(brave, *KEYS) as web:
        for number in range(6):
            await web.search(f"tea {number}")
        lines = await web._parts.ledger.usage()
    assert sorted(sent(brave)) == sorted(KEYS * 2)
    assert {line.identity: round(line.dollars, 6) for line in lines} == {identity(key): 0.01 for key in KEYS}


async def test_a_rejected_key_rests_and_another_one_answers_the_same_search(brave: Simulator) -> None:
    accept(brave, *KEYS[1:])
    async with asking(brave, *KEYS) as web:
        for number in range(5):
            assert (await web.search(f"tea {number}")).outcome == "ok"
    assert sent(brave).count(KEYS[0]) == 1
    assert len(brave.received) == 6


async def test_it_rests_for_everybody_until_the_settings_change(brave: Simulator, tmp_path: Path) -> None:
    accept(brave, *KEYS[1:])
    store = str(tmp_path / "state.sqlite")
    for _ in range(2):
        async with asking(brave, *KEYS, store=store) as web:
            await web.search("tea")
    assert sent(brave).count(KEYS[0]) == 1
    async with asking(brave, *KEYS[:2], store=store) as web:
        await web.search("tea")
    assert sent(brave).count(KEYS[0]) == 2


async def test_where_every_key_is_rejected_the_search_says_so(brave: Simulator) -> None:
    accept(brave)
    async with asking(brave, *KEYS) as web:
        with pytest.raises(AllFailed) as caught:
            await web.search("tea")
    assert (caught.value.outcome, sorted(sent(brave))) == ("auth_failed", sorted(KEYS))
    assert not [key for key in KEYS if key in str(caught.value)]


async def test_a_key_that_was_used_before_waits_for_the_others(brave: Simulator, tmp_path: Path) -> None:
    accept(brave, *KEYS)
    store = str(tmp_path / "state.sqlite")
    async with asking(brave, KEYS[0], store=store) as web:
        for number in range(3):
            await web.search(f"tea {number}")
    async with asking(brave, *KEYS[:2], store=store) as web:
        for number in range(4):
            await web.search(f"cake {number}")
    assert sent(brave)[3:6] == [KEYS[1]] * 3


@pytest.mark.parametrize("how", ["argument", "environment", "file of the environment", "settings file"])
def test_keys_come_from_everywhere_settings_do(tmp_path: Path, how: str) -> None:
    (tmp_path / "keys").write_text("\n".join(KEYS) + "\n")
    (tmp_path / "config.toml").write_text(f"[providers.brave]\napi_keys = {list(KEYS)}\n")
    loaded = {
        "argument": lambda: load(providers={"brave": {"api_keys": KEYS}}, environ={}),
        "environment": lambda: load(environ={"BRAVE_API_KEYS": ", ".join(KEYS)}),
        "file of the environment": lambda: load(environ={"BRAVE_API_KEYS_FILE": str(tmp_path / "keys")}),
        "settings file": lambda: load(environ={}, file=tmp_path / "config.toml"),
    }[how]()
    values = loaded.provider_values(Brave)
    assert [key.get_secret_value() for key in values["api_keys"].value] == list(KEYS)
    assert values["api_key"].value.get_secret_value() == KEYS[0], "hosts see one key"
    assert not [key for key in KEYS if key in repr(loaded) + repr(values)]


def test_a_service_without_a_key_has_no_pool(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[providers.wikipedia]\napi_keys = ["x"]\n')
    with pytest.raises(Misconfigured, match="unknown setting 'api_keys'"):
        load(environ={}, file=tmp_path / "config.toml")


async def test_no_key_of_a_pool_leaves_in_a_query(brave: Simulator) -> None:
    async with asking(brave, *KEYS) as web:
        for key in KEYS:
            with pytest.raises(Exception, match="configured secret"):
                await web.search(f"what is {key}")
    assert brave.received == []


def test_usage_shows_each_key_by_its_fingerprint_with_money_by_day(
    brave: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(brave, *KEYS)
    monkeypatch.setenv("BRAVE_API_KEYS", ",".join(KEYS))
    monkeypatch.setenv("SEEKREAD_BRAVE_BASE_URL", brave.base_url)

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["--store", str(tmp_path / "state.sqlite"), *arguments])
        assert result.exit_code == 0, result.output
        return result.output

    for number in range(3):
        run("search", f"tea {number}", "-p", "brave")
    shown = run("usage") + run("usage", "--json") + run("config", "show") + run("providers")
    assert all(identity(key) in shown for key in KEYS)
    assert not [key for key in KEYS if key in shown]
    assert shown.count(" $0.005\n") == 3
