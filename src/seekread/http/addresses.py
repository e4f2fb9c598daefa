"""
Which addresses are not the public internet, and why.

IPv4 is a list of what is refused: the IANA special-purpose registry, multicast, the reserved top of the space and
a fabric address that only looks public. IPv6 is the other way round: only 2000::/3 is handed out to the internet,
so everything outside it is refused, and so are the special blocks inside it.

The flags of the `ipaddress` module are not asked. They change between Python releases and call addresses global that
are not, such as 64:ff9b::a9fe:a9fe, 2002:a9fe:a9fe::1 and 224.0.0.1. Only its parser and its containment test are used.

An IPv6 address may carry an IPv4 address inside (translation and tunnels). NAT64 is in daily use and is judged by what
it carries; the other forms are retired or local and are refused whatever they carry.
"""

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NOT_PUBLIC_V4: dict[IPv4Network, str] = {
    IPv4Network(block): why
    for block, why in {
        "0.0.0.0/8": "this network (RFC 791); Linux connects it to the machine itself",
        "10.0.0.0/8": "private network (RFC 1918)",
        "100.64.0.0/10": "shared address space of carriers, overlay networks and container clusters (RFC 6598)",
        "127.0.0.0/8": "loopback (RFC 1122)",
        "168.63.129.16/32": "the platform service of Azure, reachable from its machines only",
        "169.254.0.0/16": "link-local (RFC 3927), home of cloud metadata services",
        "172.16.0.0/12": "private network (RFC 1918)",
        "192.0.0.0/24": "protocol assignments (RFC 6890)",
        "192.0.2.0/24": "documentation (RFC 5737)",
        "192.31.196.0/24": "AS112 anycast (RFC 7535)",
        "192.52.193.0/24": "multicast tunnelling relays (RFC 7450)",
        "192.88.99.0/24": "retired 6to4 relays (RFC 7526)",
        "192.168.0.0/16": "private network (RFC 1918)",
        "192.175.48.0/24": "AS112 direct delegation (RFC 7534)",
        "198.18.0.0/15": "benchmarking (RFC 2544), also handed out by fake-IP resolvers",
        "198.51.100.0/24": "documentation (RFC 5737)",
        "203.0.113.0/24": "documentation (RFC 5737)",
        "224.0.0.0/4": "multicast (RFC 5771)",
        "240.0.0.0/4": "reserved (RFC 1112) and broadcast",
    }.items()
}

PUBLIC_V6 = IPv6Network("2000::/3")
NAT64 = IPv6Network("64:ff9b::/96")

NOT_PUBLIC_V6: dict[IPv6Network, str] = {
    IPv6Network(block): why
    for block, why in {
        "2001::/23": "protocol assignments: Teredo tunnels, benchmarking, identifiers (RFC 2928)",
        "2001:db8::/32": "documentation (RFC 3849)",
        "2002::/16": "6to4 tunnels, retired, may carry any IPv4 address (RFC 7526)",
        "2620:4f:8000::/48": "AS112 direct delegation (RFC 7534)",
        "3ffe::/16": "the closed 6bone test network (RFC 3701)",
        "3fff::/20": "documentation (RFC 9637)",
    }.items()
}
"""Blocks inside 2000::/3 that are not the public internet."""

OUTSIDE_V6: dict[IPv6Network, str] = {
    IPv6Network(block): why
    for block, why in {
        "::/128": "unspecified; Linux connects it to the machine itself",
        "::1/128": "loopback (RFC 4291)",
        "::ffff:0:0/96": "an IPv4 address in IPv6 clothes; write the IPv4 address",
        "::ffff:0:0:0/96": "IPv4-translated (RFC 2765)",
        "::/96": "IPv4-compatible, retired (RFC 4291)",
        "64:ff9b:1::/48": "NAT64 for local use, may carry any IPv4 address (RFC 8215)",
        "100::/64": "discard-only (RFC 6666)",
        "5f00::/16": "segment routing (RFC 9602)",
        "fc00::/7": "private network, unique local (RFC 4193)",
        "fe80::/10": "link-local (RFC 4291)",
        "fec0::/10": "site-local, retired (RFC 3879)",
        "ff00::/8": "multicast (RFC 4291)",
    }.items()
}
"""Reasons for what lies outside 2000::/3, where there is a better one than "not assigned"."""

