"""
How likely each block of a page is content: two forests, one after the other.

The first looks at the columns of a block and at what the words in names and in short texts usually mean. The second
looks at the same again and at what the first said about the blocks around. Pages that declare themselves articles have
a second forest of their own: what belongs to an article ends earlier than what belongs to a page.

The model file is made by `tools/train_blocks`, which uses the same functions.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seekread.extraction.columns import LEVELS, Floats, Sheet, Whole, columns_of, sums
from seekread.extraction.forest import Forest

FILE = "block_model.npz"
SHORT = 25
"""Words of a block whose own words say what it is: a label, a heading, a byline."""
FIRST_WORDS = 7
TEXT = "="
"""Stands in the table before words of texts; the others are words of names."""
OUTWARDS = 12
"""Elements around a block whose names are looked at."""
TEXT_WORD = re.compile(r"[^\W\d_]{2,}")
FLOOR = 1e-3
SCALE = 65535


def text_words(text: str) -> list[str]:
    """The first words of a text, and the whole of a short one."""
    found = TEXT_WORD.findall(text[:60].lower())[:FIRST_WORDS]
    if len(text) < 40 and len(found) > 1:
        found.append(" ".join(found))
    return found


class Score(NamedTuple):
    """What the known words of some names or texts say, one entry for each: the lowest share, the highest, the mean."""

    lowest: Floats
    highest: Floats
    mean: Floats
    known: Whole
    """How many words are known; where there are none the usual is said."""


def odds(share: Floats) -> Floats:
    return np.asarray(np.log((share + FLOOR) / (1 - share + FLOOR)))


class KnownWords:
    """Words, and the share of the text under each that is content."""

    def __init__(self, shares: Mapping[str, float], usual: float) -> None:
        self.numbers = {word: number for number, word in enumerate(shares)}
        self.shares = np.array([*shares.values(), usual])

    def score(self, said: Iterable[Iterable[str]], values: Floats) -> Score:
        """What each of several rows of words says; the means are those of other values than the shares."""
        get, usual = self.numbers.get, [len(self.numbers)]
        found = [[number for word in words if (number := get(word)) is not None] or usual for words in said]
        flat, known = np.array([*chain.from_iterable(found)]), np.array([*map(len, found)])
        begins, shares = np.cumsum(known) - known, self.shares[flat]
        return Score(
            np.minimum.reduceat(shares, begins),
            np.maximum.reduceat(shares, begins),
            np.add.reduceat(values[flat], begins) / known,
            known * (flat[begins] != usual[0]),
        )


class Vocabulary:
    """What words in names and in short texts say: the share of the text under them that is content."""

    def __init__(self, shares: Mapping[str, float], usual_name: float, usual_text: float) -> None:
        self.texts = KnownWords({word[1:]: share for word, share in shares.items() if word[0] == TEXT}, usual_text)
        self.names = KnownWords({word: share for word, share in shares.items() if word[0] != TEXT}, usual_name)
        spoken = odds(self.names.shares)
        self.odds = spoken - spoken[-1]
        self.usual_text = usual_text

    def columns(self, sheet: Sheet) -> list[Floats]:
        return [*self.name_columns(sheet), *self.text_columns(sheet)]

    def name_columns(self, sheet: Sheet) -> list[Floats]:
        """What the names around a block say: the nearest one by one, the others together."""
        said = self.names.score([kind.words for kind in sheet.blocks.kinds], self.odds)
        lowest, highest, mean = np.array(said[:3], np.float32)
        kind = sheet.kind[sheet.outwards(OUTWARDS)]
        low, high, added = lowest[kind], highest[kind], np.cumsum(mean[kind], axis=0)
        least, most = np.minimum.accumulate(low), np.maximum.accumulate(high)
        found: list[Floats] = []
        for level in range(OUTWARDS):
            if level < 4:
                found += [low[level], high[level]]
            if level in {2, 6, OUTWARDS - 1}:
                found += [least[level], most[level], added[level]]
        return found

    def text_scores(self, sheet: Sheet) -> Floats:
        """What the words of short blocks and of headings say: lowest, highest, mean, and how many words say it."""
        usual, texts = self.usual_text, sheet.blocks.texts
        scores = np.full((4, sheet.number), ((usual,), (usual,), (usual,), (0.0,)))
        short = np.nonzero((sheet.words <= SHORT) | sheet.is_heading)[0]
        if len(short):
            said = self.texts.score([text_words(texts[number]) for number in short.tolist()], self.texts.shares)
            scores[:, short] = said
        return scores

    def text_columns(self, sheet: Sheet) -> list[Floats]:
        """What the words of short blocks say: of the block, of the heading above it, of its neighbours."""
        usual, number = self.usual_text, sheet.number
        scores = self.text_scores(sheet)
        least, _, middle, known = scores
        short = sheet.words <= SHORT
        lowest, highest, mean = np.where(short, scores[:3], usual)
        above, has_heading = np.maximum(sheet.heading_above, 0), sheet.heading_above >= 0
        found = [
            lowest,
            highest,
            mean,
            known,
            np.where(has_heading, least[above], usual),
            np.where(has_heading, middle[above], usual),
            np.minimum.accumulate(np.where(sheet.is_heading, middle, 1)),
        ]
        added = sums(mean)
        for reach in (2, 6):
            begin, end = np.maximum(0, sheet.place - reach), np.minimum(number, sheet.place + reach + 1)
            found.append((added[end] - added[begin]) / (end - begin))
        padded = np.ones(number + 12)
        padded[6 : 6 + number] = np.where(short, least, 1.0)
        found.append(np.minimum.reduce([padded[step : step + number] for step in range(6)]))
        found.append(np.minimum.reduce([padded[step : step + number] for step in range(7, 13)]))
        return found


def share(part: Floats, whole: Floats) -> Floats:
    return np.asarray(part / np.maximum(whole, 1e-6))


def context_columns(sheet: Sheet, probability: Floats) -> list[Floats]:
    """What the first forest said about a block and about those around it."""
    number, place = sheet.number, sheet.place
    weight = np.sqrt(sheet.words + 0.5)
    chosen, weights = sums(probability * weight), sums(weight)
    total = max(float(chosen[-1]), 1e-6)
    padded = np.full(number + 6, -1.0)
    padded[3 : 3 + number] = probability
    found: list[Floats] = [probability, *(padded[step : step + number] for step in (0, 1, 2, 4, 5, 6))]
    for reach in (3, 8, 20):
        begin, end = np.maximum(0, place - reach), np.minimum(number, place + reach + 1)
        found.append(share(chosen[end] - chosen[begin], weights[end] - weights[begin]))
    begins, ends = sheet.ranges
    inside = chosen[ends] - chosen[begins]
    found += list(share(inside, weights[ends] - weights[begins]))
    found += [inside[2] / total, inside[LEVELS - 1] / total]
    found += [sheet.constant(value) for value in (total / weights[-1], float(np.log1p(total)))]
    found.append(chosen[1:] / total)
    sure = np.nonzero((probability > 0.7) & (sheet.words > 8))[0]
    first, last = (int(sure[0]), int(sure[-1])) if len(sure) else (0, number - 1)
    found += [np.clip(place - first, -40, 40), np.clip(last - place, -40, 40)]
    found += [*runs(probability, weight), sheet.constant(float((probability > 0.7).sum()))]
    above = np.maximum(sheet.heading_above, 0)
    found.append(share(chosen[sheet.heading_below] - chosen[above], weights[sheet.heading_below] - weights[above]))
    found.append(np.where(sheet.heading_above >= 0, probability[above], -1))
    found.append((chosen[-1] - chosen[1:]) / total)
    for begin, end in ((np.maximum(0, place - 5), place), (place + 1, np.minimum(number, place + 6))):
        found.append(share(chosen[end] - chosen[begin], weights[end] - weights[begin]))
    return found


def runs(probability: Floats, weight: Floats) -> list[Floats]:
    """How much of the largest run of likely blocks the run of each block holds."""
    near = np.convolve(probability > 0.5, np.ones(5), "same")[: len(probability)] == 0
    run = np.cumsum(np.concatenate([[0], near[:-1]]))
    held = np.bincount(run, probability * weight)
    return [(held / max(float(held.max()), 1e-6))[run]]


class BlockModel:
    """The vocabulary and the forests."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        words = arrays["words"].tobytes().decode().split("\n")
        usual_name, usual_text = map(float, arrays["usual"])
        shares = (arrays["shares"] / SCALE).tolist()
        self.vocabulary = Vocabulary(dict(zip(words, shares, strict=True)), usual_name, usual_text)
        self.first, self.second, self.second_for_articles = (
            Forest({name.removeprefix(stage): array for name, array in arrays.items() if name.startswith(stage)})
            for stage in STAGES
        )

    def probabilities(self, sheet: Sheet) -> NDArray[np.float32]:
        """How likely each block of a page is content."""
        columns = np.vstack([columns_of(sheet), np.array(self.vocabulary.columns(sheet), np.float32)])
        context = context_columns(sheet, self.first(columns))
        second = self.second_for_articles if sheet.hints.declared == "article" else self.second
        return second(np.vstack([np.array(context, np.float32), columns]))


STAGES = ("first.", "second.", "article.")


@cache
def block_model() -> BlockModel:
    """The model of this package, loaded once in a process."""
    with (files("seekread.extraction") / FILE).open("rb") as file, np.load(file) as arrays:
        return BlockModel(dict(arrays))
