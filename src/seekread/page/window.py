# ruff: noqa: RUF001 (typographic signs are what this file is about)
"""
One part of a long page at a time, cut where a reader would cut.

A window ends after a paragraph if one ends in its second half, otherwise after a line, a sentence, a word, and only
then anywhere; fenced code is left whole where it fits. Windows follow each other without a gap:
put together, they are the page, character for character.
"""

import re
import unicodedata
from collections.abc import Callable

from seekread.errors import InvalidQuery
from seekread.late import dataclass
from seekread.models import estimated_tokens
from seekread.page.blocks import fences

MAX_LENGTH = 15_000
SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]*_]{0,4}\s+|[。！？；]+[”’」』）]{0,3}")
JOINERS = frozenset("\u200d\ufe0e\ufe0f\u20e3")


@dataclass(frozen=True)
class Window:
    """`content == text[offset:end]`. Lengths are in characters; `next_offset` is `None` at the end of the text."""

    content: str
    offset: int
    end: int
    total: int
    truncated: bool
    next_offset: int | None
    tokens: int
    total_tokens: int


def window(text: str, offset: int = 0, max_length: int = MAX_LENGTH) -> Window:
    """The part of a text that begins at `offset` and is at most `max_length` characters long."""
    total = len(text)
    if max_length < 1:
        raise InvalidQuery(f"max_length must be at least 1, not {max_length}")
    if offset < 0:
        raise InvalidQuery(f"offset must not be negative, not {offset}: use 0 for the beginning of the page")
    if offset >= total and offset > 0:
        last = f"use an offset from 0 to {total - 1}" if total else "it is empty"
        raise InvalidQuery(f"offset {offset} is past the end: the page has {total} characters; {last}")
    end = total if offset + max_length >= total else page_cut(text, offset, offset + max_length)
    content = text[offset:end]
    return Window(
        content=content,
        offset=offset,
        end=end,
        total=total,
        truncated=len(content) < total,
        next_offset=end if end < total else None,
        tokens=estimated_tokens(content),
        total_tokens=estimated_tokens(text),
    )


def footer(
    shown: Window, *, noun: str = "page", again: str = "Call again with offset={next_offset} for the next part."
) -> str:
    """The sentence that tells a reader how much this is, of how much, and how to go on."""
    if not shown.truncated:
        return f"This is the complete {noun}: {shown.total:,} characters (about {shown.total_tokens:,} tokens)."
    measure = (
        f"characters {shown.offset:,} to {shown.end:,} of {shown.total:,} "
        f"(about {shown.tokens:,} of {shown.total_tokens:,} tokens)"
    )
    if shown.next_offset is None:
        return f"This is the last part of the {noun}: {measure}."
    return f"The {noun} is longer than this part: {measure}. {again.format(next_offset=shown.next_offset)}"


def page_cut(text: str, start: int, limit: int) -> int:
    """Where to end a window that begins at `start` and must end by `limit`."""
    middle = start + (limit - start) // 2
    after_code = 0
    for first, last in fences(text):
        if first >= limit:
            break
        if last <= limit:
            after_code = last
        elif start < first and last - first <= limit - start:
            return first
        else:
            return (text.rfind("\n", max(start, first), limit) + 1) or place_to_cut(text, start, limit)
    if after_code <= middle:
        return place_to_cut(text, start, limit)
    # A blank line inside the code before this place must not be taken for the end of a paragraph.
    return after_paragraph(text, after_code, limit) or after_code + (after_code < limit)


def place_to_cut(text: str, start: int, limit: int) -> int:
    """
    The best place to cut up to `limit`: after a paragraph, line, sentence or word in the second half, or anywhere.

    Always after `start`.
    """
    if limit >= len(text):
        return len(text)
    middle = start + (limit - start) // 2
    for place in PLACES:
        found = place(text, middle, limit)
        if found > start:
            return found
    return whole_character(text, start, limit)


def after_paragraph(text: str, middle: int, limit: int) -> int:
    return text.rfind("\n\n", middle, limit) + 2 if "\n\n" in text[middle:limit] else 0


def after_line(text: str, middle: int, limit: int) -> int:
    return text.rfind("\n", middle, limit) + 1


def after_sentence(text: str, middle: int, limit: int) -> int:
    ends = [match.end() for match in SENTENCE_END.finditer(text, middle, limit)]
    return ends[-1] if ends else 0


def after_word(text: str, middle: int, limit: int) -> int:
    return max(text.rfind(space, middle, limit) for space in " \t\u00a0\u3000") + 1


PLACES: tuple[Callable[[str, int, int], int], ...] = (after_paragraph, after_line, after_sentence, after_word)


def whole_character(text: str, start: int, limit: int) -> int:
    """The last place up to `limit` that does not part an accent, a joined emoji or a flag from its base."""
    place = limit
    while place > start + 1 and belongs_to_the_character_before(text, place):
        place -= 1
    return place if place > start + 1 or not belongs_to_the_character_before(text, place) else limit


def belongs_to_the_character_before(text: str, place: int) -> bool:
    """Say whether a cut at `place` would part what a reader sees as one character."""
    here, before = text[place], text[place - 1]
    return (
        here in JOINERS
        or before == "\u200d"
        or unicodedata.category(here).startswith("M")
        or "\U0001f3fb" <= here <= "\U0001f3ff"
        or "\udc00" <= here <= "\udfff"
        or (here == "\n" and before == "\r")
        or (flag(here) and flag(before))
    )


def flag(character: str) -> bool:
    """Say whether a character is half of a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"
