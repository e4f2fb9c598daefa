"""
The order of what has only some of the words of a query.

SQLite finds the candidates: it counts the words of every text with BM25, but gives no weight at all to words in more
than half of the texts, which in a small index are most words, and knows nothing of which words stand together. So the
best of them are read again here:

1. BM25 with a floor on the rarity of words, a word in a title or a heading counting more than one in the text.
2. Words that are neighbours in the query count a second time where they stand close together.
3. A text counts for half by itself and for half by the candidates most like it: what is relevant to a question is
   alike, so one that has other words for the same thing is carried by those that have the question's own.
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise

from seekread.late import dataclass
from seekread.page.scoring import length_norm, rarity, saturated

READ_AGAIN = 40
"""How many of the documents SQLite finds are put in order here; the others stay as they are."""
LENGTH_NORMALISATION = 0.75
"""BM25's b, the usual value."""
TITLE, HEADING = 2, 2
"""How many times a word counts in a title and in a heading."""
CLOSE = 8
"""Words between two that count as standing together."""
TOGETHER = 0.15
"""How much that counts, beside the rarity of the more frequent of the two."""
COMPANY = 0.5
"""How much of the score of a text is that of the candidates most like it."""
NEAREST = 4
"""How many these are."""
FEW = 0.25
"""Words that more of the candidates have tell none from the others."""


@dataclass(frozen=True)
class Sought:
    """One thing a query looks for: the spellings it has in the index, and in how many texts it stands."""

    spellings: frozenset[str]
    texts: int


@dataclass(frozen=True)
class Candidate:
    """A section that SQLite found, by the words of its title, its heading and its text as the index stores them."""

    section: int
    title: str
    heading: str
    text: str


def in_order(candidates: Sequence[Candidate], sought: Sequence[Sought], texts: int) -> list[tuple[Candidate, float]]:
    """Candidates with their scores, the best first; `texts` is how many there are in the index."""
    read = [CountedWords.of(candidate) for candidate in candidates]
    average = sum(tokens.length for tokens in read) / len(read) if read else 1.0
    rarities = [rarity(each.texts, texts) for each in sought]
    scores = in_company([tokens.score(sought, rarities, average) for tokens in read], alike(read, average))
    order = sorted(range(len(read)), key=lambda number: -scores[number])
    return [(candidates[number], scores[number]) for number in order]


@dataclass(frozen=True)
class CountedWords:
    """The words of a candidate as the index stores them: in order, and counted."""

    words: Sequence[str]
    counts: Counter[str]
    length: int

    @classmethod
    def of(cls, candidate: Candidate) -> "CountedWords":
        """The words of a section."""
        title, heading, text = (part.split() for part in (candidate.title, candidate.heading, candidate.text))
        counted = title * TITLE + heading * HEADING + text
        return cls([*title, *heading, *text], Counter(counted), len(counted))

    def score(self, sought: Sequence[Sought], rarities: Sequence[float], average: float) -> float:
        """BM25, and what stands together."""
        total = 0.0
        norm = length_norm(self.length / average, LENGTH_NORMALISATION)
        for each, rare in zip(sought, rarities, strict=True):
            total += rare * saturated(sum(self.counts[word] for word in each.spellings), norm)
        places = self.places(sought)
        for (first, one), (second, other) in pairwise(zip(places, rarities, strict=True)):
            if together := near(first, second):
                total += TOGETHER * min(one, other) * saturated(together, norm)
        return total

    def places(self, sought: Sequence[Sought]) -> list[list[int]]:
        """Where each thing that is sought stands."""
        which = {word: number for number, each in enumerate(sought) for word in each.spellings if word in self.counts}
        places: list[list[int]] = [[] for _ in sought]
        if len(which) > 1:
            for place, word in enumerate(self.words):
                if word in which:
                    places[which[word]].append(place)
        return places


def in_company(scores: Sequence[float], likeness: Sequence[Sequence[float]]) -> list[float]:
    """Scores that count in part by the texts most like each."""
    carried: list[float] = []
    for like in likeness:
        nearest = sorted(zip(like, scores, strict=True), reverse=True)[:NEAREST]
        total = sum(share for share, _ in nearest)
        carried.append(sum(share * other for share, other in nearest) / total if total else 0.0)
    return [(1 - COMPANY) * score + COMPANY * other for score, other in zip(scores, carried, strict=True)]


def alike(read: Sequence[CountedWords], average: float) -> list[list[float]]:
    """How alike texts are, 0 to 1 for each pair: by words that a few of them have."""
    having = Counter(chain.from_iterable(text.counts for text in read))
    few = int(FEW * len(read))
    rarities = [rarity(count, len(read)) ** 2 for count in range(few + 1)]
    telling = {word: rarities[count] for word, count in having.items() if 1 < count <= few}
    likeness = [[0.0] * len(read) for _ in read]
    sizes = [0.0] * len(read)
    before: dict[str, list[tuple[int, float]]] = {word: [] for word in telling}
    for one, text in enumerate(read):
        norm = length_norm(text.length / average, LENGTH_NORMALISATION)
        row, size = likeness[one], 0.0
        weights = {times: saturated(times, norm) for times in set(text.counts.values())}
        for word in text.counts.keys() & telling.keys():
            weight = weights[text.counts[word]]
            worth = weight * telling[word]
            size += weight * worth
            for other, its in (others := before[word]):
                row[other] += worth * its
            others.append((one, weight))
        sizes[one] = size
        for other in range(one):
            if row[other]:
                row[other] = likeness[other][one] = row[other] / math.sqrt(sizes[one] * sizes[other])
    return likeness


def near(first: Sequence[int], second: Sequence[int]) -> int:
    """How many of the first places have one of the second close to them."""
    if not second:
        return 0
    return sum(bisect_left(second, place + CLOSE) > bisect_left(second, place - CLOSE + 1) for place in first)
