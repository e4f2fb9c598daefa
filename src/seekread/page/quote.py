"""
Where a quotation stands on a page, or that it does not.

Three steps, each only when the one before found nothing: letter for letter; folded (case, white space, typography,
Markdown's signs); and close to it, by edit distance. A quotation begins and ends between words, so that
"23" never stands in "1234" nor "5" in "1.5". Close is not the same: the caller sees the page's own words and a score.

The edit distance is only computed near places that share rare words with the quotation,
so that the time is bounded on pages of millions of characters.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal
from urllib.parse import quote as percent_encoded

from seekread.page.blocks import inline_text
from seekread.page.folding import Folded, fold
from seekread.page.languages import SPACELESS
from seekread.page.stemming import SPACELESS_CHARACTER

QuoteKind = Literal["exact", "normalised", "fuzzy"]

CLOSE_ENOUGH = 0.8
"""At least this share of the quotation's characters must be right."""
SHORTEST_FUZZY = 12
LONGEST_FUZZY = 20_000
LONGEST_GAP = 1_000
SEEDS = 24
SEED_OCCURRENCES = 400
CANDIDATES = 6
CHARACTERS_COMPARED = 40_000
"""How many characters of long quotations are compared in all: fewer candidates for a longer one."""
OUTER = "\"'.,;:!?-() "
SEED = re.compile(rf"[{SPACELESS}]{{2,4}}|[^\W_{SPACELESS}]{{3,}}")
LONGEST_WHOLE_FRAGMENT = 120
FRAGMENT_EDGE = 40
PIECES = re.compile(r"\n|(?:^|(?<=\s))\|(?=\s|$)")
FORM = re.compile(r"^\s*(?:(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+){0,4}|^[\s|:-]+$")


@dataclass(frozen=True)
class Quote:
    """A quotation found: `text == page[start:end]`, its score (1 is the same) and the SHA-256 of that text."""

    kind: QuoteKind
    start: int
    end: int
    text: str
    score: float
    sha256: str


def quote(text: str, wanted: str) -> Quote | None:
    """Find a quotation on a page. `None` says that it is not there."""
    return Quotable(text).quote(wanted)


@dataclass(frozen=True)
class Quotable:
    """A page, folded at most once for any number of quotations."""

    text: str

    @cached_property
    def folded(self) -> Folded:
        return fold(self.text)

    def quote(self, wanted: str) -> Quote | None:
        """Find a quotation. `None` says that it is not there."""
        wanted = wanted.strip()
        if not any(map(str.isalnum, wanted)):
            return None
        start = whole_words(self.text, wanted)
        if start is not None:
            return quote_at("exact", self.text, start, start + len(wanted), 1.0)
        needle = fold(wanted).text.strip()
        bare = needle.strip(OUTER)
        for form in (needle, bare):
            start = whole_words(self.folded.text, form) if form else None
            if start is not None:
                return quote_at("normalised", self.text, *self.folded.span(start, start + len(form)), 1.0)
        return with_gaps(self.text, self.folded, needle) or closest(self.text, self.folded, bare)


def quote_at(kind: QuoteKind, text: str, start: int, end: int, score: float) -> Quote:
    span = text[start:end]
    digest = hashlib.sha256(span.encode("utf-8", "surrogatepass")).hexdigest()
    return Quote(kind, start, end, span, round(score, 4), digest)


def whole_words(text: str, wanted: str, start: int = 0, end: int | None = None) -> int | None:
    """The first place where `wanted` stands with no word or number going on before or behind it."""
    start = text.find(wanted, start, end)
    while start >= 0:
        if not (goes_on(text, start) or goes_on(text, start + len(wanted))):
            return start
        start = text.find(wanted, start + 1, end)
    return None


def goes_on(text: str, place: int) -> bool:
    """Say whether a word or a number goes on across a place in a text."""
    if place <= 0 or place >= len(text):
        return False
    before, after = text[place - 1], text[place]
    if before.isalnum() and after.isalnum():
        return not (SPACELESS_CHARACTER.match(before) or SPACELESS_CHARACTER.match(after))
    if before in ".," and after.isdigit():
        return place > 1 and text[place - 2].isdigit()
    return before.isdigit() and after in ".," and text[place + 1 : place + 2].isdigit()


def with_gaps(text: str, page: Folded, needle: str) -> Quote | None:
    """A quotation with dots for what it leaves out. Its score is the share of the page's words that it repeats."""
    parts = [part for part in (piece.strip(OUTER) for piece in needle.split("...")) if part]
    if len(parts) < 2:
        return None
    start = whole_words(page.text, parts[0])
    for _ in range(SEED_OCCURRENCES):
        if start is None:
            return None
        end = end_in_order(page.text, parts[1:], start + len(parts[0]))
        if end is not None:
            return quote_at("fuzzy", text, *page.span(start, end), sum(map(len, parts)) / (end - start))
        start = whole_words(page.text, parts[0], start + 1)
    return None


