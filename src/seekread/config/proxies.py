"""The proxies an environment names: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and the exceptions in `NO_PROXY`."""

import re
from collections.abc import Mapping
from ipaddress import ip_network

SCHEMES = ("http", "https", "all")
HOST = re.compile(r"\.?[\w-]+(\.[\w-]+)*(:\d{1,5})?")


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
