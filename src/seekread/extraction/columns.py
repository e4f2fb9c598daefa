"""
What the block model knows of every block: columns of numbers, made with numpy from one walk over the page.

A column says something about the text of a block, its place, the elements around it, its neighbours, the heading above
it, or the whole page. The order of `GROUPS` is the order of the columns in the model file: training writes both.
"""

import re
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seekread.extraction.blocks import BLOCK, Blocks
from seekread.extraction.element_names import FLAG, FLAGS, TAG_NUMBERS
from seekread.late import dataclass

Declared = Literal["article", "collection", "nothing"]
"""What a page says it is: an article, a product or list of things, or nothing."""
Floats = NDArray[np.floating[Any]]
Whole = NDArray[np.integer[Any]]
Columns = list[NDArray[Any]]

LEVELS = 5
"""Elements around a block that are looked at one by one."""
LONG = 80
"""A block of so many letters with few links is *good*: it reads like content."""
FEW_LINKS = 0.3
CJK_WEIGHT = 3
"""One Chinese, Japanese or Korean character says as much as so many letters."""
LONGEST_BODY = 30_000
"""Characters of a declared body in which texts are looked for."""
SHORTEST_QUOTE = 30
"""Shorter texts are found in any description by chance."""
TYPES = (
    "NewsArticle", "BlogPosting", "Article", "Product", "ItemList", "DiscussionForumPosting", "QAPage", "Question",
    "TechArticle", "CollectionPage", "WebPage", "BreadcrumbList", "FAQPage", "Organization",
)  # fmt: skip
ADDRESSES = tuple(
    re.compile(pattern)
    for pattern in (
        r"forum|thread|topic|question|discuss|/t/|viewtopic|showthread",
        r"product|/p/|/dp/|shop|item",
        r"doc|api|reference|manual|guide|wiki|learn",
        r"categor|collection|/c/|list|tag",
        r"/20[0-3]\d|blog|news|article|story",
    )
)
"""What an address says about the kind of its page."""
FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""Odd and large, so that two paths have one number by chance only."""
H1, H6 = TAG_NUMBERS["h1"], TAG_NUMBERS["h6"]
PARAGRAPH, ARTICLE = TAG_NUMBERS["p"], TAG_NUMBERS["article"]


@dataclass(frozen=True)
class Hints:
    """What a page says about itself beside its text."""

    declared: Declared = "nothing"
    types: frozenset[str] = frozenset()
    url: str = ""
    title: str = ""
    description: str = ""
    article_body: str = ""


SIGNS = {
    1: ".!?\u3002\uff01\uff1f\u2026",
    2: ",;:\uff0c\uff1b\uff1a\u3001",
    5: " ",
    7: "|/>\u00bb\u203a\u2022\u00b7\u2192\u2190",
    8: "$\u20ac\u00a3\u00a5%+#@\u00a9\u00ae\u2122",
    9: "\"\u201c\u201d'\u2019\u2018\u00ab()",
}
"""Classes of signs: what ends sentences, what parts them, spaces, arrows and bullets, currencies, quotes."""


def character_classes() -> NDArray[np.uint8]:
    """The class of every character: 1 ends sentences, 2 parts them, 3 digits, 4 capitals, 5 space, 6 CJK, …"""
    classes = np.zeros(65536, np.uint8)
    for code in range(65536):
        character = chr(code)
        if character.isdigit():
            classes[code] = 3
        elif character.isupper():
            classes[code] = 4
    classes[0x3040:0x3100] = classes[0x3400:0xA000] = classes[0xAC00:0xD7B0] = 6
    for number, characters in SIGNS.items():
        classes[[ord(character) for character in characters]] = number
    return classes


CLASSES = character_classes()
KINDS = 10
ENDS, PARTS, DIGITS, CAPITALS, SPACES, CJK = range(1, 7)


def sums(values: NDArray[Any]) -> Floats:
    """Sums up to each row, so that the sum of any range is one subtraction."""
    found = np.zeros((len(values) + 1, *values.shape[1:]), np.float64)
    np.cumsum(values, axis=0, out=found[1:])
    return found


def logarithm(values: Any, scale: float) -> Floats:
    return np.asarray(np.log1p(values) / scale)


class Sheet:
    """The numbers of one page, as arrays: what several columns are made of."""

    def __init__(self, blocks: Blocks, hints: Hints) -> None:
        self.blocks, self.hints = blocks, hints
        rows = np.array(blocks.rows, np.int64).reshape(-1, BLOCK)
        self.owner, self.linked, self.links, self.pictures = rows.T
        self.parent, self.kind = np.array(blocks.parents, np.intp), np.array(blocks.kind_of, np.intp)
        self.first, self.last = np.array(blocks.first, np.intp), np.array(blocks.last, np.intp)
        self.tag, self.own_flags, counts = np.array([kind[:3] for kind in blocks.kinds], np.int64)[self.kind].T
        self.inherit(counts)
        self.number = len(rows)
        self.place = np.arange(self.number)
        self.read_texts()
        self.block_tag = self.tag[self.owner]
        self.is_heading = (self.block_tag >= H1) & (self.block_tag <= H6)
        self.block_flags = ((self.flags[self.owner][:, None] >> np.arange(len(FLAGS))) & 1).astype(np.float32)
        self.base = self.basic_sums()

    def inherit(self, counts: Whole) -> None:
        """Add up, on the way from the body to every element, flags, counts, depth and a number for the path."""
        above, kind = self.parent, self.kind.astype(np.uint64)
        self.flags, path, depth = self.own_flags.copy(), kind * FACTOR + kind, np.ones_like(self.kind)
        depth[0] = path[0] = 0
        factor = np.full(len(kind), FACTOR)
        factor[0] = 1
        counts = counts.copy()
        # Each step doubles how far up an element has looked.
        while above.any():
            self.flags |= self.flags[above]
            counts += counts[above]
            depth += depth[above]
            path += factor * path[above]
            factor *= factor[above]
            above = above[above]
        self.depth = depth
        self.counts = (counts[:, None] >> np.array((0, 10, 20))) & 1023
        self.signature = np.unique(path, return_inverse=True)[1]

    @cached_property
    def children(self) -> Whole:
        """How many elements every element holds directly."""
        return np.bincount(self.parent[1:], minlength=len(self.parent))

    @cached_property
    def index(self) -> Whole:
        """Which of its parent's children every element is, from 1."""
        order = np.argsort(self.parent[1:], kind="stable")
        parents = self.parent[1:][order]
        starts = np.searchsorted(parents, parents)
        found = np.zeros(len(self.parent), np.intp)
        found[order + 1] = np.arange(len(parents)) - starts + 1
        return found

    def read_texts(self) -> None:
        """Count the characters of every block by their class."""
        texts = self.blocks.texts
        self.size = np.fromiter(map(len, texts), np.int64, self.number)
        offsets = np.zeros(self.number + 1, np.int64)
        np.cumsum(self.size + 1, out=offsets[1:])
        codes = np.frombuffer(("\n".join(texts) + "\n").encode("utf-32-le", "replace"), np.uint32)
        classes = CLASSES[np.minimum(codes, 65535)]
        cells = np.repeat(self.place * KINDS, self.size + 1) + classes
        counts = np.bincount(cells, minlength=self.number * KINDS).reshape(-1, KINDS).astype(np.float32)
        self.counted = counts
        self.leading, self.ending = classes[offsets[:-1]], classes[offsets[1:] - 2]
        self.letters = (self.size + (CJK_WEIGHT - 1) * counts[:, CJK]).astype(np.float32)
        self.words = counts[:, SPACES] + counts[:, CJK] + 1
        self.link_share = np.minimum(1, self.linked / np.maximum(self.size, 1)).astype(np.float32)
        self.good = ((self.letters > LONG) & (self.link_share < FEW_LINKS)).astype(np.float32)
        self.good_letters = self.good * self.letters
        self.punctuation = counts[:, ENDS] + counts[:, PARTS]
        self.all_letters = max(1.0, float(self.letters.sum()))
        self.all_good = max(1.0, float(self.good_letters.sum()))

    def basic_sums(self) -> Floats:
        """Sums over ranges of blocks, in the order of the constants below."""
        letters = self.letters
        found = np.zeros((8, self.number + 1))
        np.cumsum(
            [
                letters,
                letters * self.link_share,
                self.good,
                self.good_letters,
                self.punctuation,
                (self.block_tag == PARAGRAPH) * letters,
                np.ones(self.number),
                self.is_heading,
            ],
            axis=1,
            out=found[:, 1:],
        )
        return found

    def held(self, begins: Whole, ends: Whole) -> Floats:
        """What ranges of blocks hold, one row for each of the basic sums."""
        return np.asarray(self.base[:, ends] - self.base[:, begins])

    def windows(self, *reaches: int) -> tuple[Whole, Whole]:
        """Where the blocks around every block begin and end, so many to each side; one row for each reach."""
        reach = np.array(reaches)[:, None]
        return np.maximum(0, self.place - reach), np.minimum(self.number, self.place + reach + 1)

    def outwards(self, levels: int) -> Whole:
        """The elements around every block, from the one it stands in outwards; one row for each level."""
        found = np.empty((levels, self.number), np.intp)
        found[0] = self.owner
        for level in range(1, levels):
            np.take(self.parent, found[level - 1], out=found[level])
        return found

    @cached_property
    def levels(self) -> Whole:
        """The elements that are looked at one by one, and one more."""
        return self.outwards(LEVELS + 1)

    @cached_property
    def ranges(self) -> tuple[Whole, Whole]:
        """Where the elements around every block begin and end, one row for each level."""
        begins = self.first[self.levels]
        return begins, np.maximum(self.last[self.levels], begins + 1)

    @cached_property
    def heading_above(self) -> Whole:
        """The heading that governs each block, or -1."""
        return np.asarray(np.maximum.accumulate(np.where(self.is_heading, self.place, -1)))

    @cached_property
    def heading_below(self) -> Whole:
        """The next heading after each block, or the number of blocks."""
        following = np.where(self.is_heading, self.place, self.number)
        nearest = np.minimum.accumulate(following[::-1])[::-1]
        return np.append(nearest[1:], self.number)

    @cached_property
    def good_inside(self) -> Floats:
        """Good letters inside every element."""
        return np.asarray(self.base[GOOD_LETTERS, self.last] - self.base[GOOD_LETTERS, self.first])

    @cached_property
    def declared_body(self) -> str:
        """The article body that the page declares, as far as texts are looked for in it."""
        return " ".join(self.hints.article_body[:LONGEST_BODY].split())

    @cached_property
    def titles(self) -> Whole:
        """The blocks that repeat most of the title."""
        return np.nonzero(self.told[:, 3] > 0.5)[0]

    @cached_property
    def told(self) -> Floats:
        """How often each text stands on the page; whether JSON-LD or the description has it; its share of the title."""
        texts, size = self.blocks.texts, self.size
        body, description, title = self.declared_body, self.hints.description, self.hints.title.lower()
        seen = Counter(texts)
        found = np.zeros((self.number, 4), np.float32)
        found[:, 0] = [seen[text] for text in texts]
        long = np.nonzero(size >= SHORTEST_QUOTE)[0].tolist()
        if body:
            found[long, 1] = [texts[number][2:40] in body for number in long]
        if description:
            found[long, 2] = [texts[number][:SHORTEST_QUOTE] in description for number in long]
        for number in np.nonzero((size > 8) & (size < 200) & (size <= len(title)))[0].tolist():
            if texts[number].lower() in title:
                found[number, 3] = size[number] / len(title)
        return found

    def constant(self, value: float) -> Floats:
        return np.full(self.number, value, np.float32)

    def around(self, element: int) -> Columns:
        """Whether a block stands in an element, and how far it is from its edges."""
        begin, end = self.first[element], self.last[element]
        inside = (self.place >= begin) & (self.place < end)
        return [inside, np.clip((self.place - begin) / 30, -2, 2), np.clip((end - self.place) / 30, -2, 2)]

    def beyond(self, marked: NDArray[Any]) -> Columns:
        """Whether a block stands after the last, and before the first, of some blocks."""
        numbers = np.nonzero(marked)[0]
        if not len(numbers):
            return [self.constant(0), self.constant(0)]
        return [self.place > numbers[-1], self.place < numbers[0]]


