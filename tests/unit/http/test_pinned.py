"""Page fetches over real sockets: 127.0.0.1 is the canary nobody may reach, 127.0.0.2 plays the public internet."""

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx2
import pytest
import trustme

from seekread.errors import Misconfigured, Refused, Unreachable
from seekread.http import pinned
from seekread.http.guard import WEB_PORTS, Guard, GuardPolicy
from seekread.http.pinned import confirm_peer, is_own, page_transport
from seekread.http.race import alternate
from tests.support.names import CANARY, DEAD, STAND_IN, Names, plays_the_internet

pytestmark = pytest.mark.anyio

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "ssrf_cases.json").read_text(encoding="utf-8")
)["cases"]


class Site:
    """A web server that keeps what it was asked; `/to?URL` redirects, `/keep` keeps the connection open."""

    def __init__(self) -> None:
        self.connections = 0
        self.heads: list[str] = []
        self.names: list[str | None] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                self.heads.append(head)
                path = head.split(" ", 2)[1]
                location = unquote(path.partition("/to?")[2])
                status = f"302 Found\r\nLocation: {location}" if location else "200 OK"
                keep = path.startswith("/keep")
                connection = "keep-alive" if keep else "close"
                writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: {connection}\r\n\r\nok".encode())
                await writer.drain()
                if not keep:
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    def notice_name(self, _connection: object, name: str | None, _context: ssl.SSLContext) -> None:
        self.names.append(name)


