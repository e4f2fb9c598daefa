"""
Which blocks stay, when every block has a probability: the cut of a page, and rules about what belongs together.

The cut is where the expected F1 of the choice is highest, a little above it, within bounds. After that rules speak:
a table without half its cells is worth less than none, a heading belongs to what follows it, and a text that stands on
the page twice is kept once.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seekread.extraction.columns import CJK, H1, Floats, Sheet, sums
from seekread.extraction.element_names import FLAG, TAG_NUMBERS
from seekread.extraction.forums import FORUMS
from seekread.extraction.wash import CLOSED_MARK
from seekread.late import dataclass

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Cut:
    """How far above the best expected F1 a page is cut, and between which probabilities."""

    bias: float
    lowest: float
    highest: float


USUAL_CUT = Cut(0.05, 0.2, 0.5)
CUT_OF_ARTICLES = Cut(0.1, 0.2, 0.62)
"""What follows an article looks much like it."""
CUT_IN_DOUBT = Cut(-0.1, 0.1, 0.3)
DOUBTFUL = 0.7
"""Below this expected F1 of a choice more is kept: what is missing costs a reader more than what is too much."""
FEWEST_WORDS = 25
"""A rule that would leave fewer words is not applied."""
SCRAP = 0.3
"""Below this expected F1 the `article` with the title is not the article."""
CJK_PAGE = 0.3
"""The share of such characters from which on a page is written in them."""
ENOUGH_TEXT = 300
"""Letters of prose that make a page more than a list."""
MOST_OF_TEXT = 0.92
DATA_TABLE_MEAN = 0.28
DATA_TABLE_CELL, LONG_CELL = 60, 80
"""Mean characters of a cell, up to which a table holds data and not the layout of a page; and what is chosen anyway."""
LIST_MEAN = 0.35
LIST_ITEM = 100
"""Mean characters of an item, up to which a list is one thing; in forums a list is a thread."""
SHORT_ITEM = 400
"""Characters of an item or a row, up to which it is one thing; in forums an item is a whole post."""
HEADING = 0.2
SURE = 0.9
REPEATED = 5
"""Words from which on a text that stands twice is kept once."""
WHOLE = {
    "table": 0.35,
    "pre": 0.3,
    "dl": 0.4,
    "ul": 0.55,
    "ol": 0.55,
    "p": 0.5,
    "li": 0.5,
    "blockquote": 0.5,
    "tr": 0.5,
    "dd": 0.5,
    "figure": 0.5,
}
"""Elements that are kept whole once this share of their text was chosen."""
FURNITURE = sum(
    FLAG[name]
    for name in (
        *("nav", "header", "footer", "aside", "form", "comment", "button"),
        *("around", "teaser", "structural", "boilerplate"),
    )
)
"""Flags of what surrounds content on nearly every page of the web."""
NEVER_WHOLE = 9.0
SHARES = np.full(len(TAG_NUMBERS) + 1, NEVER_WHOLE)
SHARES[[TAG_NUMBERS[tag] for tag in WHOLE]] = list(WHOLE.values())
TABLE, ARTICLE = TAG_NUMBERS["table"], TAG_NUMBERS["article"]


def among(*tags: str) -> Mask:
    """Whether each number of a tag is one of these tags'."""
    found = np.zeros(len(TAG_NUMBERS) + 1, np.bool_)
    found[[TAG_NUMBERS[tag] for tag in tags]] = True
    return found


LISTS = among("ul", "ol")
ITEMS = among("li", "tr", "dd", "figure", "p")
LISTS_AND_TERMS = among("ul", "ol", "dl")
THREAD = re.compile(
    r"(?:^|[./])(?:forums?|discussions?|discuss|threads?|topics?|t|questions?|community|boards?|viewtopic|showthread"
    r"|r|s|item|post(?=/\d+/?(?:[?#]|$)))(?=[./?-]|$)"
)
"""An address that says that its page is a thread, of which comments are the content."""


