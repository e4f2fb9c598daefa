"""
Heads of HTTP/1 messages for the guarded proxy: read strictly, bounded, and written again for the next connection.

Two readers that disagree on where a message ends are how requests are smuggled. So a head with a bare line feed, a
folded line, a strange field name or two lengths is not passed on.
"""

import asyncio
import re
from http import HTTPStatus

from seekread.late import dataclass

MAX_HEAD = 32_768
"""Bytes of a request or response head."""

REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e]+) HTTP/1\.[01]")
STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\r\n\x00]*)?")
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\x00]*?)[ \t]*")
LENGTH = re.compile(rb"[0-9]{1,15}")

HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"upgrade",
    }
)
"""Fields that concern one connection only and are not passed on."""

NEVER_DROPPED = frozenset({b"content-length", b"transfer-encoding", b"host"})
"""Fields that say where a message ends or goes; `Connection` cannot ask to leave them out."""


class BadMessage(Exception):
    """What the other side sent is not HTTP as we accept it; `status` is the answer it gets."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Head:
    """The head of a request or response: its first line and its fields, names in lower case."""

    line: bytes
    fields: tuple[tuple[bytes, bytes], ...]

    def values(self, name: bytes) -> list[bytes]:
        """Every value of a field."""
        return [value for field, value in self.fields if field == name]

    def words(self, name: bytes) -> frozenset[bytes]:
        """The comma-separated words of a field, in lower case."""
        return frozenset(word.strip().lower() for value in self.values(name) for word in value.split(b","))

    @property
    def upgrades(self) -> bool:
        """Whether the sender asks to switch, or switches, to another protocol."""
        return b"upgrade" in self.words(b"connection") and bool(self.values(b"upgrade"))

    @property
    def body_length(self) -> int:
        """Bytes of a request's body. Browsers state it; a chunked body is not accepted."""
        if self.values(b"transfer-encoding"):
            raise BadMessage(HTTPStatus.LENGTH_REQUIRED, "State the length of the body; chunks are not accepted.")
        stated = set(self.values(b"content-length"))
        if not stated:
            return 0
        length = stated.pop()
        if stated or not LENGTH.fullmatch(length):
            raise BadMessage(HTTPStatus.BAD_REQUEST, "The length of the body is not one number.")
        return int(length)

    def passed_on(self, *first: tuple[bytes, bytes], connection: bytes = b"") -> bytes:
        """
        The fields for the next connection.

        The `first` ones replace those of the same name; `connection` is what to say about the connection itself.
        """
        replaced = {name for name, _ in first}
        dropped = HOP_BY_HOP | (self.words(b"connection") - NEVER_DROPPED) | replaced
        fields = [*first, *(field for field in self.fields if field[0] not in dropped)]
        if connection:
            fields.append((b"connection", connection))
        if connection == b"upgrade":
            fields += [(b"upgrade", value) for value in self.values(b"upgrade")]
        return b"".join(name + b": " + value + b"\r\n" for name, value in fields) + b"\r\n"


async def read_head(reader: asyncio.StreamReader, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> Head:
    """Read one head; `status` is what to answer when it is malformed."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        too_large = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        answer = too_large if status == HTTPStatus.BAD_REQUEST else status
        raise BadMessage(answer, f"The head is larger than {MAX_HEAD:,} bytes.") from None
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise BadMessage(status, "The head is incomplete.") from None
        raise ConnectionResetError from None
    line, *rest = raw[:-4].split(b"\r\n")
    found = [FIELD.fullmatch(field) for field in rest]
    if not all(found):
        raise BadMessage(status, "A field in the head is malformed.")
    return Head(line, tuple((match[1].lower(), match[2]) for match in found if match))
