"""
The blocks of a page: its pieces of text, gathered by what stands on one line or in one paragraph.

A piece of text is a *slot*: the text or the tail of one element. Every element that is not part of a line ends a block,
and so do two line breaks. One walk over the tree finds the slots, the blocks and the elements around them; what the
model wants to know of an element is worked out once for each spelling of its names.
"""

from dataclasses import field
from typing import NamedTuple

from lxml.etree import iterwalk

from seekread.extraction.element_names import NAMING, TAG_FLAGS, TAG_NUMBERS, naming, words
from seekread.extraction.tree import Element
from seekread.late import dataclass

INLINE = words(
    "a span b strong em i u s small sub sup code kbd mark abbr cite q time font tt samp var ins del bdi bdo big strike "
    "acronym data dfn nobr ruby rt rp rb picture img br wbr g-emoji"
)
"""Elements that are part of a line."""


class Slot(NamedTuple):
    """One piece of text: the text of an element, or what follows it inside its parent."""

    element: Element
    tail: bool
    text: str


class Kind(NamedTuple):
    """What elements with the same tag and the same words in their names have in common."""

    tag: int
    flags: int
    """What the tag and the names set."""
    counts: int
    words: tuple[str, ...]


class Inside(NamedTuple):
    """What the walk writes down about a block, in the order of the columns."""

    owner: int
    """The element it stands in."""
    linked: int
    """Characters of its text that are links."""
    links: int
    pictures: int


Spelled = tuple[tuple[str, str], ...]
"""The attributes that name an element, as they are written."""
BODY = Kind(TAG_NUMBERS["body"], 0, 0, ())
BLOCK = len(Inside._fields)


@dataclass
class Blocks:
    """The slots, blocks and elements of a page; of the elements only those that are not part of a line."""

    slots: list[Slot] = field(default_factory=list)
    block_of: list[int] = field(default_factory=list)
    """The block of every slot."""
    texts: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    """What is written down about every block, one after the other."""
    kinds: dict[Kind, int] = field(default_factory=lambda: {BODY: 0})
    """The kinds of elements, numbered in order."""
    kind_of: list[int] = field(default_factory=lambda: [0])
    """The kind of every element; the first is the body."""
    parents: list[int] = field(default_factory=lambda: [0])
    first: list[int] = field(default_factory=lambda: [0])
    last: list[int] = field(default_factory=lambda: [0])
    """The blocks that every element holds: from the first up to, and without, the last."""


def kind_of(tag: str, spelled: Spelled) -> Kind:
    """The kind of an element."""
    said = naming(spelled)
    return Kind(TAG_NUMBERS.get(tag, 0), said.flags | TAG_FLAGS.get(tag, 0), said.counts, said.words)


def blocks_of(body: Element) -> Blocks:
    """Walk over a body once."""
    found = Blocks()
    slots, block_of, rows = found.slots, found.block_of, found.rows
    kinds, kinds_of, parents, first, last = found.kinds, found.kind_of, found.parents, found.first, found.last
    pieces: list[list[str]] = []
    known: dict[tuple[str | tuple[str, str], ...], int] = {}
    """The kind of every way an element is written."""
    owner = linked = links = pictures = breaks = in_links = new_link = 0
    block: list[str] | None = None
    for event, element in iterwalk(body, events=("start", "end")):
        tag = element.tag
        tail = event == "end"
        text = element.tail if tail else element.text
        if tag in INLINE:
            if tag == "a":
                in_links += -1 if tail else 1
                new_link = 0 if tail else 1
            elif not tail and tag == "img":
                pictures += 1
            elif not tail and tag == "br" and block is not None:
                block.append("\n")
                breaks += 1
                if breaks > 1:
                    pieces.append(block)
                    rows += owner, linked, links, pictures
                    block, pictures = None, 0
        elif element is body:
            if tail:
                break
        else:
            if block is not None:
                pieces.append(block)
                rows += owner, linked, links, pictures
                block, pictures = None, 0
            if tail:
                last[owner] = len(pieces)
                owner = parents[owner]
            else:
                spelled = (tag, *element.items())
                kind = known.get(spelled)
                if kind is None:
                    named = tuple([item for item in spelled[1:] if item[0] in NAMING])
                    kind = known[spelled] = kinds.setdefault(kind_of(tag, named), len(kinds))
                kinds_of.append(kind)
                parents.append(owner)
                owner = len(first)
                first.append(len(pieces))
                last.append(0)
        if not text:
            continue
        if text.isspace():
            if block is not None:
                block.append(" ")
            continue
        breaks = 0
        if block is None:
            block, linked, links = [], 0, 0
        block.append(text)
        if in_links:
            linked += len(text)
            links += new_link
            new_link = 0
        slots.append(Slot(element, tail, text))
        block_of.append(len(pieces))
    if block is not None:
        pieces.append(block)
        rows += owner, linked, links, pictures
    last[0] = len(pieces)
    found.texts = [" ".join("".join(parts).split()) for parts in pieces]
    return found
