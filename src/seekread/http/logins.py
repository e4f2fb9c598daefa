"""
Headers that open pages behind a login: the operator's, for exact origins, and for nobody else.

They travel with the address that was asked for and with redirects inside its own origin. A redirect that leaves the
origin loses them for good, also when it comes back: what another site leads to is that site's wish. The origin is
scheme, host and port, so neither a host below nor plain HTTP nor another port is meant. A model cannot name any.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from urllib.parse import urlsplit

from seekread.errors import Misconfigured
from seekread.hostnames import BadHost, fold_host
from seekread.http.target import DEFAULT_PORTS, Target
from seekread.late import dataclass
from seekread.secret import SecretStr

WebOrigin = tuple[str, str, int]
"""Scheme, host and port."""
NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]{1,8000}")
RESERVED = frozenset(
    {"accept-encoding", "connection", "content-length", "expect", "host", "if-modified-since", "if-none-match", "range",
     "te", "transfer-encoding", "upgrade"}
)  # fmt: skip
"""Headers that belong to the connection or to the cache."""
PARTS = re.compile(r"[\s;,=]+")
SHORTEST_PART = 8


@dataclass(frozen=True)
class PageLogins:
    """The headers of each origin."""

    headers: Mapping[WebOrigin, Mapping[str, SecretStr]] = field(default_factory=dict)

    @classmethod
    def read(cls, setting: Mapping[str, Mapping[str, SecretStr]]) -> "PageLogins":
        """The setting `page_headers`, checked."""
        found = {origin_in(entry): checked(entry, headers) for entry, headers in setting.items()}
        if len(found) < len(setting):
            raise Misconfigured("page_headers under [read] names an origin twice")
        return cls(found)

    def headers_for(self, target: Target) -> dict[str, str]:
        """What travels with a request for this address, in the clear; nothing for most."""
        held = self.headers.get(origin_of(target), {})
        return {name: value.get_secret_value() for name, value in held.items()}

    def secrets(self) -> Iterator[str]:
        """Every value, and the long parts of it, for comparing only."""
        for headers in self.headers.values():
            for value in headers.values():
                text = value.get_secret_value()
                yield text
                yield from (part for part in PARTS.split(text) if len(part) >= SHORTEST_PART)

    def identity(self) -> list[list[str]]:
        """What makes pages read with them other pages; to be hashed, never shown."""
        return [
            [*map(str, origin), name, value.get_secret_value()]
            for origin, headers in sorted(self.headers.items())
            for name, value in sorted(headers.items(), key=lambda item: item[0])
        ]


def origin_of(target: Target) -> WebOrigin:
    """The origin of an address."""
    return target.scheme, target.host, target.port


def origin_in(entry: str) -> WebOrigin:
    """The origin that a setting names: a bare host is meant over https."""
    try:
        parts = urlsplit(entry if "://" in entry else f"https://{entry}")
        if parts.scheme in DEFAULT_PORTS and not (
            parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
        ):
            host = fold_host(f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or "")
            return parts.scheme, host, parts.port or DEFAULT_PORTS[parts.scheme]
    except (ValueError, BadHost):
        pass
    raise Misconfigured(
        f"page_headers: {entry!r} is no origin. Write wiki.example.org or http://wiki.example.org:8080; "
        "every host needs an entry of its own"
    )


def checked(entry: str, headers: Mapping[str, SecretStr]) -> dict[str, SecretStr]:
    """Headers that may be sent; a value is never repeated in an error."""
    for name, value in headers.items():
        if not NAME.fullmatch(name) or name.lower() in RESERVED:
            raise Misconfigured(f"page_headers for {entry}: {name!r} cannot be set")
        if not VALUE.fullmatch(value.get_secret_value()):
            raise Misconfigured(f"page_headers for {entry}: the value of {name} is empty or no value of a header")
    return {name.lower(): value for name, value in headers.items()}