LETTERS, LINKED, GOOD, GOOD_LETTERS, PUNCTUATION, IN_PARAGRAPHS, BLOCKS, HEADINGS = range(8)


def about_text(sheet: Sheet) -> Columns:
    """How long a text is, what it is made of, how it begins and ends."""
    size = np.maximum(sheet.size, 1)[:, None]
    many = sheet.counted[:, SPACES] + 0.6 * sheet.counted[:, CJK] + 1
    return [
        logarithm(sheet.letters, 5),
        np.minimum(many, 200) / 50,
        logarithm(many, 4),
        sheet.link_share,
        *(sheet.counted[:, 1:] / size).T,
        sheet.ending == ENDS,
        sheet.ending == PARTS,
        sheet.leading == CAPITALS,
        sheet.leading == DIGITS,
        sheet.linked > 0,
        np.minimum(sheet.links, 10),
        sheet.links / many,
    ]


def about_place(sheet: Sheet) -> Columns:
    """Where on the page a block stands, and how deep."""
    return [
        sheet.place / sheet.number,
        np.cumsum(sheet.letters) / sheet.all_letters,
        sheet.depth[sheet.owner] / 20,
        *sheet.counts[sheet.owner, :2].T / 3,
        np.minimum(3, sheet.pictures),
        logarithm(sheet.place, 5),
        logarithm(sheet.number - sheet.place, 5),
    ]


