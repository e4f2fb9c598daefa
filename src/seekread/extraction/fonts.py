"""
Which letters a font that stands in the page itself draws without ink.

Only as much of TrueType is read as that takes: the table of characters, and where each glyph begins and ends. Fonts
that are packed with Brotli (WOFF2), or whose outlines are programs (CFF), are not looked into.
"""

import base64
import binascii
import re
import struct
import zlib
from functools import lru_cache
from urllib.parse import unquote_to_bytes

LARGEST = 2_000_000
"""Bytes of a font that is looked into."""
MOST_LETTERS = 70_000
DATA = re.compile(r"""url\(\s*["']?data:([^,"')]*),([^"')]*)""", re.IGNORECASE)


@lru_cache(maxsize=32)
def blank_letters(source: str) -> frozenset[str]:
    """The characters for which a font in an address has a glyph without any ink."""
    found = DATA.search(source)
    if found is None or len(source) > 2 * LARGEST:
        return frozenset()
    try:
        data = unquote_to_bytes(found[2])
        if found[1].lower().endswith("base64"):
            data = base64.b64decode(data)
        return without_ink(tables_of(data))
    except (binascii.Error, struct.error, zlib.error, KeyError, IndexError, ValueError):
        return frozenset()


def tables_of(data: bytes) -> dict[bytes, bytes]:
    """The tables of a TrueType font, bare or packed as WOFF."""
    packed = data[:4] == b"wOFF"
    count = struct.unpack_from(">H", data, 12 if packed else 4)[0]
    found: dict[bytes, bytes] = {}
    for number in range(min(count, 64)):
        if packed:
            name, offset, length, whole = struct.unpack_from(">4sIII", data, 44 + 20 * number)
            piece = data[offset : offset + length]
            found[name] = piece if length == whole else zlib.decompressobj().decompress(piece, LARGEST)
        else:
            name, _, offset, length = struct.unpack_from(">4sIII", data, 12 + 16 * number)
            found[name] = data[offset : offset + length]
    return found


def without_ink(tables: dict[bytes, bytes]) -> frozenset[str]:
    long_offsets = struct.unpack_from(">h", tables[b"head"], 50)[0]
    loca = tables[b"loca"]
    size, width = ("I", 4) if long_offsets else ("H", 2)
    offsets = struct.unpack(f">{len(loca) // width}{size}", loca[: len(loca) // width * width])
    empty = {glyph for glyph in range(len(offsets) - 1) if offsets[glyph] == offsets[glyph + 1]}
    letters = ((code, glyph) for code, glyph in characters(tables[b"cmap"]).items() if glyph in empty)
    return frozenset(chr(code) for code, _ in letters)


def characters(cmap: bytes) -> dict[int, int]:
    """The glyph of each character."""
    found: dict[int, int] = {}
    for number in range(min(struct.unpack_from(">H", cmap, 2)[0], 16)):
        offset = struct.unpack_from(">HHI", cmap, 4 + 8 * number)[2]
        table = cmap[offset:]
        match struct.unpack_from(">H", table)[0]:
            case 4:
                found.update(by_segments(table))
            case 12:
                for group in range(min(struct.unpack_from(">I", table, 12)[0], 10_000)):
                    first, last, glyph = struct.unpack_from(">III", table, 16 + 12 * group)
                    last = min(last, first + MOST_LETTERS - len(found), 0x10FFFF)
                    found.update({code: glyph + code - first for code in range(first, last + 1)})
    return found


def by_segments(table: bytes) -> dict[int, int]:
    """The glyphs of a table of format 4."""
    count = struct.unpack_from(">H", table, 6)[0] // 2
    ends = struct.unpack_from(f">{count}H", table, 14)
    starts = struct.unpack_from(f">{count}H", table, 16 + 2 * count)
    deltas = struct.unpack_from(f">{count}h", table, 16 + 4 * count)
    places = struct.unpack_from(f">{count}H", table, 16 + 6 * count)
    found: dict[int, int] = {}
    for number, (start, end, delta, place) in enumerate(zip(starts, ends, deltas, places, strict=True)):
        for code in range(start, end + 1):
            glyph = code
            if place:
                glyph = struct.unpack_from(">H", table, 16 + 6 * count + 2 * number + place + 2 * (code - start))[0]
            if (glyph or not place) and len(found) < MOST_LETTERS:
                found[code] = (glyph + delta) % 65_536
    return found
