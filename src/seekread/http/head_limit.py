"""
A bound on the headers of an answer, at the level of the socket.

The HTTP parser below takes up to 100 kB of header lines, or any number of interim answers, in one go and without
letting anything else run: sixteen thousand short headers, or a flood of `100 Continue`, block an event loop for a tenth
of a second and more. So the bytes are counted before the parser sees them, and arrive in small parts until the
headers are over.
"""

import re
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore2

MAX_LINES = 500
MAX_BYTES = 65536
PART = 8192
"""Bytes handed to the parser at a time while headers arrive."""
END = re.compile(rb"\r?\n\r?\n")
INTERIM = re.compile(rb"HTTP/1\.[01] 1\d\d")


class HeadLimit(httpcore2.AsyncNetworkStream):
    """A connection that breaks off when the headers of an answer pass the bound."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._in_head = True
        self._seen = b""
        self._lines = self._bytes = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 the library's signature
        part = await self._stream.read(min(max_bytes, PART) if self._in_head else max_bytes, timeout)
        if self._in_head:
            self._count(part)
        return part

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 the library's signature
        self._in_head, self._seen, self._lines, self._bytes = True, b"", 0, 0
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 the library's signature
    ) -> httpcore2.AsyncNetworkStream:
        return HeadLimit(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def _count(self, part: bytes) -> None:
        """Count the lines and bytes of headers; interim answers count together with the one they announce."""
        self._seen += part
        while (end := END.search(self._seen)) is not None:
            head, self._seen = self._seen[: end.end()], self._seen[end.end() :]
            self._add(head)
            if not INTERIM.match(head):
                self._in_head, self._seen = False, b""
                return
        if self._bytes + len(self._seen) > MAX_BYTES or self._lines + self._seen.count(b"\n") > MAX_LINES:
            raise httpcore2.RemoteProtocolError("the headers do not end")

    def _add(self, head: bytes) -> None:
        self._lines += head.count(b"\n")
        self._bytes += len(head)
        if self._bytes > MAX_BYTES or self._lines > MAX_LINES:
            raise httpcore2.RemoteProtocolError("the headers do not end")


class BoundedBackend(httpcore2.AnyIOBackend):
    """Plain connections, on which the headers of an answer are bounded."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is the library's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        return HeadLimit(await super().connect_tcp(host, port, timeout, local_address, socket_options))