ISATAP_IDS = frozenset({0x00005EFE, 0x02005EFE})
"""The upper half of an interface id that tunnels to the IPv4 address in the lower half (RFC 5214)."""

LOOPBACK: tuple[Network, ...] = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))

METADATA: dict[Address, str] = {
    ip_address(address): who
    for address, who in {
        "169.254.169.254": "AWS, Google Cloud, Azure, Oracle, DigitalOcean, Hetzner, OpenStack",
        "169.254.170.2": "AWS task credentials",
        "169.254.170.23": "AWS pod identity",
        "169.254.0.23": "Tencent Cloud",
        "169.254.42.42": "Scaleway",
        "168.63.129.16": "Azure platform service",
        "100.100.100.200": "Alibaba Cloud",
        "192.0.0.192": "Oracle Cloud, first generation",
        "fd00:ec2::254": "AWS",
        "fd00:ec2::23": "AWS pod identity",
        "fd20:ce::254": "Google Cloud",
        "fd00:42::42": "Scaleway",
        "fd00:a9fe:a9fe::1": "Akamai (Linode)",
        "fe80::a9fe:a9fe": "OpenStack",
    }.items()
}
"""Services that hand credentials to whoever asks from inside a machine. No setting opens them."""

FAKE_IP: dict[Network, str] = {
    ip_network(block): who
    for block, who in {
        "198.18.0.0/15": "Clash, mihomo, Surge, sing-box, V2Ray",
        "fc00::/18": "sing-box, V2Ray",
        "fdfe:dcba:9876::/64": "mihomo",
    }.items()
}
"""Ranges from which transparent proxies invent an answer for every name, and which of them do by default."""


def why_not_public(address: str) -> str | None:
    """Say why an address is not on the public internet, or `None` when it is."""
    try:
        parsed = ip_address(address)
    except ValueError:
        # A zone id or garbage from a resolver: nothing to dial.
        return "not a plain address"
    return reason(parsed)


def reason(address: Address) -> str | None:
    """The same for a parsed address."""
    if isinstance(address, IPv4Address):
        return next((why for block, why in NOT_PUBLIC_V4.items() if address in block), None)
    if address.scope_id is not None:
        return "bound to one interface of this machine"
    if address in NAT64:
        return reason(IPv4Address(int(address) & 0xFFFF_FFFF))
    if address not in PUBLIC_V6:
        return next((why for block, why in OUTSIDE_V6.items() if address in block), "not assigned to the internet")
    if (int(address) >> 32) & 0xFFFF_FFFF in ISATAP_IDS:
        return "an ISATAP tunnel, may carry any IPv4 address (RFC 5214)"
    return next((why for block, why in NOT_PUBLIC_V6.items() if address in block), None)


def is_metadata(address: str) -> bool:
    """Say whether an address is, or carries, that of a cloud metadata service."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        bare = IPv6Address(int(parsed))
        return bare in METADATA or any(carried in METADATA for carried in carried_v4(bare))
    return parsed in METADATA


def carried_v4(address: IPv6Address) -> Iterator[IPv4Address]:
    """Every IPv4 address that an IPv6 address may carry in one of the known layouts."""
    bits = int(address)
    low, high = bits & 0xFFFF_FFFF, bits >> 96
    if bits >> 32 in {0, 0xFFFF, 0xFFFF_0000} or (bits >> 32) & 0xFFFF_FFFF in ISATAP_IDS:
        yield IPv4Address(low)
    if high == 0x0064_FF9B:
        yield IPv4Address(low)
        # RFC 6052 with a 48-bit prefix: two octets, a zero octet, two octets.
        yield IPv4Address(((bits >> 64) & 0xFFFF) << 16 | (bits >> 40) & 0xFFFF)
    if bits >> 112 == 0x2002:
        yield IPv4Address((bits >> 80) & 0xFFFF_FFFF)
    if high == 0x2001_0000:
        # Teredo: the server in clear, the client with every bit flipped.
        yield IPv4Address((bits >> 64) & 0xFFFF_FFFF)
        yield IPv4Address(low ^ 0xFFFF_FFFF)


def fake_ip_range(address: str) -> str | None:
    """The known fake-IP range an answer comes from, or `None`."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return None
    return next((str(block) for block in FAKE_IP if parsed in block), None)


def contains(networks: Iterable[Network], address: str) -> bool:
    """Whether an address lies in one of the networks."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in networks)
