"""
A local proxy that puts a browser behind the guard.

A browser resolves names and opens sockets by itself and cannot be pinned from outside. It can be told to use a proxy
for everything, though, and this one asks the same guard: the name is resolved once, every answer vetted, and exactly a
vetted address dialled. It speaks CONNECT (HTTPS and WebSockets) and forwards plain HTTP requests, upgrades included.

One connection carries one request. Were connections kept open, a browser would send the next request, for another
host, down the same pipe; closing after each answer leaves nothing to confuse. What a browser needs for speed happens
inside CONNECT tunnels, which stay open.

The browser must be told not to bypass the proxy for loopback names (`--proxy-bypass-list=<-loopback>` in Chromium) and
to keep WebRTC off (`--force-webrtc-ip-handling-policy=disable_non_proxied_udp`).
"""

import asyncio
import base64
import hmac
import re
import secrets
import socket
import ssl
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Self
from urllib.parse import unquote, urlsplit

from seekread.errors import Refused, Unreachable
from seekread.http.guard import Guard, Target
from seekread.http.pinned import confirm_peer, dial, egress_proxy
from seekread.http.proxy_heads import MAX_HEAD, REQUEST_LINE, STATUS_LINE, BadMessage, Head, read_head

MAX_CONNECTIONS = 256
MAX_REFUSALS = 1_000
"""Refusals kept; a hostile page could cause any number."""
PIECE = 65_536
CLOSE_SECONDS = 1.0
"""How long a connection may take to hand over its last bytes."""

