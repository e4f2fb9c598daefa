"""
Where a request comes from: the Host it names and the Origin of the page that sent it.

A page in somebody's browser must not reach a service on that person's machine: not through a name of its own that
resolves to loopback (Host), and not by a request of its own (Origin, Sec-Fetch-Site).
"""

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from seekread.hostnames import is_ip_address
from seekread.server.problems import rejected

LOOPBACK_NAMES = frozenset({"localhost", "localhost.localdomain", "ip6-localhost"})


class Visitors:
    """
    Which Host and Origin are answered.

    allowed_hosts: further names, with a port or for all of them
    for_programs: addresses that programs use; a link on somebody's page has no business there
    neighbours: whether pages under the same names at other ports are trusted, as those of local programs are
    """

    def __init__(
        self,
        host: str,
        *,
        allowed_hosts: Iterable[str] = (),
        allowed_origins: Iterable[str] = (),
        for_programs: Iterable[str] = (),
        neighbours: bool = False,
    ) -> None:
        self._loopback = is_loopback(host)
        self._hosts = {name.lower().strip("[]") for name in (host, *allowed_hosts)}
        self._origins = {origin.lower().rstrip("/") for origin in allowed_origins}
        self._for_programs = tuple(for_programs)
        self._neighbours = neighbours

    def check(self, scope: Scope) -> None:
        """Turn a request away that names another host or comes from another site's page."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self.knows(host):
            raise rejected(
                421, "unknown_host", f"This service does not answer to {host[:100]!r}; --allowed-host adds a name."
            )
        origin = headers.get("origin")
        if origin is not None and not self.trusts(origin, host):
            raise rejected(
                403, "foreign_origin", "Requests of other sites' pages are refused; --allowed-origin adds one."
            )
        if headers.get("sec-fetch-site") == "cross-site" and origin is None and not self._follows_link(scope, headers):
            raise rejected(403, "foreign_origin", "Requests of other sites' pages are refused.")

    def knows(self, host: str) -> bool:
        """Whether a Host is one of ours. An address as such is no trick: only names can be made to point here."""
        name = host_name(host)
        listed = self._is_ours(name) or host.lower() in self._hosts
        return listed or (not self._loopback and is_ip_address(name))

    def _is_ours(self, name: str) -> bool:
        return name in self._hosts or is_loopback(name)

    def trusts(self, origin: str, host: str) -> bool:
        """Whether an Origin is this service itself or one that was allowed."""
        place = urlsplit(origin).netloc.lower()
        if place == host.lower() or origin.lower().rstrip("/") in self._origins:
            return True
        return self._neighbours and self._is_ours(host_name(place))

    def _follows_link(self, scope: Scope, headers: Headers) -> bool:
        """Whether a person follows a link to the console, as on any site."""
        navigates = headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
        return navigates and not is_below(scope["path"], self._for_programs)


def is_below(path: str, prefixes: Iterable[str]) -> bool:
    """Whether an address is one of these, or stands below one."""
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in prefixes)


def host_name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if host.count(":") == 1 else host.lower()


def is_loopback(name: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name.lower() in LOOPBACK_NAMES
