"""What every test shares: asyncio as the backend, loopback as the only network, its own home, no hidden process."""

import multiprocessing.process
import os
import signal
import socket
import subprocess
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvloop

pytest_plugins = ["pytester"]
pytest.register_assert_rewrite("tests.support")

KEY_NAMES = ("API_KEY", "SEARXNG", "SEEKREAD", "WEB_SEARCH", "PROXY", "proxy", "SSL_CERT", "DDGS")
STARTERS = (
    (multiprocessing.process.BaseProcess, "start"),
    (subprocess.Popen, "__init__"),
    (os, "fork"),
    (os, "posix_spawn"),
    (os, "system"),
    (uvloop.Loop, "subprocess_exec"),
    (uvloop.Loop, "subprocess_shell"),
)
"""What Python's ways to start a process end in; uvloop has one of its own."""
UNMARKED = "this test starts a process: mark it with @pytest.mark.process, or its module with pytestmark"
STARTED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test that starts a process says so with a marker, or fails: so `make unit` knows what to leave out."""
    with pytest.MonkeyPatch.context() as patch:
        if item.get_closest_marker("process") is None:
            for owner, name in STARTERS:
                patch.setattr(owner, name, partial(no_process, item))
        return (yield)


def no_process(item: pytest.Item, *_arguments: object, **_options: object) -> None:
    item.stash[STARTED] = True
    pytest.fail(UNMARKED)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail also where nobody passed the failure on, such as in the thread of a server."""
    try:
        return (yield)
    finally:
        if STARTED in item.stash:
            pytest.fail(UNMARKED)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Empty homes. They are counted here, for looking for a free name among thousands takes longer than most tests."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, homes: Iterator[Path]) -> Iterator[None]:
    """No key, proxy or setting of the person running the tests reaches them, and nothing is written to their home."""
    for name in list(os.environ):
        if any(part in name for part in KEY_NAMES):
            monkeypatch.delenv(name)
    home = next(homes)
    home.mkdir()
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home if name == "HOME" else home / name.lower()))
    yield
    # Most stay empty, and thousands of them would have to be removed by a later run.
    with suppress(OSError):
        home.rmdir()


@pytest.fixture(autouse=True, scope="session")
def certificates_read_once() -> Iterator[None]:
    """Reading all the system's certificates for every client takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpx2, "create_ssl_context", cache(httpx2.create_ssl_context))
        yield


@pytest.fixture
def patient_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores that are never taken for down because this machine is busy."""
    from tests.support.patience import be_patient

    be_patient(monkeypatch)


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
