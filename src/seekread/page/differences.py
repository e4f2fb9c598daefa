"""
What differs between a quotation that is not on a page and the passage nearest to it, in a person's words.

The passage is there for orientation only. It is looked for where the rarest words of the quotation stand together,
and compared word by word; of a long quotation the stretch around the first difference is compared,
so that the time is bounded on any page.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal

from seekread.late import dataclass
from seekread.page.cited import Nearest
from seekread.page.invisible import one_line
from seekread.page.stemming import is_spaceless
from seekread.page.wording import Wording, goes_on, in_a_row

COMPARED = 80
"""Words of a quotation that are compared, and how many of them before the first difference."""
BEFORE = 20
SEEDS = 16
SEED_OCCURRENCES = 200
CANDIDATES = 3
ALIKE = 0.5
"""At least this share of the words must be the quotation's for a passage to be called the nearest."""
MOST_TOLD = 5
LONGEST_TOLD = 80
ABSENT = "the page does not say this"

Edit = tuple[Literal["equal", "replace", "delete", "insert"], int, int, int, int]
"""What became of a stretch of words: equal, replace, delete or insert; where on the page, where in the quotation."""


@dataclass(frozen=True)
class Unlike:
    """What differs, one sentence each, and the passage it was held against; `None` if the page has none like it."""

    differences: tuple[str, ...] = (ABSENT,)
    nearest: Nearest | None = None


@dataclass(frozen=True)
class Worded:
    """A text and its words."""

    text: str
    words: Wording

    def said(self, first: int, last: int) -> str:
        """Some of its words as they stand, ready to be told; nothing if there are none."""
        if first >= last:
            return ""
        start, end = self.words.span(first, last)
        return told(self.text[start:end])


def told(words: str) -> str:
    """Words of a page or a quotation inside a sentence of ours: in one line, not too long, a number without marks."""
    words = one_line(words)
    if len(words) > LONGEST_TOLD:
        words = f"{words[: LONGEST_TOLD - 1].rstrip()}…"
    return words if words.lstrip("-\u2212\u2013.")[:1].isdigit() else f"'{words}'"


def unlike(page: Worded, wanted: Worded) -> Unlike:
    """Say what differs between a quotation and the passage nearest to it."""
    first = max(0, agreed(page.words, wanted.words) - BEFORE) if len(wanted.words) > COMPARED else 0
    last = min(len(wanted.words), first + COMPARED)
    compared = [compare(page.words, begin, wanted.words.words[first:last]) for begin in candidates(page, wanted, first)]
    operations = max(compared, key=same, default=[])
    if same(operations) < max(1, ALIKE * (last - first)):
        return Unlike()
    nearest = passage(page, operations[0][1], operations[-1][2])
    changes = [
        (page.said(a, b), wanted.said(first + c, first + d)) for kind, a, b, c, d in operations if kind != "equal"
    ]
    if not changes:
        return Unlike((f"the page says {told(nearest.text)} here, and the quotation cuts a word or a number",), nearest)
    if len(changes) > 1 and reordered(page.words, wanted.words, operations, first):
        return Unlike(("the page says these words in another order",), nearest)
    return Unlike(tuple(difference(*change) for change in changes[:MOST_TOLD]), nearest)


def difference(page: str, quotation: str) -> str:
    """One difference as a sentence."""
    if page and quotation:
        return f"the page says {page}, the quotation {quotation}"
    return f"the quotation leaves out {page}" if page else f"the page does not say {quotation} here"


def reordered(page: Wording, wanted: Wording, operations: Sequence[Edit], first: int) -> bool:
    """Say whether all that differs is the order of the words."""
    changed = [
        (page.words[a:b], wanted.words[first + c : first + d]) for kind, a, b, c, d in operations if kind != "equal"
    ]
    ours, theirs = (Counter(word for words in side for word in words) for side in zip(*changed, strict=True))
    return ours == theirs


def agreed(page: Wording, wanted: Wording) -> int:
    """How many words from its beginning on a quotation has in common with some place of the page."""
    low, high = 0, len(wanted)
    while low < high:
        middle = (low + high + 1) // 2
        if in_a_row(wanted.words[:middle]) in page.row:
            low = middle
        else:
            high = middle - 1
    return low


def candidates(page: Worded, wanted: Worded, first: int) -> list[int]:
    """The words of the page with which the nearest passage may begin: where the rarest of the quotation agree."""
    words = wanted.words.words[first : first + COMPARED]
    width = max(2, len(words) // 4)
    votes: Counter[int] = Counter()
    for row, offset, value in seeds(page.words.row, words):
        for place in page.words.occurrences(row, SEED_OCCURRENCES):
            votes[(place - offset) // width] += value
    return [max(0, bucket * width) for bucket, _ in votes.most_common(CANDIDATES)]


def seeds(row: str, words: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """The rarest words of a quotation that stand on the page, single characters as pairs: with offset and value."""
    offsets: dict[str, int] = {}
    for offset, (word, following) in enumerate(pairwise([*words, ""])):
        pair = is_spaceless(word) and following
        offsets.setdefault(in_a_row([word, following] if pair else [word]), offset)
    counted = sorted((count, seed, offset) for seed, offset in offsets.items() if (count := row.count(seed)))
    for count, seed, offset in counted[:SEEDS]:
        yield seed, offset, 1000 // min(count, SEED_OCCURRENCES) + 1


def compare(page: Wording, begin: int, wanted: Sequence[str]) -> list[Edit]:
    """How a stretch of the page, from about a word on, becomes the quotation; by word of the page."""
    start = max(0, begin - len(wanted) // 2 - 2)
    window = page.words[start : begin + 2 * len(wanted) + 2]
    operations = SequenceMatcher(None, window, wanted, autojunk=False).get_opcodes()
    moved = [(kind, a + start, b + start, c, d) for kind, a, b, c, d in operations]
    return trimmed_ends(moved)


def trimmed_ends(operations: list[Edit]) -> list[Edit]:
    """The operations without what the page says before and behind the quotation."""
    if operations and operations[0][0] in {"delete", "replace"}:
        kind, a, b, c, d = operations[0]
        operations[0] = (kind, max(a, b - (d - c)), b, c, d)
    if operations and operations[-1][0] in {"delete", "replace"}:
        kind, a, b, c, d = operations[-1]
        operations[-1] = (kind, a, min(b, a + (d - c)), c, d)
    return [each for each in operations if each[1] < each[2] or each[3] < each[4]]


def same(operations: Sequence[Edit]) -> int:
    """How many words page and quotation have in common."""
    return sum(b - a for kind, a, b, _, _ in operations if kind == "equal")


def passage(page: Worded, first: int, last: int) -> Nearest:
    """A stretch of the page, widened to whole words."""
    start, end = page.words.span(first, max(last, first + 1))
    while goes_on(page.text, start):
        start -= 1
    while goes_on(page.text, end):
        end += 1
    return Nearest(text=page.text[start:end], start=start, end=end)
