"""
Where a quotation stands on a page, or that it does not, and then what differs.

A quotation has the page's words, numbers and signs, all of them, in the page's order. Nothing is "nearly there": with
another number, unit, name or date, with a word more or less, it is another statement.

Three kinds stand: letter for letter (`exact`); apart from case, white space, typography and Markdown's signs
(`normalised`); and apart from punctuation, hyphens and quotation marks, or with marks for what it leaves out (`fuzzy`).

The time is linear in page and quotation, and the number of places that are looked at is bounded.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from urllib.parse import quote as percent_encoded

from seekread.late import dataclass
from seekread.page.blocks import inline_text
from seekread.page.cited import Nearest, QuoteKind
from seekread.page.differences import Unlike, Worded, difference, passage, unlike
from seekread.page.elision import elided, parts_of
from seekread.page.folding import Folded, fold
from seekread.page.languages import words
from seekread.page.wording import compounds, goes_on, wording

KINDS: tuple[QuoteKind, ...] = ("exact", "normalised", "fuzzy")
"""The best first."""

CHARACTERS_COMPARED = 400_000
"""How many characters are compared at the places of one quotation: fewer places for a longer one."""
MOST_PLACES = 400
OUTER = "\"'.,;:!?-() "
UNITS_BY_CASE = words("mw mv ma mg mj mpa mhz mb kb gb tb pb kbit mbit gbit kbps mbps gbps")
"""Units that are others in other letters: `mW` and `MW`."""
LONGEST_WHOLE_FRAGMENT = 120
FRAGMENT_EDGE = 40
WORD_BREAK = re.compile(r"[\s，。、；：！？]")  # noqa: RUF001 (signs of other scripts are meant)
PIECES = re.compile(r"\n|(?:^|(?<=\s))\|(?=\s|$)")
FORM = re.compile(r"^\s*(?:(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+){0,4}|^[\s|:-]+$")


@dataclass(frozen=True)
class Quote:
    """
    A quotation found: `text == page[start:end]`, its score and the SHA-256 of that text.

    The score is the share of the page's words that it repeats: 1 unless it leaves some out, marked.
    """

    kind: QuoteKind
    start: int
    end: int
    text: str
    score: float
    sha256: str


@dataclass(frozen=True)
class QuoteCheck:
    """Where a quotation stands; or, if `found` is `None`, what differs and the passage nearest to it."""

    found: Quote | None
    differences: tuple[str, ...] = ()
    nearest: Nearest | None = None


def quote(text: str, wanted: str) -> Quote | None:
    """Find a quotation on a page. `None` says that it is not there."""
    return Quotable(text).quote(wanted)


@dataclass(frozen=True)
class Quotable:
    """A text, folded and parted into words at most once: a page for any number of quotations, or a quotation."""

    text: str

    @cached_property
    def folded(self) -> Folded:
        return fold(self.text)

    @cached_property
    def split(self) -> Worded:
        return Worded(self.text, wording(self.folded))

    @cached_property
    def compounds(self) -> frozenset[str]:
        return compounds(self.folded.text)

    def joining(self, joined: frozenset[str]) -> Worded:
        """The text with some compounds as one word."""
        return Worded(self.text, wording(self.folded, joined)) if joined else self.split

    def quote(self, wanted: str) -> Quote | None:
        """Find a quotation. `None` says that it is not there."""
        wanted = wanted.strip()
        if not any(map(str.isalnum, wanted)):
            return None
        start = self.text.find(wanted)
        if start >= 0 and not (goes_on(self.text, start) or goes_on(self.text, start + len(wanted))):
            return quote_at("exact", self.text, start, start + len(wanted))
        quotation = Quotable(wanted)
        return in_the_same_words(self, quotation) or with_gaps(self, quotation)

    def check(self, wanted: str) -> QuoteCheck:
        """Find a quotation, or say what differs."""
        found = self.quote(wanted)
        if found is not None:
            return QuoteCheck(found)
        why = why_not(self, Quotable(wanted.strip()))
        return QuoteCheck(None, why.differences, why.nearest)


def quote_at(kind: QuoteKind, text: str, start: int, end: int, score: float = 1.0) -> Quote:
    span = text[start:end]
    digest = hashlib.sha256(span.encode("utf-8", "surrogatepass")).hexdigest()
    return Quote(kind, start, end, span, round(score, 4), digest)


def most_places(quotation: Quotable) -> int:
    """How many places of the page are looked at for a quotation."""
    return max(2, min(MOST_PLACES, CHARACTERS_COMPARED // len(quotation.text)))


def forms(page: Quotable, quotation: Quotable) -> Iterator[tuple[Worded, frozenset[str]]]:
    """
    The page in the ways its words may be parted, each with the compounds of the quotation that are one word then.

    First every compound in its parts ("well-known" is "well known"); then those as one word that page or quotation
    write so ("e-mail" is "email").
    """
    yield page.split, frozenset()
    written = page.compounds.union(each for each in quotation.compounds if f" {each} " in page.split.words.row)
    wanted = quotation.compounds.union(quotation.split.words.words)
    if written & wanted:
        yield page.joining(page.compounds & wanted), quotation.compounds & written


def in_the_same_words(page: Quotable, quotation: Quotable) -> Quote | None:
    """The best place where all words of a quotation follow each other."""
    for here, joined in forms(page, quotation):
        wanted = quotation.joining(joined)
        found: list[Quote] = []
        for first in here.words.occurrences(wanted.words.row, most_places(quotation)) if wanted.words else ():
            if here.words.is_whole(first, first + len(wanted.words)) and not other_unit(here, wanted, first):
                found.append(as_it_stands(page, quotation, here, wanted, first))
                if found[-1].kind == "exact":
                    break
        if found:
            return min(found, key=lambda each: KINDS.index(each.kind))
    return None


def as_it_stands(page: Quotable, quotation: Quotable, here: Worded, wanted: Worded, first: int) -> Quote:
    """A quotation whose words begin with a certain word of the page, and how else the two agree."""
    last = first + len(wanted.words)
    start, end = here.words.span(first, last)
    lead = wanted.words.span(0, 1)[0]
    if start >= lead and page.text.startswith(quotation.text, start - lead):
        return quote_at("exact", page.text, start - lead, start - lead + len(quotation.text))
    needle = quotation.folded.text.rstrip()
    begin = here.words.starts[first] - wanted.words.starts[0]
    if begin >= 0 and page.folded.text.startswith(needle, begin):
        return quote_at("normalised", page.text, *page.folded.span(begin, begin + len(needle)))
    bare = needle.strip(OUTER)
    begin += len(needle) - len(needle.lstrip(OUTER))
    same = begin >= 0 and page.folded.text.startswith(bare, begin)
    return quote_at("normalised" if same else "fuzzy", page.text, start, end)


def other_unit(page: Worded, quotation: Worded, first: int) -> str:
    """How a unit differs by its case alone, when nothing else does: `5 mW` and `5 MW`. Nothing if none does."""
    names = quotation.words.words
    units = {n for n in range(1, len(names)) if names[n] in UNITS_BY_CASE and names[n - 1][-1:].isdigit()}
    if not units:
        return ""
    pairs = [(page.said(first + n, first + n + 1), quotation.said(n, n + 1)) for n in range(len(names))]
    others = [n for n, (ours, theirs) in enumerate(pairs) if ours != theirs]
    return difference(*pairs[others[0]]) if others and units.issuperset(others) else ""


def with_gaps(page: Quotable, quotation: Quotable) -> Quote | None:
    """A quotation with marks for what it leaves out, if that may be left out."""
    parts = parts_of(quotation.text)
    for here, joined in forms(page, quotation) if len(parts) > 1 else ():
        found = elided(here, parts, joined, most_places(quotation))
        if found and not found.hidden:
            span = here.words.span(found.spans[0][0], found.spans[-1][1])
            return quote_at("fuzzy", page.text, *span, found.repeated)
    return None


def why_not(page: Quotable, quotation: Quotable) -> Unlike:
    """What is wrong with a quotation that is not there."""
    if not quotation.split.words:
        return Unlike()
    parts = parts_of(quotation.text)
    if len(parts) > 1:
        return why_not_in_parts(page, [part.text for part in parts], quotation)
    here, wanted = page.split, quotation.split
    first = here.words.find(wanted.words.row)
    unit = other_unit(here, wanted, first) if first is not None else ""
    why = unlike(here, wanted)
    return Unlike((unit,), why.nearest) if unit else why


def why_not_in_parts(page: Quotable, parts: list[str], quotation: Quotable) -> Unlike:
    """What is wrong with a quotation that leaves something out: what it hides, a part of it, or their order."""
    found = elided(page.split, parts_of(quotation.text), frozenset(), most_places(quotation))
    if found:
        return Unlike(found.hidden, passage(page.split, found.spans[0][0], found.spans[-1][1]))
    missing = next((part for part in parts if page.quote(part) is None), None)
    if missing is not None:
        return unlike(page.split, Quotable(missing).split)
    return Unlike(("the page does not say these parts one after the other, close together",))


def text_fragment(url: str, text: str) -> str:
    """
    A link that opens a page at a quotation: `https://example.org/#:~:text=…`.

    A long quotation, or one over several lines or cells, is given by its first and last words.
    Reference: https://wicg.github.io/scroll-to-text-fragment/
    """
    pieces = [" ".join(inline_text(FORM.sub("", piece)).split()) for piece in PIECES.split(text)]
    pieces = [piece for piece in pieces if piece]
    if not pieces:
        return url
    if len(pieces) == 1 and len(pieces[0]) <= LONGEST_WHOLE_FRAGMENT:
        directive = encoded(pieces[0])
    else:
        directive = f"{encoded(first_words(pieces[0]))},{encoded(last_words(pieces[-1]))}"
    address = url.partition(":~:")[0]
    return f"{address}{'' if '#' in address else '#'}:~:text={directive}"


def encoded(text: str) -> str:
    """Percent-encode everything that could mean something in a text directive, the dash included."""
    return percent_encoded(text, safe="").replace("-", "%2D")


def first_words(line: str) -> str:
    """The beginning of a line, up to a word's end: where no spaces stand, browsers want whole clauses."""
    ends = [match.start() for match in WORD_BREAK.finditer(line, 1, LONGEST_WHOLE_FRAGMENT + 1)]
    return line[: edge(ends, len(line))]


def last_words(line: str) -> str:
    """The end of a line, from a word's beginning."""
    first = max(0, len(line) - LONGEST_WHOLE_FRAGMENT - 1)
    lengths = [len(line) - match.end() for match in WORD_BREAK.finditer(line, first, len(line) - 1)]
    return line[len(line) - edge(lengths, len(line)) :]


def edge(lengths: Sequence[int], whole: int) -> int:
    """How much of a line to show: the longest piece that is short, else the shortest, else all that may be shown."""
    if whole <= FRAGMENT_EDGE:
        return whole
    short = [length for length in lengths if length <= FRAGMENT_EDGE]
    return max(short) if short else min([*lengths, whole, LONGEST_WHOLE_FRAGMENT])