def about_surroundings(sheet: Sheet) -> Columns:
    """What the elements around a block hold, level by level."""
    begins, ends = (edges[:LEVELS] for edges in sheet.ranges)
    held = sheet.held(begins, ends)
    blocks, letters = np.maximum(held[BLOCKS], 1), np.maximum(held[LETTERS], 1)
    columns = [
        logarithm(held[LETTERS], 8),
        held[LETTERS] / sheet.all_letters,
        held[LINKED] / letters,
        held[GOOD] / blocks,
        held[GOOD_LETTERS] / letters,
        held[PUNCTUATION] / letters * 20,
        logarithm(held[BLOCKS], 5),
        logarithm(held[LETTERS] / blocks, 5),
        held[HEADINGS] / blocks,
    ]
    return [column[level] for level in range(LEVELS) for column in columns]


def about_repetition(sheet: Sheet) -> Columns:
    """How many elements are like those around a block, and which of their parents' children they are."""
    element = sheet.levels[:LEVELS]
    index = sheet.index[element]
    columns = (
        logarithm(np.bincount(sheet.signature)[sheet.signature[element]], 4),
        logarithm(index, 4),
        logarithm(np.maximum(sheet.children[sheet.levels[1:]] - index, 0), 4),
    )
    return [column[level] for level in range(LEVELS) for column in columns]


