"""Which blocks of a page are content, by its gold text, or by what other extractors and marked sentences say."""

from collections.abc import Iterable
from types import ModuleType

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


def by_gold(gold: str, texts: list[str], measure: ModuleType) -> Labels:
    """How much of each block stands in the gold text."""
    words = tokens(gold, measure)
    runs = set(zip(words, words[1:], words[2:], strict=False))
    whole = f" {' '.join(words)} "
    lines = {" ".join(tokens(line, measure)) for line in gold.split("\n")}
    return np.array([found(tokens(text, measure), runs, whole, lines) for text in texts], np.float32)


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
