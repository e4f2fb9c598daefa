"""
Names of hosts: the one place that folds them, reads lists of domains and compares the two.

A name has many spellings: `bücher.de`, `BÜCHER.de.` and `xn--bcher-kva.de` are one site. All of them are brought to the
ASCII that stands on the wire (UTS 46), in one of two ways:

- `fold_host` is strict and refuses rather than repairs. The guard reads the host of a URL with it, and the operator's
  and the caller's lists of domains are read with it, so that a list and a URL cannot mean different hosts.
- `ascii_host` takes whatever a search or a page brought and keeps what is no name as it is. Comparisons use it: a
  result is held back by a list however its host is spelled, even where the guard would refuse to open it.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import unquote, urlsplit

from seekread.errors import Misconfigured

LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
"""A last label like this makes browsers read the whole host as an IPv4 address."""
LONGEST = 253
SECOND_LEVEL = re.compile(r"(co|com|org|net|gov|edu|ac)\.[a-z]{2}$")
"""Where names are registered one level further down."""


PLAIN = re.compile(r"https?://([A-Za-z0-9.-]+)(?=[/?#]|\Z)")
"""How most addresses begin, which nobody reads differently: a whole host without a port, a login or an escape."""


class BadHost(ValueError):
    """What is no host, or what programs read differently; `code` is the guard's word for it."""

    def __init__(self, message: str, code: str = "bad_host") -> None:
        super().__init__(message)
        self.code = code


@lru_cache(maxsize=4096)
def host_of(url: str) -> str:
    """The host of a URL in lower case without a trailing dot, or an empty string."""
    if plain := PLAIN.match(url):
        return plain[1].lower().rstrip(".")
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def source_of(url: str) -> str:
    """The domain shown as a result's source: the host without `www.`."""
    return host_of(url).removeprefix("www.")


def site_of(url: str) -> str:
    """The registrable domain, near enough for counting; addresses that one person can have by the dozen are one."""
    host = ascii_host(host_of(url))
    if is_ip_address(host):
        return str(ip_network((host, 64 if ":" in host else 24), strict=False))
    labels = host.split(".")
    return ".".join(labels[-3:] if SECOND_LEVEL.search(".".join(labels[-2:])) else labels[-2:])


