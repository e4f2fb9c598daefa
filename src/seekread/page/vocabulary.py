"""
The words of a page, to ask which of them may be kin to another (`kinship` in `stemming.py`).

To compare a word with every other takes most of the time of a question, and nearly all of them have nothing in common.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

SAME_BEGINNING, LEAST_INSIDE = 4, 5
"""Letters that two kin begin with, or that one has inside the other."""


class PageVocabulary:
    """Words by their beginnings, and all of them as one text to look into."""

    def __init__(self, words: Mapping[str, object]) -> None:
        self.words = words
        self.beginnings: dict[str, list[str]] = defaultdict(list)
        for word in words:
            if len(word) >= SAME_BEGINNING:
                self.beginnings[word[:SAME_BEGINNING]].append(word)
        self.text = "\n".join(["", *words, ""])

    def near(self, word: str) -> set[str]:
        """The words that share their beginning with one, have it inside them or are inside it."""
        found = {*self.beginnings.get(word[:SAME_BEGINNING], ()), *self.inside(word)}
        return found if len(word) < LEAST_INSIDE else found.union(self.around(word))

    def inside(self, word: str) -> Iterator[str]:
        """Words that are a part of one."""
        for start in range(len(word) - LEAST_INSIDE + 1):
            for end in range(start + LEAST_INSIDE, len(word) + 1):
                if (part := word[start:end]) in self.words:
                    yield part

    def around(self, word: str) -> Iterator[str]:
        """Words that one is a part of."""
        place = self.text.find(word)
        while place >= 0:
            end = self.text.index("\n", place)
            yield self.text[self.text.rindex("\n", 0, place) + 1 : end]
            place = self.text.find(word, end)
