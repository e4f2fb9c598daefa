"""
One strict parser for URLs that a model chose. It refuses rather than repairs.

Two parsers that disagree on the host of a URL are the oldest way past a guard. So whatever browsers, RFC 3986 and
the HTTP client could read differently is refused: credentials, backslashes, control characters, spaces, percent signs
in the host, invisible characters, short, octal or hexadecimal addresses, zone ids. What is left is written again from
its parts, and only that text is passed on. Of two spellings that mean the same everywhere (upper case, international
names, a root dot, the default port) the plain one is written.
"""

import re
import unicodedata
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import quote

from seekread.errors import Refused

DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_LENGTH = 16_384

FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")
WORDS = {" ": "a space (%20)", "\\": "a backslash (%5C)", "\n": "a line break", "\t": "a tab"}
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
HIERARCHY = re.compile(r"//([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
BRACKETED = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::(.*))?", re.DOTALL)
NAMED = re.compile(r"([^:\[\]]*)(?::(.*))?", re.DOTALL)
PORT = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
QUAD = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.|$)){4}", re.ASCII)
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
"""A last label like this makes browsers read the whole host as an IPv4 address."""
LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)

JOINERS = "\u200c\u200d"
INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"})
"""Categories of characters that cannot be seen, or that turn the text around them."""

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


def parse(url: str) -> Target:
    """Take a URL apart, or raise `Refused` with a stable code."""
    text = url.strip(" ")
    if len(text) > MAX_LENGTH:
        raise Refused("too_long", f"The URL is longer than {MAX_LENGTH:,} characters.")
    scheme, rest = split_scheme(text)
    refuse_odd_characters(text)
    parts = HIERARCHY.fullmatch(rest)
    if parts is None:
        raise Refused("not_absolute", f"A URL begins with {scheme}:// and a host; this one does not.")
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
    if found is None:
        raise Refused("not_absolute", "This is not an absolute URL. Send one that begins with https:// or http://.")
    scheme = found[1].lower()
    if scheme not in DEFAULT_PORTS:
        raise Refused("bad_scheme", f"Only http and https pages can be opened, not {scheme!r}.")
    return scheme, text[found.end() :]


def refuse_odd_characters(text: str) -> None:
    """Refuse what parsers drop, repair or show differently from what it is."""
    if found := FORBIDDEN.search(text):
        what = WORDS.get(found[0], f"the character U+{ord(found[0]):04X}")
        raise Refused("bad_character", f"The URL contains {what}, which must be percent-encoded or left out.")
    if text.isascii():
        return
    for character in text:
        if character not in JOINERS and unicodedata.category(character) in INVISIBLE:
            raise Refused("bad_character", f"The URL contains the invisible character U+{ord(character):04X}.")


def parse_authority(authority: str, scheme: str) -> tuple[str, bool, int]:
    """Host, whether it is an address, and port."""
    if "@" in authority:
        raise Refused("credentials", "The URL carries a user name or password before an @. Send it without.")
    bracketed = authority.startswith("[")
    parts = (BRACKETED if bracketed else NAMED).fullmatch(authority)
    if parts is None:
        raise Refused("bad_host", "The host of the URL is malformed.")
    port = parse_port(parts[2], scheme)
    host, literal = (parse_v6(parts[1]), True) if bracketed else fold_host(parts[1])
    return host, literal, port


def parse_port(text: str | None, scheme: str) -> int:
    """A plain decimal port; none, or an empty one, is the scheme's own."""
    if not text:
        return DEFAULT_PORTS[scheme]
    if not PORT.fullmatch(text) or int(text) > 65_535:
        raise Refused("bad_port", "The port is not a plain number from 1 to 65535.")
    return int(text)


def parse_v6(text: str) -> str:
    """An IPv6 address in its shortest spelling."""
    try:
        return str(IPv6Address(text))
    except AddressValueError:
        raise Refused("bad_host", "What stands in brackets is not an IPv6 address.") from None


def fold_host(text: str) -> tuple[str, bool]:
    """
    Fold a host as browsers do (UTS 46) and say whether it is an IPv4 address.

    Folding comes first, because full-width digits and ideographic dots become plain ones.
    """
    folded = text.lower() if text.isascii() else fold_unicode(text)
    host = folded.removesuffix(".")
    labels = host.split(".")
    if not host or "%" in host or not all(labels):
        raise Refused("bad_host", "The URL has no host, or one with an empty part or a percent sign.")
    if NUMBER.fullmatch(labels[-1]) or decode_label(labels[-1]).isdigit():
        if not text.isascii() or not QUAD.fullmatch(host):
            raise Refused(
                "ambiguous_address", "The host is a number that programs read differently. Write it as a.b.c.d."
            )
        return str(IPv4Address(host)), True
    ascii_labels = [encode_label(label) for label in labels]
    host = ".".join(ascii_labels)
    if len(host) > 253 or not all(LABEL.fullmatch(label) for label in ascii_labels):
        raise Refused("bad_host", "The host is not a valid name: letters, digits and inner hyphens, 63 per part.")
    return host, False


def fold_unicode(text: str) -> str:
    """Map an international name; characters that would vanish are refused, not dropped."""
    import idna

    try:
        if any(not idna.uts46_remap(character, std3_rules=False) for character in text):
            raise Refused("bad_character", "The host contains an invisible character.")
        return idna.uts46_remap(text, std3_rules=False)
    except idna.IDNAError:
        raise Refused("bad_host", "The host contains a character that no name may contain.") from None


def encode_label(label: str) -> str:
    """One label in ASCII. A label that claims to be encoded already must decode to what would be encoded so."""
    plain = decode_label(label)
    if plain.isascii() and not label.startswith("xn--"):
        return label
    encoded = "xn--" + plain.encode("punycode").decode("ascii")
    if not is_valid_international(plain) or (label.isascii() and encoded != label):
        raise Refused("bad_host", "The host has an international part that is not valid.")
    return encoded


def decode_label(label: str) -> str:
    """A label in Unicode."""
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except ValueError:
        raise Refused("bad_host", "The host has a part that begins with xn-- and cannot be decoded.") from None


def is_valid_international(label: str) -> bool:
    """The checks browsers make on a label with characters beyond ASCII (UTS 46, section 4.1)."""
    import idna

    if label.isascii() or not label:
        return False
    try:
        return (
            idna.uts46_remap(label, std3_rules=False) == label
            and idna.check_initial_combiner(label)
            and idna.check_bidi(label)
            and all(idna.valid_contextj(label, at) for at, character in enumerate(label) if character in JOINERS)
        )
    except (idna.IDNAError, ValueError):
        return False
