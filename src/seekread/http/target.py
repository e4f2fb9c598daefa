"""
One strict parser for URLs that a model chose. It refuses rather than repairs.

Two parsers that disagree on the host of a URL are the oldest way past a guard. So whatever browsers, RFC 3986 and
the HTTP client could read differently is refused: credentials, backslashes, control characters, spaces, percent signs
in the host, invisible characters, short, octal or hexadecimal addresses, zone ids. What is left is written again from
its parts, and only that text is passed on. Of two spellings that mean the same everywhere (upper case, international
names, a root dot, the default port) the plain one is written.
"""

import re
from functools import lru_cache
from urllib.parse import quote

from seekread.errors import Malformed
from seekread.hostnames import BadHost, completed, fold_host, is_ip_address
from seekread.late import dataclass
from seekread.page.invisible import is_unseen

DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_LENGTH = 8_192
"""Characters. Servers take no more, and what is longer carries a message rather than naming a page."""

FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")
WORDS = {" ": "a space (%20)", "\\": "a backslash (%5C)", "\n": "a line break", "\t": "a tab"}
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
HIERARCHY = re.compile(r"//([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]*)(?::(.*))?", re.DOTALL)
PORT = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)

PATH_SAFE = "!$%&'()*+,/:;=@[]|~"
QUERY_SAFE = "!$%&()*+,/:;=?@[]^`{|}~"
FRAGMENT_SAFE = "!#$%&'()*+,/:;=?@[]^{|}~"
"""What browsers leave as it is in each part; the rest is percent-encoded as UTF-8."""


@dataclass(frozen=True)
class Target:
    """
    A URL taken apart. `host` is ASCII, lower case and without brackets; `path` includes the query.

    `url` is written again from the parts; `literal` says that the host is an address.
    """

    url: str
    scheme: str
    host: str
    port: int
    path: str
    fragment: str = ""
    literal: bool = False

    @property
    def authority(self) -> str:
        """Host and port as the `Host` header has them: the default port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def endpoint(self) -> str:
        """Host and port, always with the port, as entries of `allow_private` are written."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@lru_cache(maxsize=128)
def parse(url: str) -> Target:
    """Take a URL apart, or raise `Malformed` with a stable code; several steps on the way to one page ask for it."""
    text = url.strip(" ")
    if len(text) > MAX_LENGTH:
        raise Malformed("too_long", f"The URL is longer than {MAX_LENGTH:,} characters.")
    scheme, rest = split_scheme(text)
    refuse_odd_characters(text)
    parts = HIERARCHY.fullmatch(rest)
    if parts is None:
        raise Malformed("not_absolute", f"A URL begins with {scheme}:// and a host; this one does not.")
    authority, path, query, fragment = (part or "" for part in parts.groups())
    host, literal, port = parse_authority(authority, scheme)
    path = quote(path or "/", safe=PATH_SAFE) + quote(query, safe=QUERY_SAFE)
    fragment = quote(fragment.removeprefix("#"), safe=FRAGMENT_SAFE)
    bare = Target("", scheme, host, port, path, fragment, literal)
    written = f"{scheme}://{bare.authority}{path}" + (f"#{fragment}" if fragment else "")
    return Target(written, scheme, host, port, path, fragment, literal)


def split_scheme(text: str) -> tuple[str, str]:
    """The scheme in lower case and what follows its colon; only http and https pass."""
    found = SCHEME.match(text)
    if (whole := completed(text)) != text:
        # A host before a port looks like a scheme.
        code = "bad_scheme" if found else "not_absolute"
        raise Malformed(code, f"The address has no scheme. Send {whole} instead.")
    if found is None:
        raise Malformed("not_absolute", "This is not an absolute URL. Send one that begins with https:// or http://.")
    scheme = found[1].lower()
    if scheme not in DEFAULT_PORTS:
        raise Malformed("bad_scheme", f"Only http and https pages can be opened, not {scheme!r}.")
    return scheme, text[found.end() :]


def refuse_odd_characters(text: str) -> None:
    """Refuse what parsers drop, repair or show differently from what it is."""
    if found := FORBIDDEN.search(text):
        what = WORDS.get(found[0], f"the character U+{ord(found[0]):04X}")
        raise Malformed("bad_character", f"The URL contains {what}, which must be percent-encoded or left out.")
    if not text.isascii() and (unseen := next(filter(is_unseen, text), "")):
        raise Malformed("bad_character", f"The URL contains the invisible character U+{ord(unseen):04X}.")


def parse_authority(authority: str, scheme: str) -> tuple[str, bool, int]:
    """Host, whether it is an address, and port."""
    if "@" in authority:
        raise Malformed("credentials", "The URL carries a user name or password before an @. Send it without.")
    parts = AUTHORITY.fullmatch(authority)
    if parts is None:
        raise Malformed("bad_host", "The host of the URL is malformed.")
    port = parse_port(parts[2], scheme)
    try:
        host = fold_host(parts[1])
    except BadHost as error:
        raise Malformed(error.code, str(error)) from None
    return host, is_ip_address(host), port


def parse_port(text: str | None, scheme: str) -> int:
    """A plain decimal port; none, or an empty one, is the scheme's own."""
    if not text:
        return DEFAULT_PORTS[scheme]
    if not PORT.fullmatch(text) or int(text) > 65_535:
        raise Malformed("bad_port", "The port is not a plain number from 1 to 65535.")
    return int(text)
