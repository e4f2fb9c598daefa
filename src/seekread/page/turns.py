"""
The order in which parts of several texts are taken, so that each text that speaks to a question gets a word.

A part counts less for each part of the same text before it, and the less, the more texts there are that speak to the
question nearly as well as the best one: where one page has the answer, it may go on; where a name means five things, or
the pages contradict each other, each says its own before one says more.
"""

from collections import defaultdict
from collections.abc import Sequence

NEARLY = 3
"""The power that makes a text that answers half as well speak an eighth as much."""
FLOOR_OF_MANY = 0.1
"""A part that covers less than this share of what the best one covers has no turn."""


def in_turns(scores: Sequence[float], texts: Sequence[int]) -> list[int]:
    """The numbers of the parts worth taking, the best first; `texts` says of which text each part is."""
    best = max(scores, default=0.0)
    parts: dict[int, list[int]] = defaultdict(list)
    for number in sorted(range(len(scores)), key=lambda number: (-scores[number], number)):
        if scores[number] and scores[number] >= FLOOR_OF_MANY * best:
            parts[texts[number]].append(number)
    others = sum((scores[numbers[0]] / best) ** NEARLY for numbers in parts.values()) - 1
    again = 1 / (1 + others**2)
    worth = {
        number: scores[number] * again**before for numbers in parts.values() for before, number in enumerate(numbers)
    }
    return sorted(worth, key=lambda number: (-worth[number], number))
