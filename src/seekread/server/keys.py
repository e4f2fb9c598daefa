"""
Where clients put their key, and how it is found there.

A token of this service travels wherever the client of a vendor would put that vendor's key. What is found is compared
with the tokens and forgotten: it is never part of a message, a log or a label.
"""

import base64
import binascii
import json
from typing import Any, ClassVar

from starlette.datastructures import Headers

from seekread.late import dataclass


@dataclass(frozen=True)
class KeyPlace:
    """A place a request may carry its key in; an empty text means that there is none."""

    challenge: ClassVar[str] = ""
    """The scheme as `WWW-Authenticate` names it, where it is one."""
    in_body: ClassVar[bool] = False
    """Whether the body has to be read to find it."""

    @property
    def hint(self) -> str:
        """How to send it, for whoever did not."""
        return ""

    def of_headers(self, _headers: Headers) -> str:
        """The key in the head of a request."""
        return ""

    def of_body(self, _body: bytes) -> str:
        """The key in the body of a request."""
        return ""


@dataclass(frozen=True)
class BearerKey(KeyPlace):
    """`Authorization: Bearer <key>`."""

    challenge: ClassVar[str] = 'Bearer realm="seekread"'

    @property
    def hint(self) -> str:
        return "`Authorization: Bearer <token>`"

    def of_headers(self, headers: Headers) -> str:
        return authorization(headers, "bearer")


@dataclass(frozen=True)
class BasicKey(KeyPlace):
    """The password of Basic auth, with any name before it: what an address with `name:key@` becomes."""

    challenge: ClassVar[str] = 'Basic realm="seekread"'

    @property
    def hint(self) -> str:
        return "the token as the password of Basic auth"

    def of_headers(self, headers: Headers) -> str:
        try:
            pair = base64.b64decode(authorization(headers, "basic"), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return ""
        return pair.partition(":")[2]


@dataclass(frozen=True)
class HeaderKey(KeyPlace):
    """A header of its own, such as `X-API-KEY`."""

    name: str

    @property
    def hint(self) -> str:
        return f"`{self.name}: <token>`"

    def of_headers(self, headers: Headers) -> str:
        return headers.get(self.name, "").strip()


@dataclass(frozen=True)
class FieldKey(KeyPlace):
    """A field of the JSON body, such as `api_key`."""

    name: str

    in_body: ClassVar[bool] = True

    @property
    def hint(self) -> str:
        return f"the token as `{self.name}` in the body"

    def of_body(self, body: bytes) -> str:
        try:
            sent: Any = json.loads(body)
        except (ValueError, RecursionError):
            return ""
        found = sent.get(self.name) if isinstance(sent, dict) else None
        return found.strip() if isinstance(found, str) else ""


def authorization(headers: Headers, scheme: str) -> str:
    """What stands behind a scheme in the Authorization header."""
    named, _, value = headers.get("authorization", "").partition(" ")
    return value.strip() if named.lower() == scheme else ""
