"""What every test shares: asyncio as the backend, loopback as the only network, a home of its own."""

import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite("tests.support")

KEY_NAMES = ("API_KEY", "SEARXNG", "SEEKREAD", "WEB_SEARCH", "PROXY", "proxy", "DDGS")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No key, proxy or setting of the person running the tests reaches them, and nothing is written to their home."""
    import os

    for name in list(os.environ):
        if any(part in name for part in KEY_NAMES):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home if name == "HOME" else home / name.lower()))


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> None:
    """Programs the tests start can be interrupted, even where whoever started the tests ignores that signal."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def only_loopback() -> Iterator[None]:
    """A connection to anything but this machine fails the test that tries it."""
    connect = socket.socket.connect
    connect_ex = socket.socket.connect_ex

    def guarded(original: Any) -> Any:
        def call(self: socket.socket, address: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6):
                host = str(address[0])
                if not (host.startswith(("127.", "::1", "::ffff:127.")) or host == "localhost"):
                    raise AssertionError(f"a test tried to leave loopback: {host}")
            return original(self, address)

        return call

    socket.socket.connect = guarded(connect)  # type: ignore[method-assign]
    socket.socket.connect_ex = guarded(connect_ex)  # type: ignore[method-assign]
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]
    socket.socket.connect_ex = connect_ex  # type: ignore[method-assign]


@pytest.fixture
def fixtures() -> Path:
    return Path(__file__).parent / "data"
