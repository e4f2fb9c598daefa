# ruff: noqa: RUF001 (typographic signs are what this file is about)
"""
The words of a text as a quotation must keep them: every word, number and sign that means something, in their order.

Punctuation, quotation marks, brackets and kinds of space fall away; so do hyphens, but not the minus before a number.
What stands between the digits of a number stays, and so do the signs of money, mathematics and measures.
Scripts without spaces are taken character by character.

The words are kept in one row with spaces around each, so that a quotation is found by one search of a string,
which takes linear time on any text, and never in the middle of a word.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field

from seekread.late import dataclass
from seekread.page.folding import Folded
from seekread.page.languages import SPACELESS
from seekread.page.stemming import MARKS

MONEY = r"$¢£¤¥฿\u20a0-\u20c0"
MEASURES = "%‰‱°"
SIGNS = rf"{MONEY}{MEASURES}+<=>±×÷~&@#/§\u2190-\u21ff\u2200-\u22ff"
LETTERS = rf"(?:[^\W\d_{SPACELESS}]|[{MARKS}])+"
NUMBER = r"(?:(?<![\w.])\.(?=\d))?\d+(?:[.,:'٫٬]\d+)*"
MINUS = rf"(?<![\w)\]%-])(?<!\d[ ])-(?=[{MONEY}]?\.?\d)"
REST = rf"(?:{MINUS})?{NUMBER}(?:\^-?\d+)?|{MINUS}|(?!\u30fb)[{SPACELESS}]|[{SIGNS}]"
JOINT = r"(?:-[ ]?|['.])"
"""What may stand inside a word or be left out: "e-mail" is "email", "U.S." is "US"."""
WORD = re.compile(rf"{LETTERS}|{REST}")
WORD_OR_COMPOUND = re.compile(rf"{LETTERS}(?P<more>(?:{JOINT}{LETTERS})*)|{REST}")
JOINTS = re.compile(r"[-'. ]")

GOES_ON = re.compile(
    rf"""
    (?<=[^\W_{SPACELESS}])(?=[^\W_{SPACELESS}])        # inside a word or a number: "23" in "1234"
  | (?<=\w)(?=[{MARKS}])                                # before the accent of a letter
  | (?<=\d[.,:])(?=\d) | (?<=\d)(?=[.,:]\d)             # "5" in "1.5"
  | (?<=\d)(?=[{MONEY}{MEASURES}^]) | (?<=[{MONEY}])(?=\d)     # "5" in "5%" and "$5"
  | (?:(?<=[^\w)\]%-][-−–])(?<!\d[ ][-−–])|(?<=\A[-−]))(?=\.?\d)    # "5" in "-5"
  | (?<=[nN])(?=['’][tT]\b) | (?<=[nN]['’])(?=[tT]\b) # "can" in "can't"
    """,
    re.VERBOSE,
)


def goes_on(text: str, place: int) -> bool:
    """Say whether a word or a number goes on across a place in a text."""
    return GOES_ON.match(text, place) is not None


@dataclass(frozen=True)
class Wording:
    """The words of a folded text: `row` has a space before and after each, which `places` counts."""

    folded: Folded
    words: Sequence[str] = field(repr=False)
    starts: "array[int]" = field(repr=False)
    ends: "array[int]" = field(repr=False)
    places: "array[int]" = field(repr=False)
    row: str = field(repr=False)

    def __len__(self) -> int:
        return len(self.words)

    def find(self, row: str, first: int = 0, reach: int | None = None) -> int | None:
        """The first word from which on another row stands here, at or behind a word and within so many characters."""
        if first >= len(self.words):
            return None
        begin = self.places[first]
        place = self.row.find(row, begin, None if reach is None else begin + reach + len(row))
        return None if place < 0 else bisect_left(self.places, place)

    def occurrences(self, row: str, most: int) -> Iterator[int]:
        """The first places of a row, by number of their first word."""
        first = self.find(row)
        for _ in range(most):
            if first is None:
                return
            yield first
            first = self.find(row, first + 1)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Where the words from `first` up to, not including, `last` stand in the original text."""
        return self.folded.span(self.starts[first], self.ends[last - 1])

    def is_whole(self, first: int, last: int) -> bool:
        """Say whether no word or number is cut at either end of a stretch of words."""
        text = self.folded.text
        return not (goes_on(text, self.starts[first]) or goes_on(text, self.ends[last - 1]))


def wording(folded: Folded, joined: AbstractSet[str] = frozenset()) -> Wording:
    """The words of a text, parted at hyphens, apostrophes and inner dots except where they are `joined` ones."""
    words: list[str] = []
    starts, ends, places = array("q"), array("q"), array("q")
    place = 0
    for word, start, end in with_compounds(folded.text, joined) if joined else simple_words(folded.text):
        words.append(word)
        starts.append(start)
        ends.append(end)
        places.append(place)
        place += len(word) + 1
    return Wording(folded, words, starts, ends, places, in_a_row(words))


def simple_words(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[str, int, int]]:
    """Words with their places, every part of a compound by itself."""
    for match in WORD.finditer(text, start, len(text) if end is None else end):
        yield match[0], match.start(), match.end()


def with_compounds(text: str, joined: AbstractSet[str]) -> Iterator[tuple[str, int, int]]:
    """Words with their places, some compounds as one."""
    for match in WORD_OR_COMPOUND.finditer(text):
        if not match["more"]:
            yield match[0], match.start(), match.end()
        elif (compound := without_joints(match[0])) in joined:
            yield compound, match.start(), match.end()
        else:
            yield from simple_words(text, match.start(), match.end())


def compounds(text: str) -> frozenset[str]:
    """The words of a folded text that have hyphens, apostrophes or dots inside, without these."""
    return frozenset(without_joints(match[0]) for match in WORD_OR_COMPOUND.finditer(text) if match["more"])


def without_joints(compound: str) -> str:
    """A compound written as one word."""
    return JOINTS.sub("", compound)


def in_a_row(words: Sequence[str]) -> str:
    """Words as they are looked for: with a space before and after each."""
    return f" {' '.join(words)} " if words else ""
