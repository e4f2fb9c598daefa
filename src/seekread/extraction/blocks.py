"""
The blocks of a page: its pieces of text, gathered by what stands on one line or in one paragraph.

A piece of text is a *slot*: the text or the tail of one element. Every element that is not part of a line ends a block,
and so do two line breaks. One walk over the tree finds the slots, the blocks and the elements around them; what the
model wants to know of an element is worked out once for each spelling of its names.
"""

from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml.etree import iterwalk

from seekread.extraction.element_names import TAG_FLAGS, TAG_NUMBERS, Names, Naming, names_of, naming, words
from seekread.extraction.tree import Element

INLINE = words(
    "a span b strong em i u s small sub sup code kbd mark abbr cite q time font tt samp var ins del bdi bdo big strike "
    "acronym data dfn nobr ruby rt rp rb picture img br wbr g-emoji"
)
"""Elements that are part of a line."""
NO_NAMING = Naming()


class Slot(NamedTuple):
    """One piece of text: the text of an element, or what follows it inside its parent."""

    element: Element
    tail: bool
    text: str


class Around(NamedTuple):
    """What the walk writes down about an element that is not part of a line, in the order of the columns."""

    parent: int
    tag: int
    flags: int
    """Its own flags and those of everything around it."""
    named_flags: int
    """The flags that its names set."""
    first: int
    last: int
    """The blocks it holds: from the first up to, and without, the last."""
    depth: int
    signature: int
    """The same number for elements with the same path of tags and names."""
    children: int
    place: int
    """Which of its parent's children it is, from 1."""
    counts: int
    """How many elements on the way to it are named like surroundings, content, a teaser: ten bits each."""


class Inside(NamedTuple):
    """What the walk writes down about a block, in the order of the columns."""

    owner: int
    """The element it stands in."""
    linked: int
    """Characters of its text that are links."""
    links: int
    pictures: int


ELEMENT, BLOCK = len(Around._fields), len(Inside._fields)
LAST, CHILDREN = Around._fields.index("last"), Around._fields.index("children")


@dataclass
class Blocks:
    """The slots, blocks and elements of a page; elements and blocks are rows of numbers, one after the other."""

    slots: list[Slot] = field(default_factory=list)
    block_of: list[int] = field(default_factory=list)
    """The block of every slot."""
    texts: list[str] = field(default_factory=list)
    elements: "array[int]" = field(default_factory=lambda: array("q"))
    names: list[tuple[str, ...]] = field(default_factory=list)
    """The words in the names of every element."""
    blocks: "array[int]" = field(default_factory=lambda: array("q"))


def blocks_of(body: Element) -> Blocks:
    """Walk over a body once."""
    found = Blocks()
    slots, block_of, elements, rows, names = found.slots, found.block_of, found.elements, found.blocks, found.names
    pieces: list[list[str]] = []
    known: dict[Names, Naming] = {}
    signatures: dict[tuple[int, str, tuple[str, ...]], int] = {}
    elements.extend((-1, TAG_NUMBERS["body"], 0, 0, 0, 0, 0, 0, 0, 0, 0))
    names.append(())
    # Of every element around: its number, the flags in force, its depth, its signature, its counts.
    stack = [(0, 0, 0, 0, 0)]
    owner = flags = depth = signature = counts = 0
    block: list[str] | None = None
    linked = links = pictures = breaks = in_links = new_link = 0
    for event, element in iterwalk(body, events=("start", "end")):
        tag = element.tag
        tail = event == "end"
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
                    rows.extend((owner, linked, links, pictures))
                    block, pictures = None, 0
        elif element is body:
            if tail:
                break
        else:
            if block is not None:
                pieces.append(block)
                rows.extend((owner, linked, links, pictures))
                block, pictures = None, 0
            if tail:
                elements[owner * ELEMENT + LAST] = len(pieces)
                stack.pop()
                owner, flags, depth, signature, counts = stack[-1]
            else:
                spelled = names_of(element)
                said = NO_NAMING
                if spelled.all:
                    said = known.get(spelled) or known.setdefault(spelled, naming(spelled))
                path = (signature, tag, said.words)
                parent, place = owner, owner * ELEMENT + CHILDREN
                elements[place] += 1
                owner = len(names)
                flags |= said.flags | TAG_FLAGS.get(tag, 0)
                depth += 1
                signature = signatures.setdefault(path, len(signatures) + 1)
                counts += said.counts
                elements.extend(
                    (
                        parent, TAG_NUMBERS.get(tag, 0), flags, said.flags, len(pieces), 0, depth, signature, 0,
                        elements[place], counts,
                    )
                )  # fmt: skip
                names.append(said.words)
                stack.append((owner, flags, depth, signature, counts))
        text = element.tail if tail else element.text
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
        rows.extend((owner, linked, links, pictures))
    for index, *_ in stack:
        elements[index * ELEMENT + LAST] = len(pieces)
    found.texts = [" ".join("".join(parts).split()) for parts in pieces]
    return found
