"""
Where a request comes from: the Host it names, the page that sent it, and whether a person waits for the answer.

A page in somebody's browser must not reach a service on that person's machine: not through a name of its own that
resolves to loopback (Host), not by a request of its own (Origin, Referer, Sec-Fetch-Site), and not by having the
browser fetch something ahead (Sec-Purpose), which looks like an address the person typed. A page at another port of
this machine is another page. Programs send none of these headers but Host.
"""

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache

from starlette.datastructures import Headers
from starlette.types import Scope

from seekread.hostnames import is_ip_address
from seekread.server.problems import rejected

LOOPBACK_NAMES = frozenset({"localhost", "localhost.localdomain", "ip6-localhost"})
HOST = r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?"
SINGLE = {
    "host": re.compile(HOST, re.IGNORECASE),
    "origin": re.compile(rf"null|[a-z][a-z0-9+.-]*://({HOST})?/?", re.IGNORECASE),
}
"""Headers that are sent once, and what they look like."""
USUAL_PORTS = {"http": ":80", "https": ":443"}
PURPOSES = ("sec-purpose", "purpose", "x-purpose", "x-moz")
AHEAD = re.compile("prefetch|prerender|preview", re.IGNORECASE)
TELLING = frozenset(
    name.encode() for name in (*SINGLE, *PURPOSES, "referer", "sec-fetch-site", "sec-fetch-mode")
)  # fmt: skip
"""Headers that are looked at here. Of a program only Host is among them."""
MOST_HOSTS = 256
OWN = frozenset({"none", "same-origin"})
"""What Sec-Fetch-Site says of an address a person typed, and of our own pages."""


class Visitors:
    """
    Which Host and which pages are answered.

    allowed_hosts: further names, with a port or for all of them
    allowed_origins: pages beside our own that may ask
    for_programs: addresses that programs use; a link on somebody's page has no business there
    """

    def __init__(
        self,
        host: str,
        *,
        allowed_hosts: Iterable[str] = (),
        allowed_origins: Iterable[str] = (),
        for_programs: Iterable[str] = (),
    ) -> None:
        self._loopback = is_loopback(host)
        self._hosts = {name.lower().strip("[]") for name in (host, *allowed_hosts)}
        self._origins = {origin_of(origin) for origin in allowed_origins}
        self._for_programs = tuple(for_programs)
        self._let_in: set[tuple[bytes, bytes]] = set()
        """Headers that name a host of ours: who sends nothing else that is looked at may come in again."""

    def check(self, scope: Scope) -> None:
        """Turn a request away that names another host, comes from somebody else's page, or is sent ahead of time."""
        telling = [header for header in scope["headers"] if header[0] in TELLING]
        if len(telling) == 1 and telling[0] in self._let_in:
            return
        headers = Headers(scope=scope)
        check_form(headers)
        host = headers["host"]
        if not self.knows(host):
            raise rejected(
                421, "unknown_host", f"This service does not answer to {host[:100]!r}; --allowed-host adds a name."
            )
        if is_ahead(headers):
            raise rejected(403, "prefetch", "Nothing is answered ahead of time: a search costs when it is made.")
        if self.is_foreign(headers) and not self._follows_link(scope, headers):
            raise rejected(
                403, "foreign_origin", "Requests of other sites' pages are refused; --allowed-origin adds one."
            )
        if len(telling) == 1 and len(self._let_in) < MOST_HOSTS:
            self._let_in.add(telling[0])

    def knows(self, host: str) -> bool:
        """Whether a Host is one of ours. An address as such is no trick: only names can be made to point here."""
        name = host_name(host)
        listed = name in self._hosts or is_loopback(name) or host.lower() in self._hosts
        return listed or (not self._loopback and is_ip_address(name))

    def is_foreign(self, headers: Headers) -> bool:
        """Whether a page that is neither our own nor allowed by name made the browser send this."""
        pages = [origin_of(page) for name in ("origin", "referer") if (page := headers.get(name))]
        if pages and all(page in self._origins for page in pages):
            return False
        ours = all(stands_at(page, headers["host"].lower()) for page in pages)
        return not ours or headers.get("sec-fetch-site", "none") not in OWN

    def _follows_link(self, scope: Scope, headers: Headers) -> bool:
        """Whether a person follows a link to the console, as on any site; it shows what was asked and does nothing."""
        navigates = headers.get("sec-fetch-mode", "navigate") == "navigate" and "origin" not in headers
        return navigates and scope["method"] == "GET" and not is_below(scope["path"], self._for_programs)


def check_form(headers: Headers) -> None:
    """Refuse a head that two readers could understand in two ways."""
    for name, form in SINGLE.items():
        sent = headers.getlist(name)
        if len(sent) > 1 or not all(form.fullmatch(text) for text in sent):
            raise rejected(400, "malformed_head", f"{name.capitalize()} has to be sent once, and well-formed.")
    if "host" not in headers:
        raise rejected(400, "malformed_head", "Host has to be sent.")


def is_ahead(headers: Headers) -> bool:
    """Whether a browser fetches this before anybody has asked for it."""
    return any(AHEAD.search(text) for name in PURPOSES for text in headers.getlist(name))


def origin_of(address: str) -> str:
    """The origin of an address, as browsers write it."""
    return "/".join(address.lower().split("/", 3)[:3])


def stands_at(origin: str, host: str) -> bool:
    """Whether an origin is that of a Host, which may name the port that goes without saying."""
    scheme, _, place = origin.partition("://")
    usual = USUAL_PORTS.get(scheme, "")
    return place.removesuffix(usual) == host.removesuffix(usual)


def is_below(path: str, prefixes: Iterable[str]) -> bool:
    """Whether an address is one of these, or stands below one."""
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in prefixes)


def host_name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if host.count(":") == 1 else host.lower()


@lru_cache(maxsize=256)
def is_loopback(name: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name.lower() in LOOPBACK_NAMES
