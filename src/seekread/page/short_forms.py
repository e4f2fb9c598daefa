"""
Short forms a text explains itself, such as "respiratory syncytial virus (RSV)".

Whoever asks about the one finds the other: a stretch with a short form means the words of the long one, and a stretch
with all words of the long one means the short form.
"""

import re
from collections.abc import Iterator, Mapping

from seekread.page.languages import Language
from seekread.page.stemming import terms

IN_BRACKETS = re.compile(r"\(([^\W\d_][\w/-]{0,8}[^\W_])s?[),;]")
FEWEST_CAPITALS = 2
LONGEST_WORD = 12
"""Characters before a bracket that are looked at for each letter in it."""

ShortForms = Mapping[str, frozenset[str]]
"""The terms of each long form, by the term of its short one."""


def short_forms(text: str, language: Language) -> ShortForms:
    """The short forms that stand in brackets behind their long ones."""
    found: dict[str, frozenset[str]] = {}
    for match in IN_BRACKETS.finditer(text):
        short = match[1]
        before = text[max(0, match.start() - LONGEST_WORD * len(short)) : match.start()]
        if sum(map(str.isupper, short)) < FEWEST_CAPITALS or (start := long_form(short, before)) is None:
            continue
        if long := frozenset(terms(before[start:], language)):
            found.setdefault(next(terms(short, language)), long)
    return found


def long_form(short: str, before: str) -> int | None:
    """Where a long form begins in the text before its short one: its letters in order, the first opening a word."""
    folded = before.casefold()
    letters = [letter for letter in short.casefold() if letter.isalnum()]
    place = len(folded)
    for letter in reversed(letters[1:]):
        place = folded.rfind(letter, 0, place)
        if place < 0:
            return None
    while (place := folded.rfind(letters[0], 0, max(place, 0))) > 0 and folded[place - 1].isalnum():
        pass
    return place if place >= 0 else None


def meant(forms: ShortForms, said: Mapping[str, Mapping[int, object]]) -> Iterator[tuple[str, int]]:
    """The terms that parts of a text mean, with the numbers of these parts; `said` has where each term stands."""
    for short, long in forms.items():
        with_short = said.get(short, {}).keys()
        with_long = [said.get(term, {}).keys() for term in long]
        yield from (
            (term, number) for term, those in zip(long, with_long, strict=True) for number in with_short - those
        )
        yield from ((short, number) for number in set(with_long[0]).intersection(*with_long) - with_short)
