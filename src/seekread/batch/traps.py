"""
What only the pages themselves show: that they go on without end, are one page under many names, or are none.

- **nothing new** Pages of one shape (`/calendar?year=0&month=0`) that lead from one to the next and say nothing that
  others of the shape did not say are followed for a few steps only. A list whose pages bring new titles goes on.
- **one page, many names** Addresses that differ in one parameter and lead to the same text: after a few of them the
  parameter is ignored.
- **soft 404** The words a site has for a page that does not exist, though it answers 200: asked for once, by an
  address that cannot exist. A site that answers every address with its first page has none.
"""

import re
from collections import Counter, OrderedDict
from dataclasses import field
from urllib.parse import parse_qsl, urlsplit

from seekread.batch.record import PageRecord
from seekread.late import dataclass

STALE_STEPS = 5
"""Pages in a row without anything new that are followed."""
FEW_WORDS, SMALL_SHARE = 5, 0.05
"""New words, and their share of all, up to which a page says nothing new unless its title does."""
LEARNT_AFTER = 3
"""Addresses with the same text after which a parameter is ignored."""
ALIKE = 0.8
"""Share of words that a page has in common with one that does not exist."""
MOST_SHAPES, MOST_WORDS = 500, 5000
WORD = re.compile(r"[^\W\d_]{3,}")
NUMBER = re.compile(r"\d+")


@dataclass
class Traps:
    """What a crawl has learnt about its site."""

    missing: frozenset[str] = frozenset()
    """The words of a page that does not exist."""
    ignored: set[str] = field(default_factory=set)
    """Parameters that change nothing."""
    _words: OrderedDict[str, set[str]] = field(default_factory=OrderedDict)
    _copies: Counter[str] = field(default_factory=Counter)

    def is_missing(self, record: PageRecord) -> bool:
        """Whether a page is what the site says instead of 404."""
        return bool(self.missing) and likeness(self.missing, words_of(record.markdown)) >= ALIKE

    def copied(self, url: str, of: str) -> None:
        """Two addresses have the same text: learn which parameter makes no difference."""
        one, other = urlsplit(url), urlsplit(of)
        if one.path == other.path:
            changed = set(parse_qsl(one.query)) ^ set(parse_qsl(other.query))
            names = {name for name, _ in changed}
            if len(names) == 1:
                self._copies.update(names)
                self.ignored |= {name for name in names if self._copies[name] >= LEARNT_AFTER}

    def is_stale(self, record: PageRecord) -> bool:
        """Whether a page says nothing that others of its shape have not said."""
        shape = shape_of(record.url)
        said = self._words.pop(shape, set())
        title = words_of(record.title)
        words = words_of(record.markdown) | title
        new = words - said
        if len(said) < MOST_WORDS:
            said |= new
        self._words[shape] = said
        if len(self._words) > MOST_SHAPES:
            self._words.popitem(last=False)
        if new & title:
            # Of a page about something else, however little it says: a ship, an article for sale.
            return False
        return len(new) <= max(FEW_WORDS, SMALL_SHARE * len(words))


def shape_of(url: str) -> str:
    """What addresses made by one program have in common: the path without its numbers, and the names of parameters."""
    parts = urlsplit(url)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{NUMBER.sub('0', parts.path)}?{'&'.join(names)}"


def words_of(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text.lower()))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that two texts have in common."""
    return len(one & other) / max(1, len(one | other))