CHALLENGE = {HTTPStatus.PROXY_AUTHENTICATION_REQUIRED: [("Proxy-Authenticate", 'Basic realm="seekread"')]}
AUTHORITY = re.compile(r"[^/?#@\\]+:[0-9]+")

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class GuardedProxy:
    """
    An HTTP proxy on loopback, for as long as the context lasts.

    Without `authenticate` any process of this machine may use it, which gives it no more than the guard allows.
    With it, a random `username` and `password` are asked for.
    `refusals` keeps what was refused, so that a reader can say why a page is incomplete.
    """

    def __init__(
        self,
        guard: Guard,
        *,
        authenticate: bool = False,
        head_seconds: float = 10.0,
        connect_seconds: float = 15.0,
        idle_seconds: float = 60.0,
    ) -> None:
        egress_proxy(guard.policy.proxy)
        self.guard = guard
        self.username = "seekread" if authenticate else ""
        self.password = secrets.token_urlsafe(24) if authenticate else ""
        self.refusals: list[Refused] = []
        self._head_seconds = head_seconds
        self._connect_seconds = connect_seconds
        self._idle_seconds = idle_seconds
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._server: asyncio.Server | None = None
        self._port = 0

    @property
    def url(self) -> str:
        """Where the proxy listens, as browsers want it: without the password."""
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_HEAD)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is None:
            return
        self._server.close()
        serving = dict(self._open)
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        for writer in serving.values():
            # A task that was cancelled before it began has closed nothing.
            writer.transport.abort()
        await self._server.wait_closed()
        self._server = None

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve((reader, writer)))
        self._open[task] = writer
        task.add_done_callback(self._open.pop)

    async def _serve(self, client: Streams) -> None:
        """Answer one request; what goes wrong becomes an answer, or the end of this connection only."""
        async with closing(client):
            try:
                await self._handle(client)
            except Refused as refused:
                if len(self.refusals) < MAX_REFUSALS:
                    self.refusals.append(refused)
                answer(client, HTTPStatus.FORBIDDEN, str(refused), ("X-Seekread-Refused", refused.code))
            except BadMessage as bad:
                answer(client, bad.status, str(bad), *CHALLENGE.get(bad.status, ()))
            except Unreachable as unreachable:
                answer(client, HTTPStatus.BAD_GATEWAY, str(unreachable))
            except TimeoutError:
                answer(client, HTTPStatus.GATEWAY_TIMEOUT, "Nothing came in time.")
            except OSError:
                # One side went away: there is nobody left to tell.
                return
            await linger(client)

    async def _handle(self, client: Streams) -> None:
        if len(self._open) > MAX_CONNECTIONS:
            raise BadMessage(HTTPStatus.SERVICE_UNAVAILABLE, "Too many connections.")
        try:
            async with asyncio.timeout(self._head_seconds):
                head = await read_head(client[0])
        except TimeoutError:
            raise BadMessage(HTTPStatus.REQUEST_TIMEOUT, "The request did not come in time.") from None
        line = REQUEST_LINE.fullmatch(head.line)
        if line is None:
            raise BadMessage(HTTPStatus.BAD_REQUEST, "This is not a request to an HTTP proxy.")
        self._authenticate(head)
        if line[1] == b"CONNECT":
            await self._tunnel(line[2].decode("ascii"), client)
        else:
            await self._forward(line[1], line[2].decode("ascii"), head, client)

    def _authenticate(self, head: Head) -> None:
        if not self.password:
            return
        expected = basic(self.username, self.password)
        if not any(hmac.compare_digest(given, expected) for given in head.values(b"proxy-authorization")):
            raise BadMessage(HTTPStatus.PROXY_AUTHENTICATION_REQUIRED, "This proxy wants its user name and password.")

    async def _tunnel(self, authority: str, client: Streams) -> None:
        if not AUTHORITY.fullmatch(authority):
            raise BadMessage(HTTPStatus.BAD_REQUEST, "CONNECT wants host:port.")
        target = self.guard.check(f"https://{authority}/")
        async with closing(await self._connect(target, tunnel=True)) as upstream:
            client[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await self._relay(client, upstream)

    async def _forward(self, method: bytes, url: str, head: Head, client: Streams) -> None:
        target = self.guard.check(url)
        if target.scheme != "http":
            raise BadMessage(HTTPStatus.BAD_REQUEST, "Only http URLs are forwarded; use CONNECT for https.")
        length = head.body_length
        if length and head.upgrades:
            raise BadMessage(HTTPStatus.BAD_REQUEST, "A request that switches protocols has no body.")
        proxy = self.guard.policy.proxy
        path = target.path if proxy is None else target.url.partition("#")[0]
        fields = [(b"host", target.authority.encode("ascii")), *credentials(proxy)]
        async with closing(await self._connect(target, tunnel=False)) as upstream:
            upstream[1].write(method + b" " + path.encode("ascii") + b" HTTP/1.1\r\n")
            upstream[1].write(head.passed_on(*fields, connection=b"upgrade" if head.upgrades else b"close"))
            upload = asyncio.get_running_loop().create_task(self._upload(length, client[0], upstream[1]))
            try:
                await self._download(head, client, upstream)
            finally:
                upload.cancel()
                await asyncio.gather(upload, return_exceptions=True)

    async def _upload(self, length: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass the body of a request on, and not one byte more."""
        while length and (piece := await reader.read(min(PIECE, length))):
            length -= len(piece)
            writer.write(piece)
            await writer.drain()

    async def _download(self, asked: Head, client: Streams, upstream: Streams) -> None:
        """Pass the answer on, interim answers first."""
        while True:
            async with asyncio.timeout(self._idle_seconds):
                head = await read_head(upstream[0], HTTPStatus.BAD_GATEWAY)
            status = STATUS_LINE.fullmatch(head.line)
            switched = status is not None and status[1] == b"101"
            if status is None or (switched and not asked.upgrades):
                raise BadMessage(HTTPStatus.BAD_GATEWAY, "The server's answer is not one to this request.")
            interim = status[1].startswith(b"1") and not switched
            connection = b"upgrade" if switched else b"" if interim else b"close"
            client[1].write(head.line + b"\r\n" + head.passed_on(connection=connection))
            if switched:
                return await self._relay(client, upstream)
            if not interim:
                return await self._finish(upstream[0], client[1])

    async def _finish(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on the body of an answer. Cut short, it must not look complete, so the client sees a reset."""
        try:
            async with asyncio.timeout(self._idle_seconds) as idle:
                await self._copy(reader, writer, idle)
        except OSError:
            reset(writer)

    async def _relay(self, client: Streams, upstream: Streams) -> None:
        """Copy both ways until both sides are done, one breaks off, or nothing has moved for too long."""
        try:
            async with asyncio.timeout(self._idle_seconds) as idle, asyncio.TaskGroup() as group:
                group.create_task(self._copy(client[0], upstream[1], idle))
                group.create_task(self._copy(upstream[0], client[1], idle))
        except* OSError:
            reset(client[1])

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, idle: asyncio.Timeout) -> None:
        clock = asyncio.get_running_loop().time
        while piece := await reader.read(PIECE):
            writer.write(piece)
            await writer.drain()
            idle.reschedule(clock() + self._idle_seconds)
        if writer.can_write_eof():
            writer.write_eof()

    async def _connect(self, target: Target, *, tunnel: bool) -> Streams:
        """A connection to a vetted address, or through the operator's egress proxy."""
        proxy = self.guard.policy.proxy
        async with asyncio.timeout(self._connect_seconds):
            if proxy is None:
                return await dial(self.guard, target, lambda address: connect(address, target.port), close)
            await self.guard.vet(target)
            return await connect_through(proxy, target, tunnel=tunnel)


async def connect(address: str, port: int) -> Streams:
    """Connect to a vetted address."""
    streams = await asyncio.open_connection(address, port, limit=MAX_HEAD)
    try:
        confirm_peer(address, streams[1].get_extra_info("peername"))
    except Refused:
        await close(streams)
        raise
    return streams


async def connect_through(proxy: str, target: Target, *, tunnel: bool) -> Streams:
    """Connect to the operator's egress proxy and, for a tunnel, ask it for one."""
    parts = urlsplit(proxy)
    secure = parts.scheme == "https"
    try:
        streams = await asyncio.open_connection(
            parts.hostname,
            parts.port or (443 if secure else 80),
            ssl=ssl.create_default_context() if secure else None,
            limit=MAX_HEAD,
        )
    except OSError:
        raise Unreachable("The egress proxy for pages could not be reached.") from None
    if not tunnel:
        return streams
    try:
        await ask_for_tunnel(streams, target, credentials(proxy))
    except BaseException:
        await close(streams)
        raise
    return streams


async def ask_for_tunnel(streams: Streams, target: Target, fields: list[tuple[bytes, bytes]]) -> None:
    """Ask a proxy to connect us; it must say yes."""
    where = target.endpoint.encode("ascii")
    streams[1].write(b"CONNECT " + where + b" HTTP/1.1\r\n" + Head(b"", ((b"host", where),)).passed_on(*fields))
    head = await read_head(streams[0], HTTPStatus.BAD_GATEWAY)
    status = STATUS_LINE.fullmatch(head.line)
    if status is None or not status[1].startswith(b"2"):
        raise Unreachable("The egress proxy for pages did not connect.")


def credentials(proxy: str | None) -> list[tuple[bytes, bytes]]:
    """The field that names us to the operator's egress proxy, if its URL has a user name."""
    parts = urlsplit(proxy or "")
    if not parts.username:
        return []
    return [(b"proxy-authorization", basic(unquote(parts.username), unquote(parts.password or "")))]


def basic(username: str, password: str) -> bytes:
    """The value of a field for basic authentication."""
    return b"Basic " + base64.b64encode(f"{username}:{password}".encode())


@asynccontextmanager
async def closing(streams: Streams) -> AsyncIterator[Streams]:
    """Close a connection at the end, whatever happens."""
    try:
        yield streams
    finally:
        await close(streams)


async def close(streams: Streams) -> None:
    """Hand over what is still to be sent, for a moment, then close."""
    writer = streams[1]
    writer.close()
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await writer.wait_closed()
    except OSError:
        writer.transport.abort()


async def linger(streams: Streams) -> None:
    """
    Say that we are done, and take what still comes for a moment.

    A socket that is closed with unread bytes in it is reset, and the other side may lose the answer it was given.
    """
    reader, writer = streams
    if writer.transport.is_closing():
        return
    try:
        writer.write_eof()
        async with asyncio.timeout(CLOSE_SECONDS):
            while await reader.read(PIECE):
                pass
    except OSError:
        return


def reset(writer: asyncio.StreamWriter) -> None:
    """Break a connection off, so that the other side does not take what it has for the whole."""
    with suppress(OSError):
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def answer(client: Streams, status: HTTPStatus, text: str, *fields: tuple[str, str]) -> None:
    """Answer in our own name."""
    body = (text + "\n").encode()
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *(f"{name}: {value}" for name, value in fields),
    ]
    client[1].write("\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + body)
