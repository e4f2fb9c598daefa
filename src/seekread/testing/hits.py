"""Search hits that follow from the query alone, so that every simulator finds the same and every run is alike."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

NOTHING = "qqnothingqq"
"""A word no simulated page contains: a query with it finds nothing."""

TOTAL = 60
"""Hits there are for any other query."""

FAMOUS = {"Wikipedia the free encyclopedia": "en.wikipedia.org"}
"""Questions with a known answer, and where it stands."""

HOSTS = ("www.example.org", "example.com", "docs.example.net", "news.example.edu")
NEWEST = date(2026, 10, 31)

SITE = re.compile(r"(?<!\S)\(?(-?)site:([^\s()]+)\)?")


@dataclass(frozen=True)
class Hit:
    """One simulated page."""

    rank: int
    title: str
    url: str
    snippet: str
    published: date

    def row(self, **names: str) -> dict[str, str]:
        """The page as a service writes it: the name of each field, and what of the page it holds."""
        return {name: str(getattr(self, held)) for name, held in names.items()}


def hits(
    text: str, count: int, *, page: int = 1, allowed: Sequence[str] = (), blocked: Sequence[str] = ()
) -> list[Hit]:
    """Find pages for a query: `site:` operators and domain lists are kept, all else is made up from the words."""
    if NOTHING in text:
        return []
    operators = SITE.findall(text)
    allowed = [*allowed, *(domain for minus, domain in operators if not minus)]
    blocked = [*blocked, *(domain for minus, domain in operators if minus)]
    hosts = [
        host
        for host in (allowed or [*filter(None, [FAMOUS.get(text)]), *HOSTS])
        if not any(host.endswith(domain) for domain in blocked)
    ]
    if not hosts:
        return []
    words = " ".join(word for word in SITE.sub(" ", text).split() if word != "OR")
    slug = re.sub(r"\W+", "-", words.lower()).strip("-") or "page"
    first = (page - 1) * count
    return [
        Hit(
            rank=rank,
            title=f"{words} & more, part {rank}",
            url=f"https://{hosts[(rank - 1) % len(hosts)]}/{slug}/{rank}",
            snippet=f'What page {rank} says about "{words}".',
            published=NEWEST - timedelta(days=rank),
        )
        for rank in range(first + 1, min(first + count, TOTAL) + 1)
    ]
