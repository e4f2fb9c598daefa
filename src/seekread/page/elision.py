# ruff: noqa: RUF001 (typographic signs are what this file is about)
"""
Quotations with marks for what they leave out: "…", "[...]", "(…)".

All parts stand on the page in their order, not far apart. What lies between them may be left out only if that cannot
turn the statement round: no negation, no number, no name, and no end of a sentence that the quotation does not show.
A name is told by its capital letter, which German gives to every noun and Chinese to none.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from seekread.late import dataclass
from seekread.page.differences import Worded, told
from seekread.page.folding import fold, fold_word
from seekread.page.languages import NEGATIONS, NEGATIONS_INSIDE, NUMBER_WORDS, NUMERALS, STOP_WORDS
from seekread.page.sentences import sentences
from seekread.page.wording import MEASURES, MONEY, Wording, in_a_row, wording

LONGEST_GAP = 1_000
MOST_PARTS = 20
AROUND = 60
"""Characters before and behind a gap in which the end of a sentence may show itself."""
BESIDE = 4
MARK = re.compile(r"(?:[\[(]\s{0,3})?(?:…|⋯|\.(?:[ ]?\.){2})(?:\s?[.…⋯])*(?:\s{0,3}[\])])?")
STOPS = tuple(".!?。！？؟।")
NEW_LINE = re.compile(r"\n[ \t]*(?:[-*+>|#]|\d{1,3}[.)][ \t])")
"""A line of a list, a quotation or a table: as good as a new sentence."""
INNER_NEGATION = re.compile(rf"\b\w+n't\b|{'|'.join(NEGATIONS_INSIDE)}")
AMOUNT = re.compile(rf"[\d{NUMERALS}{MONEY}{MEASURES}]")
SMALL_WORDS = frozenset[str]().union(*STOP_WORDS.values())


@dataclass(frozen=True)
class QuotationPart:
    """A part of a quotation, and whether the mark behind it shows the end of a sentence."""

    text: str
    ends_sentence: bool


@dataclass(frozen=True)
class Elided:
    """Where the parts of a quotation stand on a page, by words, and what their gaps hide that they must not."""

    spans: tuple[tuple[int, int], ...]
    hidden: tuple[str, ...]

    @property
    def repeated(self) -> float:
        """The share of the page's words that the quotation repeats."""
        return sum(last - first for first, last in self.spans) / (self.spans[-1][1] - self.spans[0][0])


def parts_of(quotation: str) -> tuple[QuotationPart, ...]:
    """The parts of a quotation between its marks; one part if it leaves nothing out."""
    found: list[QuotationPart] = []
    done = 0
    for mark in MARK.finditer(quotation):
        found.append(QuotationPart(quotation[done : mark.start()], shows_end(quotation, mark)))
        done = mark.end()
    found.append(QuotationPart(quotation[done:], ends_sentence=False))
    return tuple(part for part in found if any(map(str.isalnum, part.text)))


def shows_end(quotation: str, mark: re.Match[str]) -> bool:
    """Say whether a full stop stands beside a mark or is one of its dots: "came. […] She", "came …. She"."""
    dots = mark[0].replace("…", "...").replace("⋯", "...").count(".")
    before = quotation[max(0, mark.start() - BESIDE) : mark.start()].rstrip()
    after = quotation[mark.end() : mark.end() + BESIDE].lstrip()
    return dots % 3 == 1 or before.endswith(STOPS) or after.startswith(STOPS)


def elided(page: Worded, parts: Sequence[QuotationPart], joined: AbstractSet[str], most: int) -> Elided | None:
    """The first place where the parts follow each other and hide nothing, else the first where they follow."""
    if not 2 <= len(parts) <= MOST_PARTS:
        return None
    words = [wording(fold(part.text), joined).words for part in parts]
    best: Elided | None = None
    for first in page.words.occurrences(in_a_row(words[0]), most) if all(words) else ():
        spans = in_order(page.words, words, first)
        if spans:
            found = Elided(spans, tuple(what_is_hidden(page, spans, parts)))
            if not found.hidden:
                return found
            best = best or found
    return best


def in_order(page: Wording, words: Sequence[Sequence[str]], first: int) -> tuple[tuple[int, int], ...]:
    """Where parts stand if they follow each other from a word on without a long gap and are whole; nothing if not."""
    spans = [(first, first + len(words[0]))]
    for part in words[1:]:
        following = page.find(in_a_row(part), spans[-1][1], LONGEST_GAP)
        if following is None:
            return ()
        spans.append((following, following + len(part)))
    return tuple(spans) if all(page.is_whole(*span) for span in spans) else ()


def what_is_hidden(page: Worded, spans: Sequence[tuple[int, int]], parts: Sequence[QuotationPart]) -> Iterator[str]:
    """What the gaps between parts leave out though it may change what is said, one sentence each."""
    for (_, first), (last, _), part in zip(spans, spans[1:], parts, strict=False):
        if first < last:
            yield from hidden_words(page, first, last)
        if not part.ends_sentence and crosses_end(page, first, last):
            yield "what the quotation leaves out crosses the end of a sentence, and it does not show that"


def hidden_words(page: Worded, first: int, last: int) -> Iterator[str]:
    """A negation, a number and a name among some words of the page, the first of each."""
    inside = INNER_NEGATION.search(page.words.folded.text, page.words.starts[first], page.words.ends[last - 1])
    if inside:
        yield f"the quotation leaves out {told(inside[0])}"
    for hides, remark in ((is_negation, ""), (is_amount, ""), (is_name, ", which may be a name")):
        found = next((number for number in range(first, last) if hides(page, number)), None)
        if found is not None:
            yield f"the quotation leaves out {page.said(found, found + 1)}{remark}"


def is_negation(page: Worded, number: int) -> bool:
    """Say whether a word of the page turns a sentence round."""
    return page.words.words[number] in NEGATIONS


def is_amount(page: Worded, number: int) -> bool:
    """Say whether a word of the page is a number or a sign of one."""
    word = page.words.words[number]
    return word in NUMBER_WORDS or AMOUNT.search(word) is not None


def is_name(page: Worded, number: int) -> bool:
    """Say whether a word of the page may be a name: it begins with a capital letter and is no small word."""
    start, end = page.words.span(number, number + 1)
    return page.text[start].isupper() and fold_word(page.text[start:end]) not in SMALL_WORDS


def crosses_end(page: Worded, first: int, last: int) -> bool:
    """Say whether a sentence ends between two words of the page, which stand before and behind a gap."""
    start, end = page.words.span(first - 1, first)[1], page.words.span(last, last + 1)[0]
    around = sentences(page.text, max(0, start - AROUND), min(len(page.text), end + AROUND))
    return any(start <= stop <= end for _, stop in around) or NEW_LINE.search(page.text, start, end) is not None
