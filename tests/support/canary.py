"""
A small internet on loopback, with a canary beside it.

127.0.0.2 plays the public internet and serves pages; 127.0.0.1, on the same port, is the canary: it stands for
everything private, keeps what touches it, and must stay untouched. The guard's judgement is the real one but for
the stand-in, and its resolver knows the names given here.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus

from seekread.http.guard import WEB_PORTS, Guard, GuardPolicy
from seekread.http.selftest import CANARY, STAND_IN, stand_in_is_public

HOST = "site.seekread-tests.org"
PRIVATE_HOST = "canary.seekread-tests.org"
FLIPPING_HOST = "flip.seekread-tests.org"
"""A name whose first answers are public, and which then points to the canary."""


@dataclass(frozen=True)
class Served:
    """What the stand-in answers for a path."""

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "text/html; charset=utf-8"
    hangs: bool = False

    def encoded(self) -> bytes:
        """The answer on the wire."""
        body = self.body.encode() if isinstance(self.body, str) else self.body
        fields = {
            "Content-Type": self.content_type,
            "Content-Length": str(len(body)),
            "Access-Control-Allow-Origin": "*",
            "Connection": "close",
            **self.headers,
        }
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def moved(location: str) -> Served:
    """A redirect."""
    return Served(status=302, headers={"Location": location})


class NameTable:
    """The resolver of the small internet."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.public_answers = 2

    async def resolve(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        if host == PRIVATE_HOST:
            return [CANARY]
        if host == FLIPPING_HOST and self.asked.count(host) > self.public_answers:
            return [CANARY]
        return [STAND_IN]


class Datagrams(asyncio.DatagramProtocol):
    """Keeps every datagram."""

    def __init__(self, touched: list[str]) -> None:
        self.touched = touched

    def datagram_received(self, data: bytes, addr: object) -> None:
        self.touched.append(f"datagram of {len(data)} bytes")


class Internet:
    """The stand-in's pages and requests, and what touched the canary."""

    def __init__(self) -> None:
        self.port = 0
        self.tls_port = 0
        self.names = NameTable()
        self.pages: dict[str, Served] = {}
        self.requests: list[str] = []
        """The paths that the stand-in was asked for."""
        self.touched: list[str] = []
        """What reached the canary."""
        self.leave = asyncio.Event()
        self.hanging = asyncio.Event()
        """Set while somebody waits for an answer that does not come."""

    def guard(self, **policy: object) -> Guard:
        """A guard that takes the stand-in for public."""
        ports = WEB_PORTS | {self.port, self.tls_port}
        return Guard(GuardPolicy(ports=ports, **policy), self.names, why_not_public=stand_in_is_public)  # type: ignore[arg-type]

    def url(self, path: str = "/", host: str = HOST) -> str:
        """An address of the small internet."""
        return f"http://{host}:{self.port}{path}"

    def forget(self) -> None:
        """Forget pages, requests and what touched the canary."""
        for kept in (self.pages, self.requests, self.touched, self.names.asked):
            kept.clear()
        self.hanging.clear()
        self.names.public_answers = 2

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request of the public kind."""
        with suppress(OSError, asyncio.IncompleteReadError):
            path = path_of(await reader.readuntil(b"\r\n\r\n"))
            self.requests.append(path)
            served = self.pages.get(path.partition("?")[0], Served("not here", 404))
            if served.hangs:
                self.hanging.set()
                await self.leave.wait()
            writer.write(served.encoded())
            await writer.drain()
        writer.close()

    async def touch(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Keep what touches the canary, connections that say nothing included."""
        self.touched.append("connection")
        with suppress(OSError, asyncio.IncompleteReadError):
            self.touched[-1] = path_of(await reader.readuntil(b"\r\n\r\n"))
            writer.write(Served("<title>Private</title><p>What nobody may see.</p>").encoded())
            await writer.drain()
        writer.close()


def path_of(head: bytes) -> str:
    """The path in a request line."""
    return [*head.split(b" ", 2), b"?", b"?"][1].decode("latin-1")


@asynccontextmanager
async def small_internet(tls: ssl.SSLContext | None = None) -> AsyncIterator[Internet]:
    """Serve for as long as the context lasts; with a TLS context, the same pages on `tls_port` too."""
    internet = Internet()
    canary = await asyncio.start_server(internet.touch, CANARY, 0)
    internet.port = canary.sockets[0].getsockname()[1]
    servers = [canary, await asyncio.start_server(internet.serve, STAND_IN, internet.port)]
    if tls:
        servers.append(await asyncio.start_server(internet.serve, STAND_IN, 0, ssl=tls))
        internet.tls_port = servers[-1].sockets[0].getsockname()[1]
    make: Callable[[], Datagrams] = lambda: Datagrams(internet.touched)  # noqa: E731 typed for the loop
    datagrams, _ = await asyncio.get_running_loop().create_datagram_endpoint(make, (CANARY, internet.port))
    try:
        yield internet
    finally:
        internet.leave.set()
        datagrams.close()
        for server in servers:
            server.close()
            await server.wait_closed()
