"""
The words of a page, to ask which of them may be kin to another (`kinship` in `stemming.py`).

To compare a word with every other takes most of the time of a question, and nearly all of them have nothing in common.
"""

from collections.abc import Iterator, Mapping

SAME_BEGINNING, LEAST_INSIDE = 4, 5
"""Letters that two kin begin with, or that one has inside the other."""
BETWEEN = "\n"


class PageVocabulary:
    """Words, and all of them as one text to look into."""

    def __init__(self, words: Mapping[str, object]) -> None:
        self.words = words
        self.text = BETWEEN.join(["", *words, ""])

    def near(self, word: str) -> set[str]:
        """The words that share their beginning with one, have it inside them or are inside it."""
        found = set(self.inside(word))
        if len(word) >= SAME_BEGINNING:
            found.update(self.around(BETWEEN + word[:SAME_BEGINNING]))
        return found if len(word) < LEAST_INSIDE else found.union(self.around(word))

    def inside(self, word: str) -> Iterator[str]:
        """Words that are a part of one."""
        for start in range(len(word) - LEAST_INSIDE + 1):
            for end in range(start + LEAST_INSIDE, len(word) + 1):
                if (part := word[start:end]) in self.words:
                    yield part

    def around(self, part: str) -> Iterator[str]:
        """Words that have a part, or begin with it if a mark stands before it."""
        place = self.text.find(part)
        while place >= 0:
            end = self.text.index(BETWEEN, place + 1)
            yield self.text[self.text.rindex(BETWEEN, 0, place + 1) + 1 : end]
            place = self.text.find(part, end)
