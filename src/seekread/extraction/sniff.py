"""
What a document really is, by its first bytes.

A server's `Content-Type` is a claim: it is used where the bytes leave a choice (text or Markdown, JSON or text)
and to name a type that cannot be read, never to overrule what the bytes show.
"""

import re
from typing import Literal
from urllib.parse import unquote, urlsplit

from seekread.errors import Unreadable

DocumentKind = Literal[
    "html", "pdf", "json", "text", "markdown", "xml", "feed", "table", "code", "mail", "package", "storage"
]
"""The kinds of document the reader understands."""

TABLES = frozenset({"text/csv", "text/tab-separated-values", "application/csv"})
BY_NAME: dict[str, tuple[DocumentKind, str]] = {
    "md": ("markdown", ""), "markdown": ("markdown", ""), "csv": ("table", ""), "tsv": ("table", ""),
    "ndjson": ("json", ""), "jsonl": ("json", ""), "py": ("code", "python"), "js": ("code", "javascript"),
    "ts": ("code", "typescript"), "rs": ("code", "rust"), "go": ("code", "go"), "c": ("code", "c"),
    "h": ("code", "c"), "cpp": ("code", "cpp"), "java": ("code", "java"), "rb": ("code", "ruby"),
    "sh": ("code", "sh"), "toml": ("code", "toml"), "yaml": ("code", "yaml"), "yml": ("code", "yaml"),
    "ini": ("code", "ini"), "css": ("code", "css"), "sql": ("code", "sql"),
}  # fmt: skip
"""What plain text is by the ending of its file's name: the kind, and the language of code."""
HEAD_BYTES = 1024
"""How much of a document is looked at."""

# Where each signature stands, its bytes, and the name a person knows the type by.
SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (8, b"AVI ", "video/x-msvideo"),
    (0, b"\x00\x00\x01\x00", "image/x-icon"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\x00\x00\x01\xba", "video/mpeg"),
    (0, b"FLV\x01", "video/x-flv"),
    (0, b"PK\x05\x06", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\x00", "application/x-xz"),
    (0, b"(\xb5/\xfd", "application/zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (257, b"ustar", "application/x-tar"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xca\xfe\xba\xbe", "application/java-vm"),
    (0, b"MZ\x90\x00", "application/vnd.microsoft.portable-executable"),
    (0, b"\x00asm", "application/wasm"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"\x00\x01\x00\x00", "font/ttf"),
    (0, b"OTTO", "font/otf"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"%!PS", "application/postscript"),
    (0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (0, b"PAR1", "application/vnd.apache.parquet"),
)

WHOLE: dict[DocumentKind, str] = {"pdf": "PDF", "package": "file", "storage": "file"}
"""Kinds of which a part is worth nothing, and the word for one."""
ARCHIVE, STORAGE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PACKAGE_PARTS = re.compile(rb"\[Content_Types\]\.xml|_rels/|docProps/|word/|ppt/|xl/|customXml/|mimetype")
"""Names that stand at the beginning of an archive which is an office file or a book."""
PACKAGE_TYPES = ("application/vnd.openxmlformats", "application/vnd.ms-", "application/epub", "application/msword")
MAIL_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,60}):[ \t].*(?:\r?\n[ \t].*)*\r?\n")
MAIL_NAMES = frozenset(
    {"from", "to", "cc", "date", "subject", "message-id", "received", "return-path", "mime-version", "delivered-to",
     "reply-to", "sender", "content-type", "list-id", "in-reply-to", "dkim-signature"}
)  # fmt: skip
MAIL_ENVELOPE = re.compile(r"From \S{1,300} .{10,80}\r?\n")
FEWEST_MAIL_HEADERS = 3

BYTE_ORDER_MARKS: tuple[tuple[bytes, str], ...] = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

HTML_START = re.compile(
    r"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|div|p|a|br|h[1-6]|table|ul|ol|span|section|article"
    r"|main|header|nav|iframe|form|img|center|font|b|noscript)[\s/>]",
    re.IGNORECASE,
)
XML_ROOT = re.compile(r"<(?![?!])(?:[\w.-]{1,40}:)?([\w.-]{1,60})")
FEED_ROOTS = frozenset({"rss", "feed", "rdf"})
LEADING_COMMENT = re.compile(r"\s*<!--.*?-->", re.DOTALL)


def media_type_of(content_type: str) -> str:
    """The media type of a `Content-Type` value, in lower case and without parameters."""
    return content_type.partition(";")[0].strip().lower()


def file_name(url: str) -> str:
    """The last part of the path of an address or of a file, without what follows a question mark."""
    try:
        return unquote(urlsplit(url).path).replace("\\", "/").rpartition("/")[2]
    except ValueError:
        return ""


def named(kind: DocumentKind, url: str) -> DocumentKind:
    """What a text is by the name of its file, where its bytes and its server leave that open."""
    return BY_NAME.get(file_name(url).lower().rpartition(".")[2], (kind, ""))[0] if kind == "text" else kind