THREADS = frozenset({"DiscussionForumPosting", "QAPage", "Question"})
"""What a thread declares itself to be."""


def kept_blocks(sheet: Sheet, probability: Floats) -> Mask:
    """Which blocks of a page stay."""
    if is_bare(sheet):
        return np.ones(sheet.number, np.bool_)
    keep = kept_above(sheet, probability, CUT_OF_ARTICLES if sheet.hints.declared == "article" else USUAL_CUT)
    if expected_f1(sheet, probability, keep) < DOUBTFUL:
        keep = kept_above(sheet, probability, CUT_IN_DOUBT)
    return keep


def kept_above(sheet: Sheet, probability: Floats, bounds: Cut) -> Mask:
    """What stays when a page is cut within some bounds."""
    keep = np.asarray(probability > cut(probability, sheet.words, bounds))
    if sheet.hints.declared == "article":
        keep = without_comments(sheet, keep)
        keep = without_other_articles(sheet, keep, probability)
    keep = without_lists_beside_cjk_text(sheet, keep)
    keep = with_whole_tables(sheet, keep, probability)
    keep = with_whole_lists(sheet, keep, probability)
    keep = with_whole_blocks(sheet, keep)
    keep = with_headings(sheet, keep, probability)
    keep = with_parts_to_open(sheet, keep, probability)
    keep = without_furniture(sheet, keep, probability)
    keep = posts_of_thread(sheet, keep)
    return once(sheet, keep)


def is_bare(sheet: Sheet) -> bool:
    """Say whether nothing on a page is named or marked as anything but content: a plain document, all of it text."""
    return not (sheet.flags & FURNITURE).any()


def cut(probability: Floats, words: Floats, bounds: Cut = USUAL_CUT) -> float:
    """The probability above which blocks stay: where the expected F1 is highest, and a little more."""
    order = np.argsort(-probability, kind="stable")
    right = np.cumsum((probability * words)[order])
    expected = 2 * right / (np.cumsum(words[order]) + right[-1])
    best = float(probability[order[int(expected.argmax())]])
    return min(bounds.highest, max(bounds.lowest, best + bounds.bias))


def expected_f1(sheet: Sheet, probability: Floats, keep: Mask) -> float:
    """How good a choice is likely to be, by the model's own probabilities."""
    words = sheet.words
    right = float((probability * words)[keep].sum())
    everything = float(words[keep].sum()) + float((probability * words).sum())
    return 2 * right / everything if everything else 0.0


def words_in(sheet: Sheet, keep: Mask) -> float:
    return float(sheet.words[keep].sum())


def has_flag(sheet: Sheet, *names: str) -> Mask:
    """Which blocks stand in an element with one of these flags."""
    wanted = sum(FLAG[name] for name in names)
    return np.asarray(sheet.flags[sheet.owner] & wanted > 0)


def is_thread(url: str) -> bool:
    return THREAD.search(url.lower().split("//")[-1]) is not None


def without_comments(sheet: Sheet, keep: Mask) -> Mask:
    """An article without the comments on it; forums declare themselves articles too, and call their posts comments."""
    comments = has_flag(sheet, "comment")
    if is_thread(sheet.hints.url) and words_in(sheet, keep & comments) > 0.5 * words_in(sheet, keep):
        return keep
    rest = keep & ~comments
    return rest if words_in(sheet, rest) >= FEWEST_WORDS else keep


