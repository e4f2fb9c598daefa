"""
From bytes to text, without ever failing.

The order is: byte order mark, HTTP header, `<meta>` or XML declaration, valid UTF-8, detector.
A declared charset that the bytes contradict is not believed, and the contradiction is a signal.
UTF-8 that was taken for cp1252 and encoded once more (`Ã¼` for `ü`) is read as it was meant, and flagged.
"""

import codecs
import re

from seekread.extraction.sniff import wide_encoding
from seekread.late import dataclass
from seekread.models import Signal

META_BYTES = 4096
"""Where a charset declaration is looked for; the standard asks for 1 kB, real pages need a little more."""
DETECTOR_BYTES = 65536
TOLERATED = 0.002
"""Share of undecodable characters up to which a declared charset is still believed."""

# Labels mean what browsers take them to mean: the superset that pages really use.
SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    # What the detector calls Japanese text.
    "euc_jis_2004": "euc_jp",
    "euc_jisx0213": "euc_jp",
    "shift_jis_2004": "cp932",
    "shift_jisx0213": "cp932",
    "utf-16": "utf-16-le",
}
CHARSETS = frozenset(
    {
        *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"),
        *(f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
        *(f"cp{page}" for page in (866, 874, 932, 949, *range(1250, 1259))),
        *("koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "gb18030", "big5hkscs", "euc_jp", "iso2022_jp"),
    }
)
"""
The codecs behind the labels of the Encoding Standard, and UTF-32. Python knows more, and some are no character sets but
escapes (`unicode_escape`, `hz`) or other tables (`cp037`): text in them says one thing to us and another to a browser.
"""

LATIN = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0x100)}
"""What programs make of a byte above ASCII when they take it for cp1252."""
BYTES = {ord(character): byte for byte, character in LATIN.items()}
FOLLOWING = f"[{re.escape(''.join(LATIN[byte] for byte in range(0x80, 0xC0)))}]"
TWICE = re.compile(f"[\u00c2-\u00df]{FOLLOWING}|[\u00e0-\u00ef]{FOLLOWING}{{2}}|[\u00f0-\u00f4]{FOLLOWING}{{3}}")
"""One character in UTF-8, each of its bytes written as a character of its own."""
FEWEST_TWICE = 3
ASCII = bytes(range(128))

HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]{2,40})", re.IGNORECASE)
META_CHARSET = re.compile(rb"<meta\s[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:+-]{2,40})", re.IGNORECASE)
XML_ENCODING = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:+-]{2,40})", re.IGNORECASE)


@dataclass(frozen=True)
class Decoded:
    """Text, the encoding it was read in, and what was odd about it."""

    text: str
    encoding: str
    signals: tuple[Signal, ...] = ()


def decode(body: bytes, content_type: str = "") -> Decoded:
    """Decode a document; undecodable bytes become U+FFFD and zero characters are dropped."""
    decoded = once_encoded(decoded_as_declared(body, content_type), body)
    if "\0" not in decoded.text:
        return decoded
    zeros = decoded.text.count("\0")
    signals = (*decoded.signals, Signal(kind="null-characters", count=zeros, detail="zero characters were dropped"))
    return Decoded(decoded.text.replace("\0", ""), decoded.encoding, signals)


