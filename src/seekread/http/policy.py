"""What the operator allows beyond, or below, the guard's defaults, read from the settings and checked."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import ip_network

from seekread.errors import Misconfigured, Refused
from seekread.hostnames import is_ip_address
from seekread.http.addresses import Network
from seekread.http.target import fold_host, parse_port, parse_v6

WEB_PORTS = frozenset({80, 443, 8000, 8008, 8080, 8081, 8443, 8888})


@dataclass(frozen=True)
class GuardPolicy:
    """
    What the operator allows beyond, or below, the defaults.

    Domains match exactly or below, on label boundaries; an empty `allowed_domains` allows every domain.
    `fake_ip_ranges` are those from which the operator's own transparent proxy answers for every name.
    """

    allow_private: tuple[str, ...] = ()
    ports: frozenset[int] = WEB_PORTS
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    fake_ip_ranges: tuple[str, ...] = ()
    proxy: str | None = field(default=None, repr=False)


def read_allow_private(entries: Iterable[str]) -> tuple[frozenset[tuple[str, int]], tuple[Network, ...]]:
    """Sort the entries of `allow_private` into endpoints and networks."""
    endpoints: set[tuple[str, int]] = set()
    networks: list[Network] = []
    for entry in entries:
        text = entry.strip()
        if "/" in text or is_ip_address(text):
            networks.extend(read_networks("allow_private", [text]))
        else:
            endpoints.add(read_endpoint(text))
    return frozenset(endpoints), tuple(networks)


def read_endpoint(text: str) -> tuple[str, int]:
    """Read `host:port`, with the host folded as in URLs."""
    host, _, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    try:
        # A missing port is made a malformed one: it must not become the default.
        return (parse_v6(host[1:-1]) if bracketed else fold_host(host)[0]), parse_port(port or "none", "http")
    except Refused:
        raise Misconfigured(
            f"allow_private: {text!r} is neither host:port (localhost:8080, [::1]:8080) nor a network (10.0.0.0/8)."
        ) from None


def read_networks(name: str, entries: Iterable[str]) -> tuple[Network, ...]:
    """Read networks in CIDR notation."""
    return tuple(read_network(name, entry.strip()) for entry in entries)


def read_network(name: str, text: str) -> Network:
    """Read one network; host bits that are set are a mistake worth telling."""
    try:
        return ip_network(text)
    except ValueError as error:
        raise Misconfigured(f"{name}: {error}. Write a network such as 10.0.0.0/8 or fd00::/8.") from None


def read_domains(name: str, entries: Iterable[str]) -> tuple[str, ...]:
    """Fold the entries of a domain list as hosts in URLs are folded."""
    return tuple(read_domain(name, entry) for entry in entries)


def read_domain(name: str, entry: str) -> str:
    """Fold one entry; `*.example.org` and `.example.org` are written `example.org`."""
    text = entry.strip()
    try:
        bracketed = text.startswith("[") and text.endswith("]")
        return parse_v6(text[1:-1]) if bracketed else fold_host(text.removeprefix("*").removeprefix("."))[0]
    except Refused:
        raise Misconfigured(f"{name}: {entry!r} is not a domain. Write example.org, without scheme or path.") from None
