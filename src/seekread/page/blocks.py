"""
The block structure of Markdown: headings, fenced code, tables, list items and paragraphs, with their offsets.

One pass over the lines, no tree. Whoever cuts, lists, ranks, indexes or shows parts of a page asks here,
so that all of them agree on what is code and what is a heading.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from seekread.late import dataclass

BlockKind = Literal["heading", "code", "table", "item", "paragraph"]

FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?:>[ \t]?){0,8}(?P<mark>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)$", re.MULTILINE
)
HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*")
TITLE = re.compile(r"[^>]*[^\W_]")
"""A line that can be underlined: neither a quotation nor a rule."""
ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-*+]|(?P<number>\d{1,9})[.)])(?P<space>[ \t]{1,4}|$)(?P<rest>.*)$")
LINK = re.compile(
    r"!?\[([^\[\]]{0,1000})\](?:\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,2000})?(?: \"[^\"]{0,500}\")?\))"
)
EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|`+|~~|(?<!\w)_{1,3}|_{1,3}(?!\w))")
ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True)
class Block:
    """A stretch of lines of one kind. `level` is 1 to 6 for headings, 0 otherwise."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0


def fences(text: str) -> list[tuple[int, int]]:
    """The spans of fenced code, fence lines included. A fence that is never closed runs to the end of the text."""
    spans: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for match in FENCE.finditer(text):
        if opened is None:
            opened = (match.start(), match["mark"])
        elif closes(match[0], opened[1]):
            spans.append((opened[0], match.end()))
            opened = None
    if opened is not None:
        spans.append((opened[0], len(text)))
    return spans


def closes(line: str, mark: str) -> bool:
    """Say whether a line closes the code that a mark opened."""
    fence = FENCE.match(line)
    return fence is not None and fence["mark"].startswith(mark) and not fence["info"].strip()


def with_fence_closed(text: str) -> str:
    """A text whose last fence is closed, so that nothing that follows becomes code or stops being it."""
    spans = fences(text)
    opening = FENCE.match(text, spans[-1][0]) if spans and spans[-1][1] == len(text) else None
    if opening is None or (text.rfind("\n") > opening.start() and closes(text.rpartition("\n")[2], opening["mark"])):
        return text
    return f"{text}\n{opening['mark']}"


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text in order. What lies between two blocks is blank lines only."""
    code = fences(text)
    edges = [0, *(edge for span in code for edge in span), len(text)]
    for number, (start, end) in enumerate(pairwise(edges)):
        if number % 2:
            yield Block("code", start, end)
        else:
            yield from prose(text, start, end)


def prose(text: str, start: int, end: int) -> Iterator[Block]:
    """The blocks between two fences."""
    opened: Block | None = None
    above = ""
    for first, last in lines(text, start, end):
        line = text[first:last]
        kind, level = kind_of(line)
        if opened is not None and (under := underlined(above, line)):
            yield Block("heading", opened.start, last, under)
            opened = None
            continue
        rule = RULE.match(line)
        if opened is not None and (rule or kind is None or level or opened.level or not continues(opened.kind, kind)):
            yield opened
            opened = None
        if rule:
            yield Block("paragraph", first, last)
        if rule or kind is None:
            continue
        # Only a paragraph of one line can be a title.
        above = line if opened is None else ""
        opened = Block(kind, first, last, level) if opened is None else Block(opened.kind, opened.start, last)
    if opened is not None:
        yield opened


def continues(block: BlockKind, line: BlockKind) -> bool:
    """Say whether a line belongs to the block above it: every list item begins a block of its own."""
    return line == "paragraph" if block in {"paragraph", "item"} else line == block != "item"


def lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of the lines of a stretch, without their line ends."""
    while start < end:
        stop = text.find("\n", start, end)
        if stop < 0:
            stop = end
        yield start, stop
        start = stop + 1


def kind_of(line: str) -> tuple[BlockKind | None, int]:
    """What a line outside code is, and its level if it is a heading. `None` is a blank line."""
    bare = line.strip()
    if not bare:
        return None, 0
    if bare[0] == "#" and (match := HEADING.match(line)):
        return "heading", len(match[1])
    if bare[0] == "|":
        return "table", 0
    # A lone mark is rather a number or a dash than an item.
    if (item := ITEM.match(line)) and item["space"]:
        return "item", 0
    return "paragraph", 0


def underlined(above: str, line: str = "") -> int:
    """The level of the heading that a line makes of the line above it; 0 if it makes none."""
    under = UNDERLINE.fullmatch(line)
    if under is None or kind_of(above)[0] != "paragraph" or not TITLE.match(above):
        return 0
    return 1 if under[1][0] == "=" else 2


def inline_text(markdown: str) -> str:
    """A line of Markdown as a reader sees it: link texts instead of links, no emphasis, no escapes."""
    return ESCAPE.sub(r"\1", EMPHASIS.sub("", LINK.sub(r"\1", markdown)))


def heading_title(heading: str) -> str:
    """The title of a heading as a reader sees it."""
    return " ".join(inline_text(heading_text(heading)).split())


def heading_text(heading: str) -> str:
    """The title of a heading as it is written, without the marks before, behind or below it."""
    title = heading.strip().partition("\n")[0].strip()
    if not title.startswith("#"):
        return title
    bare = title.lstrip("#").strip()
    closed = bare.rstrip("#")
    return closed.strip() if not closed or closed[-1] in " \t" else bare
