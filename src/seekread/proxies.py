"""
The proxies an environment names: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and the exceptions in `NO_PROXY`.

They are kept by the addresses they are for: `https://`, `all://*example.org`, `all://localhost:8080`,
`all://10.0.0.0/8`. A star stands for the name and what is below it, a star and a dot only for what is below it.
"""

import re
from collections.abc import Mapping
from ipaddress import ip_address, ip_network

SCHEMES = ("http", "https", "all")
HOST = re.compile(r"\.?[\w-]+(\.[\w-]+)*(:\d{1,5})?")
PATTERN = re.compile(r"(\w+)://(\[[^]]*\]|[^]:/[]*)(?::(\d+))?(?:/(\d*))?")
"""Scheme, host, port and length of a network, of the addresses a proxy is for."""


def proxies(environ: Mapping[str, str]) -> dict[str, str | None]:
    """The proxy of each kind of address, such as `https://` or `all://*example.org`; `None` means without one."""
    named = {f"{scheme}://": with_scheme(url) for scheme in SCHEMES if (url := proxy_of(scheme, environ))}
    exceptions = [host.strip() for host in value_of("no_proxy", environ).split(",")]
    if not named or "*" in exceptions:
        return {}
    return named | {pattern: None for host in exceptions if (pattern := pattern_of(host))}


def proxy_of(scheme: str, environ: Mapping[str, str]) -> str:
    # Under CGI anybody can set HTTP_PROXY: a request's header `Proxy` becomes a variable of that name.
    if scheme == "http" and "REQUEST_METHOD" in environ:
        return environ.get("http_proxy", "")
    return value_of(f"{scheme}_proxy", environ)


def value_of(name: str, environ: Mapping[str, str]) -> str:
    """A variable in lower case, which wins even when it is empty, or in upper case."""
    return environ.get(name, environ.get(name.upper(), ""))


def with_scheme(url: str) -> str:
    return url if "://" in url else f"http://{url}"


def pattern_of(host: str) -> str | None:
    """
    The addresses one exception stands for; `None` when it makes no sense.

    A name stands for itself and what is below it, a name with a leading dot only for what is below it; `localhost`
    and addresses stand for themselves alone, networks for the addresses in them.
    """
    if "://" in host:
        return host
    if network := network_of(host):
        return f"all://{network}"
    if not HOST.fullmatch(host := host.removeprefix("*")):
        return None
    return f"all://{host}" if host.lower() == "localhost" else f"all://*{host}"


def network_of(host: str) -> str | None:
    """An address or a network as it stands in an address."""
    try:
        network = ip_network(host.replace("[", "").replace("]", ""), strict=False)
    except ValueError:
        return None
    address = f"[{network.network_address}]" if network.version == 6 else str(network.network_address)
    return address if network.prefixlen == network.max_prefixlen else f"{address}/{network.prefixlen}"


def proxy_for(named: Mapping[str, str | None], scheme: str, host: str, port: int) -> str | None:
    """The proxy an address uses: what was said most precisely counts."""
    fitting = [pattern for pattern in named if fits(pattern.lower(), scheme, host, port)]
    return named[max(fitting, key=preciseness)] if fitting else None


def fits(pattern: str, scheme: str, host: str, port: int) -> bool:
    """Say whether an address is one of those a pattern stands for."""
    parts = PATTERN.fullmatch(pattern)
    if parts is None or parts[1] not in {"all", scheme} or parts[3] not in {None, str(port)}:
        return False
    wanted = parts[2].strip("[]")
    if parts[4]:
        return within(host, f"{wanted}/{parts[4]}")
    if not wanted.startswith("*"):
        return wanted in {"", host}
    below = wanted.removeprefix("*").removeprefix(".")
    return not below or host.endswith(f".{below}") or wanted == f"*{host}"


def within(host: str, network: str) -> bool:
    """Say whether a host is an address of a network."""
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False


def preciseness(pattern: str) -> tuple[bool, int, bool]:
    """A port says more than a host, a long host more than a short one, and any host more than a scheme."""
    parts = PATTERN.fullmatch(pattern)
    return (False, 0, False) if parts is None else (parts[3] is not None, len(parts[2]), parts[1] != "all")
