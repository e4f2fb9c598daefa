"""
Words: how text and queries are brought to the same form before SQLite sees them.

Case, accents and what stands between words are folded as for every search (`page/folding.py`). Chinese, Japanese,
Thai, Lao, Khmer and Burmese write words without spaces (Korean glues particles to them), so a run of such characters
becomes overlapping pairs, followed by its last character: 東京都 is indexed as `東京 京都 都`.
Every character starts exactly one piece, so a single character is found as a prefix and a longer text as a phrase.
Words of a text whose language is known are stored as their stems (`page/stemming.py`).
"""

import re
from collections.abc import Iterator

from seekread.page.folding import fold_words
from seekread.page.languages import SPACELESS, Language
from seekread.page.stemming import stem

RUN = re.compile(f"[{SPACELESS}]+")
PIECE = re.compile(rf"[{SPACELESS}]+|[^\s{SPACELESS}]+")


def indexed(text: str, language: Language = "none") -> str:
    """The words of a document's text, as the index stores them."""
    words = RUN.sub(lambda run: f" {' '.join(pairs(run[0]))} {run[0][-1]} ", fold_words(text))
    return words if language == "none" else " ".join([stem(word, language) for word in words.split()])


def pairs(run: str) -> Iterator[str]:
    """The overlapping pairs of a run of characters; none for a single character."""
    return (run[start : start + 2] for start in range(len(run) - 1))


def pieces(folded: str) -> list[str]:
    """Folded text as a list of spaced words and of runs without spaces."""
    return PIECE.findall(folded)


def is_spaceless(piece: str) -> bool:
    """Say whether a piece is of a script without spaces."""
    return RUN.match(piece) is not None