def end_in_order(text: str, parts: Sequence[str], place: int) -> int | None:
    """Where the last of some parts ends, if they follow each other from a place on without a long gap."""
    for part in parts:
        start = whole_words(text, part, place, place + LONGEST_GAP + len(part))
        if start is None:
            return None
        place = start + len(part)
    return place


def closest(text: str, page: Folded, needle: str) -> Quote | None:
    """The place on the page that differs least from the quotation, if it is close enough."""
    if not SHORTEST_FUZZY <= len(needle) <= LONGEST_FUZZY:
        return None
    allowed = int(len(needle) * (1 - CLOSE_ENOUGH))
    best: tuple[int, int, int] | None = None
    for start in candidates(page.text, needle):
        first = max(0, start - len(needle) // 2)
        last = start + len(needle) + len(needle) // 2
        distance, end = nearest(needle, page.text[first:last])
        if distance <= allowed and (best is None or distance < best[0]):
            reach = page.text[max(first, first + end - len(needle) - distance) : first + end]
            _, length = nearest(needle[::-1], reach[::-1])
            best = (distance, first + end - length, first + end)
    if best is None:
        return None
    distance, start, end = best
    first, last = to_words(page.text, start, end)
    # What was added to come to whole words is a difference too: "able" is not "unable".
    distance += max(0, last - first - (end - start))
    score = 1 - distance / len(needle)
    return quote_at("fuzzy", text, *page.span(first, last), score) if score >= CLOSE_ENOUGH else None


def to_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A span widened to whole words, without white space at its edges."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while goes_on(text, start):
        start -= 1
    while goes_on(text, end):
        end += 1
    return start, end


def candidates(page: str, needle: str) -> list[int]:
    """Where the quotation may begin: places on which the occurrences of its rarest words agree."""
    width = max(8, len(needle) // 4)
    votes: Counter[int] = Counter()
    for seed, offset, value in seeds(page, needle):
        for place in occurrences(page, seed):
            votes[(place - offset) // width] += value
    most = max(1, min(CANDIDATES, CHARACTERS_COMPARED // len(needle)))
    return [max(0, bucket * width) for bucket, _ in votes.most_common(most)]


def seeds(page: str, needle: str) -> list[tuple[str, int, int]]:
    """The rarest words of the quotation that stand on the page: word, its place in the quotation, its value."""
    places: dict[str, int] = {}
    for match in SEED.finditer(needle):
        places.setdefault(match[0], match.start())
    chosen = sorted(places.items(), key=lambda item: -len(item[0]))[: SEEDS * 3]
    counted = sorted((count, word, place) for word, place in chosen if (count := page.count(word)))
    return [(word, place, 1000 // min(count, SEED_OCCURRENCES) + 1) for count, word, place in counted[:SEEDS]]


def occurrences(page: str, seed: str) -> Iterator[int]:
    """The first occurrences of a word, a bounded number of them."""
    place = page.find(seed)
    for _ in range(SEED_OCCURRENCES):
        if place < 0:
            return
        yield place
        place = page.find(seed, place + 1)


def nearest(needle: str, text: str) -> tuple[int, int]:
    """
    The smallest edit distance between `needle` and any part of `text`, and where that part ends.

    Myers' bit-parallel algorithm ("A fast bit-vector algorithm for approximate string matching", 1999), with one
    long integer for each column of the table.
    """
    masks: dict[str, int] = {}
    for index, character in enumerate(needle):
        masks[character] = masks.get(character, 0) | 1 << index
    full, last = (1 << len(needle)) - 1, 1 << len(needle) - 1
    plus, minus = full, 0
    distance = len(needle)
    best = (distance, 0)
    for index, character in enumerate(text, 1):
        equal = masks.get(character, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        up = minus | (full & ~(horizontal | plus))
        down = plus & horizontal
        if up & last:
            distance += 1
        elif down & last:
            distance -= 1
        up, down = up << 1, down << 1
        plus = (down | ~(vertical | up)) & full
        minus = up & vertical & full
        if distance < best[0]:
            best = (distance, index)
    return best


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
    """The beginning of a line, up to a word's end."""
    if len(line) <= FRAGMENT_EDGE:
        return line
    return line[: FRAGMENT_EDGE + 1].rpartition(" ")[0] or line[:FRAGMENT_EDGE]


def last_words(line: str) -> str:
    """The end of a line, from a word's beginning."""
    if len(line) <= FRAGMENT_EDGE:
        return line
    return line[-FRAGMENT_EDGE - 1 :].partition(" ")[2] or line[-FRAGMENT_EDGE:]