def decoded_as_declared(body: bytes, content_type: str) -> Decoded:
    """Follow the order of the module docstring."""
    wide = wide_encoding(body[:META_BYTES])
    if wide is not None:
        return Decoded(body.decode(wide, "replace").removeprefix("\ufeff"), wide)
    valid = as_utf8(body)
    claims = declared(body, content_type)
    for place, encoding in claims:
        if encoding == "utf-8" and valid is not None:
            return Decoded(valid, "utf-8")
        # Text that is not ASCII and yet valid UTF-8 is UTF-8, whatever a server is configured to claim.
        if valid is not None and not body.isascii():
            return Decoded(valid, "utf-8", (lie(place, encoding, "utf-8"),))
        text = body.decode(encoding, "replace")
        broken = text.count("\ufffd")
        if broken <= TOLERATED * len(text) or (encoding == "utf-8" and 2 * broken <= beyond_ascii(text)):
            return Decoded(text, encoding, undecodable(broken, encoding))
    if valid is not None:
        return Decoded(valid, "utf-8")
    encoding = detected(body)
    text = body.decode(encoding, "replace")
    broken = text.count("\ufffd")
    lies = tuple(lie(place, claimed, encoding) for place, claimed in claims[:1] if claimed != encoding)
    return Decoded(text, encoding, lies + undecodable(broken, encoding))


def once_encoded(decoded: Decoded, body: bytes) -> Decoded:
    """Text that was encoded twice as it was meant; a page that only shows a few such characters stays as it is."""
    if decoded.encoding != "utf-8" or decoded.text.isascii():
        return decoded
    # A text without its ASCII has all of them, and is much shorter.
    for text in (body.translate(None, ASCII).decode("utf-8", "replace"), decoded.text):
        found = sum(map(len, TWICE.findall(text)))
        if found < 2 * FEWEST_TWICE or 2 * found < beyond_ascii(text):
            return decoded
    text, count = TWICE.subn(meant, decoded.text)
    signal = Signal(kind="double-encoded", count=count, detail="characters that were encoded twice were read as meant")
    return Decoded(text, decoded.encoding, (*decoded.signals, signal))


def meant(match: re.Match[str]) -> str:
    """The character whose bytes stand there as characters."""
    return bytes(BYTES[ord(character)] for character in match[0]).decode("utf-8", "replace")


def as_utf8(body: bytes) -> str | None:
    """The text if the bytes are UTF-8; a character cut off at the very end does not count against it."""
    try:
        return codecs.getincrementaldecoder("utf-8")("strict").decode(body, final=False)
    except UnicodeDecodeError:
        return None


def declared(body: bytes, content_type: str) -> list[tuple[str, str]]:
    """The charsets claimed, with the place of each claim, most binding first; unknown names are left out."""
    head = body[:META_BYTES]
    found = [
        ("Content-Type", HEADER_CHARSET.search(content_type)),
        ("xml declaration", XML_ENCODING.match(head.lstrip())),
        ("meta", META_CHARSET.search(head)),
    ]
    claims = []
    for place, match in found:
        if match is None:
            continue
        label = match.group(1)
        encoding = normalised(label.decode("ascii") if isinstance(label, bytes) else label)
        # A declaration readable byte by byte cannot stand in UTF-16; browsers read it as UTF-8.
        if encoding is not None and encoding.startswith(("utf-16", "utf-32")):
            encoding = "utf-8"
        if encoding is not None:
            claims.append((place, encoding))
    return claims


def normalised(label: str) -> str | None:
    """The codec for a charset label, or `None` when it names none that browsers know."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    name = SUPERSETS.get(name, name)
    return name if name in CHARSETS else None


def detected(body: bytes) -> str:
    """Ask the detector; cp1252, the most common legacy encoding, when it has no opinion."""
    from charset_normalizer import from_bytes

    best = from_bytes(body[:DETECTOR_BYTES], steps=5, chunk_size=512).best()
    return (normalised(best.encoding) if best else None) or "cp1252"


def beyond_ascii(text: str) -> int:
    """Count characters that only UTF-8 could have brought: enough of them outweigh a few broken bytes."""
    return len(text) - len(text.encode("ascii", "ignore")) - text.count("\ufffd")


def undecodable(count: int, encoding: str) -> tuple[Signal, ...]:
    return (Signal(kind="undecodable-characters", count=count, detail=encoding),) if count else ()


def lie(place: str, claimed: str, used: str) -> Signal:
    return Signal(kind="charset-lie", detail=f"{place} claims {claimed}, the bytes are {used}")