def about_paths(sheet: Sheet) -> Columns:
    """What all blocks of the same path hold together."""
    path = sheet.signature[sheet.owner]
    number, letters = np.bincount(path), np.bincount(path, sheet.letters)
    return [
        logarithm(number[path], 4),
        logarithm(letters[path] / number[path], 5),
        (letters / sheet.all_letters)[path],
        (np.bincount(path, sheet.linked) / np.maximum(letters, 1))[path],
        (np.bincount(path, sheet.punctuation) / np.maximum(letters, 1) * 20)[path],
        (np.bincount(path, sheet.good_letters) / sheet.all_good)[path],
    ]


def about_main_boxes(sheet: Sheet) -> Columns:
    """Whether a block stands in the deepest element that holds most of the good text, or directly in its best part."""
    found: Columns = []
    for share in (0.5, 0.75, 0.92):
        holders = np.nonzero(sheet.good_inside >= share * sheet.all_good)[0]
        found += sheet.around(int(holders[-1]) if len(holders) else 0)
    direct = np.bincount(sheet.parent[sheet.owner], sheet.good_letters, minlength=len(sheet.tag))
    direct += np.bincount(sheet.owner, sheet.good_letters * 0.5, minlength=len(sheet.tag))
    best = int(direct.argmax())
    found += sheet.around(best)
    found.append(sheet.constant(sheet.good_inside[best] / sheet.all_good))
    found.append(direct[sheet.parent[sheet.owner]] / max(1.0, float(direct.max())))
    return found


