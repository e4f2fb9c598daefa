"""
The order in which parts of several texts are taken, so that each text that speaks to a question gets a word.

A part counts less for each part of the same text before it, and the less, the more texts there are that speak to the
question nearly as well as the best one: where one page has the answer, it may go on; where a name means five things, or
the pages contradict each other, each says its own before one says more. The less room there is, the more clearly
others have to speak to the question for that.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

NEARLY, NEARLY_ALL = 3, 5
"""
How much less a text speaks to the question whose best part answers less well, and that has less of its words at all.

The powers of both shares: with half of the best answer a text speaks an eighth as much.
"""
FLOOR_OF_MANY = 0.1
"""A part that covers less than this share of what the best one covers has no turn."""
ROOM_FOR_MANY, STRICTEST = 1000, 16
"""The characters below which others have to speak more clearly, and the highest power that asks them to."""


def in_turns(scores: Sequence[float], texts: Sequence[int], covered: Mapping[int, float], room: int) -> list[int]:
    """
    The numbers of the parts worth taking, the best first.

    `texts` says of which text each part is, and `covered` which share of the question a whole text covers.
    """
    best = max(scores, default=0.0)
    parts: dict[int, list[int]] = defaultdict(list)
    for number in sorted(range(len(scores)), key=lambda number: (-scores[number], number)):
        if scores[number] and scores[number] >= FLOOR_OF_MANY * best:
            parts[texts[number]].append(number)
    most = max(covered.values(), default=0.0)
    speaking = (
        (scores[numbers[0]] / best) ** NEARLY * (covered[text] / most if most else 1.0) ** NEARLY_ALL
        for text, numbers in parts.items()
    )
    others = max(0.0, sum(speaking) - 1)
    again = 1 / (1 + others ** min(STRICTEST, max(1.0, (ROOM_FOR_MANY / room) ** 2)))
    worth = {
        number: scores[number] * again**before for numbers in parts.values() for before, number in enumerate(numbers)
    }
    return sorted(worth, key=lambda number: (-worth[number], number))
