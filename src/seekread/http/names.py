"""
Which host names never belong to the public internet, and why.

Every answer of the resolver is judged as well; a name is refused before it is looked up because a lookup alone can
tell somebody something, and because some of these names mean another machine on every network.
"""

METADATA_NAMES: dict[str, str] = {
    "instance-data": "AWS",
    "instance-data.ec2.internal": "AWS",
    "metadata": "Google Cloud",
    "metadata.goog": "Google Cloud",
    "metadata.google.internal": "Google Cloud",
    "metadata.azure.internal": "Azure",
    "metadata.exoscale.com": "Exoscale",
    "metadata.packet.net": "Equinix Metal",
    "metadata.platformequinix.com": "Equinix Metal",
    "metadata.tencentyun.com": "Tencent Cloud",
    "rancher-metadata": "Rancher",
}
"""Names of cloud metadata services. No setting opens them."""

LOCAL_SUFFIXES: dict[str, str] = {
    "localhost": "always means this machine (RFC 6761)",
    "localdomain": "means this machine in many hosts files",
    "local": "found by multicast on the local link (RFC 6762)",
    "internal": "reserved for private networks by ICANN",
    "intranet": "used inside companies (RFC 6762, appendix G)",
    "private": "used inside companies (RFC 6762, appendix G)",
    "corp": "used inside companies, never to be delegated",
    "home": "used inside homes, never to be delegated",
    "mail": "used inside companies, never to be delegated",
    "lan": "used inside homes (RFC 6762, appendix G)",
    "localnet": "used on local networks",
    "domain": "used on local networks",
    "workgroup": "used on local networks",
    "router": "used by home routers",
    "home.arpa": "home networks (RFC 8375)",
    "arpa": "plumbing of the internet: a lookup there asks a network about itself (RFC 3172)",
    "test": "reserved for testing (RFC 6761)",
    "invalid": "reserved, never resolves (RFC 6761)",
    "example": "reserved for documentation (RFC 6761)",
    "onion": "lives in Tor, not in DNS (RFC 7686)",
    "alt": "lives outside DNS (RFC 9476)",
    "i2p": "lives in I2P, not in DNS",
    "svc": "services of a Kubernetes cluster",
    "pod": "pods of a Kubernetes cluster",
    "cluster": "names of a container cluster",
    "default": "services in a Kubernetes namespace",
    "kube-system": "services in a Kubernetes namespace",
    "docker": "containers of Docker",
    "consul": "services of Consul",
    "nomad": "services of Nomad",
    "fuf.me": "a public name for loopback",
    "lacolhost.com": "a public name for loopback",
    "localh.st": "a public name for loopback",
    "localho.st": "a public name for loopback",
    "localtest.me": "a public name for loopback",
    "lvh.me": "a public name for loopback",
    "vcap.me": "a public name for loopback",
}
"""A name that is one of these, or ends in one, is not looked up; the longest that fits gives the reason."""


def metadata_of(host: str) -> str | None:
    """Whose metadata service a name belongs to, or `None`."""
    return METADATA_NAMES.get(host)


def why_local(host: str) -> str | None:
    """Say why a name (lower case, without a trailing dot) is not a public one, or `None` when it may be."""
    labels = host.split(".")
    for first in range(len(labels)):
        if why := LOCAL_SUFFIXES.get(".".join(labels[first:])):
            return why
    return "a single word is completed by the local network" if len(labels) == 1 else None
