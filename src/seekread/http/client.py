"""
The client for services: addresses the operator chose, never a model.

It follows no redirect (a key must not travel), honours the operator's proxies and certificate file, and stops reading
a reply that grows past its cap. Page addresses have a client of their own (`pinned.py`).
"""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
import httpx2

from seekread.errors import BadReply, NotConfigured, TimedOut, Unreachable
from seekread.provider import Reply, Request

V = TypeVar("V")

MAX_REPLY = 8 * 1024 * 1024
"""Bytes of one decoded reply; the largest honest ones stay below one megabyte."""
LIMITS = httpx2.Limits(max_connections=64, max_keepalive_connections=16)
LAST_PORT = 65_535


@dataclass
class ServiceClient:
    """
    One pooled client with one TLS context, made when the first request goes out.

    `proxy` is for every address. `proxies` are for kinds of addresses, such as `https://` or `all://localhost`, where
    `None` means without one; left out, the environment of the process names them.
    Connections belong to the event loop they were made on: a call from another loop starts a new pool.
    """

    user_agent: str = "seekread"
    proxy: str | None = field(default=None, repr=False)
    ca_file: str | None = None
    max_reply: int = MAX_REPLY
    transport: httpx2.AsyncBaseTransport | None = None
    proxies: Mapping[str, str | None] | None = field(default=None, repr=False)
    _client: httpx2.AsyncClient | None = field(default=None, repr=False)
    _loop: asyncio.AbstractEventLoop | None = field(default=None, repr=False)

    async def send(self, request: Request, *, seconds: float) -> Reply:
        """Send one request; every way a reply can fail to arrive is an error of ours."""
        try:
            with anyio.fail_after(seconds):
                return await self._exchange(request)
        except (TimeoutError, httpx2.TimeoutException):
            raise TimedOut(f"no reply within {seconds:.3g} s") from None
        except httpx2.DecodingError:
            raise BadReply("the reply's compression is broken") from None
        except httpx2.RemoteProtocolError as error:
            # What is not HTTP is quoted in the error's text, and may repeat what was sent.
            raise Unreachable(f"the connection broke ({type(error).__name__})") from None
        except httpx2.TransportError as error:
            # The text of a transport error may hold the address, never the query or a header.
            raise Unreachable(f"could not connect ({type(error).__name__})") from None
        except httpx2.InvalidURL as error:
            raise Unreachable(f"the service address is not valid: {error}") from None

    async def _exchange(self, request: Request) -> Reply:
        client = self._opened()
        sent = client.build_request(
            request.method,
            request.url,
            params=given(request.params) or None,
            headers=given(request.headers),
            json=None if request.json is None else given(request.json),
        )
        if (sent.url.port or 0) > LAST_PORT:
            raise Unreachable(f"the service address is not valid: there is no port {sent.url.port}")
        response = await client.send(sent, stream=True)
        try:
            return Reply(response.status_code, lower(response.headers), await self._body(response))
        finally:
            await response.aclose()

    async def _body(self, response: httpx2.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > self.max_reply:
                raise BadReply(f"the reply is larger than {self.max_reply} bytes", status=response.status_code)
        return bytes(body)

    def _opened(self) -> httpx2.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self._open(), loop
        return self._client

    def _open(self) -> httpx2.AsyncClient:
        verify = self._trusted()
        try:
            return httpx2.AsyncClient(
                headers={"user-agent": self.user_agent},
                verify=verify,
                proxy=self.proxy or None,
                mounts=self._mounts(verify),
                timeout=None,
                follow_redirects=False,
                transport=self.transport,
                limits=LIMITS,
                trust_env=self.proxies is None,
            )
        except (ValueError, httpx2.InvalidURL, ImportError) as error:
            # The text may hold the proxy's address, and that its password.
            named = "service_proxy, HTTPS_PROXY, HTTP_PROXY or ALL_PROXY"
            raise NotConfigured(f"the proxy in {named} cannot be used ({type(error).__name__})") from None

    def _trusted(self) -> ssl.SSLContext:
        if not self.ca_file:
            return httpx2.create_ssl_context(trust_env=self.proxies is None)
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except OSError as error:
            raise NotConfigured(f"setting ca_file: {self.ca_file!r} holds no certificates ({error.strerror})") from None

    def _mounts(self, verify: ssl.SSLContext) -> dict[str, httpx2.AsyncBaseTransport | None]:
        """A transport for each proxy. One proxy for all, or a transport from outside, leaves no room for them."""
        if self.proxies is None or self.proxy or self.transport:
            return {}
        return {
            pattern: httpx2.AsyncHTTPTransport(verify=verify, proxy=url, limits=LIMITS) if url else None
            for pattern, url in self.proxies.items()
        }

    async def close(self) -> None:
        """Close every connection. Those of another event loop are beyond reach: they go with it."""
        client, loop = self._client, self._loop
        self._client = self._loop = None
        if client is not None and loop is asyncio.get_running_loop():
            await client.aclose()


def given(values: Mapping[str, V | None]) -> dict[str, V]:
    """The values that were set; providers write `None` for "not asked for"."""
    return {name: value for name, value in values.items() if value is not None}


def lower(headers: Mapping[str, Any]) -> dict[str, str]:
    """Headers by lower-case name."""
    return {name.lower(): value for name, value in headers.items()}
