"""
Which blocks of a page are content, by its gold text, or by what other extractors and marked sentences say.

A block is content when its words stand in the gold text. That alone calls a link to a chapter content because its
heading is, and a cell of a table furniture because no line of the gold text is as short. So blocks are changed, one at
a time, as long as the choice comes closer to the gold text, of which each word can be found once.
"""

from collections.abc import Iterable
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.float32]
VOTES = {"trafilatura": 2, "rs-trafilatura": 1, "readability": 1, "resiliparse": 0}
"""How much the choice of each peer counts."""
SHORTEST_RUN = 6
"""Words of a block from which on runs of three are counted."""
LONGEST_LINE = 2
"""Words of a block up to which it must be a line of its own."""
SHORTEST_SENTENCE = 20
MOST_PLACES = 2
"""A sentence that must be there and is found in more places is too short to say which."""
SHORTEST_PART = 25
ROUNDS = 4
REACH = 4
"""Blocks before and after one that say whether it is the right one of two that are alike."""


def by_gold(gold: str, texts: list[str], measure: ModuleType) -> Labels:
    """Which blocks stand in the gold text: the choice that comes closest to it."""
    if not gold.strip() or not texts:
        return np.zeros(len(texts), np.float32)
    words, blocks = tokens(gold, measure), [tokens(text, measure) for text in texts]
    runs = set(zip(words, words[1:], words[2:], strict=False))
    whole = f" {' '.join(words)} "
    lines = {" ".join(tokens(line, measure)) for line in gold.split("\n")}
    chosen = np.array([found(block, runs, whole, lines) > 0.5 for block in blocks])
    return closest(words, blocks, chosen).astype(np.float32)


def closest(gold: list[str], blocks: list[list[str]], chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The choice that comes closest to a text, found from another by changing one block at a time."""
    choice = GoldChoice(gold, blocks, chosen)
    for _ in range(ROUNDS):
        before = choice.right / choice.all
        for block in choice.in_order():
            choice.try_to_change(block)
        if choice.right / choice.all == before:
            break
    return choice.chosen


class GoldChoice:
    """A choice of blocks, and how close it is to a text: the F1 of words and pairs of words, each to be found once."""

    def __init__(self, gold: list[str], blocks: list[list[str]], chosen: NDArray[np.bool_]) -> None:
        numbers: dict[Any, int] = {}
        wanted = [numbers.setdefault(part, len(numbers)) for part in words_and_pairs(gold)]
        unknown = len(numbers)
        self.wanted = np.append(np.bincount(wanted), 0)
        self.parts = [
            np.unique(
                np.array([numbers.get(part, unknown) for part in words_and_pairs(block)], np.intp), return_counts=True
            )
            for block in blocks
        ]
        self.sizes = [int(counts.sum()) for _, counts in self.parts]
        self.chosen, self.held = np.zeros(len(blocks), np.bool_), np.zeros_like(self.wanted)
        self.right, self.all = 0, len(wanted)
        for block in np.nonzero(chosen)[0].tolist():
            self.change(block, self.gain(block))

    def in_order(self) -> list[int]:
        """First what was chosen, then the rest; first what stands alone, then what stands among what was chosen."""
        near = np.convolve(self.chosen, np.ones(2 * REACH + 1))[REACH : REACH + len(self.chosen)]
        chosen, rest = np.nonzero(self.chosen)[0], np.nonzero(~self.chosen)[0]
        return [
            *chosen[np.argsort(near[chosen], kind="stable")].tolist(),
            *rest[np.argsort(-near[rest], kind="stable")].tolist(),
        ]

    def try_to_change(self, block: int) -> None:
        """Change a block when that brings the choice closer; what is added must be wanted for the most part itself."""
        gain = self.gain(block)
        size = -self.sizes[block] if self.chosen[block] else self.sizes[block]
        # F1 is 2 right / all: two fractions are compared.
        closer = (self.right + gain) * self.all > self.right * (self.all + size)
        if closer and gain > size / 2:
            self.change(block, gain)

    def gain(self, block: int) -> int:
        """How many more words and pairs would be right if a block changed sides."""
        parts, counts = self.parts[block]
        held, wanted = self.held[parts], self.wanted[parts]
        changed = held - counts if self.chosen[block] else held + counts
        return int((np.minimum(changed, wanted) - np.minimum(held, wanted)).sum())

    def change(self, block: int, gain: int) -> None:
        parts, counts = self.parts[block]
        sign = -1 if self.chosen[block] else 1
        self.held[parts] += sign * counts
        self.all += sign * self.sizes[block]
        self.right += gain
        self.chosen[block] = not self.chosen[block]


def words_and_pairs(words: list[str]) -> list[Any]:
    return [*words, *pairwise(words)]


def tokens(text: str, measure: ModuleType) -> list[str]:
    return [token.lower() for token in measure.TOKEN.findall(text)]


def found(words: list[str], runs: set[tuple[str, str, str]], whole: str, lines: set[str]) -> float:
    """How much of a block's words stand in a text: its runs of three, or the block as a phrase, or as a line."""
    if len(words) >= SHORTEST_RUN:
        own = list(zip(words, words[1:], words[2:], strict=False))
        return sum(run in runs for run in own) / len(own)
    phrase = " ".join(words)
    if len(words) > LONGEST_LINE:
        return float(f" {phrase} " in whole)
    return float(bool(words) and phrase in lines)


def by_votes(answers: dict[str, str], texts: list[str], measure: ModuleType) -> Labels:
    """The mean of what the peers chose."""
    votes = [votes * by_gold(answers[name], texts, measure) for name, votes in VOTES.items() if votes]
    return np.asarray(np.sum(votes, axis=0) / sum(VOTES.values()), np.float32)


def marked(texts: list[str], wanted: Iterable[str], unwanted: Iterable[str]) -> Labels:
    """1 for blocks with a sentence that must be there, 0 for blocks with one that must not, -1 for all others."""
    known = np.full(len(texts), -1, np.float32)
    for value, sentences in ((1, wanted), (0, unwanted)):
        for sentence in filter(None, (" ".join(sentence.split()) for sentence in sentences)):
            places = [
                number
                for number, text in enumerate(texts)
                if sentence in text or (len(text) > SHORTEST_PART and text in sentence)
            ]
            if value == 0 or len(places) <= MOST_PLACES or len(sentence) > SHORTEST_SENTENCE:
                known[places] = value
    return known
