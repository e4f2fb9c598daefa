# ruff: noqa: RUF001 (typographic signs are what this file is about)
"""
Text as a comparison sees it, with the way back to the original.

There are two comparisons. A *quotation* is the same text in another dress: case, kinds of white space, quotation marks
and dashes, the script of digits, invisible characters and Markdown's own signs are no difference between a page and
somebody's quotation of it. Numbers stay what they are: `10⁵` is no 105, `1½` no 11/2.

`fold` takes all that out and remembers where everything stood. Only irregular places are looked at one by one; runs of
ordinary words are copied whole, so that two million characters take a fraction of a second.

A *search* is after words. For it, `fold_words` keeps two rules: case, accents and compatibility forms do not matter
(`Straße` and `STRASSE` are one word, `café` and `cafe` too), and whatever is neither letter, mark nor number separates
words.
"""

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache

from seekread.late import dataclass
from seekread.page.invisible import INVISIBLE
from seekread.page.languages import CJK

ACCENT = r"[\u0300-\u036f]"
RAISED = "\u00b2\u00b3\u00b9\u2070\u2074-\u207b\u2080-\u208b"
SMALL_NUMBERS = RAISED + "\u00bc-\u00be\u2150-\u215f\u2460-\u249b"
"""Numbers in one character that would run into a number before them: powers, indices, fractions, circled ones."""
FOREIGN = rf"(?:[A-Za-z](?={ACCENT}))?[^\x00-\x7f{INVISIBLE}{SMALL_NUMBERS}\s]+"
REGULAR = rf"""[A-Za-z0-9,;:.?'"()/%$&=+@-]+(?!{ACCENT})"""
LINE_FORM = r"""
    (?:(?:\#{1,6}|>|[-*+])[ \t]+){0,4}
    (?:\|(?:[ \t]*:?-{3,}:?[ \t]*\|)*[ \t]*)?
"""
"""
What only gives a line its form: the signs of headings, quotations, list items and tables.

A number at the beginning of a line is none of them: it may be the day in "3. Mai".
"""
FIRST_LINE = re.compile(rf"\s*{LINE_FORM}", re.VERBOSE)
PIECE = re.compile(
    rf"""
    (?P<regular>{REGULAR}(?:[ ]{REGULAR})*)
  | (?P<space>
        (?:[ \t]+\|)?\s*\n\s*{LINE_FORM}
      | [ \t]+\|(?:[ \t]+|$)                             # between two cells of a table
      | [ ]*[^\S ]\s* | [ ]{{2,}}
      | (?<=[\w.,])(?:\[|\](?!\())(?=\d)                    # "2015.[3]" is not 2015.3
    )
  | (?P<nothing>
        \]\([^()\s]{{0,2000}}(?:\([^()\s]{{0,200}}\)[^()\s]{{0,200}})?(?:[ ]"[^"\n]{{0,300}}")?\)
      | !?\[ | \]
      | `+ | ~~
      | (?<![0-9 ])\*{{1,3}} | \*{{1,3}}(?![0-9 ])
      | (?<!\w)_{{1,3}} | _{{1,3}}(?!\w)
      | [{INVISIBLE}]+
    )
  | (?P<escaped>\\[!-/:-@\[-`{{-~])
  | (?P<number>[{SMALL_NUMBERS}]+)
  | (?P<foreign>{FOREIGN}(?:[ ]{FOREIGN})*)
    """,
    re.VERBOSE,
)
LOOKALIKES = str.maketrans(
    dict.fromkeys("“”„‟«»″〝〞＂", '"')
    | dict.fromkeys("‘’‚‛′´`ʼ", "'")
    | dict.fromkeys("‐‑‒–—―−﹣－", "-")
    | {"…": "...", "⁄": "/", "⁻": "-", "₋": "-"}
)

IS_RAISED = re.compile(f"[{RAISED}]")
CJK_CHARACTER = re.compile(f"[{CJK}]")
INVISIBLE_CHARACTER = re.compile(f"[{INVISIBLE}]")
NUKTA = 7
"""The combining class of the dot below an Indic letter."""


@dataclass(frozen=True)
class Folded:
    """Folded text. `span` finds the place in the original that a place in it came from."""

    text: str
    starts: "array[int]" = field(repr=False)
    origins: "array[int]" = field(repr=False)
    ends: "array[int]" = field(repr=False)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original span of a non-empty folded span."""
        return self._origin(start)[0], self._origin(end - 1)[1]

    def _origin(self, place: int) -> tuple[int, int]:
        """The original span of one folded character."""
        piece = bisect_right(self.starts, place) - 1
        following = self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        origin, end = self.origins[piece], self.ends[piece]
        if following - self.starts[piece] == end - origin:
            origin += place - self.starts[piece]
            end = origin + 1
        return origin, end


class Writer:
    """Collects folded pieces and where they came from."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.starts, self.origins, self.ends = array("q"), array("q"), array("q")

    def add(self, piece: str, origin: int, end: int) -> None:
        if piece:
            self.pieces.append(piece)
            self.starts.append(self.length)
            self.origins.append(origin)
            self.ends.append(end)
            self.length += len(piece)