class World:
    """The canary and the stand-in, on the same port."""

    def __init__(self, canary: Site, public: Site, port: int) -> None:
        self.canary, self.public, self.port = canary, public, port

    def guard(self, resolver: Names | None = None, **policy: Any) -> Guard:
        return Guard(
            GuardPolicy(ports=WEB_PORTS | {self.port}, **policy),
            resolver or Names({}),
            why_not_public=plays_the_internet,
        )

    def url(self, host: str, path: str = "/", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


@asynccontextmanager
async def serve(tls: Callable[[Site], ssl.SSLContext] | None = None) -> AsyncIterator[World]:
    canary, public = Site(), Site()
    context = tls(public) if tls else None
    first = await asyncio.start_server(canary, CANARY, 0)
    port = first.sockets[0].getsockname()[1]
    second = await asyncio.start_server(public, STAND_IN, port, ssl=context)
    try:
        yield World(canary, public, port)
    finally:
        for server in (first, second):
            server.close()
            await server.wait_closed()


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with serve() as world:
        yield world
        assert world.canary.connections == 0


@asynccontextmanager
async def client(
    guard: Guard, context: ssl.SSLContext | None = None, **options: Any
) -> AsyncIterator[httpx2.AsyncClient]:
    transport = page_transport(guard, ssl_context=context or ssl.create_default_context())
    async with httpx2.AsyncClient(transport=transport, trust_env=False, timeout=5.0, **options) as opened:
        yield opened


async def test_a_public_page_is_fetched_with_its_name_in_the_host_header(world: World) -> None:
    async with client(world.guard()) as web:
        response = await web.get(world.url("a.example.org", "/x?y#z"))
    assert (response.status_code, response.text) == (200, "ok")
    assert world.public.heads[0].startswith("GET /x?y HTTP/1.1\r\n")
    assert f"\r\nhost: a.example.org:{world.port}\r\n" in world.public.heads[0].lower()


async def test_the_name_is_resolved_once_for_a_connection_and_not_at_all_while_it_lasts(world: World) -> None:
    names = Names({})
    async with client(world.guard(names)) as web:
        for _ in range(3):
            await web.get(world.url("a.example.org", "/keep"))
    assert names.asked == ["a.example.org"]
    assert world.public.connections == 1


@pytest.mark.proves("X-25")
@pytest.mark.parametrize("flip", range(1, 6))
async def test_a_name_that_changes_its_answer_never_reaches_the_canary(world: World, flip: int) -> None:
    """DNS rebinding, with the flip at every lookup from the first to the fifth."""
    names = Names({"rebind.example.org": lambda count: [STAND_IN if count < flip else CANARY]})
    async with client(world.guard(names)) as web:
        for _ in range(flip - 1):
            assert (await web.get(world.url("rebind.example.org"))).text == "ok"
        for _ in range(3):
            with pytest.raises(Refused) as caught:
                await web.get(world.url("rebind.example.org"))
            assert caught.value.code == "private_answer"
    assert world.public.connections == flip - 1


@pytest.mark.parametrize(
    "answers",
    [[STAND_IN, CANARY], [CANARY, STAND_IN], [STAND_IN, "::1"], [STAND_IN, STAND_IN, "10.0.0.1"], [STAND_IN, "::"]],
)
async def test_one_bad_answer_rejects_the_name(world: World, answers: list[str]) -> None:
    async with client(world.guard(Names({"mixed.example.org": answers}))) as web:
        with pytest.raises(Refused):
            await web.get(world.url("mixed.example.org"))
    assert world.public.connections == 0


@pytest.mark.proves("X-25")
@pytest.mark.parametrize("depth", range(1, 6))
@pytest.mark.parametrize(
    "goal",
    ["http://127.0.0.1:{port}/", "http://2130706433:{port}/", "http://inside.example.org:{port}/", "//[::1]:{port}/"],
)
async def test_a_redirect_to_the_canary_is_refused_at_every_depth(world: World, depth: int, goal: str) -> None:
    """Every hop is checked again, even when the client follows redirects by itself."""
    path = "/to?" + goal.format(port=world.port)
    for _ in range(depth - 1):
        path = f"/to?http://a.example.org:{world.port}{path}"
    async with client(world.guard(Names({"inside.example.org": [CANARY]})), follow_redirects=True) as web:
        with pytest.raises((Refused, httpx2.InvalidURL)):
            await web.get(world.url("a.example.org", path))
    assert world.public.connections == depth


@pytest.mark.proves("S3-30")
async def test_every_refused_case_leaves_every_socket_unconnected(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All cases through the real transport; nothing is dialled, and the canary stays silent."""
    dialled: list[object] = []

    def record(_self: socket.socket, address: object) -> None:
        dialled.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", record)
    monkeypatch.setattr(socket.socket, "connect_ex", record)
    cases = [case for case in CASES if case["verdict"] == "refuse" and "redirect" not in case]
    context = ssl.create_default_context()
    for case in cases:
        guard = Guard(resolver=Names(case.get("dns", {})))
        async with client(guard, context) as web:
            with pytest.raises((Refused, httpx2.InvalidURL, httpx2.UnsupportedProtocol, UnicodeError)):
                await web.get(case["url"])
    assert dialled == []
    assert len(cases) > 400


async def test_credentials_in_a_redirect_are_refused(world: World) -> None:
    async with client(world.guard(), follow_redirects=True) as web:
        with pytest.raises(Refused) as caught:
            await web.get(world.url("a.example.org", f"/to?http://u:p@a.example.org:{world.port}/"))
    assert caught.value.code == "credentials"


async def test_a_domain_list_holds_for_hops_the_client_follows(world: World) -> None:
    """S3-24: the lists apply to every redirect hop."""
    async with client(world.guard(allowed_domains=("a.example.org",)), follow_redirects=True) as web:
        with pytest.raises(Refused) as caught:
            await web.get(world.url("a.example.org", "/to?" + world.url("b.example.org")))
    assert caught.value.code == "domain_not_allowed"
    assert world.public.connections == 1


async def test_proxies_of_the_environment_are_ignored(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://{CANARY}:{world.port}")
    async with client(world.guard()) as web:
        assert (await web.get(world.url("a.example.org"))).text == "ok"


async def test_a_listed_private_host_is_reached() -> None:
    async with serve() as world:
        guard = Guard(
            GuardPolicy(allow_private=(f"127.0.0.1:{world.port}", f"app.internal:{world.port}")),
            Names({"app.internal": [CANARY]}),
        )
        async with client(guard) as web:
            assert (await web.get(world.url("127.0.0.1"))).text == "ok"
            assert (await web.get(world.url("app.internal"))).text == "ok"
            with pytest.raises(Refused):
                await web.get(world.url("localhost"))
        assert world.canary.connections == 2


async def test_the_next_address_is_tried_when_one_does_not_answer(world: World) -> None:
    async with client(world.guard(Names({"a.example.org": [DEAD, STAND_IN]}))) as web:
        assert (await web.get(world.url("a.example.org"))).text == "ok"


async def test_a_failed_connection_does_not_tell_the_address(world: World) -> None:
    async with client(world.guard(Names({"a.example.org": [DEAD]}))) as web:
        with pytest.raises(httpx2.ConnectError) as caught:
            await web.get(world.url("a.example.org"))
    assert DEAD not in str(caught.value)
    assert "a.example.org" in str(caught.value)
    assert "refused" in str(caught.value)


async def test_a_lookup_that_hangs_ends_with_the_connect_timeout(world: World) -> None:
    class Hanging:
        async def resolve(self, host: str, port: int) -> list[str]:
            await asyncio.Event().wait()
            return []

    guard = Guard(GuardPolicy(ports=frozenset({world.port})), Hanging())
    async with client(guard) as web:
        with pytest.raises(httpx2.ConnectTimeout):
            await web.get(world.url("a.example.org"), timeout=httpx2.Timeout(5, connect=0.05))


async def test_a_name_that_cannot_be_looked_up_is_a_connect_error(world: World) -> None:
    class Dead:
        async def resolve(self, host: str, port: int) -> list[str]:
            raise Unreachable(f"The name {host} could not be looked up.")

    async with client(Guard(GuardPolicy(ports=frozenset({world.port})), Dead())) as web:
        with pytest.raises(httpx2.ConnectError, match=r"a\.example\.org could not be looked up"):
            await web.get(world.url("a.example.org"))


async def test_errors_of_the_wire_are_those_users_of_the_client_know() -> None:
    async def rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        body = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf" if b"/half" in head else b"SSH-2.0-x\r\n\r\n"
        writer.write(body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(rude, CANARY, 0)
    port = server.sockets[0].getsockname()[1]
    async with server, client(Guard(GuardPolicy(allow_private=(f"127.0.0.1:{port}",)))) as web:
        for path in ("/half", "/banner"):
            with pytest.raises(httpx2.RemoteProtocolError):
                await web.get(f"http://127.0.0.1:{port}{path}")


@pytest.mark.parametrize("flood", [b"X: y\r\n" * 20_000, b"HTTP/1.1 100 Continue\r\n\r\n" * 5_000])
async def test_headers_without_end_are_a_protocol_error(flood: bytes) -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write((b"" if flood.startswith(b"HTTP") else b"HTTP/1.1 200 OK\r\n") + flood)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(endless, CANARY, 0)
    port = server.sockets[0].getsockname()[1]
    async with server, client(Guard(GuardPolicy(allow_private=(f"127.0.0.1:{port}",)))) as web:
        with pytest.raises(httpx2.RemoteProtocolError):
            await web.get(f"http://127.0.0.1:{port}/")


class TestTls:
    """SNI, certificate and connection belong to the name in the URL."""

    authority = trustme.CA()

    def server_context(self, site: Site) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert("a.example.org").configure_cert(context)
        context.sni_callback = site.notice_name
        return context

    def client_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        self.authority.configure_trust(context)
        return context

    async def test_the_name_is_sent_as_sni_and_host_though_an_address_is_dialled(self) -> None:
        async with serve(self.server_context) as world, client(world.guard(), self.client_context()) as web:
            assert (await web.get(world.url("a.example.org", scheme="https"))).text == "ok"
            assert world.public.names == ["a.example.org"]
            assert f"host: a.example.org:{world.port}" in world.public.heads[0].lower()

    async def test_a_request_for_another_host_never_rides_on_an_open_connection(self) -> None:
        """Both names lead to one address; its certificate is for the first only."""
        async with serve(self.server_context) as world, client(world.guard(), self.client_context()) as web:
            assert (await web.get(world.url("a.example.org", "/keep", "https"))).text == "ok"
            with pytest.raises(httpx2.ConnectError, match="certificate"):
                await web.get(world.url("b.example.net", "/keep", "https"))
            assert (await web.get(world.url("a.example.org", "/keep", "https"))).text == "ok"
            assert len(world.public.heads) == 2
            assert not any("b.example.net" in head for head in world.public.heads)

    async def test_another_name_for_tls_cannot_be_asked_for(self) -> None:
        async with serve(self.server_context) as world, client(world.guard(), self.client_context()) as web:
            with pytest.raises(httpx2.ConnectError, match="certificate"):
                await web.get(world.url("b.example.net", scheme="https"), extensions={"sni_hostname": "a.example.org"})
            assert world.public.heads == []

    async def test_another_host_header_cannot_be_asked_for(self) -> None:
        async with serve(self.server_context) as world, client(world.guard(), self.client_context()) as web:
            with pytest.raises(Refused) as caught:
                await web.get(world.url("a.example.org", scheme="https"), headers={"Host": "b.example.net"})
            assert caught.value.code == "host_disagreement"
            assert world.public.connections == 0


class TestEgressProxy:
    """An explicit proxy is used for every page; the name is still vetted."""

    @asynccontextmanager
    async def proxy(self) -> AsyncIterator[tuple[Site, str]]:
        site = Site()
        server = await asyncio.start_server(site, CANARY, 0)
        async with server:
            yield site, f"http://user:word@{CANARY}:{server.sockets[0].getsockname()[1]}"

    async def test_pages_go_through_it_and_nothing_is_resolved_here(self) -> None:
        names = Names({})
        async with self.proxy() as (site, url), client(Guard(GuardPolicy(proxy=url), names)) as web:
            assert (await web.get("http://a.example.org/x")).text == "ok"
        assert site.heads[0].startswith("GET http://a.example.org/x HTTP/1.1\r\n")
        assert "proxy-authorization: basic dxnlcjp3b3jk" in site.heads[0].lower()
        assert names.asked == []

    @pytest.mark.parametrize("url", ["http://db.internal/", "http://10.0.0.1/", "http://a.example.org:22/"])
    async def test_what_the_name_tells_is_still_refused(self, url: str) -> None:
        async with self.proxy() as (site, proxy), client(Guard(GuardPolicy(proxy=proxy))) as web:
            with pytest.raises(Refused):
                await web.get(url)
        assert site.connections == 0

    @pytest.mark.parametrize("url", ["socks5://127.0.0.1:1", "proxy:3128", "http://", "http://[::1"])
    def test_a_proxy_that_is_not_http_is_a_configuration_error(self, url: str) -> None:
        with pytest.raises(Misconfigured, match="page_proxy"):
            page_transport(Guard(GuardPolicy(proxy=url)))


class TestOwnAddress:
    """A name that leads to a public address of this very machine would reach services meant for its neighbours."""

    async def test_it_is_refused_unless_allowed(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pinned, "is_own", lambda address: address == STAND_IN)
        async with client(world.guard()) as web:
            with pytest.raises(Refused) as caught:
                await web.get(world.url("a.example.org"))
        assert caught.value.code == "own_address"
        assert f'"a.example.org:{world.port}" to allow_private' in str(caught.value)
        assert world.public.connections == 0
        async with client(world.guard(allow_private=(f"a.example.org:{world.port}",))) as web:
            assert (await web.get(world.url("a.example.org"))).text == "ok"

    def test_the_addresses_of_this_machine_are_recognised(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The probe connects a datagram socket, which sends nothing."""
        monkeypatch.setattr(socket.socket, "connect", socket.socket.__base__.connect)  # type: ignore[union-attr]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))
            except OSError:
                pytest.skip("this machine has no network but loopback")
            own = probe.getsockname()[0]
        assert is_own(own)
        assert not is_own("192.0.2.1")
        assert not is_own("127.0.0.1")
        assert not is_own("::1")


@pytest.mark.parametrize(
    ("dialled", "peer"), [("127.0.0.2", ("127.0.0.1", 80)), ("127.0.0.2", None), ("2606::1", ("2606::2", 80, 0, 0))]
)
def test_a_peer_other_than_the_vetted_address_is_refused(dialled: str, peer: object) -> None:
    with pytest.raises(Refused) as caught:
        confirm_peer(dialled, peer)
    assert caught.value.code == "peer_changed"


def test_the_vetted_peer_passes_in_any_spelling() -> None:
    confirm_peer("2606:0::1", ("2606::1", 80, 0, 0))
    confirm_peer("127.0.0.2", ("127.0.0.2", 80))


@pytest.mark.parametrize(
    ("vetted", "order"),
    [
        (("1.1.1.1", "1.0.0.1", "2606::1"), ["1.1.1.1", "2606::1", "1.0.0.1"]),
        (("2606::1", "2606::2", "1.1.1.1"), ["2606::1", "1.1.1.1", "2606::2"]),
        (("1.1.1.1",), ["1.1.1.1"]),
    ],
)
def test_families_take_turns(vetted: tuple[str, ...], order: list[str]) -> None:
    assert alternate(vetted) == order
