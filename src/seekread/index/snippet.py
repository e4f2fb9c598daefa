"""The part of a text that shows best why it was found."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from seekread.index.expression import Term, spellings
from seekread.index.words import is_spaceless, stretches
from seekread.page.folding import fold_words_in_place

WIDTH = 280
"""Characters: about three lines, what search engines show."""


def snippet(text: str, terms: Iterable[Term], width: int = WIDTH) -> str:
    """Cut the stretch with the most different words of the query out of the original text, whole words only."""
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    first, last = best_stretch(mentions(text, terms), width)
    start = max(0, min(first - (width - (last - first)) // 2, len(text) - width))
    end = min(len(text), start + width)
    if start:
        start = after_space(text, start, first)
    if end < len(text):
        end = before_space(text, end, last)
    return f"{'…' if start else ''}{text[start:end].strip()}{'…' if end < len(text) else ''}"


def mentions(text: str, terms: Iterable[Term]) -> list[tuple[int, int, str]]:
    """Where the words of a query stand in the original text, in order."""
    needles = dict.fromkeys(needle for term in terms for needle in _needles(term))
    if not needles:
        return []
    folded, origins = fold_words_in_place(text)
    places = [place for needle in needles if not is_spaceless(needle) for place in whole_words(folded, needle)]
    if runs := sorted(filter(is_spaceless, needles), key=len, reverse=True):
        wanted = re.compile("|".join(map(re.escape, runs)))
        places += [(match.start(), match.end()) for match in wanted.finditer(folded)]
    return [(origins[start], origins[end - 1] + 1, folded[start:end]) for start, end in sorted(places)]


def whole_words(folded: str, word: str) -> Iterator[tuple[int, int]]:
    """Where a word stands by itself; finding it letter by letter with a pattern would take ten times as long."""
    start = folded.find(word)
    while start >= 0:
        end = start + len(word)
        if not (folded[start - 1 : start].isalnum() or folded[end : end + 1].isalnum()):
            yield start, end
        start = folded.find(word, end)


def _needles(term: Term) -> Iterable[str]:
    for piece in term.pieces:
        yield from [piece, *stretches(piece)] if is_spaceless(piece) else spellings(piece)


def best_stretch(found: list[tuple[int, int, str]], width: int) -> tuple[int, int]:
    """The stretch, no longer than `width`, that holds the most different words, then the most words."""
    best, stretch = (0, 0), (0, 0)
    starts = [start for start, _, _ in found]
    for number, (start, end, _) in enumerate(found):
        inside = found[number : bisect_right(starts, start + width)]
        inside = [mention for mention in inside if mention[1] <= start + width] or [found[number]]
        worth = (len({word for _, _, word in inside}), len(inside))
        if worth > best:
            best, stretch = worth, (start, max(end, inside[-1][1]))
    return stretch


def after_space(text: str, start: int, latest: int) -> int:
    """The beginning of the next word, unless that would pass what has to be shown."""
    space = text.find(" ", start - 1, latest)
    return start if space < 0 else space + 1


def before_space(text: str, end: int, earliest: int) -> int:
    """The end of the last whole word, unless that would cut off what has to be shown."""
    space = text.rfind(" ", earliest, end + 1)
    return end if space < 0 else space
