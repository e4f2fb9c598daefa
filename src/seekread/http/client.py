"""
The client for services: addresses the operator chose, never a model.

It follows no redirect (a key must not travel), keeps no cookie, honours the operator's proxies and certificate file,
and stops reading a reply that grows past its cap. A request takes one of three roads: straight over a connection of
ours (`wire.py`), through a proxy (`proxied.py`), or over a transport that was handed in (`outside.py`). Page addresses
have a client of their own (`pinned.py`).
"""

import asyncio
import json
import re
import ssl
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, unquote, urlencode, urlsplit

from seekread.errors import NotConfigured, TimedOut, Unreachable
from seekread.hostnames import ascii_host
from seekread.http.encoding import ACCEPTED, decoded
from seekread.http.target import DEFAULT_PORTS, PATH_SAFE, QUERY_SAFE, Target
from seekread.http.trust import trusted
from seekread.http.wire import WireRequest, Wires
from seekread.late import dataclass
from seekread.provider import Reply, Request, given
from seekread.proxies import proxies, proxy_for

if TYPE_CHECKING:
    import httpx2

    from seekread.http.outside import OutsideTransport
    from seekread.http.proxied import ProxiedPool


MAX_REPLY = 8 * 1024 * 1024
"""Bytes of one decoded reply; the largest honest ones stay below one megabyte."""
FIELD_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
FIELD_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class Road(Protocol):
    """A way for a request to reach its service."""

    async def exchange(self, outgoing: WireRequest) -> Reply: ...


@dataclass
class ServiceClient:
    """
    One client with one TLS context, made when https is first dialled.

    `proxy` is for every address. `proxies` are for kinds of addresses, such as `https://` or `all://localhost`, where
    `None` means without one; left out, the environment of the process names them.
    Connections belong to the event loop they were made on; the client serves any number of loops at the same time.
    """

    user_agent: str = "seekread"
    proxy: str | None = field(default=None, repr=False)
    ca_file: str | None = None
    max_reply: int = MAX_REPLY
    transport: "httpx2.AsyncBaseTransport | None" = None
    proxies: Mapping[str, str | None] | None = field(default=None, repr=False)
    _roads: "dict[asyncio.AbstractEventLoop, Roads]" = field(default_factory=dict, repr=False)

    async def send(self, request: Request, *, seconds: float) -> Reply:
        """Send one request; every way a reply can fail to arrive is an error of ours."""
        outgoing = prepared(request, self.user_agent)
        try:
            async with asyncio.timeout(seconds):
                reply = await self._road(outgoing.target).exchange(outgoing)
        except TimeoutError:
            what = "reply" if outgoing.sent else "connection"
            raise TimedOut(f"no {what} within {seconds:.3g} s", sent=outgoing.sent) from None
        except asyncio.CancelledError as left:
            # Whoever counts the cost wants to know whether there is any.
            left.sent = outgoing.sent  # type: ignore[attr-defined]
            raise
        return decoded(reply, self.max_reply)

    def _road(self, target: Target) -> Road:
        roads = self._here()
        if self.transport is not None:
            return roads.outside(self.transport)
        proxy = self.proxy or proxy_for(self._named, target.scheme, target.host, target.port)
        return roads.through(proxy, target.scheme) if proxy else roads.wires

    def _here(self) -> "Roads":
        loop = asyncio.get_running_loop()
        roads = self._roads.get(loop)
        if roads is None:
            self._forget_ended()
            roads = self._roads[loop] = Roads(self)
        return roads

    def _forget_ended(self) -> None:
        for loop in list(self._roads):
            if loop.is_closed():
                self._roads.pop(loop, None)

    @cached_property
    def _named(self) -> Mapping[str, str | None]:
        if self.proxies is not None:
            return self.proxies
        from urllib.request import getproxies

        return proxies({f"{name}_proxy": url for name, url in getproxies().items()})

    @cached_property
    def context(self) -> ssl.SSLContext:
        """Whom to trust."""
        context = trusted(self.ca_file, environment=self.proxies is None)
        context.set_alpn_protocols(["http/1.1"])
        return context

    async def close(self) -> None:
        """Close every connection; those of other event loops close as soon as their loop runs."""
        here = self._roads.pop(asyncio.get_running_loop(), None)
        self._forget_ended()
        while self._roads:
            loop, roads = self._roads.popitem()
            # It may end at this moment, and its connections with it.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(roads.begin_to_close)
        if here is not None:
            await here.close()


