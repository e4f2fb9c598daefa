"""Stores are chosen by URL."""

import subprocess
import sys
from pathlib import Path

import pytest

from seekread.errors import Misconfigured
from seekread.state import open_store
from seekread.state.memory import MemoryStore
from seekread.state.redis import RedisStore
from seekread.state.sqlite import SqliteStore
from seekread.testing.clock import FakeClock


@pytest.mark.parametrize("url", [None, "memory:", "memory://"])
def test_memory_is_asked_for_by_name_or_by_nothing(url: str | None) -> None:
    assert isinstance(open_store(url, clock=FakeClock()), MemoryStore)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("state/store.db", "state/store.db"),
        ("/var/lib/store.db", "/var/lib/store.db"),
        ("sqlite:///store.db", "store.db"),
        ("sqlite:////var/lib/my%20store.db", "/var/lib/my store.db"),
        ("file:///var/lib/store.db", "/var/lib/store.db"),
        ("~/store.db", "{home}/store.db"),
    ],
)
def test_a_path_is_a_sqlite_file(url: str, path: str) -> None:
    store = open_store(url, clock=FakeClock())
    assert isinstance(store, SqliteStore)
    assert store.path == Path(path.format(home=Path.home()))


@pytest.mark.parametrize("url", ["redis://127.0.0.1:6379/0", "rediss://cache.example:6380/1", "unix:///run/redis.sock"])
def test_redis_is_asked_for_by_its_url(url: str) -> None:
    assert isinstance(open_store(url, clock=FakeClock()), RedisStore)


@pytest.mark.parametrize("url", ["postgres://db/1", "http://example.org/store"])
def test_an_unknown_scheme_is_named_with_the_known_ones(url: str) -> None:
    with pytest.raises(Misconfigured, match="memory:, a path, sqlite:///path or redis://"):
        open_store(url, clock=FakeClock())


@pytest.mark.parametrize("url", ["", "sqlite:", "sqlite:///", "/"])
def test_a_store_without_a_file_is_a_mistake(url: str) -> None:
    with pytest.raises(Misconfigured, match="names no file"):
        open_store(url, clock=FakeClock())


def test_a_missing_redis_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    with pytest.raises(Misconfigured, match=r"seekread\[redis\]"):
        open_store("redis://127.0.0.1/0", clock=FakeClock())


def test_opening_creates_nothing(tmp_path: Path) -> None:
    open_store(str(tmp_path / "state" / "store.db"), clock=FakeClock())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
def test_importing_the_package_loads_no_backend() -> None:
    code = "import sys, seekread.state; print({'redis', 'sqlite3'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