def fold(text: str) -> Folded:
    """Fold a text: case, white space, typography, invisible characters and Markdown's signs."""
    writer = Writer()
    form = FIRST_LINE.match(text)
    done = form.end() if form else 0
    for match in PIECE.finditer(text, done):
        writer.add(text[done : match.start()].lower(), done, match.start())
        done = match.end()
        match match.lastgroup:
            case "regular":
                writer.add(match[0].lower(), match.start(), done)
            case "space" if writer.pieces and not writer.pieces[-1].endswith(" "):
                writer.add(" ", match.start(), done)
            case "escaped" if match[0][1] not in "[]`":
                writer.add(match[0][1], match.start(), done)
            case "number":
                add_number(writer, match[0], match.start())
            case "foreign":
                add_foreign(writer, match[0], match.start())
            case _:
                pass
    writer.add(text[done:].lower(), done, len(text))
    return Folded("".join(writer.pieces), writer.starts, writer.origins, writer.ends)


def add_number(writer: Writer, run: str, origin: int) -> None:
    """Add numbers of one character each, kept apart from a number before them."""
    digits = fold_characters(run)
    if writer.pieces and writer.pieces[-1][-1].isdigit():
        digits = ("^" if IS_RAISED.match(run) else " ") + digits
    writer.add(digits, origin, origin + len(run))


def add_foreign(writer: Writer, run: str, origin: int) -> None:
    """Add a run of characters beyond ASCII: as one piece if each becomes one character, else one by one."""
    folded = run.translate(FOLDS)
    if len(folded) == len(run) and unicodedata.is_normalized("NFC", run):
        writer.add(folded, origin, origin + len(run))
        return
    start = 0
    for end in range(1, len(run) + 1):
        # A mark belongs to the letter before it: they are one character once composed.
        if end < len(run) and unicodedata.combining(run[end]):
            continue
        writer.add(fold_characters(run[start:end]), origin + start, origin + end)
        start = end


def fold_characters(run: str) -> str:
    """Compatible characters made the same, lower case, digits and typographic signs as on a typewriter."""
    folded = unicodedata.normalize("NFKC", run.translate(LOOKALIKES)).translate(LOOKALIKES).casefold()
    return folded if folded.isascii() else "".join(map(western_digit, folded))


def western_digit(character: str) -> str:
    """The digit 0 to 9 that a digit of another script stands for; any other character as it is."""
    value = unicodedata.decimal(character, None)
    return character if value is None else str(value)


class Folds(dict[int, str]):
    """Remembers how single characters fold, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        self[code] = fold_characters(chr(code))
        return self[code]


FOLDS = Folds()


class WordFolds(dict[int, str]):
    """Remembers how single characters fold for a search, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        plain = unicodedata.normalize("NFKC", chr(code))
        if not CJK_CHARACTER.match(plain):
            plain = unicodedata.normalize("NFKD", plain.casefold())
        self[code] = "".join(map(part_of_word, plain))
        return self[code]


def part_of_word(character: str) -> str:
    """The character if it belongs to words, nothing if it only adorns one or cannot be seen, else a space."""
    category = unicodedata.category(character)
    if category == "Cf" or is_accent(character) or INVISIBLE_CHARACTER.match(character):
        return ""
    return character if category[0] in "LMN" or category == "Co" else " "


def is_accent(character: str) -> bool:
    """Say whether a mark leaves the same word behind when it goes."""
    # Marks of Indic and other scripts are vowels, not accents: without them another word remains. Only the dot below a
    # letter, which many leave out, is one.
    kind = unicodedata.combining(character)
    return kind == NUKTA or (kind != 0 and (character <= "\u06ff" or character in "\u3099\u309a"))


WORD_FOLDS = WordFolds()


def fold_words(text: str) -> str:
    """Bring text to the form in which words are compared, separated by spaces."""
    return unicodedata.normalize("NFC", text).translate(WORD_FOLDS)


@lru_cache(maxsize=65536)
def fold_word(word: str) -> str:
    """The same for a single word."""
    return word.lower() if word.isascii() else fold_words(word)


def fold_words_in_place(text: str) -> tuple[str, Sequence[int]]:
    """Fold words and say for each character of the outcome which character of the original it came from."""
    odd = {sign for sign in set(text) if len(WORD_FOLDS[ord(sign)]) != 1}
    folded = text.translate(WORD_FOLDS)
    if not odd:
        return folded, range(len(text))
    origins: list[int] = []
    done = 0
    for match in re.finditer(f"[{re.escape(''.join(odd))}]", text):
        place = match.start()
        origins.extend(range(done, place))
        origins.extend([place] * len(WORD_FOLDS[ord(match[0])]))
        done = place + 1
    origins.extend(range(done, len(text)))
    return folded, origins