def about_articles(sheet: Sheet) -> Columns:
    """Whether a block stands in the largest `article`, and in the first."""
    articles = np.nonzero(sheet.tag == ARTICLE)[0]
    if not len(articles):
        return [sheet.constant(0)] * 6
    good = sheet.good_inside[articles]
    first = int(articles[0])
    return [
        *sheet.around(int(articles[int(good.argmax())])),
        sheet.constant(float(good.max()) / sheet.all_good),
        sheet.around(first)[0],
        sheet.place >= sheet.last[first],
    ]


def about_bodies(sheet: Sheet) -> Columns:
    """Whether a block stands in an element that is named like the body of an article."""
    bodies = np.nonzero((sheet.own_flags & FLAG["body-name"] > 0) & (sheet.good_inside > 0.15 * sheet.all_good))[0]
    if not len(bodies):
        return [sheet.constant(0)] * 6
    first = int(bodies[0])
    largest = int(bodies[np.lexsort((bodies, sheet.good_inside[bodies]))[-1]])
    return [
        *sheet.around(first),
        sheet.constant(sheet.good_inside[first] / sheet.all_good),
        sheet.around(largest)[0],
        sheet.constant(len(bodies)),
    ]


def about_comments(sheet: Sheet) -> Columns:
    """How much of the good text is comments, where they begin, and how many teasers a block stands in."""
    comments = np.nonzero(sheet.block_flags[:, FLAGS.index("comment")])[0]
    return [
        sheet.constant(float(sheet.good_letters[comments].sum()) / sheet.all_good),
        sheet.place >= comments[0] if len(comments) else sheet.constant(0),
        sheet.counts[sheet.owner, 2] / 3,
    ]


def about_marked_body(sheet: Sheet) -> Columns:
    """Where the part that is marked as the body of an article begins and ends."""
    marked = sheet.block_flags[:, FLAGS.index("body-of-article")]
    return [
        sheet.constant(float(marked.any())),
        *sheet.beyond(marked),
        sheet.constant(float((sheet.good_letters * marked).sum()) / sheet.all_good),
    ]


def about_neighbours(sheet: Sheet) -> Columns:
    """What stands around, before and after a block."""
    before, after = sheet.windows(1, 2, 4, 10)
    near, width = sheet.held(before, after), after - before
    letters = np.maximum(1, near[LETTERS])
    around = (logarithm(near[LETTERS] / width, 5), near[LINKED] / letters, near[GOOD] / width)
    before, after = sheet.windows(3, 8)
    here = np.broadcast_to(sheet.place, before.shape)
    near = sheet.held(np.stack((here + 1, before), axis=1), np.stack((after, here), axis=1))
    letters = np.maximum(1, near[LETTERS])
    beside = (near[GOOD_LETTERS] / letters, near[LINKED] / letters, near[HEADINGS] / np.maximum(1, near[BLOCKS]))
    return [
        *(column[reach] for reach in range(4) for column in around),
        *(column[reach, side] for reach in range(2) for side in range(2) for column in beside),
    ]


