"""Headers are bounded below the HTTP parser, which would block the event loop on a flood of them."""

import asyncio
import ssl
from collections.abc import Iterable
from contextlib import suppress

import httpcore2
import pytest

from seekread.http.guard import Guard, GuardPolicy
from seekread.http.head_limit import MAX_LINES, HeadLimit
from seekread.http.pinned import PinnedBackend
from seekread.testing.rude_web import RudeWeb, Script, reply
from tests.support.hostile_pages import PAGE, flood

pytestmark = pytest.mark.anyio

TLS = ssl.create_default_context()
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n"


class Limited(PinnedBackend):
    """The guarded backend with the bound on every connection."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 the library's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        stream = await super().connect_tcp(host, port, timeout, local_address, socket_options)
        return stream if isinstance(stream, HeadLimit) else HeadLimit(stream)


async def asked(endpoint: str, times: int = 1) -> list[bytes]:
    """What comes of asking a server so often over one pool."""
    guard = Guard(GuardPolicy(allow_private=(endpoint,)))
    async with httpcore2.AsyncConnectionPool(ssl_context=TLS, network_backend=Limited(guard)) as pool:
        return [(await pool.request("GET", f"http://{endpoint}/")).content for _ in range(times)]


async def answered(script: Script | bytes) -> list[bytes]:
    """What comes of asking a server that answers once."""
    with RudeWeb({"/": script}) as web:
        return await asked(web.endpoint)


@pytest.mark.parametrize(
    "script",
    [
        b"HTTP/1.1 200 OK\r\n" + b"A:b\r\n" * (MAX_LINES + 1) + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        flood(b"", INTERIM * 100),
        flood(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 1_000),
        flood(b"", b"a"),
    ],
    ids=["lines", "bytes", "interim", "endless", "one line"],
)
async def test_headers_that_do_not_end_are_broken_off(script: Script | bytes) -> None:
    with pytest.raises(httpcore2.RemoteProtocolError, match="do not end"):
        await answered(script)


async def test_decent_headers_interim_answers_and_long_bodies_pass() -> None:
    """A body may have as many lines as it likes, and the count begins anew with every request."""
    body = PAGE + b"\n\n" * 100_000
    fields = b"".join(b"X-%d: %s\r\n" % (number, b"v" * 200) for number in range(100))
    answer = INTERIM * 20 + reply(body, headers={"X": "y"}).replace(b"X: y\r\n", fields)
    connections = 0

    async def keep_answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        with suppress(asyncio.IncompleteReadError):
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(answer)
                await writer.drain()
        writer.close()

    async with await asyncio.start_server(keep_answering, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert await asked(f"127.0.0.1:{port}", times=5) == [body] * 5
    assert connections == 1


async def test_bare_line_feeds_end_headers_too() -> None:
    assert await answered(b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi" + b"\n" * 2_000) == [b"hi"]
