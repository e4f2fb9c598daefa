"""
The client for services: addresses the operator chose, never a model.

It follows no redirect (a key must not travel), honours `HTTPS_PROXY` and a certificate file of the operator's,
and stops reading a reply that grows past its cap. Page addresses have a client of their own (`pinned.py`).
"""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
import httpx2

from seekread.errors import BadReply, TimedOut, Unreachable
from seekread.provider import Reply, Request

V = TypeVar("V")

MAX_REPLY = 8 * 1024 * 1024
"""Bytes of one decoded reply; the largest honest ones stay below one megabyte."""


@dataclass
class ServiceClient:
    """One pooled client with one TLS context, made when the first request goes out."""

    user_agent: str = "seekread"
    proxy: str | None = None
    ca_file: str | None = None
    max_reply: int = MAX_REPLY
    transport: httpx2.AsyncBaseTransport | None = None
    _client: httpx2.AsyncClient | None = field(default=None, repr=False)

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
            raise Unreachable(f"the connection broke: {error or type(error).__name__}") from None
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
        if self._client is None:
            self._client = httpx2.AsyncClient(
                headers={"user-agent": self.user_agent},
                verify=ssl.create_default_context(cafile=self.ca_file) if self.ca_file else True,
                proxy=self.proxy,
                timeout=None,
                follow_redirects=False,
                transport=self.transport,
                limits=httpx2.Limits(max_connections=64, max_keepalive_connections=16),
            )
        return self._client

    async def close(self) -> None:
        """Close every connection."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def given(values: Mapping[str, V | None]) -> dict[str, V]:
    """The values that were set; providers write `None` for "not asked for"."""
    return {name: value for name, value in values.items() if value is not None}


def lower(headers: Mapping[str, Any]) -> dict[str, str]:
    """Headers by lower-case name."""
    return {name.lower(): value for name, value in headers.items()}