def without_other_articles(sheet: Sheet, keep: Mask, probability: Floats) -> Mask:
    """The `article` that holds the title, without the others on the page; not if the title has one for itself."""
    articles = np.nonzero(sheet.tag == ARTICLE)[0]
    headlines = np.nonzero(sheet.block_tag == H1)[0]
    titled = headlines[sheet.told[headlines, 3] > 0.5]
    headline = next(iter([*titled, *headlines]), None)
    first, last = sheet.first[articles], sheet.last[articles]
    if len(articles) < 2 or headline is None or not (holding := (first <= headline) & (headline < last)).any():
        return keep
    begin, end = first[holding][-1], last[holding][-1]
    rest = keep.copy()
    for other_begin, other_end in zip(first, last, strict=True):
        if other_end <= begin or other_begin >= end:
            rest[other_begin:other_end] = False
    enough = words_in(sheet, rest) >= FEWEST_WORDS and expected_f1(sheet, probability, rest) >= SCRAP
    return rest if enough else keep


def posts_of_thread(sheet: Sheet, keep: Mask) -> Mask:
    """The title of a thread and, where its software is known, its posts and the comments on them."""
    if not is_thread(sheet.hints.url) and not THREADS & sheet.hints.types:
        return keep
    title = (sheet.block_tag == H1) & (sheet.told[:, 3] > 0.5)
    kinds = [frozenset(kind.words) for kind in sheet.blocks.kinds]
    for shape in FORUMS:
        marked = list(map(shape.is_post, kinds))
        if not any(marked):
            continue
        posts = blocks_in(sheet, marked)
        if shape.inside:
            posts &= blocks_in(sheet, [shape.inside <= names for names in kinds])
        if words_in(sheet, posts) >= FEWEST_WORDS:
            if shape.comment:
                posts |= blocks_in(sheet, [shape.comment <= names for names in kinds])
            if shape.bylines:
                posts |= blocks_in(sheet, [any(words <= names for words in shape.bylines) for names in kinds])
            return np.asarray(posts | title)
    return np.asarray(keep | title)


def blocks_in(sheet: Sheet, kinds: list[bool]) -> Mask:
    """The blocks that stand in elements of some kinds."""
    found = np.zeros(sheet.number + 1, np.int64)
    elements = np.nonzero(np.array(kinds)[sheet.kind])[0]
    np.add.at(found, sheet.first[elements], 1)
    np.add.at(found, sheet.last[elements], -1)
    return np.cumsum(found)[:-1] > 0


def without_lists_beside_cjk_text(sheet: Sheet, keep: Mask) -> Mask:
    """
    A page in Chinese, Japanese or Korean without the lists that stand beside its text.

    News there are short and stand among rankings of headlines; too few of them were labelled for the model to know.
    """
    if sheet.counted[:, CJK].sum() < CJK_PAGE * sheet.size.sum() or sheet.all_good < ENOUGH_TEXT:
        return keep
    box = np.nonzero(sheet.good_inside >= MOST_OF_TEXT * sheet.all_good)[0][-1]
    beside = (sheet.place < sheet.first[box]) | (sheet.place >= sheet.last[box])
    rest = keep & ~(beside & has_flag(sheet, "list"))
    return rest if words_in(sheet, rest) >= FEWEST_WORDS else keep


def with_whole_tables(sheet: Sheet, keep: Mask, probability: Floats) -> Mask:
    """A table of data is one thing: its mean probability decides, when something near it is kept."""
    keep = keep.copy()
    mean, size = sums(probability), sums(sheet.size)
    for element in data_tables(sheet, size, DATA_TABLE_CELL):
        begin, end = int(sheet.first[element]), int(sheet.last[element])
        likely = mean[end] - mean[begin] > DATA_TABLE_MEAN * (end - begin)
        if likely and keep[max(0, begin - 3) : end + 3].any():
            keep[begin:end] = True
    return keep


def data_tables(sheet: Sheet, size: Floats, cell: int) -> list[int]:
    """Tables that hold no other table and, in the mean, no long cells."""
    tables = np.nonzero((sheet.tag == TABLE) & (sheet.last > sheet.first))[0]
    if not len(tables):
        return []
    # The next table in the page is either inside this one or after it.
    nested = np.append(sheet.first[tables[1:]] < sheet.last[tables[:-1]], False)
    short = size[sheet.last[tables]] - size[sheet.first[tables]] <= cell * (sheet.last - sheet.first)[tables]
    return list(tables[~nested & short].tolist())


