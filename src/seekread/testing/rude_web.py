"""
A web server on loopback that sends whatever bytes it is told to, at whatever pace, and hangs up as it likes.

An answer is a script: bytes are sent, a number is a pause in seconds, `RESET` breaks the connection off.
"""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Literal, Self

RESET: Final = "reset"
ScriptStep = bytes | float | Literal["reset"]
FOREVER = 3600.0


@dataclass(frozen=True)
class Asked:
    """One request as it arrived: the path with its query, the headers by lower-case name."""

    path: str
    headers: Mapping[str, str]


Script = Callable[[Asked], Iterable[ScriptStep]]
"""What to do with a request."""


def reply(
    body: bytes = b"",
    *,
    status: str = "200 OK",
    content_type: str | None = "text/html; charset=utf-8",
    headers: Mapping[str, str] | None = None,
    length: int | None = -1,
) -> bytes:
    """A plain answer as bytes. `length` is the length to claim: the true one by default, none for `None`."""
    fields = {} if content_type is None else {"Content-Type": content_type}
    if length is not None:
        fields["Content-Length"] = str(len(body) if length < 0 else length)
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in {**fields, **(headers or {})}.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


class RudeWeb:
    """Plays scripts by path on a free port of 127.0.0.1; other paths are not found."""

    def __init__(self, scripts: Mapping[str, Script | bytes]) -> None:
        self.scripts = dict(scripts)
        self.asked: list[Asked] = []
        self._closing = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, name="rude-web", daemon=True)

    @property
    def endpoint(self) -> str:
        """Host and port, as a guard's `allow_private` lists them."""
        return f"127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        return f"http://{self.endpoint}{path}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        # Closing alone does not wake a thread that waits in accept; a connection does.
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            pass
        self._thread.join()
        self._socket.close()

    def _accept(self) -> None:
        while not self._closing.is_set():
            connection, _ = self._socket.accept()
            threading.Thread(target=self._serve, args=(connection,), name="rude-answer", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        # Whoever reads us may leave at any moment; that is not our concern.
        with connection, contextlib.suppress(OSError):
            connection.settimeout(30)
            asked = read_request(connection)
            if asked is None:
                return
            self.asked.append(asked)
            script = self.scripts.get(asked.path.partition("?")[0], reply(b"no such page", status="404 Not Found"))
            for step in (script,) if isinstance(script, bytes) else script(asked):
                if self._closing.is_set():
                    return
                if step == RESET:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return
                if isinstance(step, bytes):
                    connection.sendall(step)
                elif isinstance(step, float):
                    self._closing.wait(step)
            # Closing with unread input would reset the connection and take the answer's end with it.
            connection.shutdown(socket.SHUT_WR)


def read_request(connection: socket.socket) -> Asked | None:
    """The request, or `None` when none came."""
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65536)
        if not part or len(received) > 100_000:
            return None
        received += part
    first, *lines = received.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    fields = (line.partition(":") for line in lines)
    return Asked(first.split(" ")[1], {name.strip().lower(): value.strip() for name, _, value in fields})
