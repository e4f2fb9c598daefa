"""BM25's two measures, for whoever ranks texts by words: how rare a word is, and how much its count says."""

import math

SATURATION = 1.2
"""BM25's k1, the usual value."""


def rarity(having: int, texts: int) -> float:
    """BM25's idf, never below zero: a word that stands nearly everywhere still says a little."""
    return math.log(1 + (max(texts - having, 0) + 0.5) / (having + 0.5))


def saturated(frequency: float, norm: float) -> float:
    """BM25's count of a word: each further mention counts less, and less in a long text (`norm`)."""
    return frequency * (SATURATION + 1) / (frequency + SATURATION * norm)


def length_norm(length: float, normalisation: float) -> float:
    """How much longer a text counts than the average one, of which `length` is its share, by BM25's b."""
    return 1 - normalisation + normalisation * length
