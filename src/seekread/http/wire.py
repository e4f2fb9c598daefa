"""
HTTP/1.1 to a service, over connections of our own: one request at a time on each, one whole reply to each request.

The bytes of a reply are read by llhttp (of `httptools`), which is strict: a folded field, a bare line feed, two
lengths, or a length beside chunks end the connection. What it leaves open is decided here: a transfer encoding other
than `chunked` is no reply, and what comes after a reply is never taken for the answer to the next request.

Nothing is unbounded. Head, interim answers and trailers share one allowance of bytes and of fields; bytes that bring
no body (blank lines, an endless chunk extension) are counted; and a read is small, so that no service holds the event
loop for long.

A request is written once. A connection that was closed while it idled is found out before anything is written; one
that breaks later may have delivered the request, and who read it may have charged it: that is told, not tried again.
"""

import asyncio
import select
import socket
import ssl
from collections import deque
from collections.abc import Callable
from dataclasses import field
from time import monotonic
from typing import Any, cast

import httptools

from seekread.errors import BadReply, ProviderError, Unreachable
from seekread.hostnames import is_ip_address
from seekread.http.race import alternate, race
from seekread.http.target import Target
from seekread.late import dataclass
from seekread.provider import Reply

MAX_HEAD = 65_536
"""Bytes of a reply that are not body: its head, interim answers and trailers together."""
MAX_FIELDS = 500
PART = 65_536
"""Bytes read at a time."""
MAX_IDLE = 64
"""Connections kept for one service while nobody uses them: as many as calls run at once, by default."""
IDLE_SECONDS = 15.0
"""How long they are kept: less than most services wait before they close one."""
MAX_DIALLED = 6
"""Addresses tried for one connection; a name may have hundreds."""

NOT_HTTP = "what the service sent is not HTTP as it should be"
ENDLESS = "the head of the reply does not end"
BROKE = "the connection broke before the reply was whole"


@dataclass
class WireRequest:
    """A request with everything that goes on the wire; `sent` becomes true when it may have left."""

    method: str
    target: Target
    headers: dict[str, str]
    body: bytes
    sent: bool = False

    def head(self) -> bytes:
        """The first line and the fields."""
        fields = "".join([f"{name}: {value}\r\n" for name, value in self.headers.items()])
        return f"{self.method} {self.target.path} HTTP/1.1\r\n{fields}\r\n".encode("latin-1")


def too_large(most: int, status: int) -> BadReply:
    """A reply grew past its cap."""
    return BadReply(f"the reply is larger than {most} bytes", status=status)


def field_text(value: bytes) -> str:
    """A name or value as text: in UTF-8 if it can be, for some services send names of things."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


class ReplyParser:
    """Takes the bytes of one reply; it is whole when `done`, and `problem` says why it never will be."""

    def __init__(self, most: int) -> None:
        self.done = False
        self.keeps = False
        self.problem: ProviderError | None = None
        self._most = most
        self._status = 0
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._in_head = True
        self._until_close = False
        self._fields = self._spent = self._barren = 0
        self._parser = httptools.HttpResponseParser(self)

    def feed(self, data: memoryview) -> None:
        """Take what has arrived."""
        size = len(self._body)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self.keeps = False
            if not self.done:
                self.problem = self.problem or Unreachable(NOT_HTTP)
            return
        self._barren = 0 if len(self._body) > size else self._barren + len(data)
        if self._barren > MAX_HEAD and not self.done:
            self.problem = Unreachable(ENDLESS)

    def end(self, *, cleanly: bool) -> None:
        """The connection has ended: some replies are whole only then."""
        self.keeps = False
        if self._until_close and not self._in_head and cleanly:
            self.done = True
        elif not self.done:
            self.problem = self.problem or Unreachable(BROKE)

    def reply(self) -> Reply:
        """The reply, its body as it was sent; or the problem, raised."""
        if self.problem is None:
            return Reply(self._status, self._headers, bytes(self._body))
        try:
            raise self.problem
        finally:
            # It will know this frame.
            self.problem = None

    def let_go(self) -> None:
        """Nothing more is to be taken: the parser below and this one know each other, and would keep each other."""
        del self._parser

    def _refuse(self, problem: ProviderError) -> None:
        self.problem = problem
        raise ValueError

    def _spend(self, size: int) -> None:
        self._spent += size
        if self._spent > MAX_HEAD:
            self._refuse(Unreachable(ENDLESS))

    # What the parser below calls, by its names.

    def on_message_begin(self) -> None:
        if self.done:
            # Nobody asked for a second reply.
            self.keeps = False
            raise ValueError

    def on_status(self, reason: bytes) -> None:
        self._spend(len(reason))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._fields += 1
        self._spend(len(name) + len(value))
        if self._fields > MAX_FIELDS:
            self._refuse(Unreachable(ENDLESS))
        if self._in_head:
            key, text = name.decode("ascii").lower(), field_text(value)
            self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        self._status = self._parser.get_status_code()
        coding = self._headers.get("transfer-encoding")
        if self._parser.get_http_version() not in {"1.0", "1.1"} or coding not in {None, "chunked"}:
            self._refuse(Unreachable(NOT_HTTP))
        self._in_head = False
        length = self._headers.get("content-length")
        self._until_close = coding is None and length is None
        if length and length.isdecimal() and int(length) > self._most:
            self._refuse(too_large(self._most, self._status))

    def on_body(self, body: bytes) -> None:
        self._body += body
        if len(self._body) > self._most:
            self._refuse(too_large(self._most, self._status))

    def on_message_complete(self) -> None:
        if self._status >= 200:
            self.done, self.keeps = True, self._parser.should_keep_alive()
            return
        self._in_head, self._headers = True, {}


class Wire(asyncio.BufferedProtocol):
    """One connection to a service."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.closed = False
        self.idle_since = 0.0
        self._buffer = bytearray(PART)
        self._parser: ReplyParser | None = None
        self._waiting: asyncio.Future[None] | None = None

    async def exchange(self, outgoing: WireRequest, most: int) -> Reply:
        """Send a request and wait for its reply; if anything goes wrong the connection is gone."""
        if self.closed:
            raise Unreachable("the service closed the connection at once", sent=False)
        parser = self._parser = ReplyParser(most)
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            outgoing.sent = True
            self.transport.write(outgoing.head() + outgoing.body)
            await self._waiting
        except BaseException:
            # Cancelled: the reply, or the rest of it, is nobody's.
            self.close()
            raise
        finally:
            self._parser = self._waiting = None
            parser.let_go()
        if not parser.keeps:
            self.close()
        return parser.reply()

    @property
    def fresh(self) -> bool:
        """Whether another request may be sent: the service has neither hung up nor said anything unasked."""
        return not (self.closed or self.stale or readable(self.transport.get_extra_info("socket")))

    @property
    def stale(self) -> bool:
        """Whether it has idled for too long."""
        return monotonic() - self.idle_since > IDLE_SECONDS

    def close(self) -> None:
        """End the connection at once."""
        if not self.closed:
            self.closed = True
            self.transport.abort()

    # What the event loop calls, by its names.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002 - the signature is asyncio's
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._parser is None:
            self.close()
        else:
            self._parser.feed(memoryview(self._buffer)[:nbytes])
            self._look()

    def eof_received(self) -> None:
        self._ended(cleanly=True)

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended(cleanly=exc is None)

    def _ended(self, *, cleanly: bool) -> None:
        if self._parser is None:
            self.close()
        else:
            self._parser.end(cleanly=cleanly)
            self._look()

    def _look(self) -> None:
        parser, waiting = self._parser, self._waiting
        if parser and waiting and (parser.done or parser.problem) and not waiting.done():
            waiting.set_result(None)


