"""
Choose the blocks: which pieces of text of a page are its main content.

A model of ours says how likely each block is content, rules say what belongs together, and the expected F1 of the
choice says how sure the model is of it. A choice is a set of slot numbers.
"""

from math import log

import numpy as np

from seekread.extraction.block_model import block_model
from seekread.extraction.blocks import Slot, blocks_of
from seekread.extraction.columns import Hints, Sheet
from seekread.extraction.keeping import Mask, expected_f1, has_flag, kept_blocks, words_in
from seekread.extraction.tree import Element, body_of
from seekread.late import dataclass

NO_HINTS = Hints()
MOST_BLOCKS = 20_000
"""Above so many blocks a page is a whole book, and columns for each would not fit into a worker's memory."""
LEAST = 0.05
"""A choice that nobody is sure of and that is a smaller share of the text is not believed: the whole page is better."""
UNSURE = 0.75
"""Below this certainty a choice is flagged."""
SHORTER = 0.06
USUAL_WORDS, FEWEST_WORDS, MOST_WORDS = 500, 50, 2000
"""Words of a choice of which the model is as sure as it says, and beyond which more or fewer say nothing more."""


@dataclass(frozen=True)
class Choice:
    """The slots of a tree and the numbers of those that were chosen."""

    slots: list[Slot]
    kept: frozenset[int]
    certainty: float = 1.0
    """How good the choice is likely to be."""
    share: float = 1.0
    """How much of the page's text was chosen."""

    @property
    def is_unsure(self) -> bool:
        return self.certainty < UNSURE


def choose(tree: Element, hints: Hints = NO_HINTS) -> Choice:
    """Choose the main content of a page; nothing, when it has no text."""
    blocks = blocks_of(body_of(tree))
    if not blocks.texts:
        return Choice(blocks.slots, frozenset())
    sheet = Sheet(blocks, hints)
    if sheet.number > MOST_BLOCKS:
        keep = ~has_flag(sheet, "structural")
        return chosen(sheet, keep if keep.any() else ~keep, certainty=0.0)
    probability = block_model().probabilities(sheet)
    keep = kept_blocks(sheet, probability)
    choice = chosen(sheet, keep, certainty(sheet, keep, expected_f1(sheet, probability, keep)))
    return everything(tree, choice.certainty) if choice.is_unsure and choice.share < LEAST else choice


def certainty(sheet: Sheet, keep: Mask, expected: float) -> float:
    """The F1 that is expected of a choice; less for a short one, for it may be a scrap of what the page holds."""
    return expected + SHORTER * log(min(MOST_WORDS, max(FEWEST_WORDS, words_in(sheet, keep))) / USUAL_WORDS)


def chosen(sheet: Sheet, keep: Mask, certainty: float) -> Choice:
    """The choice of these blocks."""
    numbers = np.nonzero(keep[sheet.blocks.block_of])[0].tolist()
    return Choice(sheet.blocks.slots, frozenset(numbers), certainty, float(sheet.size[keep].sum() / sheet.size.sum()))


def everything(tree: Element, certainty: float = 1.0) -> Choice:
    """Choose all text of the body."""
    slots = blocks_of(body_of(tree)).slots
    return Choice(slots, frozenset(range(len(slots))), certainty)


def write(slot: Slot, text: str | None) -> None:
    """Put other text in the place of a slot's, or nothing."""
    if slot.tail:
        slot.element.tail = text
    else:
        slot.element.text = text