def with_whole_lists(sheet: Sheet, keep: Mask, probability: Floats) -> Mask:
    """A list of short items between two kept blocks."""
    keep = keep.copy()
    mean, size = sums(probability), sums(sheet.size)
    for element in np.nonzero(LISTS_AND_TERMS[sheet.tag] & (sheet.last > sheet.first))[0].tolist():
        begin, end = int(sheet.first[element]), int(sheet.last[element])
        number = end - begin
        between = begin > 0 and end < sheet.number and keep[begin - 1] and keep[end]
        if between and size[end] - size[begin] <= LIST_ITEM * number and mean[end] - mean[begin] > LIST_MEAN * number:
            keep[begin:end] = True
    return keep


def with_whole_blocks(sheet: Sheet, keep: Mask) -> Mask:
    """What was chosen for the most part is kept whole."""
    size, chosen = sums(sheet.size), sums(sheet.size * keep)
    candidates = np.nonzero((SHARES[sheet.tag] < NEVER_WHOLE) & (sheet.last - sheet.first > 1))[0]
    tag, first, last = sheet.tag[candidates], sheet.first[candidates], sheet.last[candidates]
    part, whole = chosen[last] - chosen[first], size[last] - size[first]
    too_long = LISTS[tag] & (whole > LIST_ITEM * (last - first)) | ITEMS[tag] & (whole > SHORT_ITEM)
    layout = tag == TABLE
    if layout.any():
        layout &= ~np.isin(candidates, data_tables(sheet, size, LONG_CELL))
    completed = (part >= SHARES[tag] * whole) & (part < whole) & ~too_long & ~layout
    keep = keep.copy()
    for begin, end in zip(first[completed].tolist(), last[completed].tolist(), strict=True):
        keep[begin:end] = True
    return keep


def with_headings(sheet: Sheet, keep: Mask, probability: Floats) -> Mask:
    """Headings right before something that is kept; on articles the first is left to the model, for it is the title."""
    headings = sheet.is_heading & ~keep & (probability > HEADING)
    if sheet.hints.declared == "article":
        headings &= sheet.block_tag > H1
    keep = keep.copy()
    for number in np.nonzero(headings)[0][::-1].tolist():
        if number + 1 < sheet.number and keep[number + 1]:
            keep[number] = True
    return keep


def with_parts_to_open(sheet: Sheet, keep: Mask, probability: Floats) -> Mask:
    """What a reader can open in the middle of what is kept: the button before it makes it look like furniture."""
    closed = [number for number, text in enumerate(sheet.blocks.texts) if text.startswith(CLOSED_MARK)]
    keep = keep.copy()
    for number in closed:
        before, after = keep[max(0, number - 2) : number].any(), keep[number + 1 : number + 3].any()
        keep[number] |= before and after and probability[number] > HEADING
    return keep


def without_furniture(sheet: Sheet, keep: Mask, probability: Floats) -> Mask:
    """No buttons, navigation and footers, unless the model is sure or half of the choice stands in them."""
    rest = keep & ~(has_flag(sheet, "button", "nav", "footer") & (probability < SURE))
    return rest if words_in(sheet, rest) > 0.5 * words_in(sheet, keep) else keep


def once(sheet: Sheet, keep: Mask) -> Mask:
    """Text that stands in two places, for small and large screens, is kept in the first; tables and code aside."""
    seen: dict[str, int] = {}
    keep = keep.copy()
    parents = sheet.parent[sheet.owner]
    candidates: Any = keep & (sheet.words >= REPEATED) & ~has_flag(sheet, "pre", "table")
    for number in np.nonzero(candidates)[0].tolist():
        text = sheet.blocks.texts[number].lower()
        if seen.setdefault(text, int(parents[number])) != parents[number]:
            keep[number] = False
    return keep