def readable(sock: Any) -> bool:
    """Say whether something waits to be read from a socket, which the end of the connection is too."""
    if not hasattr(select, "poll"):
        return bool(select.select([sock], [], [], 0)[0])
    poll = select.poll()
    poll.register(sock.fileno(), select.POLLIN)
    return bool(poll.poll(0))


@dataclass
class Wires:
    """
    The connections of one event loop, kept by service.

    There is no limit to how many are open at once: how many calls may run is for the rooms of the engine to say.
    """

    trusted: Callable[[], ssl.SSLContext]
    most: int
    _idle: dict[tuple[str, str, int], deque[Wire]] = field(default_factory=dict)
    _closed: bool = False

    async def exchange(self, outgoing: WireRequest) -> Reply:
        """Send a request over a connection that is free, or a new one."""
        target = outgoing.target
        idle = self._idle.setdefault((target.scheme, target.host, target.port), deque())
        wire = taken(idle) or await self._dial(target)
        reply = await wire.exchange(outgoing, self.most)
        if not wire.closed:
            wire.idle_since = monotonic()
            idle.append(wire)
        # The one that idles longest is the first.
        while len(idle) > (0 if self._closed else MAX_IDLE) or (idle and idle[0].stale):
            idle.popleft().close()
        return reply

    async def _dial(self, target: Target) -> Wire:
        context = self.trusted() if target.scheme == "https" else None
        loop = asyncio.get_running_loop()

        async def connect(address: str) -> Wire:
            return (await loop.create_connection(Wire, address, target.port))[1]

        async def close(wire: Wire) -> None:
            wire.close()

        wire = await race(target, await addresses(target), connect, close)
        if context is not None:
            await secure(wire, context, target)
        return wire

    def close(self) -> None:
        """Close the connections nobody uses; the others close when their calls end."""
        self._closed = True
        for idle in self._idle.values():
            while idle:
                idle.pop().close()


def taken(idle: deque[Wire]) -> Wire | None:
    """The connection that idled least and can still be used; the stale ones on the way to it are closed."""
    while idle:
        wire = idle.pop()
        if wire.fresh:
            return wire
        wire.close()
    return None


async def addresses(target: Target) -> list[str]:
    """The addresses of a host, the two families in turn; the name is resolved beside the event loop."""
    if is_ip_address(target.host):
        return [target.host]
    try:
        found = await asyncio.get_running_loop().getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unreachable(f"the name {target.host} cannot be resolved (DNS)", sent=False) from None
    return alternate(dict.fromkeys(str(info[4][0]) for info in found))[:MAX_DIALLED]


async def secure(wire: Wire, context: ssl.SSLContext, target: Target) -> None:
    """Speak TLS from here on, with the host whose name the certificate must have."""
    loop = asyncio.get_running_loop()
    try:
        transport = await loop.start_tls(wire.transport, wire, context, server_hostname=target.host)
    except OSError as error:
        wire.close()
        raise no_tls(target.host, error) from None
    except BaseException:
        wire.close()
        raise
    wire.connection_made(cast("asyncio.Transport", transport))


def no_tls(host: str, error: BaseException) -> Unreachable:
    """Why TLS failed, and the setting that helps where a company signs for everybody."""
    reason = getattr(error, "verify_message", "") or getattr(error, "reason", "") or type(error).__name__
    return Unreachable(
        f"no TLS with {host}: {reason}. If an authority of your own signs there, name its file in the setting ca_file",
        sent=False,
    )
