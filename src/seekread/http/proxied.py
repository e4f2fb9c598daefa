"""
Requests to services through the operator's proxy.

What is dangerous here (the tunnel that keeps a key from the proxy, TLS inside it, SOCKS) is left to httpcore2, which is
loaded when the first such request goes out. Ours are the bounds on what comes back, and the words.
"""

import ssl
from collections.abc import Callable, Iterable
from functools import partial
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote, urlsplit

import httpcore2

from seekread.errors import NotConfigured, Unreachable
from seekread.http.head_limit import BoundedBackend
from seekread.http.wire import BROKE, IDLE_SECONDS, MAX_IDLE, NOT_HTTP, WireRequest, field_text, no_tls, too_large
from seekread.late import dataclass
from seekread.provider import Reply

NAMED = "It is named by service_proxy, HTTPS_PROXY, HTTP_PROXY or ALL_PROXY"
SCHEMES = {"http", "https", "socks5", "socks5h"}
WANTS_PASSWORD = 407


class Dialler(BoundedBackend):
    """Connections to the proxy."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is the library's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        try:
            return await super().connect_tcp(host, port, timeout, local_address, socket_options)
        except httpcore2.ConnectError:
            # The only address dialled here is the proxy's.
            raise Unreachable(f"the proxy cannot be reached. {NAMED}", sent=False) from None


@dataclass
class ProxiedPool:
    """The connections of one event loop through one proxy, to addresses of one scheme."""

    pool: httpcore2.AsyncConnectionPool
    most: int

    async def exchange(self, outgoing: WireRequest) -> Reply:
        """Send a request through the proxy."""
        try:
            return await self._exchange(outgoing)
        except httpcore2.ProxyError as error:
            # The text begins with the status; what follows is the proxy's, and may repeat what it was sent.
            raise refusal(str(error)[:3]) from None
        except httpcore2.ConnectError as error:
            raise no_tls(outgoing.target.host, cause(error)) from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
            if not outgoing.sent:
                raise Unreachable(f"the proxy did not connect. {NAMED}", sent=False) from None
            # The library tells a connection that ended "without sending" all from bytes that are no HTTP by its text.
            broke = isinstance(error, httpcore2.NetworkError) or "without" in str(error)
            raise Unreachable(BROKE if broke else NOT_HTTP) from None

    async def _exchange(self, outgoing: WireRequest) -> Reply:
        target = outgoing.target
        url = httpcore2.URL(
            scheme=target.scheme, host=target.host.encode(), port=target.port, target=target.path.encode()
        )
        async with self.pool.stream(
            outgoing.method,
            url,
            headers=[(name.encode(), value.encode("latin-1")) for name, value in outgoing.headers.items()],
            content=outgoing.body,
            extensions={"trace": partial(note_departure, outgoing)},
        ) as response:
            if response.status == WANTS_PASSWORD:
                raise refusal("407")
            body = bytearray()
            async for part in response.aiter_stream():
                body += part
                if len(body) > self.most:
                    raise too_large(self.most, response.status)
            return Reply(response.status, joined(response.headers), bytes(body))

    async def aclose(self) -> None:
        await self.pool.aclose()


async def note_departure(outgoing: WireRequest, event: str, info: dict[str, Any]) -> None:
    """Note when the request itself goes out; the one that asks for a tunnel tells nobody anything."""
    if event == "http11.send_request_headers.started" and info["request"].method != b"CONNECT":
        outgoing.sent = True


def joined(fields: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Fields by lower-case name, those of one name together."""
    headers: dict[str, str] = {}
    for name, value in fields:
        key = name.decode("ascii").lower()
        headers[key] = f"{headers[key]}, {field_text(value)}" if key in headers else field_text(value)
    return headers


def refusal(status: str) -> Unreachable:
    """The proxy said no."""
    said = "asks for a user name and password, or others than it got" if status == "407" else f"refused: {status}"
    return Unreachable(f"the proxy {said}. {NAMED}", sent=False)


def cause(error: BaseException) -> BaseException:
    """What an error of the library below came from."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def proxied_pool(proxy: str, scheme: str, trusted: Callable[[], ssl.SSLContext], most: int) -> ProxiedPool:
    """A pool through a proxy, to addresses of one scheme; TLS is set up where the service or the proxy speaks it."""
    try:
        parts = urlsplit(proxy)
        address = httpcore2.URL(scheme=parts.scheme, host=parts.hostname or "", port=parts.port, target="/")
        usable = parts.hostname and parts.scheme in SCHEMES
    except ValueError:
        usable = None
    if usable and parts.scheme.startswith("socks") and find_spec("socksio") is None:
        raise NotConfigured("a SOCKS proxy needs a package that is not installed: install seekread[socks]", sent=False)
    if not usable:
        # Nothing is quoted: the address may hold a password.
        raise NotConfigured(f"the proxy cannot be used. {NAMED}", sent=False)
    through = httpcore2.Proxy(
        url=address,
        auth=(unquote(parts.username), unquote(parts.password or "")) if parts.username else None,
        ssl_context=trusted() if parts.scheme == "https" else None,
    )
    pool = httpcore2.AsyncConnectionPool(
        proxy=through,
        ssl_context=trusted() if scheme == "https" else None,
        max_connections=None,
        max_keepalive_connections=MAX_IDLE,
        keepalive_expiry=IDLE_SECONDS,
        network_backend=Dialler(),
    )
    return ProxiedPool(pool, most)
