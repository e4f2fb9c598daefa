"""Gzip in small steps over the raw stream, so that neither memory nor the event loop is at a server's mercy."""

import zlib
from collections.abc import Iterator

STEP = 65536
GZIP = 16 + zlib.MAX_WBITS
MAGIC = b"\x1f\x8b"


class BadGzip(Exception):
    """The bytes are not what their `Content-Encoding` claims."""


class Gunzip:
    """Decodes one body, of one or more members, as its bytes arrive."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(GZIP)
        self._started = False
        self._finished = False

    @property
    def complete(self) -> bool:
        """Whether the stream ended where it should; an empty body is complete."""
        return self._inflate.eof or not self._started

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decode what has arrived; each part is at most `STEP` bytes, and decoding goes on only when asked for it."""
        self._started = self._started or bool(data)
        pending = False
        while (data or pending) and not self._finished:
            try:
                part = self._inflate.decompress(data, STEP)
            except zlib.error as error:
                raise BadGzip(str(error)) from error
            if part:
                yield part
            if self._inflate.eof:
                data, pending = self._next_member(self._inflate.unused_data), False
            else:
                # The decoder may hold more output than one step even after it has taken all of its input.
                data, pending = self._inflate.unconsumed_tail, len(part) == STEP

    def _next_member(self, rest: bytes) -> bytes:
        """Go on with another member; anything else behind the end is ignored, as browsers do."""
        if rest[:2] == MAGIC:
            self._inflate = zlib.decompressobj(GZIP)
            return rest
        self._finished = bool(rest)
        return b""


class Identity:
    """The same for a body that is not encoded."""

    complete = True

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data
