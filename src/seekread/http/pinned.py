"""
Page fetches pinned to the addresses the guard has vetted.

The choke point is the moment of connecting, below redirects, retries and pooling: whatever asks for a connection gets
one to an address that was judged for this very connection. The name is resolved once; nothing resolves it again. URL,
`Host` header, SNI and certificate check keep the name, so connections are never shared between hosts.
"""

import socket
import ssl
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any, TypeVar

import anyio
import httpcore2
import httpx2

from seekread.errors import Misconfigured, Refused, Unreachable
from seekread.http.addresses import LOOPBACK, contains
from seekread.http.guard import Guard, Target, parse
from seekread.http.head_limit import BoundedBackend
from seekread.http.race import Close, Connect, alternate, race
from seekread.http.trust import trusted_for_pages
from seekread.loops import PerLoop

T = TypeVar("T")

MAX_DIALLED = 6
"""Addresses tried for one connection; a name may have hundreds."""


def page_transport(guard: Guard, *, ssl_context: ssl.SSLContext | None = None) -> httpx2.AsyncBaseTransport:
    """The transport for pages. Give it to an `httpx2.AsyncClient` with `trust_env=False`."""
    return PageTransport(guard, ssl_context or trusted_for_pages(guard.policy.ca_file))


class PageTransport(httpx2.AsyncBaseTransport):
    """
    Checks every request it is handed, redirects included, and connects through the guard.

    Connections belong to an event loop, so each loop has a pool of its own.
    """

    def __init__(self, guard: Guard, ssl_context: ssl.SSLContext) -> None:
        self._guard = guard
        self._ssl_context = ssl_context
        self._proxy = egress_proxy(guard.policy.proxy)
        self._pools = PerLoop(self._pool, close=httpcore2.AsyncConnectionPool.aclose)

    def _pool(self) -> httpcore2.AsyncConnectionPool:
        return httpcore2.AsyncConnectionPool(
            ssl_context=self._ssl_context,
            proxy=self._proxy,
            max_connections=100,
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
            # With an egress proxy the only address we dial is the operator's.
            network_backend=BoundedBackend() if self._proxy else PinnedBackend(self._guard),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        target = self._guard.check(str(request.url))
        refuse_disagreement(request, target)
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=target.scheme, host=target.host, port=request.url.port, target=request.url.raw_path
            ),
            headers=request.headers.raw,
            content=request.stream,
            # Another name for TLS than for the request would undo the certificate check.
            extensions={name: value for name, value in request.extensions.items() if name != "sni_hostname"},
        )
        with translated():
            answered = await self._pools.here().handle_async_request(asked)
        return httpx2.Response(
            answered.status,
            headers=answered.headers,
            stream=PageStream(answered),
            extensions=answered.extensions,
        )

    async def aclose(self) -> None:
        await self._pools.close()


class PageStream(httpx2.AsyncByteStream):
    """The body of a response, with the errors of the layer below translated."""

    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with translated():
            async for part in self._response.aiter_stream():
                yield part

    async def aclose(self) -> None:
        await self._response.aclose()


class PinnedBackend(httpcore2.AsyncNetworkBackend):
    """Turns "connect to this name" into "connect to an address the guard has just vetted for it"."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._plain = BoundedBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is the library's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        async def connect(address: str) -> httpcore2.AsyncNetworkStream:
            try:
                stream = await self._plain.connect_tcp(
                    address, port, local_address=local_address, socket_options=socket_options
                )
            except httpcore2.ConnectError as error:
                raise OSError from error
            try:
                confirm_peer(address, stream.get_extra_info("server_addr"))
            except Refused:
                await stream.aclose()
                raise
            return stream

        target = endpoint(host, port)
        try:
            with anyio.fail_after(timeout):
                return await dial(self._guard, target, connect, httpcore2.AsyncNetworkStream.aclose)
        except TimeoutError:
            raise httpcore2.ConnectTimeout(f"no connection to {host} port {port} in time") from None
        except Unreachable as unreachable:
            raise httpcore2.ConnectError(str(unreachable)) from None

    async def sleep(self, seconds: float) -> None:
        await self._plain.sleep(seconds)


def endpoint(host: str, port: int) -> Target:
    """A target for a host and port that were taken from a checked URL."""
    return parse(f"https://[{host}]:{port}/" if ":" in host else f"https://{host}:{port}/")


async def dial(guard: Guard, target: Target, connect: Connect[T], close: Close[T]) -> T:
    """
    Resolve and vet once, then connect to the first vetted address that answers.

    Raises `Refused`, or `Unreachable` with a message that does not tell addresses.
    """
    vetted = await guard.vet(target)
    candidates = alternate(vetted)[:MAX_DIALLED]
    for address in candidates:
        if is_own(address) and not guard.lifted(target, address):
            raise Refused(
                "own_address",
                f"{target.host} is this machine itself. To allow it, add "
                f'"{target.endpoint}" to allow_private under [guard] (SEEKREAD_ALLOW_PRIVATE).',
            )
    return await race(target, candidates, connect, close)


def is_own(address: str) -> bool:
    """
    Say whether an address belongs to this machine (loopback is judged elsewhere).

    The system picks as source of a route the address itself exactly when it is local. A datagram socket that is
    connected sends nothing.
    """
    if contains(LOOPBACK, address):
        return False
    parsed = ip_address(address)
    family = socket.AF_INET if parsed.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))
            source = probe.getsockname()[0]
    except OSError:
        return False
    return ip_address(source.partition("%")[0]) == parsed


def confirm_peer(dialled: str, peer: Any) -> None:
    """Make sure that the other end of the socket is the address that was vetted."""
    if not peer or ip_address(str(peer[0]).partition("%")[0]) != ip_address(dialled):
        raise Refused("peer_changed", "The connection did not lead to the address that was checked.")


def refuse_disagreement(request: httpx2.Request, target: Target) -> None:
    """The client must mean the same host as the guard, in the URL and in the header."""
    url = request.url
    meant = (url.raw_host.decode("ascii"), url.port or target.port, request.headers.get("host"))
    if meant != (target.host, target.port, target.authority):
        raise Refused("host_disagreement", "The client and the guard do not read the same host from this URL.")


def egress_proxy(url: str | None) -> httpcore2.Proxy | None:
    """The operator's proxy for pages, if one is set."""
    if url is None:
        return None
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL:
        raise Misconfigured("page_proxy under [guard] is not a URL. Write http://host:port.") from None
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise Misconfigured("page_proxy under [guard] must be an http or https URL with a host.")
    return httpcore2.Proxy(
        url=httpcore2.URL(scheme=parsed.raw_scheme, host=parsed.raw_host, port=parsed.port, target=b"/"),
        auth=(parsed.username, parsed.password) if parsed.username else None,
    )


TRANSLATED = {
    getattr(httpcore2, name): getattr(httpx2, name)
    for name in (
        # The most specific come first: the first that fits is taken.
        "ConnectTimeout",
        "ReadTimeout",
        "WriteTimeout",
        "PoolTimeout",
        "TimeoutException",
        "ConnectError",
        "ReadError",
        "WriteError",
        "NetworkError",
        "ProxyError",
        "UnsupportedProtocol",
        "LocalProtocolError",
        "RemoteProtocolError",
        "ProtocolError",
    )
}


@contextmanager
def translated() -> Iterator[None]:
    """Turn the errors of the connection pool into those that users of the client know."""
    try:
        yield
    except tuple(TRANSLATED) as error:
        raise next(known for kind, known in TRANSLATED.items() if isinstance(error, kind))(str(error)) from error