def is_ip_address(host: str) -> bool:
    """Say whether a host is an address instead of a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def matches(host: str, domain: str) -> bool:
    """Say whether a host is a domain or below it, on label boundaries, however both are spelled."""
    wanted = ascii_host(domain.strip().removeprefix("*").strip("."))
    host = ascii_host(host)
    return bool(wanted) and (host == wanted or host.endswith("." + wanted))


def matches_any(host: str, domains: Iterable[str]) -> bool:
    """Say whether a host is, or is below, one of the domains."""
    return any(matches(host, domain) for domain in domains)


def ascii_host(host: str) -> str:
    """The spelling of a host that stands on the wire; what is no valid name stays as it is, in lower case."""
    host = unquote(host) if "%" in host else host
    plain = host.strip().lower().rstrip(".")
    # Every character takes at least one of the 253 that a name may have.
    return plain if plain.isascii() or len(plain) > LONGEST else encoded_name(plain)


@lru_cache(maxsize=1024)
def encoded_name(host: str) -> str:
    """An international name in ASCII, as browsers encode it."""
    import idna

    try:
        labels = idna.uts46_remap(host, std3_rules=False).rstrip(".").split(".")
    except idna.IDNAError:
        return host
    return ".".join(label if label.isascii() else encoded_label(label) for label in labels)


def read_domains(name: str, entries: Iterable[str]) -> tuple[str, ...]:
    """The entries of the setting `name` in the one spelling they are compared in."""
    return tuple(read_domain(name, entry) for entry in entries)


def read_domain(name: str, entry: str) -> str:
    """One entry; `*.example.org` and `.example.org` are written `example.org`."""
    text = entry.strip()
    try:
        # Nothing lies below an address.
        return fold_host(text if "[" in text else text.removeprefix("*").removeprefix("."))
    except BadHost:
        raise Misconfigured(f"{name}: {entry!r} is not a domain. Write example.org, without scheme or path.") from None


BARE = re.compile(r"(?:[\w-]{1,63}\.){1,20}[^\W\d_][\w-]{1,62}\.?(?::\d{1,5})?(?:[/?#]\S{0,2000})?")
"""A domain, perhaps with a port and a path, as people type it."""


def completed(address: str) -> str:
    """The address a person means: what is only a domain, perhaps with a path, is read over https."""
    text = address.strip(" ")
    return f"https://{text}" if BARE.fullmatch(text) else address


def fold_host(text: str) -> str:
    """A host as it may stand in a URL, in its one spelling: a name, an IPv4 address, an IPv6 address in brackets."""
    if text.startswith("[") and text.endswith("]"):
        return fold_v6(text[1:-1])
    # Folding comes first, because full-width digits and ideographic dots become plain ones.
    host = (text.lower() if text.isascii() else fold_unicode(text)).removesuffix(".")
    labels = host.split(".")
    if "%" in host or not all(labels):
        raise BadHost("The URL has no host, or one with an empty part or a percent sign.")
    if NUMBER.fullmatch(labels[-1]) or decoded_label(labels[-1]).isdigit():
        return fold_v4(host if text.isascii() else text)
    labels = [fold_label(label) for label in labels]
    host = ".".join(labels)
    if len(host) > LONGEST or not all(map(LABEL.fullmatch, labels)):
        raise BadHost("The host is not a valid name: letters, digits and inner hyphens, 63 per part.")
    return host


def fold_v6(text: str) -> str:
    """An IPv6 address in its shortest spelling; a zone means something on one machine only."""
    try:
        address = IPv6Address(text)
    except AddressValueError:
        address = None
    if address is None or address.scope_id:
        raise BadHost("What stands in brackets is not an IPv6 address.")
    return str(address)


def fold_v4(text: str) -> str:
    """An IPv4 address; only four plain decimal numbers mean the same to every program."""
    try:
        return str(IPv4Address(text))
    except AddressValueError:
        message = "The host is a number that programs read differently. Write it as a.b.c.d."
        raise BadHost(message, code="ambiguous_address") from None


def fold_unicode(text: str) -> str:
    """Map an international name; characters that would vanish are refused, not dropped."""
    import idna

    try:
        if not all(idna.uts46_remap(character, std3_rules=False) for character in text):
            raise BadHost("The host contains an invisible character.", code="bad_character")
        return idna.uts46_remap(text, std3_rules=False)
    except idna.IDNAError:
        raise BadHost("The host contains a character that no name may contain.") from None


def fold_label(label: str) -> str:
    """One label in ASCII. A label that claims to be encoded already must decode to what would be encoded so."""
    plain = decoded_label(label)
    if plain.isascii() and not label.startswith("xn--"):
        return label
    encoded = encoded_label(plain)
    if not is_international(plain) or (label.isascii() and encoded != label):
        raise BadHost("The host has an international part that is not valid.")
    return encoded


def encoded_label(label: str) -> str:
    """A label with characters beyond ASCII, in ASCII."""
    return "xn--" + label.encode("punycode").decode("ascii")


def decoded_label(label: str) -> str:
    """A label in Unicode."""
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except ValueError:
        raise BadHost("The host has a part that begins with xn-- and cannot be decoded.") from None


def is_international(label: str) -> bool:
    """The checks browsers make on a label with characters beyond ASCII (UTS 46, section 4.1)."""
    import idna

    if label.isascii():
        return False
    try:
        return (
            idna.uts46_remap(label, std3_rules=False) == label
            and idna.check_initial_combiner(label)
            and idna.check_bidi(label)
            and all(idna.valid_contextj(label, at) for at, character in enumerate(label) if character in "\u200c\u200d")
        )
    except ValueError:
        return False
