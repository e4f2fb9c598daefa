"""How good a choice of blocks is: word-F1 against the gold text, by kind of page, and how well the model knows it."""

from collections import Counter
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seekread.extraction.choose import LEAST, UNSURE, certainty
from seekread.extraction.keeping import expected_f1, kept_blocks
from tools.train_blocks.labels import tokens
from tools.train_blocks.pages import LabelledPage


@dataclass(frozen=True)
class Judged:
    """One page: how good the choice is, and how good the model thinks it is."""

    id: str
    kind: str
    f1: float
    recall: float
    certainty: float


def word_score(gold: str, text: str, measure: ModuleType) -> tuple[float, float]:
    """Word-F1 and recall."""
    precision, recall = measure.overlap(Counter(tokens(gold, measure)), Counter(tokens(text, measure)))
    return measure.f1(precision, recall), recall


def judged(page: LabelledPage, probability: NDArray[Any], measure: ModuleType) -> Judged:
    """Judge the choice that the product would make with these probabilities."""
    keep = kept_blocks(page.sheet, probability)
    sure = certainty(page.sheet, keep, expected_f1(page.sheet, probability, keep))
    size = page.sheet.size
    if not keep.any() or (sure < UNSURE and size[keep].sum() < LEAST * size.sum()):
        keep = np.ones_like(keep)
    text = "\n".join(text for text, kept in zip(page.blocks.texts, keep, strict=True) if kept)
    f1, recall = word_score(page.gold, text, measure)
    return Judged(page.id, page.kind, f1, recall, sure)
