"""A service written byte by byte: what it sends, when it hangs up, and every byte it was sent are the test's to say."""

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

PATIENCE = 60.0
"""Seconds before a server gives up on a client: far longer than any test takes."""


class Line:
    """One connection, as the service holds it."""

    def __init__(self, sock: socket.socket, service: "RawService") -> None:
        self.sock = sock
        self._service = service
        self._unread = b""

    def request(self) -> bytes:
        """One whole request, or nothing when the client has hung up."""
        head = self._until(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        size = int(fields.get(b"content-length", b"0"))
        while len(self._unread) < size and (part := self.sock.recv(65536)):
            self._unread += part
        body, self._unread = self._unread[:size], self._unread[size:]
        if head:
            self._service.requests.append(head + body)
        return head + body

    def _until(self, end: bytes) -> bytes:
        while end not in self._unread:
            part = self.sock.recv(65536)
            if not part:
                return b""
            self._unread += part
        head, _, self._unread = self._unread.partition(end)
        return head + end

    def send(self, *parts: bytes) -> None:
        """Send, each part in a packet of its own as far as the system lets one."""
        for part in parts:
            self.sock.sendall(part)

    def tunnel(self) -> tuple[bytes, bytes]:
        """Be a proxy that was asked to connect: pass everything on until one side ends; what was passed each way."""
        host, _, port = self._service.requests[-1].split()[1].decode().rpartition(":")
        return self.passing_on(host.strip("[]"), int(port), b"HTTP/1.1 200 Connection established\r\n\r\n")

    def passing_on(self, host: str, port: int, connected: bytes) -> tuple[bytes, bytes]:
        """Connect, say so, and pass everything on."""
        passed: dict[str, bytes] = {"up": b"", "down": b""}
        with socket.create_connection((host, port), timeout=PATIENCE) as upstream:
            self.send(connected)

            def pump(way: str, source: socket.socket, sink: socket.socket) -> None:
                with suppress(OSError):
                    while part := source.recv(65536):
                        passed[way] += part
                        sink.sendall(part)
                with suppress(OSError):
                    sink.shutdown(socket.SHUT_WR)

            back = threading.Thread(target=pump, args=("down", upstream, self.sock))
            back.start()
            pump("up", self.sock, upstream)
            back.join()
        return passed["up"], passed["down"]


class RawService:
    """Runs `serve` for every connection, each in a thread of its own, on a free port of loopback."""

    def __init__(
        self, serve: Callable[[Line], object], *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"
    ) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family, backlog=512)
        self._serve = serve
        self._tls = tls
        self._host = host
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._lines: list[socket.socket] = []
        self.requests: list[bytes] = []
        """Every request that was read, over all connections."""

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def url(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}"

    @property
    def connections(self) -> int:
        """How many connections were made so far."""
        return len(self._threads)

    def drained(self) -> bool:
        """Wait until every connection made so far has ended; whether they did."""
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join(PATIENCE)
        return not any(thread.is_alive() for thread in threads)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._run, args=(sock,), daemon=True)
            with self._lock:
                self._lines.append(sock)
                self._threads.append(thread)
                thread.start()

    def _run(self, sock: socket.socket) -> None:
        # Clients hang up when they like, and some refuse our certificate.
        with suppress(OSError), sock:
            sock.settimeout(PATIENCE)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is None:
                self._serve(Line(sock, self))
            else:
                with self._tls.wrap_socket(sock, server_side=True) as secure:
                    self._serve(Line(secure, self))

    def __enter__(self) -> Self:
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._acceptor.join()
        for sock in self._lines:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self.drained()


def reply(body: bytes = b"{}", *fields: bytes, status: bytes = b"200 OK") -> bytes:
    """A reply that is well-formed, with these header fields beside its length."""
    lines = [b"HTTP/1.1 " + status, b"content-length: %d" % len(body), *fields]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def answering(*parts: bytes) -> Callable[[Line], None]:
    """A service that sends the same to every request, for as long as the client asks."""

    def serve(line: Line) -> None:
        while line.request():
            line.send(*parts)

    return serve


def closing_after(*parts: bytes) -> Callable[[Line], None]:
    """A service that answers one request and hangs up."""

    def serve(line: Line) -> None:
        if line.request():
            line.send(*parts)

    return serve