class Roads:
    """What the client has open on one event loop."""

    def __init__(self, client: ServiceClient) -> None:
        self._client = client
        self._pools: dict[tuple[str, str], ProxiedPool] = {}
        self._outside: OutsideTransport | None = None
        self._closing: asyncio.Task[None] | None = None
        self.wires = Wires(lambda: client.context, client.max_reply)

    def through(self, proxy: str, scheme: str) -> "ProxiedPool":
        """The connections through a proxy."""
        if (proxy, scheme) not in self._pools:
            from seekread.http.proxied import proxied_pool

            client = self._client
            self._pools[proxy, scheme] = proxied_pool(proxy, scheme, lambda: client.context, client.max_reply)
        return self._pools[proxy, scheme]

    def outside(self, transport: "httpx2.AsyncBaseTransport") -> "OutsideTransport":
        """The transport that was handed in."""
        if self._outside is None:
            from seekread.http.outside import OutsideTransport

            self._outside = OutsideTransport(transport, self._client.max_reply)
        return self._outside

    def begin_to_close(self) -> None:
        """Close from within the loop, when another one asks for it."""
        self._closing = asyncio.get_running_loop().create_task(self.close())

    async def close(self) -> None:
        """Close everything that idles."""
        self.wires.close()
        for pool in self._pools.values():
            await pool.aclose()
        if self._outside is not None:
            await self._outside.aclose()


def prepared(request: Request, user_agent: str) -> WireRequest:
    """A request with its address taken apart and every field it goes out with."""
    target, login = address(request)
    headers = {
        "host": target.authority,
        "accept": "*/*",
        "accept-encoding": ACCEPTED,
        "connection": "keep-alive",
        "user-agent": user_agent,
    }
    body = b""
    if request.json is not None:
        body = json.dumps(given(request.json), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        headers["content-type"] = "application/json"
    for name, value in given(request.headers).items():
        if not FIELD_NAME.fullmatch(name) or not FIELD_VALUE.fullmatch(value):
            raise NotConfigured(f"the key or value for the header {name} cannot be sent in one", sent=False)
        headers[name.lower()] = value
    if login:
        headers["authorization"] = login
    if body or request.method == "POST":
        headers["content-length"] = str(len(body))
    return WireRequest(request.method, target, headers, body)


def address(request: Request) -> tuple[Target, str]:
    """Where a request goes, and how we log in there if its address has a user name."""
    service, login = service_at(request.url)
    query = urlencode([(name, written(value)) for name, value in given(request.params).items()], doseq=True)
    if not query:
        return service, login
    path = f"{service.path.partition('?')[0]}?{query}"
    return replace(service, url=f"{service.scheme}://{service.authority}{path}", path=path), login


@lru_cache(maxsize=64)
def service_at(url: str) -> tuple[Target, str]:
    """An address of a service taken apart: there are few, and they are asked all the time."""
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
        host = ascii_host(parts.hostname or "")
    except (ValueError, KeyError):
        host = ""
    if not host.isascii() or not host:
        raise Unreachable("the service address is not valid: write http or https, a host and a port", sent=False)
    query = quote(parts.query, safe=QUERY_SAFE)
    path = quote(parts.path or "/", safe=PATH_SAFE) + (f"?{query}" if query else "")
    bare = Target("", parts.scheme, host, port, path)
    login = ""
    if parts.username or parts.password:
        who = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        login = f"Basic {b64encode(who.encode()).decode()}"
    return replace(bare, url=f"{bare.scheme}://{bare.authority}{path}"), login


def written(value: Any) -> Any:
    """A value of a parameter; booleans as JSON writes them."""
    return str(value).lower() if isinstance(value, bool) else value
