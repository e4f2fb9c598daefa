"""
Hosts and domains: one way to name the source of a URL and one way to match it against a list.

A name has many spellings: `bücher.de`, `BÜCHER.de.` and `xn--bcher-kva.de` are one site. Both sides of a comparison are
brought to ASCII, so that no spelling gets around a list.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import unquote, urlsplit

from seekread.errors import Misconfigured

LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
"""A last label like this makes the whole host an IPv4 address."""
LONGEST = 253


def host_of(url: str) -> str:
    """The host of a URL in lower case without a trailing dot, or an empty string."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def source_of(url: str) -> str:
    """The domain shown as a result's source: the host without `www.`."""
    return host_of(url).removeprefix("www.")


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
    return plain if plain.isascii() or len(plain) > LONGEST else encoded(plain)


@lru_cache(maxsize=1024)
def encoded(host: str) -> str:
    """An international name as browsers encode it (UTS 46)."""
    import idna

    try:
        labels = idna.uts46_remap(host, std3_rules=False).rstrip(".").split(".")
    except idna.IDNAError:
        return host
    return ".".join(label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in labels)


def read_domains(name: str, entries: Iterable[str]) -> tuple[str, ...]:
    """The entries of the setting `name` in the one spelling they are compared in."""
    return tuple(read_domain(name, entry) for entry in entries)


def read_domain(name: str, entry: str) -> str:
    """One entry; `*.example.org` and `.example.org` are written `example.org`. The guard reads its lists alike."""
    text = entry.strip()
    try:
        if text.startswith("[") and text.endswith("]"):
            return str(IPv6Address(text[1:-1]))
        return valid_host(text.removeprefix("*").removeprefix("."))
    except ValueError:
        raise Misconfigured(f"{name}: {entry!r} is not a domain. Write example.org, without scheme or path.") from None


def valid_host(text: str) -> str:
    """A host in ASCII, or a `ValueError` for what is no host or what programs read differently."""
    folded = text.lower() if text.isascii() else mapped(text)
    host = folded.removesuffix(".")
    labels = host.split(".")
    if NUMBER.fullmatch(labels[-1]) or decoded(labels[-1]).isdigit():
        if not text.isascii():
            raise ValueError("digits that are not plain")
        return str(IPv4Address(host))
    ascii_labels = [valid_label(label) for label in labels]
    host = ".".join(ascii_labels)
    if len(host) > LONGEST or not all(map(LABEL.fullmatch, ascii_labels)):
        raise ValueError("not a name")
    return host


def mapped(text: str) -> str:
    """An international name in the characters it is compared in; none of them may vanish on the way."""
    import idna

    if not all(idna.uts46_remap(character, std3_rules=False) for character in text):
        raise ValueError("an invisible character")
    return idna.uts46_remap(text, std3_rules=False)


def valid_label(label: str) -> str:
    """One label in ASCII; one that is encoded already must be encoded as we would."""
    plain = decoded(label)
    if plain.isascii() and not label.startswith("xn--"):
        return label
    again = "xn--" + plain.encode("punycode").decode("ascii")
    if not is_international(plain) or (label.isascii() and again != label):
        raise ValueError("not a valid international label")
    return again


def decoded(label: str) -> str:
    """A label in Unicode."""
    return label[4:].encode("ascii").decode("punycode") if label.startswith("xn--") else label


def is_international(label: str) -> bool:
    """The checks browsers make on a label with characters beyond ASCII (UTS 46, section 4.1)."""
    import idna

    if not label or label.isascii():
        return False
    joiners = [at for at, character in enumerate(label) if character in "\u200c\u200d"]
    return (
        idna.uts46_remap(label, std3_rules=False) == label
        and idna.check_initial_combiner(label)
        and idna.check_bidi(label)
        and all(idna.valid_contextj(label, at) for at in joiners)
    )