def about_headings(sheet: Sheet) -> Columns:
    """The heading that governs a block, and what stands between it and the next."""
    above = np.maximum(sheet.heading_above, 0)
    level = np.where(sheet.is_heading, sheet.block_tag - H1 + 1, 0)
    section = sheet.held(above, sheet.heading_below)
    letters = np.maximum(1, section[LETTERS])
    return [
        np.where(sheet.heading_above >= 0, level[above], 0),
        np.clip(sheet.place - sheet.heading_above, 0, 40),
        np.clip(sheet.heading_below - sheet.place, 0, 40),
        logarithm(section[LETTERS], 8),
        section[LINKED] / letters,
        section[GOOD_LETTERS] / letters,
        sheet.base[HEADINGS, :-1] / max(1.0, float(sheet.base[HEADINGS, -1])),
        sheet.is_heading,
    ]


def about_what_is_told(sheet: Sheet) -> Columns:
    """What of a text the page says elsewhere: in JSON-LD, in its description, in its title."""
    told = sheet.told
    body = len(sheet.declared_body)
    covered = float((sheet.size * told[:, 1]).sum())
    return [
        np.log1p(told[:, 0]),
        *told.T[1:],
        sheet.constant(min(1.0, covered / sheet.all_letters)),
        sheet.constant(min(1.0, body / sheet.all_letters)),
        sheet.constant(min(1.5, covered / body) if body else 0),
        *sheet.beyond(told[:, 1]),
    ]


def about_headline(sheet: Sheet) -> Columns:
    """How far a block is from the headline, or from the first text that repeats the title."""
    top = np.nonzero(sheet.block_tag == H1)[0]
    start = next(iter([*top, *sheet.titles]), None)
    return [
        sheet.constant(len(top)),
        np.clip((sheet.place - start) / 40, -2, 2) if start is not None else sheet.constant(0),
        sheet.constant(start is not None),
    ]


def about_good_text(sheet: Sheet) -> Columns:
    """Where the good text begins and ends."""
    good = np.nonzero(sheet.good)[0]
    first, last = (int(good[0]), int(good[-1])) if len(good) else (0, sheet.number - 1)
    place = sheet.place
    return [
        place < first,
        place > last,
        np.clip((place - first) / 40, -2, 2),
        np.clip((last - place) / 40, -2, 2),
        sheet.base[GOOD_LETTERS, :-1] / sheet.all_good,
    ]


def about_flags(sheet: Sheet) -> Columns:
    """The flags of the elements around a block."""
    return list(sheet.block_flags.T)


def about_page(sheet: Sheet) -> Columns:
    """The same for all blocks: the page, its address, what it declares to be."""
    total, url, hints = sheet.all_letters, sheet.hints.url.lower(), sheet.hints
    values = [
        float(np.log1p(total)) / 10,
        float(np.log1p(sheet.number)) / 7,
        float(sheet.linked.sum()) / total,
        float(sheet.good_letters.sum()) / total,
        float(np.partition(sheet.size, sheet.number // 2)[sheet.number // 2]) / 100,
        float(sheet.counted[:, CJK].sum()) / total,
        float(sheet.punctuation.sum()) / total * 20,
        float(sheet.base[IN_PARAGRAPHS, -1]) / total,
        min(int((sheet.tag == ARTICLE).sum()), 20),
        len(sheet.titles) > 0,
        *sheet.block_flags.mean(axis=0),
        *(name in hints.types for name in TYPES),
        hints.declared == "article",
        hints.declared == "collection",
        *(pattern.search(url) is not None for pattern in ADDRESSES),
        min(1.0, url.rstrip("/").count("/") / 8),
        min(2.0, len(url) / 80),
    ]
    return list(np.repeat(np.array(values, np.float32)[:, None], sheet.number, axis=1))


GROUPS: tuple[Callable[[Sheet], Columns], ...] = (
    about_text,
    about_place,
    about_repetition,
    about_main_boxes,
    about_articles,
    about_bodies,
    about_comments,
    about_marked_body,
    about_paths,
    about_neighbours,
    about_headings,
    about_what_is_told,
    about_headline,
    about_good_text,
    about_surroundings,
    about_flags,
    about_page,
)


def columns_of(sheet: Sheet) -> NDArray[np.float32]:
    """All columns of a page: one row for each column, one entry for each block."""
    return np.array([column for group in GROUPS for column in group(sheet)], np.float32)
