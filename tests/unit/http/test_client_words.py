"""What is said when a service cannot be reached: the cause told apart, and never a query, a key or a password."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import closing

import pytest

from seekread.errors import ProviderError, TimedOut, Unreachable
from seekread.http.client import ServiceClient
from seekread.provider import Request
from tests.support.raw_service import PATIENCE, Line, RawService, answering, closing_after, reply

SECRETS = ("brave-key-123", "hunter2", "private question", "private+question", "private%20question")


def failure(client: ServiceClient, url: str, seconds: float = PATIENCE) -> ProviderError:
    """What becomes of a request that must fail; nothing private may show in it."""

    async def run() -> None:
        asked = Request("GET", url, params={"q": "private question"}, headers={"X-Key": "brave-key-123"})
        try:
            await client.send(asked, seconds=seconds)
        finally:
            await client.close()

    with pytest.raises(ProviderError) as caught:
        asyncio.run(run())
    shown = f"{caught.value} {caught.value!r} {caught.value.__cause__!r} {caught.value.body}"
    assert not any(secret in shown for secret in SECRETS)
    return caught.value


@pytest.fixture
def nobody() -> str:
    """Host and port where nobody listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as held:
        return f"127.0.0.1:{held.getsockname()[1]}"


@pytest.fixture
def no_such_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver that knows no names but this machine's."""
    known = socket.getaddrinfo

    def resolve(host: str | bytes, *rest: object, **options: object) -> object:
        name = host.decode() if isinstance(host, bytes) else host
        if "nowhere" in name:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return known(host, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


@pytest.mark.usefixtures("no_such_name")
def test_a_name_that_does_not_resolve() -> None:
    error = failure(ServiceClient(proxies={}), "http://nowhere.example/")
    assert isinstance(error, Unreachable)
    assert str(error) == "the name nowhere.example cannot be resolved (DNS)"
    assert error.sent is False


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_where_nobody_listens(nobody: str, host: str) -> None:
    port = nobody.rpartition(":")[2]
    error = failure(ServiceClient(proxies={}), f"http://{host}:{port}/")
    assert isinstance(error, Unreachable)
    assert str(error) == f"No connection to {host} port {port}: the connection was refused."
    assert error.sent is False


@pytest.mark.parametrize("where", ["proxy", "proxies"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_where_nobody_listens(nobody: str, scheme: str, where: str) -> None:
    proxy = f"http://me:hunter2@{nobody}"
    client = ServiceClient(proxy=proxy) if where == "proxy" else ServiceClient(proxies={f"{scheme}://": proxy})
    error = failure(client, f"{scheme}://service.example/")
    assert isinstance(error, Unreachable)
    assert "the proxy" in str(error)
    assert "service_proxy" in str(error)
    assert "HTTPS_PROXY" in str(error)
    assert error.sent is False


@pytest.mark.usefixtures("no_such_name")
def test_a_proxy_whose_name_does_not_resolve() -> None:
    error = failure(ServiceClient(proxy="http://me:hunter2@nowhere.example:3128"), "https://service.example/")
    assert "the proxy" in str(error)
    assert "service_proxy" in str(error)
    assert error.sent is False


@pytest.mark.parametrize(
    ("scheme", "status", "word"),
    [
        ("https", b"407 Proxy Authentication Required", "user name and password"),
        ("http", b"407 Proxy Authentication Required", "user name and password"),
        ("https", b"403 brave-key-123", "403"),
        ("https", b"502 Bad Gateway", "502"),
    ],
)
def test_a_proxy_that_refuses(scheme: str, status: bytes, word: str) -> None:
    with RawService(answering(reply(b"", status=status))) as proxy:
        address = proxy.url.replace("//", "//me:hunter2@")
        error = failure(ServiceClient(proxy=address), f"{scheme}://service.example/")
    assert isinstance(error, Unreachable)
    assert "the proxy" in str(error)
    assert word in str(error)
    assert "service_proxy" in str(error)
    assert error.sent is False


@pytest.mark.parametrize("serve", [closing_after(), closing_after(b"this is no proxy\r\n\r\n")])
def test_a_proxy_that_is_none(serve: Callable[[Line], None]) -> None:
    with RawService(serve) as proxy:
        error = failure(ServiceClient(proxy=proxy.url), "https://service.example/")
    assert isinstance(error, Unreachable)
    assert error.sent is False


@pytest.mark.parametrize("how", ["direct", "proxy"])
@pytest.mark.parametrize("sent_back", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"])
def test_a_connection_that_broke_may_have_cost_something(how: str, sent_back: bytes) -> None:
    with RawService(closing_after(sent_back)) as service:
        client = ServiceClient(proxy=service.url) if how == "proxy" else ServiceClient(proxies={})
        error = failure(client, service.url)
    assert isinstance(error, Unreachable)
    assert "the connection broke" in str(error)
    assert error.sent is True


@pytest.mark.parametrize("greeting", [b"", b"220 ready\r\n"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_service_that_hangs_up_before_it_was_asked(host: str, greeting: bytes) -> None:
    with RawService(lambda line: line.send(greeting)) as service:
        error = failure(ServiceClient(proxies={}), f"http://{host}:{service.port}/")
    assert isinstance(error, Unreachable)


def test_what_is_not_http_is_not_repeated() -> None:
    def serve(line: Line) -> None:
        request = line.request()
        line.send(b"You sent: " + request)

    with RawService(serve) as service:
        error = failure(ServiceClient(proxies={}), service.url)
    assert isinstance(error, Unreachable)
    assert "HTTP" in str(error)
    assert error.sent is True


@pytest.mark.parametrize("how", ["direct", "proxy"])
def test_a_service_that_does_not_answer_in_time_was_asked(how: str) -> None:
    def serve(line: Line) -> None:
        line.request()
        line.request()

    with RawService(serve) as service:
        client = ServiceClient(proxy=service.url) if how == "proxy" else ServiceClient(proxies={})
        seconds = 0.2
        while not (error := failure(client, service.url, seconds=seconds)).sent:
            # A busy machine had no time to ask.
            seconds *= 2
    assert isinstance(error, TimedOut)
    assert str(error) == f"no reply within {seconds:.3g} s"
    assert error.sent is True


@pytest.mark.parametrize("how", ["TLS handshake", "CONNECT"])
def test_a_connection_that_takes_too_long_was_never_made(how: str) -> None:
    with RawService(lambda line: line.request() and line.request()) as service:
        if how == "CONNECT":
            error = failure(ServiceClient(proxy=service.url), "https://service.example/", seconds=0.2)
        else:
            error = failure(ServiceClient(proxies={}), f"https://127.0.0.1:{service.port}/", seconds=0.2)
    assert isinstance(error, TimedOut)
    assert str(error) == "no connection within 0.2 s"
    assert error.sent is False


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1/",
        "127.0.0.1/search",
        "http:///search",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:x/",
        "http://[::1/",
    ],
)
@pytest.mark.parametrize("how", ["direct", "proxy"])
def test_an_address_that_is_none(url: str, how: str) -> None:
    error = failure(ServiceClient(proxies={}, proxy="http://127.0.0.1:9" if how == "proxy" else None), url)
    assert isinstance(error, Unreachable)
    assert "the service address is not valid" in str(error)
    assert error.sent is False


@pytest.mark.parametrize("value", ["brave-key-123\r\nx-smuggled: 1", "brave-key-123\x00", "brave-key-123\N{SNOWMAN}"])
def test_a_key_that_cannot_stand_in_a_header_is_not_sent(value: str) -> None:
    async def run() -> None:
        client = ServiceClient(proxies={})
        try:
            await client.send(Request("GET", service.url, headers={"X-Key": value}), seconds=PATIENCE)
        finally:
            await client.close()

    with RawService(answering(reply())) as service, pytest.raises(ProviderError, match="X-Key") as caught:
        asyncio.run(run())
    assert "brave-key-123" not in str(caught.value)
    assert caught.value.sent is False
    assert service.requests == []
