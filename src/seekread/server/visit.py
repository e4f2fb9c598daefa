"""
One request, from the first byte of its body to the last of its answer.

The body is received before anything else happens, within its size and time. Whatever arrives afterwards means that the
client has left, and then its work ends: nobody would read the answer, and somebody would pay for it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seekread.server.problems import Rejected, rejected

FRAMING = frozenset({b"content-length", b"transfer-encoding"})


class Senders:
    """Clients that are sending a body. Where one comes too many, the one that has been at it longest has to go."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._sending: dict[asyncio.Timeout, None] = {}

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Be one of them, for as long as that may take."""
        if len(self._sending) >= self._most:
            self._send_off_the_slowest()
        patience = asyncio.timeout(self._seconds)
        try:
            async with patience:
                self._sending[patience] = None
                yield
        except TimeoutError:
            detail = f"A body has to arrive within {self._seconds:g} seconds, and sooner when many are sending one."
            raise rejected(408, "body_too_slow", detail) from None
        finally:
            self._sending.pop(patience, None)

    def _send_off_the_slowest(self) -> None:
        slowest = next(iter(self._sending))
        del self._sending[slowest]
        with suppress(RuntimeError):  # its time is up this very moment
            slowest.reschedule(asyncio.get_running_loop().time())


class HttpVisit:
    """A request, its client and its answer."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, largest: int) -> None:
        self.scope = scope
        self.left = False
        """Whether the client went away before it had its answer."""
        self._largest = largest
        self._receive = receive
        self._send = send
        self._body: bytes | None = None
        self._handed_out = False
        self._over = asyncio.Event()
        self._begun = self._answered = False

    async def body(self, senders: Senders) -> bytes:
        """The body, received once."""
        if self._body is None:
            declared = Headers(scope=self.scope).get("content-length", "0")
            if not declared.isdecimal() or int(declared[:20]) > self._largest:
                raise too_large(self._largest)
            if has_none(self.scope):
                # There is nothing to wait for.
                self._body = await whole(self._receive, self._largest)
                return self._body
            async with senders.one():
                self._body = await whole(self._receive, self._largest)
        return self._body

    @property
    def received(self) -> bytes:
        """The body, once it was received."""
        return self._body or b""

    async def answer(self, app: ASGIApp) -> None:
        """Let an application answer, for as long as the client is there."""
        with anyio.CancelScope() as work:
            watching = asyncio.create_task(self._watch(work))
            try:
                # Under load many have left by now; they are noticed before anything is spent on them.
                await asyncio.sleep(0)
                await app(self.scope, self.receive, self.send)
            finally:
                watching.cancel()
        if self._begun and not self._answered and not self.left:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})

    def end(self) -> None:
        """Let a stream end that would go on for ever: to its application it looks as if the client had left."""
        self._over.set()

    async def receive(self) -> Message:
        """What an application receives: the body at once, and then nothing until it is over."""
        if not self._handed_out:
            self._handed_out = True
            return {"type": "http.request", "body": self.received, "more_body": False}
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """What an application sends. Who is answered before the body has arrived need not send the rest of it."""
        if message["type"] == "http.response.start":
            self._begun = True
            if self._body is None:
                message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
        # A server calls it a disconnect too when everything was sent; some applications have work left then.
        self._answered = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)
        if self._answered:
            self._over.set()

    async def _watch(self, work: anyio.CancelScope) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        if not self._answered:
            self.left = True
            self._over.set()
            work.cancel()


def has_none(scope: Scope) -> bool:
    """Whether a request ends with its head, as HTTP/1 tells by the head; other versions tell by what follows."""
    framed = any(name in FRAMING for name, _ in scope["headers"])
    return not framed and scope.get("http_version", "").startswith("1")


async def whole(receive: Receive, largest: int) -> bytes:
    """A body, all of it."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        if len(body) > largest:
            raise too_large(largest)
        if not message.get("more_body", False):
            return bytes(body)


def too_large(largest: int) -> Rejected:
    return rejected(413, "body_too_large", f"The body may have {largest:,} bytes.")
