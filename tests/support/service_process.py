"""The service as a process of its own, with a simulated engine, a site to read and state that is thrown away."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from seekread.server.tokens import Tokens
from seekread.testing import simulators
from seekread.testing.server import Answer, Fault, LoopbackServer, Received
from seekread.testing.simulators import Simulator

PAGE = """<!doctype html><html lang="en"><head><title>All about tea</title></head><body><main><h1>All about tea</h1>
<p>Green tea is made from leaves that were not oxidised, black tea from leaves that were.</p>
<p>Steep it for three minutes at eighty degrees.</p></main></body></html>"""
OWN_PAGE = "the page of this test"
"""What to search for to find the site."""
PATIENCE = 300
"""Seconds until something that never happens is called so, on however busy a machine."""
SHARING = f"""
import runpy
from seekread.state import pulse
pulse.LEASE = {PATIENCE}
from seekread.reading import snapshots
snapshots.LEASE_SECONDS = {PATIENCE}
from seekread.state.redis import RedisStore
RedisStore.__init__.__kwdefaults__["timeout"] = {PATIENCE}
runpy.run_module("seekread.server", run_name="__main__")
"""
"""A service that takes nobody for dead, and no store for down, because this machine is busy."""
PATIENT = f"""
import runpy
from seekread.server import heads, run
run.IDLE_SECONDS = heads.PunctualProtocol.seconds = {PATIENCE}
runpy.run_module("seekread.server", run_name="__main__")
"""


LONG = {f"SEEKREAD_{what}_SECONDS": str(PATIENCE) for what in ("SEARCH", "ATTEMPT", "PAGE")}
"""Settings under which nothing is given up because this machine is busy."""


@dataclass
class ServiceUrl:
    """A process that serves, and where."""

    url: str
    process: "subprocess.Popen[str]"


@dataclass
class ServiceProcess(ServiceUrl):
    """A process that serves, with what it asks."""

    brave: Simulator
    site: LoopbackServer
    token: str = field(default="", repr=False)

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        parts = urlsplit(self.url)
        return str(parts.hostname), int(parts.port or 80)

    def closed(self) -> None:
        """Wait until nobody listens there, without knocking: one who knocks may be left to wait outside."""
        for _ in range(PATIENCE * 100):
            with suppress(OSError), socket.create_server(self.address):
                return
            time.sleep(0.01)
        raise AssertionError(f"somebody listens on {self.url} for ever")

    def find_own_page(self) -> None:
        """Let a search for the page of this test find it: nobody reads the pages of others here."""

        def found(body: Any) -> Any:
            rows = body.get("web", {}).get("results", [])
            if rows and OWN_PAGE in rows[0]["title"]:
                own = [{**row, "url": f"{self.site.url}/?number={number}"} for number, row in enumerate(rows)]
                body["web"]["results"] = own
            return body

        self.brave.fail(Fault(change=found))

    def terminate(self) -> int:
        """Ask it to end, and wait until it has."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


class Held:
    """An engine that answers when it is told to."""

    def __init__(self, engine: Simulator, calls: int) -> None:
        self._reply = engine.answer
        self._engine = engine
        self._calls = calls
        self._arrived = threading.Event()
        self._released = threading.Event()
        engine.answer = self._answer

    def wait(self) -> None:
        """Wait until so many calls have arrived."""
        assert self._arrived.wait(PATIENCE), f"{len(self._engine.received)} of {self._calls} calls have arrived"

    def release(self) -> None:
        """Answer them all."""
        self._released.set()

    def _answer(self, received: Received) -> Answer:
        if len(self._engine.received) >= self._calls:
            self._arrived.set()
        self._released.wait(PATIENCE)
        return self._reply(received)


@contextmanager
def kept_port() -> Iterator[int]:
    """A port that nobody else is given, while somebody listens there and while nobody does."""
    with socket.socket() as kept:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]


def page(received: Received) -> Answer:
    return Answer("gone", 404) if received.path == "/gone" else Answer(PAGE)


@contextmanager
def service(
    folder: Path,
    *options: str,
    token: bool = False,
    patient: bool = False,
    agents: str = "",
    env: dict[str, str] | None = None,
) -> Iterator[ServiceProcess]:
    """
    Start a service on a free port.

    token: only who has one gets in
    patient: it ends when all have left
    agents: the transport of `seekread mcp`, if that is to be started instead of `seekread serve`
    """
    made = Tokens(folder / "seekread" / "tokens.json").create("test") if token else ""
    with simulators.start("brave") as brave, LoopbackServer(page) as site:
        surroundings = {
            **os.environ,
            **brave.environment(),
            "XDG_STATE_HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
            "WEB_SEARCH_PROVIDER": "brave",
            **LONG,
            "SEEKREAD_ALLOW_PRIVATE": site.url.removeprefix("http://"),
            **(env or {}),
        }
        waiting = [] if agents else ["--drain-seconds", str(PATIENCE)]
        arguments = [*waiting, *(["--require-token"] if token else []), *options]
        with running(arguments, surroundings, script=PATIENT if patient else "", agents=agents) as (url, process):
            yield ServiceProcess(url, process, brave, site, made)


@contextmanager
def service_on(folder: Path, *options: str, env: dict[str, str]) -> Iterator[ServiceUrl]:
    """Start a service over engines, sites and a store that are there already."""
    surroundings = {**os.environ, "XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), **env}
    with running(options, surroundings, script=SHARING) as (url, process):
        yield ServiceUrl(url, process)


@contextmanager
def running(
    options: Sequence[str], env: dict[str, str], *, script: str = "", agents: str = ""
) -> "Iterator[tuple[str, subprocess.Popen[str]]]":
    """A service on a free port from the moment it says where, until it is told to end."""
    process = start(["--port", "0", *options], env, script=script, agents=agents)
    with process:
        told = process.stderr if agents else process.stdout
        assert told is not None
        try:
            line = told.readline()
            assert "http://" in line, line
            yield urljoin(line.split()[-1], "/").rstrip("/"), process
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(PATIENCE)


def start(
    arguments: Sequence[str], env: dict[str, str], *, script: str = "", agents: str = ""
) -> "subprocess.Popen[str]":
    """Start `seekread serve`, by a script that changes something before it does, or `seekread mcp` over a transport."""
    served = ["-m", "seekread.mcp", "--transport", agents] if agents else ["-m", "seekread.server"]
    command = [sys.executable, *(["-c", script] if script else served), *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE if agents else None, text=True, env=env
    )
