"""
Step 3, provenance: where an address came from: the user, a search, or a page that was opened.

Under the policy `seen` only such addresses are opened, letter for letter, so that a page cannot make a model carry
data out in an address it made up. Links can still spell a message one by one: pages reached by links of pages are
counted, those of one site and all together, and both counts are bounded. Addresses without a name are sites by the
block: a person has a whole one as easily as one of them.

What a session remembers is bounded as well: the oldest are forgotten, each kind by itself, so that a page full of links
pushes out neither what a search found nor what the user gave. Under the policy `any` nobody asks, so nothing is kept.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import field
from typing import Literal

from seekread.errors import Refused
from seekread.hostnames import site_of
from seekread.late import dataclass

Origin = Literal["user", "search", "link"]
MOST_SEEN: dict[Origin, int] = {"user": 100_000, "search": 10_000, "link": 10_000}
"""Addresses remembered: all of a long list the user hands over, and more than one conversation finds or links to."""
MOST_SITES = 10_000
"""Sites whose pages reached by links are counted; it takes as many pages opened elsewhere to have one forgotten."""
Newest = OrderedDict[str, int]
"""How often each name was met, the newest last."""


@dataclass
class Provenance:
    """The addresses one session has seen."""

    policy: Literal["any", "seen"] = "any"
    hop_budget: int = 8
    hop_total: int = 100
    _seen: dict[Origin, Newest] = field(default_factory=lambda: {origin: OrderedDict() for origin in MOST_SEEN})
    _hops: Newest = field(default_factory=OrderedDict)
    _followed: Newest = field(default_factory=OrderedDict)
    _count: int = 0

    def trust(self, *urls: str) -> None:
        """Addresses the user gave."""
        self._note(urls, "user")

    def found(self, urls: Iterable[str]) -> None:
        """Addresses a search returned."""
        self._note(urls, "search")

    def linked(self, urls: Iterable[str]) -> None:
        """Addresses an opened page links to."""
        self._note(urls, "link")

    def knows(self, url: str) -> bool:
        """Whether an address may be opened as far as its origin goes."""
        return self.policy == "any" or self._origin(without_fragment(url)) is not None

    def check(self, url: str) -> None:
        """Refuse an address nobody has seen, or one too many of a site that was only reached by links."""
        if self.policy == "any":
            return
        address = without_fragment(url)
        origin = self._origin(address)
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
        hops = self._hops.get(site, 0)
        if hops >= self.hop_budget:
            raise Refused("hop_budget", f"{self.hop_budget} pages of {site} were opened by following links; "
                          "hop_budget under [read] decides")  # fmt: skip
        if self._count >= self.hop_total:
            raise Refused("hop_budget", f"{self.hop_total} pages were opened by following links; "
                          "hop_total under [read] decides")  # fmt: skip
        self._count += 1
        _remember(self._hops, site, hops + 1, MOST_SITES)
        _remember(self._followed, address, 1, MOST_SEEN["link"])

    def _origin(self, address: str) -> Origin | None:
        """Where an address came from; what the user gave stays the user's, wherever else it turns up."""
        return next((origin for origin, addresses in self._seen.items() if address in addresses), None)

    def _note(self, urls: Iterable[str], origin: Origin) -> None:
        if self.policy == "any":
            return
        for url in urls:
            _remember(self._seen[origin], without_fragment(url), 1, MOST_SEEN[origin])


def _remember(counts: Newest, name: str, count: int, most: int) -> None:
    """Put a name last, and forget the first where there are too many."""
    counts[name] = count
    counts.move_to_end(name)
    if len(counts) > most:
        counts.popitem(last=False)


def without_fragment(url: str) -> str:
    """An address without its fragment, which never leaves the machine."""
    return url.strip().partition("#")[0]
