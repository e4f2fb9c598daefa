"""A real redis-server on loopback, to be started, killed and started again by tests."""

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self


def why_not() -> str:
    """Why there can be no server here; empty if there can. In continuous integration there must be one."""
    if shutil.which("redis-server") or os.environ.get("CI") == "true":
        return ""
    return "redis-server is not installed (apt install redis-server)"


class RedisServer:
    """A server with a port and a directory of its own; if `durable`, what it holds survives `kill` and `start`."""

    def __init__(self, directory: Path, *, durable: bool = True) -> None:
        self.directory = directory
        self.durable = durable
        # Kept, so that nobody else is given the port before the server starts, or while it is down.
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", 0))
        self.port: int = self._reserved.getsockname()[1]
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start and wait until it answers."""
        self.directory.mkdir(parents=True, exist_ok=True)
        options = {"--bind": "127.0.0.1", "--port": str(self.port), "--dir": str(self.directory), "--save": ""}
        if self.durable:
            options |= {"--appendonly": "yes", "--appendfsync": "always"}
        command = [shutil.which("redis-server") or "redis-server", *(word for pair in options.items() for word in pair)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        said: list[str] = []
        for line in self._process.stdout:
            said.append(line)
            if "Ready to accept connections" in line:
                return
        raise RuntimeError("redis-server did not start: " + "".join(said[-5:]))

    def kill(self) -> None:
        """Stop it the hard way."""
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def hang(self) -> None:
        """Let it take connections and answer nobody."""
        if self._process:
            self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it answer again."""
        if self._process:
            self._process.send_signal(signal.SIGCONT)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.kill()
        self._reserved.close()
