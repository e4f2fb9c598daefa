"""
Words: how text and queries are brought to the same form before SQLite sees them.

Three rules, kept by one table for documents, queries and snippets alike:

1. Case, accents and compatibility forms do not matter: `Straße` and `STRASSE` are one word, `café` and `cafe` too.
2. Chinese, Japanese and Korean write words without spaces (or glue particles to them), so a run of such characters
   becomes overlapping pairs, followed by its last character: 東京都 is indexed as `東京 京都 都`.
   Every character starts exactly one piece, so a single character is found as a prefix and a longer text as a phrase.
3. Whatever is neither letter, mark nor number separates words.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

CJK_CHARACTERS = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Han, kana, bopomofo and Hangul, as the inside of a regular expression's brackets."""

CJK = re.compile(f"[{CJK_CHARACTERS}]+")
PIECE = re.compile(rf"[{CJK_CHARACTERS}]+|[^\s{CJK_CHARACTERS}]+")


class Folding(dict[int, str]):
    """The table of rule 1 and 3 for `str.translate`, filled in as characters are met."""

    def __missing__(self, code: int) -> str:
        plain = unicodedata.normalize("NFKC", chr(code))
        if not CJK.match(plain):
            plain = unicodedata.normalize("NFKD", plain.casefold())
        folded = self[code] = "".join(map(_kept, plain))
        return folded


def _kept(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf" or _is_accent(character):
        return ""
    return character if category[0] in "LMN" or category == "Co" else " "


def _is_accent(character: str) -> bool:
    # Marks of Indic and other scripts are vowels, not accents: without them another word remains.
    return unicodedata.combining(character) != 0 and (character <= "\u06ff" or character in "\u3099\u309a")


FOLDING = Folding()


def fold_words(text: str) -> str:
    """Bring text to the form in which words are compared, separated by spaces."""
    return unicodedata.normalize("NFC", text).translate(FOLDING)


def fold_in_place(text: str) -> tuple[str, Sequence[int]]:
    """Fold text and say for each character of the outcome which character of the original it came from."""
    forms = [FOLDING[code] for code in map(ord, text)]
    lengths = set(map(len, forms))
    if lengths <= {1}:
        return "".join(forms), range(len(text))
    return "".join(forms), [position for position, form in enumerate(forms) for _ in form]


def indexed(text: str) -> str:
    """The words of a document's text, as the index stores them."""
    return CJK.sub(lambda run: f" {' '.join(pairs(run[0]))} {run[0][-1]} ", fold_words(text))


def pairs(run: str) -> Iterator[str]:
    """The overlapping pairs of a run of characters; none for a single character."""
    return (run[start : start + 2] for start in range(len(run) - 1))


def pieces(folded: str) -> list[str]:
    """Folded text as a list of spaced words and of runs that rule 2 applies to."""
    return PIECE.findall(folded)


def is_cjk(piece: str) -> bool:
    """Say whether rule 2 applies to a piece."""
    return CJK.match(piece) is not None
