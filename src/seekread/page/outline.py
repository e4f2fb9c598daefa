# ruff: noqa: RUF001 (signs of other scripts are meant as they stand)
"""
Finding one's way on a page that was read: its headings, one section of it, every place that says something.

A section is named by its title, by a path of titles (`API > Errors`) or by its number in the outline (`2.1`).
A name that fits no section or several gets no section, and `missing` says which names are near.
"""

import difflib
import re
from bisect import bisect_right
from collections.abc import Sequence

from seekread.errors import InvalidQuery
from seekread.late import dataclass
from seekread.page.blocks import Block, blocks, heading_title
from seekread.page.folding import fold, fold_characters

PATH = re.compile(r"\s*(?:›|»|→|>|/)\s*")
NUMBER = re.compile(r"(?:§|section)?\s*(\d{1,3}(?:\.\d{1,3})*)\.?$", re.IGNORECASE)
CHOICES = 6


@dataclass(frozen=True)
class Heading:
    """A heading. `length` is that of its section, sub-sections included; `number` is its place in the outline."""

    level: int
    title: str
    offset: int
    length: int
    number: str = ""
    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class Span:
    """A section of a text, from its heading to the next heading that is not below it."""

    offset: int
    end: int
    heading: Heading


@dataclass(frozen=True)
class Match:
    """A place where a text was found: `match == text[offset:end]`, with what stands around it and above it."""

    offset: int
    end: int
    before: str
    match: str
    after: str
    heading: str


def outline(text: str) -> tuple[Heading, ...]:
    """The headings of a text in order, those in code left out."""
    found = [block for block in blocks(text) if block.kind == "heading"]
    ends = section_ends(found, len(text))
    headings: list[Heading] = []
    stack: list[Heading] = []
    counts: list[int] = [0]
    for block, end in zip(found, ends, strict=True):
        while stack and stack[-1].level >= block.level:
            stack.pop()
        del counts[len(stack) + 1 :]
        if len(counts) == len(stack):
            counts.append(0)
        counts[len(stack)] += 1
        title = heading_title(text[block.start : block.end])
        path = (*(parent.title for parent in stack), title)
        number = ".".join(map(str, counts))
        stack.append(Heading(block.level, title, block.start, end - block.start, number, path))
        counts.append(0)
        headings.append(stack[-1])
    return tuple(headings)


def section_ends(found: Sequence[Block], total: int) -> list[int]:
    """Where the section of each heading ends: at the next heading of its level or above, or at the end."""
    ends = [total] * len(found)
    opened: list[int] = []
    for index, block in enumerate(found):
        while opened and found[opened[-1]].level >= block.level:
            ends[opened.pop()] = block.start
        opened.append(index)
    return ends


def section(text: str, heading: str) -> Span | None:
    """The section with this title, path or number. `None` if there is none, or more than one: see `missing`."""
    fitting = sections_named(outline(text), heading)
    if len(fitting) != 1:
        return None
    return Span(fitting[0].offset, fitting[0].offset + fitting[0].length, fitting[0])


def sections_named(headings: Sequence[Heading], name: str) -> tuple[Heading, ...]:
    """
    The headings a name fits, by the first of these that fits any.

    The whole title, the end of a path, the number, the beginning of a title, words inside a title.
    """
    wanted = folded(name)
    if not wanted:
        return ()
    steps = [folded(step) for step in PATH.split(name) if step.strip()]
    number = NUMBER.match(name.strip())
    for fits in (
        lambda h: folded(h.title) == wanted,
        lambda h: len(steps) > 1 and [folded(title) for title in h.path][-len(steps) :] == steps,
        lambda h: number is not None and folded(h.title).startswith((f"{number[1]} ", f"{number[1]}. ")),
        lambda h: number is not None and h.number == number[1],
        lambda h: bare(h.title) == bare(name),
        lambda h: folded(h.title).startswith(wanted),
        lambda h: wanted in folded(h.title),
    ):
        found = tuple(heading for heading in headings if fits(heading))
        if found:
            return found
    return ()


def missing(text: str, heading: str) -> str:
    """What to tell somebody whose section was not found: the sections that fit, or those with a similar title."""
    headings = outline(text)
    if not headings:
        return f"There is no section {heading!r}: this page has no headings. Read it with offset or ask with query."
    fitting = sections_named(headings, heading)
    if fitting:
        return f"{heading!r} fits {len(fitting)} sections. Use a number or a path: {heading_names(fitting[:CHOICES])}."
    near = near_titles(headings, heading)
    if near:
        return f"There is no section {heading!r}. Near to it: {heading_names(near)}."
    return f"There is no section {heading!r}. The page has: {heading_names(headings[: 2 * CHOICES])}."


def near_titles(headings: Sequence[Heading], name: str) -> tuple[Heading, ...]:
    """The headings whose title is written similarly or shares a word, best first."""
    wanted = folded(name)
    words = {word for word in wanted.split() if len(word) > 2}

    def nearness(heading: Heading) -> float:
        title = folded(heading.title)
        shared = len(words & set(title.split())) / len(words) if words else 0.0
        return max(shared, difflib.SequenceMatcher(None, wanted[:200], title[:200]).ratio())

    rated = sorted(((nearness(heading), -index, heading) for index, heading in enumerate(headings)), reverse=True)
    return tuple(heading for near, _, heading in rated[:CHOICES] if near >= 0.5)


def heading_names(headings: Sequence[Heading]) -> str:
    return "; ".join(f"{heading.number} {' > '.join(heading.path[-2:])}" for heading in headings)


def folded(title: str) -> str:
    """A title without case, as it is compared; a number it begins with stays."""
    return " ".join(fold_characters(title).strip("# \n").split())


def bare(title: str) -> str:
    """A title without its own number and punctuation around it."""
    return folded(title).lstrip("0123456789.§ ").strip(" .:!?")


def find(text: str, needle: str, *, context: int = 120, limit: int = 20) -> tuple[Match, ...]:
    """Every place that says something, whatever its case, white space and markup, with `context` around it."""
    wanted = fold(needle).text.strip()
    if not wanted:
        raise InvalidQuery("there is nothing to find: give a word or a phrase")
    page = fold(text)
    headings = outline(text)
    offsets = [heading.offset for heading in headings]
    matches: list[Match] = []
    place = page.text.find(wanted)
    while place >= 0 and len(matches) < limit:
        start, end = page.span(place, place + len(wanted))
        above = bisect_right(offsets, start) - 1
        matches.append(
            Match(
                start,
                end,
                text[max(0, start - context) : start],
                text[start:end],
                text[end : end + context],
                headings[above].title if above >= 0 else "",
            )
        )
        place = page.text.find(wanted, place + len(wanted))
    return tuple(matches)
