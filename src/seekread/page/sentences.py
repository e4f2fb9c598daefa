# ruff: noqa: RUF001 (typographic signs are what this file is about)
"""
Where sentences end, for any script, without a model.

A full stop ends a sentence when white space and something that can begin a sentence follow,
unless the word before it is an initial or a usual abbreviation. Chinese and Japanese stops need no space.
"""

import re
from collections.abc import Iterator

from seekread.page.languages import words

STOP = re.compile(
    r"""
    [.!?…؟۔।。！？；｡\n]  # One set before all: a pattern that begins so passes over everything else quickly.
    (?: (?<=[.!?…؟۔।])(?<![.!?…؟۔।].)[.!?…؟۔।]*["'”’»)\]*_]{0,4}(?=\s)
      | (?<=[。！？；｡])[。！？；｡]*[”’」』）)\]"]{0,3}
      | (?<=\n)\n+ )
    """,
    re.VERBOSE,
)
BEGINS = re.compile(r"\s+[\"'“„«(\[*_¿¡]{0,4}(?:[^\W_a-zß-öø-ÿа-яё])", re.UNICODE)
LAST_WORD = re.compile(r"[^\W_]+$")
ABBREVIATIONS = words(
    "al bzw ca cf corp dr dt ed eds eg etc ex gen geb hg hl hr hrsg inc inkl jr lt ltd mr mrs ms prof resp sen sog sp "
    "spp sr st str trans usw vgl vs zb г гг др им млн млрд напр обл пр проф руб св см тыс ул"
)
BEFORE_NUMBERS = words("art bd ch col fig figs no nr op pp ref refs sec tab vol рис стр табл т")
"""Abbreviations only when a number follows."""


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of a stretch of text, white space around them left out."""
    end = len(text) if end is None else end
    first = start
    for match in STOP.finditer(text, start, end):
        if match.end() >= end or not ends_here(text, first, match):
            continue
        yield from trimmed(text, first, match.end())
        first = match.end()
    yield from trimmed(text, first, end)


def ends_here(text: str, first: int, match: re.Match[str]) -> bool:
    """Say whether a stop ends a sentence, or only an abbreviation, an initial or a number."""
    stop = match[0]
    if stop[0] in "\n。！？；｡":
        return True
    if not BEGINS.match(text, match.end()):
        return False
    if stop != ".":
        return True
    word = LAST_WORD.search(text, max(first, match.start() - 12), match.start())
    return word is None or not abbreviates(word[0], text[match.end() : match.end() + 8])


def abbreviates(word: str, following: str) -> bool:
    """Say whether a word before a full stop is rather an initial or an abbreviation than the end of a sentence."""
    if len(word) == 1 and word.isalpha() and word != "I":
        return True
    folded = word.casefold()
    return folded in ABBREVIATIONS or (folded in BEFORE_NUMBERS and following.lstrip()[:1].isdigit())


def trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span without the white space around it, or nothing if nothing else is there."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