def wide_encoding(head: bytes) -> str | None:
    """The encoding a byte order mark names, or UTF-16 recognised by its zero bytes."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding
    sample = head[: HEAD_BYTES & ~1]
    if len(sample) < 4:
        return None
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    # ASCII text in UTF-16 has a zero in nearly every second byte and nearly none in the others.
    if odd > half * 0.7 and even < half * 0.1:
        return "utf-16-le"
    if even > half * 0.7 and odd < half * 0.1:
        return "utf-16-be"
    return None


def sniff(head: bytes, content_type: str = "") -> DocumentKind:
    """Say what a document is; raise `Unreadable` with the name of a type that cannot be read as text."""
    head = head[:HEAD_BYTES]
    declared = media_type_of(content_type)
    for offset, signature, name in SIGNATURES:
        if head.startswith(signature, offset):
            raise unsupported(name, declared)
    if head.startswith(ARCHIVE):
        return archive(head, declared)
    if head.startswith(STORAGE):
        return "storage"
    # The PDF header may follow some junk; readers accept it within the first kilobyte.
    if b"%PDF-" in head[:1019] and not HTML_START.search(head[: head.find(b"%PDF-")].decode("latin-1")):
        return "pdf"
    encoding = wide_encoding(head)
    text = head.decode(encoding or "utf-8", "replace").lstrip("\ufeff \t\r\n\f\0")
    # A few zero bytes occur in sloppy pages; many, without being UTF-16, do not occur in text.
    if encoding is None and controls(head) > 0.1 * len(head):
        raise unsupported("application/octet-stream", declared)
    return textual(text, declared)


def archive(head: bytes, declared: str) -> DocumentKind:
    """An archive whose first names, or whose declared type, may be those of an office file or a book."""
    # The name of the first entry stands behind 30 bytes; behind its extra field its content, or the next entry.
    if PACKAGE_PARTS.search(head[30:]) or declared.startswith(PACKAGE_TYPES):
        return "package"
    raise unsupported("application/zip", declared)


def controls(head: bytes) -> int:
    """Count bytes that text does not hold."""
    return sum(1 for byte in head if byte < 0x20 and byte not in b"\t\n\f\r\x1b")


def textual(text: str, declared: str) -> DocumentKind:
    """Tell the kinds of text apart, with the declared type where the text leaves a choice."""
    start = text
    while comment := LEADING_COMMENT.match(start):
        start = start[comment.end() :].lstrip()
    if start.startswith("<"):
        return markup(start, declared)
    if declared in {"text/markdown", "text/x-markdown"}:
        return "markdown"
    if is_mail(text, declared):
        return "mail"
    if declared in TABLES:
        return "table"
    if declared.endswith("json") or (start[:1] in {"{", "["} and looks_like_json(start)):
        return "json"
    # Fragments of HTML may begin with words: here the claim decides, and a tag near the start confirms it.
    if declared in {"text/html", "application/xhtml+xml"} or (not declared and HTML_START.search(text)):
        return "html"
    return "text"


def is_mail(text: str, declared: str) -> bool:
    """Say whether a text begins with the headers of a message: somebody it is from, and others of its kind."""
    envelope = MAIL_ENVELOPE.match(text)
    place, names = envelope.end() if envelope else 0, []
    while (found := MAIL_HEADER.match(text, place)) is not None:
        names.append(found[1].lower())
        place = found.end()
    known = set(names) & MAIL_NAMES
    if envelope or declared in {"message/rfc822", "application/mbox"}:
        return bool(known)
    # A long chain of servers may fill the part that is looked at.
    return len(known) >= FEWEST_MAIL_HEADERS - ("received" in known) and bool({"from", "received"} & known)


def markup(start: str, declared: str) -> DocumentKind:
    """Tell HTML, feeds, SVG and other XML apart by the first element."""
    root = XML_ROOT.search(start)
    name = root.group(1).lower() if root else ""
    if name in FEED_ROOTS:
        return "feed"
    if name == "svg" and "html" not in declared:
        raise unsupported("image/svg+xml", declared)
    if name == "html" or HTML_START.match(start):
        return "html"
    if start.startswith("<?xml") or declared.endswith(("/xml", "+xml")):
        return "xml"
    if declared in {"text/plain", "text/markdown"} and not HTML_START.search(start):
        return "markdown" if declared == "text/markdown" else "text"
    return "html"


def looks_like_json(start: str) -> bool:
    """Say whether text beginning with a bracket goes on like JSON rather than like prose or a wiki link."""
    return bool(re.match(r'[\[{]\s*(?:["{\[\]}]|-?\d|true|false|null)', start))


def unsupported(name: str, declared: str) -> Unreadable:
    """The refusal that names a type; a more telling declared type (a Word file is a zip) is named as well."""
    also = f" (sent as {declared!r})" if declared and declared != name else ""
    return Unreadable("unsupported_type", f"the address holds {name}{also}, which cannot be read as text")
