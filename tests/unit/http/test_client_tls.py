"""The client for services over TLS: whom it trusts, and that a key crosses a proxy only inside the tunnel."""

import asyncio
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvloop

from seekread.errors import NotConfigured, Unreachable
from seekread.http.client import ServiceClient
from seekread.provider import Reply, Request
from seekread.testing.certificates import Certificates, certificates
from tests.support.raw_service import Line, RawService, answering, reply

KEY = "tvly-0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return certificates(["localhost", "127.0.0.1", "::1"], tmp_path_factory.mktemp("known"))


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """A certificate for somebody else, from another authority."""
    return certificates(["other.example"], tmp_path_factory.mktemp("strange"))


@pytest.fixture
def service(known: Certificates) -> Iterator[RawService]:
    with RawService(answering(reply(b'"hello"')), tls=known.context) as running:
        yield running


def asked(client: ServiceClient, url: str) -> Reply:
    """One request with a key in it."""

    async def once() -> Reply:
        try:
            return await client.send(
                Request("POST", url, headers={"Authorization": f"Bearer {KEY}"}, json={"query": "tea"}), seconds=20
            )
        finally:
            await client.close()

    return asyncio.run(once())


def refused(client: ServiceClient, url: str) -> str:
    """What is said about a connection that must not come about; nothing may have been sent over it."""
    with pytest.raises(Unreachable) as caught:
        asked(client, url)
    assert KEY not in str(caught.value)
    assert caught.value.sent is False
    return str(caught.value)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_service_signed_by_the_authority_in_the_setting_is_trusted(
    service: RawService, known: Certificates, host: str
) -> None:
    url = f"https://{host}:{service.port}/search"
    assert asked(ServiceClient(ca_file=str(known.ca_file)), url).json() == "hello"
    assert KEY.encode() in service.requests[0]


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_a_secure_connection_is_used_again_and_cancelling_leaves_none(
    service: RawService, known: Certificates, new_loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    async def run() -> None:
        client = ServiceClient(ca_file=str(known.ca_file), proxies={})
        asked = Request("GET", service.url)
        for _ in range(3):
            assert (await client.send(asked, seconds=20)).json() == "hello"
        assert service.connections == 1
        calls = [asyncio.create_task(client.send(asked, seconds=20)) for _ in range(50)]
        for call in calls:
            await asyncio.sleep(0)
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert (await client.send(asked, seconds=20)).json() == "hello"
        await client.close()
        assert await asyncio.to_thread(service.drained)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(run())


def test_an_ipv6_address_is_reached_over_tls(known: Certificates) -> None:
    with RawService(answering(reply(b'"six"')), tls=known.context, host="::1") as service:
        assert asked(ServiceClient(ca_file=str(known.ca_file)), service.url).json() == "six"
        assert f"\r\nhost: [::1]:{service.port}\r\n".encode() in service.requests[0].lower()


def test_a_service_signed_by_somebody_else_is_refused_and_the_setting_is_named(
    service: RawService, strange: Certificates
) -> None:
    said = refused(ServiceClient(ca_file=str(strange.ca_file)), service.url)
    assert "TLS" in said
    assert "ca_file" in said
    assert service.requests == []


def test_the_authorities_of_the_system_do_not_vouch_for_a_stranger(service: RawService) -> None:
    for client in (ServiceClient(), ServiceClient(proxies={})):
        assert "ca_file" in refused(client, service.url)
    assert service.requests == []


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_certificate_for_another_name_is_refused(strange: Certificates, host: str) -> None:
    with RawService(answering(reply()), tls=strange.context) as service:
        assert "TLS" in refused(ServiceClient(ca_file=str(strange.ca_file)), f"https://{host}:{service.port}/")
        assert service.requests == []


def test_a_service_that_speaks_no_tls_is_refused() -> None:
    heard: list[bytes] = []

    def serve(line: Line) -> None:
        heard.append(line.sock.recv(65536))
        line.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        heard.append(line.sock.recv(65536))

    with RawService(serve) as service:
        assert "TLS" in refused(ServiceClient(), service.url.replace("http:", "https:"))
    assert not any(KEY.encode() in part for part in heard)


def test_the_file_of_authorities_in_the_environment_counts_where_no_proxies_were_given(
    service: RawService, known: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(known.ca_file))
    monkeypatch.setattr("httpx2.create_ssl_context", uncached("httpx2._config", "create_ssl_context"))
    assert asked(ServiceClient(), service.url).json() == "hello"
    assert "ca_file" in refused(ServiceClient(proxies={}), service.url)


def uncached(module: str, name: str) -> Callable[..., ssl.SSLContext]:
    """The function itself: tests share what it made once, before this test changed the environment."""
    from importlib import import_module

    function: Callable[..., ssl.SSLContext] = getattr(import_module(module), name)
    return function


def test_no_authority_is_looked_for_before_https_is_dialled(tmp_path: Path) -> None:
    client = ServiceClient(ca_file=str(tmp_path / "nowhere.pem"))
    with RawService(answering(reply(b'"plain"'))) as service:
        assert asked(client, service.url).json() == "plain"
    with pytest.raises(NotConfigured, match="ca_file"):
        asked(client, "https://127.0.0.1:9/")


def proxy_that_connects(line: Line) -> None:
    if line.request().startswith(b"CONNECT "):
        TUNNELLED.append(line.tunnel()[0])


TUNNELLED: list[bytes] = []
"""What clients have sent through the tunnels."""


@pytest.fixture
def proxy() -> Iterator[RawService]:
    TUNNELLED.clear()
    with RawService(proxy_that_connects) as running:
        yield running


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
@pytest.mark.parametrize("given", ["proxy", "proxies", "environment"])
def test_https_goes_through_a_proxy_in_a_tunnel_and_the_key_never_shows(
    service: RawService,
    proxy: RawService,
    known: Certificates,
    given: str,
    host: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.url if given == "environment" else "")
    ways = {"proxy": {"proxy": proxy.url}, "proxies": {"proxies": {"https://": proxy.url}}, "environment": {}}
    client = ServiceClient(ca_file=str(known.ca_file), **ways[given])  # type: ignore[arg-type]
    assert asked(client, f"https://{host}:{service.port}/search").json() == "hello"
    assert proxy.drained()
    assert [request.split(b"\r\n")[0] for request in proxy.requests] == [
        f"CONNECT {host}:{service.port} HTTP/1.1".encode()
    ]
    in_clear = proxy.requests[0] + TUNNELLED[0]
    assert KEY.encode() not in in_clear
    assert b"authorization" not in in_clear.lower()
    assert KEY.encode() in service.requests[0]


def test_a_proxy_gets_its_credentials_and_the_service_does_not(
    service: RawService, proxy: RawService, known: Certificates
) -> None:
    address = proxy.url.replace("//", "//me:p%40ss@")
    client = ServiceClient(ca_file=str(known.ca_file), proxy=address)
    assert asked(client, service.url).json() == "hello"
    assert b"proxy-authorization: basic bwu6cebzcw==" in proxy.requests[0].lower()
    assert b"proxy-authorization" not in service.requests[0].lower()


def test_a_service_behind_a_proxy_must_be_who_it_says(
    service: RawService, proxy: RawService, strange: Certificates
) -> None:
    said = refused(ServiceClient(ca_file=str(strange.ca_file), proxy=proxy.url), service.url)
    assert "TLS" in said
    assert "ca_file" in said
    assert service.requests == []


def test_a_proxy_that_speaks_tls_is_spoken_to_in_tls_and_the_tunnel_is_inside(
    service: RawService, known: Certificates
) -> None:
    TUNNELLED.clear()
    with RawService(proxy_that_connects, tls=known.context) as proxy:
        client = ServiceClient(ca_file=str(known.ca_file), proxy=proxy.url)
        assert asked(client, service.url).json() == "hello"
        assert proxy.drained()
    assert proxy.requests[0].startswith(b"CONNECT ")
    assert KEY.encode() not in proxy.requests[0] + TUNNELLED[0]


def test_a_proxy_that_speaks_tls_must_be_who_it_says(
    service: RawService, known: Certificates, strange: Certificates
) -> None:
    with RawService(proxy_that_connects, tls=strange.context) as proxy:
        refused(ServiceClient(ca_file=str(known.ca_file), proxy=proxy.url), service.url)
    assert (proxy.requests, service.requests) == ([], [])


LOGIN = b"\x01\x02me\x04p@ss"


def socks(line: Line) -> None:
    """A SOCKS proxy, with a password where one is offered."""
    if b"\x02" in line.sock.recv(64)[2:]:
        line.send(b"\x05\x02")
        TUNNELLED.append(line.sock.recv(64))
        line.send(b"\x01\x00")
    else:
        line.send(b"\x05\x00")
    asked_for = line.sock.recv(512)
    host, port = asked_for[5:-2].decode(), int.from_bytes(asked_for[-2:])
    SOCKS_HOSTS.append(host)
    TUNNELLED.append(line.passing_on(host, port, b"\x05\x00\x00\x01" + bytes(6))[0])


SOCKS_HOSTS: list[str] = []
"""Names that were left to the proxy to look up."""


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
@pytest.mark.parametrize("login", ["", "me:p%40ss@"])
def test_a_socks_proxy_carries_the_tunnel_and_looks_the_name_up(
    known: Certificates, service: RawService, scheme: str, login: str
) -> None:
    TUNNELLED.clear()
    SOCKS_HOSTS.clear()
    with RawService(socks) as proxy:
        client = ServiceClient(ca_file=str(known.ca_file), proxy=f"{scheme}://{login}127.0.0.1:{proxy.port}")
        assert asked(client, f"https://localhost:{service.port}/search").json() == "hello"
        assert proxy.drained()
    assert SOCKS_HOSTS == ["localhost"]
    assert (LOGIN in TUNNELLED) == bool(login)
    assert not any(KEY.encode() in passed for passed in TUNNELLED)


def test_a_socks_proxy_that_is_not_there_is_told_as_such(service: RawService, known: Certificates) -> None:
    with RawService(socks) as proxy:
        address = f"socks5://127.0.0.1:{proxy.port}"
    assert "the proxy cannot be reached" in refused(
        ServiceClient(ca_file=str(known.ca_file), proxy=address), service.url
    )
