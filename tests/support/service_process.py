"""The service as a process of its own, with a simulated engine, a site to read and state that is thrown away."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from seekread.server.tokens import Tokens
from seekread.testing import simulators
from seekread.testing.server import Answer, LoopbackServer, Received
from seekread.testing.simulators import Simulator

PAGE = """<!doctype html><html lang="en"><head><title>All about tea</title></head><body><main><h1>All about tea</h1>
<p>Green tea is made from leaves that were not oxidised, black tea from leaves that were.</p>
<p>Steep it for three minutes at eighty degrees.</p></main></body></html>"""
PATIENT = """
import runpy
from seekread.server import run
run.IDLE_SECONDS = 60
runpy.run_module("seekread.server", run_name="__main__")
"""


@dataclass
class ServiceProcess:
    """A process that serves."""

    url: str
    process: "subprocess.Popen[str]"
    brave: Simulator
    site: LoopbackServer
    token: str = field(default="", repr=False)

    def terminate(self) -> int:
        """Ask it to end, and wait until it has."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def page(received: Received) -> Answer:
    return Answer("gone", 404) if received.path == "/gone" else Answer(PAGE)


@contextmanager
def service(
    folder: Path, *options: str, token: bool = False, patient: bool = False, env: dict[str, str] | None = None
) -> Iterator[ServiceProcess]:
    """Start a service on a free port; with `token`, only who has one gets in; a `patient` one ends when all left."""
    made = Tokens(folder / "seekread" / "tokens.json").create("test") if token else ""
    with simulators.start("brave") as brave, LoopbackServer(page) as site:
        surroundings = {
            **os.environ,
            **brave.environment(),
            "XDG_STATE_HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
            "WEB_SEARCH_PROVIDER": "brave",
            "SEEKREAD_ALLOW_PRIVATE": site.url.removeprefix("http://"),
            **(env or {}),
        }
        arguments = ["--port", "0", *(["--require-token"] if token else []), *options]
        process = start(arguments, surroundings, patient=patient)
        with process:
            assert process.stdout is not None
            try:
                line = process.stdout.readline()
                assert "listens on" in line, line
                yield ServiceProcess(line.split()[-1], process, brave, site, made)
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.wait(60)


def start(arguments: Sequence[str], env: dict[str, str], *, patient: bool = False) -> "subprocess.Popen[str]":
    """Start `seekread serve`."""
    program = ["-c", PATIENT] if patient else ["-m", "seekread.server"]
    command = [sys.executable, *program, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
