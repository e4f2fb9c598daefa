"""
Step 3, provenance: where an address came from: the user, a search, or a page that was opened.

Under the policy `seen` only such addresses are opened, letter for letter, so that a page cannot make a model carry
data out in an address it made up. Links can still spell a message one by one: pages of one site reached by links of
pages are counted, and the count is bounded.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from seekread.errors import Refused
from seekread.hostnames import ascii_host, host_of, is_ip_address

Origin = Literal["user", "search", "link"]
SECOND_LEVEL = re.compile(r"(co|com|org|net|gov|edu|ac)\.[a-z]{2}$")


@dataclass
class Provenance:
    """The addresses one session has seen."""

    policy: Literal["any", "seen"] = "any"
    hop_budget: int = 8
    _seen: dict[str, Origin] = field(default_factory=dict)
    _hops: Counter[str] = field(default_factory=Counter)
    _followed: set[str] = field(default_factory=set)

    def trust(self, *urls: str) -> None:
        """Addresses the user gave."""
        self._note(urls, "user")

    def found(self, urls: Iterable[str]) -> None:
        """Addresses a search returned."""
        self._note(urls, "search")

    def linked(self, urls: Iterable[str]) -> None:
        """Addresses an opened page links to."""
        self._note(urls, "link")

    def check(self, url: str) -> None:
        """Refuse an address nobody has seen, or one too many of a site that was only reached by links."""
        if self.policy == "any":
            return
        address = without_fragment(url)
        origin = self._seen.get(address)
        if origin is None:
            raise Refused(
                "url_not_seen",
                "url_policy = seen under [read] opens only addresses the user gave, a search found or an opened page "
                "links to, exactly as they stood there",
            )
        # A page read in several parts is one page.
        if origin != "link" or address in self._followed:
            return
        site = site_of(url)
        if self._hops[site] >= self.hop_budget:
            raise Refused("hop_budget", f"{self.hop_budget} pages of {site} were opened by following links; "
                          "hop_budget under [read] decides")  # fmt: skip
        self._hops[site] += 1
        self._followed.add(address)

    def _note(self, urls: Iterable[str], origin: Origin) -> None:
        for url in urls:
            # An address the user gave stays the user's, wherever else it turns up.
            if self._seen.get(without_fragment(url)) in (None, "link") or origin == "user":
                self._seen[without_fragment(url)] = origin


def without_fragment(url: str) -> str:
    """An address without its fragment, which never leaves the machine."""
    return url.strip().partition("#")[0]


def site_of(url: str) -> str:
    """The registrable domain, near enough for counting; an address is a site of its own."""
    host = ascii_host(host_of(url))
    if is_ip_address(host):
        return host
    labels = host.split(".")
    return ".".join(labels[-3:] if SECOND_LEVEL.search(".".join(labels[-2:])) else labels[-2:])
