"""What the operator allows beyond, or below, the guard's defaults, read from the settings and checked."""

from collections.abc import Iterable
from dataclasses import field
from ipaddress import ip_network

from seekread.errors import Misconfigured, Refused
from seekread.hostnames import BadHost, fold_host, is_ip_address
from seekread.http.addresses import Network
from seekread.http.target import parse_port
from seekread.late import dataclass

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
    ca_file: str | None = None
    """Certificates to trust besides the system's, where the proxy looks into TLS."""


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
    try:
        # A missing port is made a malformed one: it must not become the default.
        return fold_host(host), parse_port(port or "none", "http")
    except (BadHost, Refused):
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
