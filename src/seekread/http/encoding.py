"""Content encodings of replies: what was compressed is opened, and never further than its cap."""

import zlib
from collections.abc import Callable

from seekread.errors import BadReply
from seekread.http.wire import too_large
from seekread.provider import Reply

ACCEPTED = "gzip, deflate"


def inflated(body: bytes, wbits: int, most: int) -> bytes:
    """What a compressed body holds, up to one byte more than the cap."""
    opener = zlib.decompressobj(wbits)
    opened = opener.decompress(body, most + 1)
    if len(opened) <= most and (not opener.eof or opener.unused_data):
        raise zlib.error
    return opened


def gunzipped(body: bytes, most: int) -> bytes:
    return inflated(body, zlib.MAX_WBITS | 16, most)


def undeflated(body: bytes, most: int) -> bytes:
    """Some services leave out the frame that the name promises."""
    try:
        return inflated(body, zlib.MAX_WBITS, most)
    except zlib.error:
        return inflated(body, -zlib.MAX_WBITS, most)


OPENERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": gunzipped,
    "x-gzip": gunzipped,
    "deflate": undeflated,
}


def decoded(reply: Reply, most: int) -> Reply:
    """The reply with its body as the service meant it."""
    encoding = reply.headers.get("content-encoding", "").strip().lower()
    if not reply.body or encoding in {"", "identity"}:
        return reply
    if encoding not in OPENERS:
        raise BadReply("the reply has an encoding that nobody asked for", status=reply.status)
    try:
        body = OPENERS[encoding](reply.body, most)
    except zlib.error:
        raise BadReply("the reply's compression is broken", status=reply.status) from None
    if len(body) > most:
        raise too_large(most, reply.status)
    return Reply(reply.status, reply.headers, body)
