"""
How a value is written down: when it was written, when it ends, a SHA-256 over all of it, and the bytes, compressed.

The digest covers the key, so a row that ended up under another key is as corrupt as a torn one.
Nothing here can run code: no pickle, only bytes.
"""

import hashlib
import math
import struct
import zlib

from seekread.ports import Entry

HEADER = struct.Struct("<BddI32s")
PLAIN, DEFLATED = 1, 2
WORTHWHILE = 32 * 1024
"""Values shorter than this many bytes are not compressed: it takes longer than all else that is done with them."""


def encode_key(key: str) -> bytes:
    """A key as bytes. Text from the web may hold lone surrogates; they are kept apart, not refused."""
    return key.encode("utf-8", "surrogatepass")


def decode_key(key: bytes) -> str:
    return key.decode("utf-8", "surrogatepass")


def pack(entry: Entry) -> bytes:
    """An entry as bytes that can be checked."""
    how, body = PLAIN, entry.value
    if len(body) >= WORTHWHILE:
        how, body = DEFLATED, zlib.compress(body, level=1)
    ends = math.inf if entry.expires_at is None else entry.expires_at
    digest = _digest(entry.key, how, entry.written_at, ends, len(entry.value), body)
    return HEADER.pack(how, entry.written_at, ends, len(entry.value), digest) + body


def full_length(packed: bytes) -> int:
    """How many bytes the value has, as far as the header says."""
    return HEADER.unpack_from(packed)[3] if len(packed) >= HEADER.size else 0


def unpack(key: str, packed: bytes) -> Entry | None:
    """The entry, or `None` if a single bit is not as it was written."""
    if len(packed) < HEADER.size:
        return None
    how, written_at, ends, length, digest = HEADER.unpack_from(packed)
    body = packed[HEADER.size :]
    if digest != _digest(key, how, written_at, ends, length, body):
        return None
    value = zlib.decompress(body, bufsize=max(length, 1)) if how == DEFLATED else body
    return Entry(key, value, written_at, None if math.isinf(ends) else ends)


def _digest(key: str, how: int, written_at: float, ends: float, length: int, body: bytes) -> bytes:
    fields = struct.pack("<BddI", how, written_at, ends, length)
    name = encode_key(key)
    return hashlib.sha256(b"%d:%b%b%b" % (len(name), name, fields, body)).digest()
