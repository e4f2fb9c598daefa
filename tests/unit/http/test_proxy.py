"""The proxy for browsers, spoken to over raw sockets: 127.0.0.1 is the canary, 127.0.0.2 plays the public internet."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx2
import pytest
import trustme

from seekread.errors import Misconfigured
from seekread.http import proxy
from seekread.http.guard import WEB_PORTS, Guard, GuardPolicy
from seekread.http.proxy import GuardedProxy
from seekread.http.proxy_heads import MAX_HEAD
from tests.support.names import CANARY, DEAD, STAND_IN, Names, plays_the_internet

pytestmark = pytest.mark.anyio

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Site:
    """Keeps everything it receives and answers with fixed bytes, then closes."""

    def __init__(self, answer: bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", body: int = 0) -> None:
        self.answer = answer
        self.body = body
        self.connections = 0
        self.received = b""

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            self.received += await reader.readuntil(b"\r\n\r\n")
            self.received += await reader.readexactly(self.body)
            writer.write(self.answer)
            if writer.can_write_eof():
                writer.write_eof()
                self.received += await reader.read()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send back whatever comes, until the other side is done."""
    while piece := await reader.read(1024):
        writer.write(piece)
        await writer.drain()
    writer.close()


class World:
    """A canary, a public site on the same port, and a proxy in front of both."""

    def __init__(self, canary: Site, port: int, guarded: GuardedProxy) -> None:
        self.canary, self.port, self.proxy = canary, port, guarded
        self.opened: list[asyncio.StreamWriter] = []

    async def ask(self, request: str | bytes) -> bytes:
        """Send one request to the proxy and read until it closes the connection."""
        reader, writer = await self.open()
        text = request if isinstance(request, bytes) else request.replace("{port}", str(self.port)).encode()
        writer.write(text)
        async with asyncio.timeout(10):
            return await reader.read()

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(self.proxy.url.rpartition(":")[2]))
        self.opened.append(writer)
        return reader, writer

    async def close(self) -> None:
        for writer in self.opened:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def tunnel(self, host: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await self.open()
        writer.write(f"CONNECT {host}:{self.port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        return reader, writer


@asynccontextmanager
async def serve(
    public: Serve,
    names: Names | None = None,
    *,
    tls: ssl.SSLContext | None = None,
    policy: dict[str, Any] | None = None,
    **options: Any,
) -> AsyncIterator[World]:
    canary = Site()
    first = await asyncio.start_server(canary, CANARY, 0)
    port = first.sockets[0].getsockname()[1]
    second = await asyncio.start_server(public, STAND_IN, port, ssl=tls)
    guard = Guard(
        GuardPolicy(ports=WEB_PORTS | {port}, **(policy or {})), names or Names({}), why_not_public=plays_the_internet
    )
    try:
        async with GuardedProxy(guard, **options) as guarded:
            world = World(canary, port, guarded)
            yield world
        assert canary.connections == 0
    finally:
        await world.close()
        for server in (first, second):
            server.close()
            await server.wait_closed()


async def test_a_tunnel_carries_bytes_both_ways_until_both_sides_are_done() -> None:
    async with serve(echo) as world:
        reader, writer = await world.tunnel("a.example.org")
        for piece in (b"hello", b"x" * 200_000):
            writer.write(piece)
            assert await reader.readexactly(len(piece)) == piece
        writer.write(b"last")
        writer.write_eof()
        assert await reader.read() == b"last"
        writer.close()


REFUSED_TARGETS = {
    "127.0.0.1:{port}": "private_address",
    "[::1]:{port}": "private_address",
    "[::ffff:127.0.0.1]:{port}": "private_address",
    "localhost:{port}": "private_name",
    "2130706433:{port}": "ambiguous_address",
    "127.1:{port}": "ambiguous_address",
    "inside.example.org:{port}": "private_answer",
    "mixed.example.org:{port}": "private_answer",
    "a.example.org:22": "port_not_allowed",
    "169.254.169.254:80": "metadata",
    "metadata.google.internal:80": "metadata",
    "blocked.example.org:{port}": "domain_blocked",
}


@pytest.mark.proves("S3-30")
@pytest.mark.parametrize(("target", "code"), REFUSED_TARGETS.items())
@pytest.mark.parametrize("request_text", ["CONNECT {} HTTP/1.1\r\n\r\n", "GET http://{}/x HTTP/1.1\r\n\r\n"])
async def test_what_the_guard_refuses_gets_403_with_its_code_and_is_remembered(
    target: str, code: str, request_text: str
) -> None:
    """The browser is behind the same guard."""
    names = Names({"inside.example.org": [CANARY], "mixed.example.org": [STAND_IN, CANARY]})
    site = Site()
    async with serve(site, names, policy={"blocked_domains": ("blocked.example.org",)}) as world:
        answer = await world.ask(request_text.replace("{}", target))
        assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\n")
        assert f"X-Seekread-Refused: {code}\r\n".encode() in answer
        assert [refused.code for refused in world.proxy.refusals] == [code]
    assert site.connections == 0


@pytest.mark.proves("X-25")
@pytest.mark.parametrize("flip", range(1, 6))
async def test_a_name_that_changes_its_answer_never_reaches_the_canary(flip: int) -> None:
    """DNS rebinding against the browser."""
    site = Site()
    names = Names({"rebind.example.org": lambda count: [STAND_IN if count < flip else CANARY]})
    async with serve(site, names) as world:
        answers = [await world.ask("GET http://rebind.example.org:{port}/ HTTP/1.1\r\n\r\n") for _ in range(flip + 1)]
    assert [answer[9:12] for answer in answers] == [b"200"] * (flip - 1) + [b"403"] * 2
    assert site.connections == flip - 1
    assert len(names.asked) == flip + 1


async def test_a_plain_request_is_written_again_for_the_server() -> None:
    site = Site(
        b"HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Drop\r\nKeep-Alive: 5\r\nX-Drop: 1\r\nX-Keep: 2\r\n"
        b"Content-Length: 2\r\n\r\nok"
    )
    async with serve(site) as world:
        answer = await world.ask(
            "GET HTTP://A.example.org:{port}/p%20q?r=s#t HTTP/1.1\r\nHost: evil.example.net\r\nAccept: a/b\r\n"
            "Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic eDp5\r\nConnection: x-secret, host\r\n"
            "X-Secret: 1\r\nTE: trailers\r\nUpgrade: h2c\r\n\r\n"
        )
    head = f"GET /p%20q?r=s HTTP/1.1\r\nhost: a.example.org:{world.port}\r\naccept: a/b\r\nconnection: close\r\n\r\n"
    assert site.received == head.encode()
    assert answer == b"HTTP/1.1 200 OK\r\nx-keep: 2\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"


async def test_a_body_is_passed_on_and_not_one_byte_more() -> None:
    """A second request in the same pipe, for another host, must not reach the first host."""
    site = Site(body=5)
    async with serve(site) as world:
        answer = await world.ask(
            "POST http://a.example.org:{port}/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
            "GET http://127.0.0.1:{port}/ HTTP/1.1\r\nCookie: secret\r\n\r\n"
        )
    assert site.received.endswith(b"connection: close\r\n\r\nhello")
    assert answer.endswith(b"\r\n\r\nok")
    assert answer.count(b"HTTP/1.1") == 1


async def test_a_client_cannot_have_the_length_of_its_body_left_out() -> None:
    """Without it the server would take the body for a second request."""
    site = Site(body=5)
    async with serve(site) as world:
        await world.ask(
            "POST http://a.example.org:{port}/ HTTP/1.1\r\nConnection: content-length\r\nContent-Length: 5\r\n\r\nGET /"
        )
    assert b"\r\ncontent-length: 5\r\n" in site.received


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        ("POST http://a.example.org:{port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        ("POST http://a.example.org:{port}/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", 400),
        ("POST http://a.example.org:{port}/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST http://a.example.org:{port}/ HTTP/1.1\r\nContent-Length: 1, 2\r\n\r\n", 400),
        ("GET http://a.example.org/ HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 1\r\n\r\nx", 400),
        ("GET http://a.example.org:{port}/ HTTP/1.1\r\nX: a\n b\r\n\r\n", 400),
        ("GET http://a.example.org:{port}/ HTTP/1.1\r\n folded\r\n\r\n", 400),
        ("GET http://a.example.org:{port}/ HTTP/1.1\r\nName : x\r\n\r\n", 400),
        ("GET http://a.example.org:{port}/ HTTP/1.1\nX: y\r\n\r\n", 400),
        ("GET http://a.example.org:{port}/ x HTTP/1.1\r\n\r\n", 400),
        ("GET http://a.example.org:{port}/ HTTP/2\r\n\r\n", 400),
        ("GET https://a.example.org:{port}/ HTTP/1.1\r\n\r\n", 400),
        ("CONNECT a.example.org HTTP/1.1\r\n\r\n", 400),
        ("CONNECT a.example.org:{port}/x HTTP/1.1\r\n\r\n", 400),
        ("CONNECT u@a.example.org:{port} HTTP/1.1\r\n\r\n", 400),
        ("CONNECT a.example.org:99999 HTTP/1.1\r\n\r\n", 403),
        ("GET / HTTP/1.1\r\nHost: a.example.org\r\n\r\n", 403),
        ("GET //a.example.org/ HTTP/1.1\r\n\r\n", 403),
        ("GET ftp://a.example.org/ HTTP/1.1\r\n\r\n", 403),
        ("\x16\x03\x01\x02\r\n\r\n", 400),
    ],
)
async def test_what_could_be_read_two_ways_is_not_forwarded(request_text: str, status: int) -> None:
    site = Site()
    async with serve(site) as world:
        assert (await world.ask(request_text)).startswith(f"HTTP/1.1 {status} ".encode())
    assert site.connections == 0


async def test_a_head_that_is_too_large_is_refused_without_being_kept() -> None:
    async with serve(Site()) as world:
        answer = await world.ask(
            b"GET http://a.example.org/ HTTP/1.1\r\n" + b"X: " + b"y" * (3 * MAX_HEAD) + b"\r\n\r\n"
        )
    assert answer.startswith(b"HTTP/1.1 431 ")


async def test_a_head_that_never_ends_runs_out_of_time() -> None:
    async with serve(Site(), head_seconds=0.05) as world:
        assert (await world.ask("GET http://a.example.org/ HTTP/1.1\r\nX: ")).startswith(b"HTTP/1.1 408 ")


async def test_a_client_that_says_nothing_and_leaves_is_forgotten() -> None:
    async with serve(Site()) as world:
        reader, writer = await world.open()
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()


async def test_interim_answers_are_passed_on() -> None:
    site = Site(
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
    )
    async with serve(site) as world:
        answer = await world.ask("GET http://a.example.org:{port}/ HTTP/1.1\r\n\r\n")
    assert answer == (
        b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
        b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"
    )


async def test_a_plain_websocket_upgrade_becomes_a_pipe() -> None:
    seen: list[bytes] = []

    async def switch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        await echo(reader, writer)

    async with serve(switch) as world:
        reader, writer = await world.open()
        writer.write(
            f"GET http://a.example.org:{world.port}/ws HTTP/1.1\r\nConnection: keep-alive, Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        assert head == (b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n")
        writer.write(b"\x81\x02hi")
        assert await reader.readexactly(4) == b"\x81\x02hi"
        writer.close()
    assert b"connection: upgrade\r\nupgrade: websocket\r\n" in seen[0]
    assert b"sec-websocket-key: k\r\n" in seen[0]


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nbroken\r\n\r\n",
        b"HTTP/1.1 999 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * (3 * MAX_HEAD) + b"\r\n\r\n",
    ],
)
async def test_a_server_that_does_not_speak_http_is_a_bad_gateway(answer: bytes) -> None:
    async with serve(Site(answer)) as world:
        assert (await world.ask("GET http://a.example.org:{port}/ HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 502 ")


@pytest.mark.parametrize(
    "request_text",
    ["CONNECT d.example.org:{port} HTTP/1.1\r\n\r\n", "GET http://d.example.org:{port}/ HTTP/1.1\r\n\r\n"],
)
async def test_a_host_that_does_not_answer_is_a_bad_gateway_without_its_address(request_text: str) -> None:
    async with serve(Site(), Names({"d.example.org": [DEAD]})) as world:
        answer = await world.ask(request_text)
    assert answer.startswith(b"HTTP/1.1 502 ")
    assert DEAD.encode() not in answer
    assert world.proxy.refusals == []


async def test_a_server_that_says_nothing_is_a_gateway_timeout() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with serve(silent, idle_seconds=0.05) as world:
        assert (await world.ask("GET http://a.example.org:{port}/ HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 504 ")


async def test_an_answer_that_stops_half_way_is_reset_and_does_not_look_complete() -> None:
    async def stops(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        world.proxy._idle_seconds = 0.05
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhalf")
        await reader.read()
        writer.close()

    async with serve(stops) as world:
        with pytest.raises(ConnectionResetError):
            await world.ask("GET http://a.example.org:{port}/ HTTP/1.1\r\n\r\n")


async def test_a_tunnel_in_which_nothing_moves_is_closed() -> None:
    async with serve(echo, idle_seconds=0.05) as world:
        reader, writer = await world.tunnel("a.example.org")
        with pytest.raises(ConnectionResetError):
            await reader.readexactly(1)
        writer.close()


async def test_leaving_closes_the_port_and_every_connection() -> None:
    before = asyncio.all_tasks()
    async with serve(echo) as world:
        pairs = [await world.tunnel("a.example.org") for _ in range(3)]
        pairs.append(await world.open())
        port = int(world.proxy.url.rpartition(":")[2])
    for reader, writer in pairs:
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await reader.readexactly(1)
        writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
    await asyncio.sleep(0)
    assert asyncio.all_tasks() <= before


async def test_there_is_a_bound_on_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "MAX_CONNECTIONS", 1)
    async with serve(echo) as world:
        _, writer = await world.tunnel("a.example.org")
        assert (await world.ask("CONNECT a.example.org:{port} HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 503 ")
        writer.close()


async def test_there_is_a_bound_on_remembered_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "MAX_REFUSALS", 2)
    async with serve(Site()) as world:
        for _ in range(4):
            await world.ask("GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n")
        assert len(world.proxy.refusals) == 2


async def test_with_authentication_only_the_password_opens_it() -> None:
    site = Site()
    async with serve(site, authenticate=True) as world:
        asked = "GET http://a.example.org:{port}/ HTTP/1.1\r\n"
        refused = await world.ask(asked + "\r\n")
        assert refused.startswith(b"HTTP/1.1 407 ")
        assert b'Proxy-Authenticate: Basic realm="seekread"\r\n' in refused
        wrong = base64.b64encode(b"seekread:wrong").decode()
        assert (await world.ask(f"{asked}Proxy-Authorization: Basic {wrong}\r\n\r\n")).startswith(b"HTTP/1.1 407 ")
        assert site.connections == 0
        right = base64.b64encode(f"{world.proxy.username}:{world.proxy.password}".encode()).decode()
        assert (await world.ask(f"{asked}Proxy-Authorization: Basic {right}\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        assert world.proxy.password not in world.proxy.url
    assert b"proxy-authorization" not in site.received


async def test_https_through_the_tunnel_is_the_clients_own_affair() -> None:
    authority = trustme.CA()
    server, trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    authority.issue_cert("a.example.org").configure_cert(server)
    authority.configure_trust(trusted)
    async with (
        serve(Site(), tls=server) as world,
        httpx2.AsyncClient(proxy=world.proxy.url, verify=trusted, trust_env=False) as browser,
    ):
        assert (await browser.get(f"https://a.example.org:{world.port}/")).text == "ok"
        with pytest.raises(httpx2.ConnectError, match="certificate"):
            await browser.get(f"https://b.example.org:{world.port}/")


class TestEgressProxy:
    """With the operator's own proxy set, the browser goes through both."""

    @asynccontextmanager
    async def upstream(self, site: Serve) -> AsyncIterator[str]:
        server = await asyncio.start_server(site, DEAD, 0)
        async with server:
            yield f"http://us%65r:word@{DEAD}:{server.sockets[0].getsockname()[1]}"

    async def test_a_plain_request_is_passed_on_whole(self) -> None:
        site, names = Site(), Names({})
        async with self.upstream(site) as url, serve(Site(), names, policy={"proxy": url}) as world:
            answer = await world.ask("GET http://a.example.org/x#y HTTP/1.1\r\n\r\n")
        assert answer.endswith(b"ok")
        assert site.received.startswith(b"GET http://a.example.org/x HTTP/1.1\r\nhost: a.example.org\r\n")
        assert b"proxy-authorization: Basic dXNlcjp3b3Jk\r\n" in site.received
        assert names.asked == []

    async def test_a_tunnel_is_asked_for(self) -> None:
        seen: list[bytes] = []

        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            seen.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            await echo(reader, writer)

        async with self.upstream(relay) as url, serve(Site(), policy={"proxy": url}) as world:
            reader, writer = await world.tunnel("a.example.org")
            writer.write(b"hi")
            assert await reader.readexactly(2) == b"hi"
            writer.close()
        assert seen[0].startswith(f"CONNECT a.example.org:{world.port} HTTP/1.1\r\n".encode())
        assert b"proxy-authorization: Basic dXNlcjp3b3Jk\r\n" in seen[0]

    async def test_a_no_from_it_is_a_bad_gateway(self) -> None:
        site = Site(b"HTTP/1.1 403 No\r\n\r\n")
        async with self.upstream(site) as url, serve(Site(), policy={"proxy": url}) as world:
            assert (await world.ask("CONNECT a.example.org:{port} HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 502 ")

    async def test_its_absence_is_a_bad_gateway(self) -> None:
        async with self.upstream(Site()) as url:
            pass
        async with serve(Site(), policy={"proxy": url}) as world:
            answer = await world.ask("CONNECT a.example.org:{port} HTTP/1.1\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 502 ")
        assert b"word" not in answer

    async def test_what_the_name_tells_is_still_refused(self) -> None:
        site = Site()
        async with self.upstream(site) as url, serve(Site(), policy={"proxy": url}) as world:
            assert (await world.ask("CONNECT db.internal:443 HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 403 ")
            assert (await world.ask("GET http://10.0.0.1/ HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 403 ")
        assert site.connections == 0

    def test_a_proxy_that_is_not_http_is_a_configuration_error(self) -> None:
        with pytest.raises(Misconfigured, match="page_proxy"):
            GuardedProxy(Guard(GuardPolicy(proxy="socks5://127.0.0.1:1")))
