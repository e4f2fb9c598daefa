"""
A small HTTP server on loopback that remembers what it was asked and can be told to misbehave.

It is written on the standard library's server, a thread per connection, because a test double should have no
dependency of its own and must be able to do what no decent framework allows: break off in the middle of a sentence.
"""

import json
import math
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import parse_qsl, urlsplit

Misbehaviour = Literal["answer", "hang", "reset", "truncate", "drip"]


@dataclass(frozen=True)
class Received:
    """One request as it arrived."""

    method: str
    host: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def params(self) -> dict[str, str]:
        """The parameters in the address."""
        return dict(parse_qsl(self.query, keep_blank_values=True))

    @property
    def form(self) -> dict[str, str]:
        """The body as form fields."""
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))

    @property
    def json(self) -> Any:
        """The body as JSON, or an empty object when it is not."""
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    @property
    def sent(self) -> dict[str, Any]:
        """Every named value that was sent, wherever it stood."""
        is_form = "x-www-form-urlencoded" in self.headers.get("content-type", "")
        return self.params | (self.form if is_form else self.json)


@dataclass(frozen=True)
class Answer:
    """What goes back: bytes and text as they are, anything else as JSON."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str | None = None
    price: float = 0.0
    """Dollars the service charges for it; an error is free."""

    def encoded(self) -> tuple[bytes, str]:
        """The body on the wire, and its type."""
        match self.body:
            case bytes() as raw:
                return raw, self.content_type or "application/octet-stream"
            case str() as text:
                return text.encode(), self.content_type or "text/html; charset=utf-8"
            case value:
                return json.dumps(value).encode(), self.content_type or "application/json"


@dataclass(frozen=True)
class Fault:
    """How an answer goes wrong. What is left unset stays as the service would have answered."""

    status: int | None = None
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str | None = None
    delay: float = 0
    how: Misbehaviour = "answer"
    change: Callable[[Any], Any] | None = None
    """Makes another body of the one the service would have sent."""

    def applied(self, answer: Answer) -> Answer:
        """The answer with this fault in it."""
        changed = self.change(answer.body) if self.change else answer.body
        status = answer.status if self.status is None else self.status
        return Answer(
            changed if self.body is None else self.body,
            status,
            {**answer.headers, **self.headers},
            self.content_type or (answer.content_type if self.body is None else None),
            answer.price if status < 400 else 0.0,
        )


class LoopbackServer:
    """Serves `answer` on a free port of 127.0.0.1; use it as a context manager, or `start` and `stop` it."""

    def __init__(
        self, answer: Callable[[Received], Answer], *, port: int = 0, tls_for: ssl.SSLContext | None = None
    ) -> None:
        self.answer = answer
        self.received: list[Received] = []
        self.prices: list[float] = []
        self.mistakes: list[Exception] = []
        self.closing = threading.Event()
        self.tunnel_tls = tls_for
        self._faults: deque[Fault] = deque()
        self._standing: Fault | None = None
        self._server = _Server(("127.0.0.1", port), self)
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def charged(self) -> float:
        """Dollars it has charged so far, whether or not its answers arrived."""
        return math.fsum(self.prices)

    def fail(self, fault: Fault, *, times: int | None = None) -> None:
        """Answer with a fault from now on, or only so many times."""
        if times is None:
            self._standing = fault
        else:
            self._faults.extend([fault] * times)

    def reset(self) -> None:
        """Forget every fault and every request."""
        self._faults.clear()
        self._standing = None
        self.received.clear()
        self.prices.clear()

    def next_fault(self) -> Fault | None:
        """The fault the next request meets."""
        return self._faults.popleft() if self._faults else self._standing

    def start(self) -> None:
        """Begin to answer, unless it does already."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._server.serve_forever, args=(0.02,), name="loopback", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """Stop answering, let go of whoever hangs, and report a mistake made while answering."""
        self.closing.set()
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._thread = None
        self._server.server_close()
        if self.mistakes:
            raise self.mistakes[0]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], owner: LoopbackServer) -> None:
        super().__init__(address, _Handler)
        self.owner = owner

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients of a test server hang up when they like."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a body waits 40 ms for the acknowledgement of its headers
    server: _Server

    def do_CONNECT(self) -> None:
        """Be a proxy that opens the tunnel to itself, and speaks TLS inside it."""
        if self.server.owner.tunnel_tls is None:
            self.send_error(405)
            return
        self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        self.connection = self.server.owner.tunnel_tls.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb", -1)
        self.wfile = self.connection.makefile("wb", 0)
        self.close_connection = False

    def do_GET(self) -> None:
        owner = self.server.owner
        size = int(self.headers.get("content-length", 0))
        target = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = Received(
            self.command, headers.get("host", ""), target.path, target.query, headers, self.rfile.read(size)
        )
        owner.received.append(received)
        fault = owner.next_fault()
        try:
            answer = owner.answer(received)
        except Exception as mistake:
            owner.mistakes.append(mistake)
            raise
        answer = (fault or Fault()).applied(answer)
        owner.prices.append(answer.price)
        self._deliver(answer, fault or Fault())

    do_POST = do_GET  # noqa: N815

    def _deliver(self, answer: Answer, fault: Fault) -> None:
        if fault.how == "hang":
            self.server.owner.closing.wait()
            self._break_off()
        if fault.how == "reset":
            self._break_off()
        if fault.delay and self.server.owner.closing.wait(fault.delay):
            self._break_off()
        body, content_type = answer.encoded()
        self.send_response(answer.status)
        for name, value in {"content-type": content_type, **answer.headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if fault.how == "truncate":
            self.wfile.write(body[: len(body) // 2])
            self._break_off(politely=True)
        elif fault.how == "drip":
            for byte in body:
                self.wfile.write(bytes([byte]))
                if self.server.owner.closing.wait(0.05):
                    break
            self._break_off()
        else:
            self.wfile.write(body)

    def _break_off(self, *, politely: bool = False) -> None:
        if politely:
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.rfile.close()
        self.wfile.close()
        self.connection.close()
        raise ConnectionAbortedError

    def finish(self) -> None:
        super().finish()
        # Inside a tunnel this is the TLS socket, which the server does not know of.
        self.connection.close()

    def log_message(self, *args: object) -> None:
        """Say nothing."""
