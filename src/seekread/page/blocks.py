"""
The block structure of Markdown: headings, fenced code, tables, list items and paragraphs, with their offsets.

One pass over the lines, no tree. Whoever cuts, lists or ranks parts of a page asks here,
so that all of them agree on what is code and what is a heading.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

BlockKind = Literal["heading", "code", "table", "item", "paragraph"]

FENCE = re.compile(r"^[ \t]*(?:>[ \t]?){0,8}(?P<mark>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)
HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
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
        mark = match["mark"]
        if opened is None:
            opened = (match.start(), mark)
        elif mark[0] == opened[1][0] and len(mark) >= len(opened[1]) and not match["info"].strip():
            spans.append((opened[0], match.end()))
            opened = None
    if opened is not None:
        spans.append((opened[0], len(text)))
    return spans


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
    for first, last in lines(text, start, end):
        kind, level = kind_of(text[first:last])
        if opened is not None and (kind is None or level or opened.level or not continues(opened.kind, kind)):
            yield opened
            opened = None
        if kind is None:
            continue
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
    if ITEM.match(line):
        return "item", 0
    return "paragraph", 0


def inline_text(markdown: str) -> str:
    """A line of Markdown as a reader sees it: link texts instead of links, no emphasis, no escapes."""
    return ESCAPE.sub(r"\1", EMPHASIS.sub("", LINK.sub(r"\1", markdown)))


def heading_title(line: str) -> str:
    """The title of a heading line: without its marks, closing marks and inline markup."""
    bare = line.strip().lstrip("#").strip()
    closed = bare.rstrip("#")
    if closed != bare and (not closed or closed[-1] in " \t"):
        bare = closed
    return " ".join(inline_text(bare).split())
