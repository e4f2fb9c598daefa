"""
The head of a request, within a time and a size.

uvicorn limits neither with its fast parser: a client that sends half a head is waited for as long as it likes, and one
that never ends its head is listened to as long as there is memory. This adds both and leaves the rest as it is.
"""

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from seekread.server.limits import HEAD_SECONDS, MAX_HEAD

TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class PunctualProtocol(HttpToolsProtocol):
    """A connection that is dropped when a head does not arrive in time, or without an end."""

    seconds: ClassVar[float] = HEAD_SECONDS
    largest: ClassVar[int] = MAX_HEAD

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._patience: asyncio.TimerHandle | None = None
        self._head = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._wait_no_longer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come, unless it is more of a head than anybody needs."""
        before = self._patience
        super().data_received(data)
        if before is not None and self._patience is before:
            self._head += len(data)
            if self._head > self.largest and not self.transport.is_closing():
                self.transport.write(TOO_LARGE)
                self.transport.close()

    def on_message_begin(self) -> None:
        """Wait for the head of the next request."""
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        """A head has arrived."""
        self._wait_no_longer()
        super().on_headers_complete()

    def _wait(self) -> None:
        if self._patience is None:
            self._head = 0
            self._patience = self.loop.call_later(self.seconds, self.transport.close)

    def _wait_no_longer(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
