"""
Words: how text and queries are brought to the same form before SQLite sees them.

Case, accents and what stands between words are folded as for every search (`page/folding.py`). Chinese, Japanese,
Thai, Lao, Khmer and Burmese write words without spaces (Korean glues particles to them), so a run of such characters
becomes overlapping pairs, followed by its last character: 東京都 is indexed as `東京 京都 都`. Where one is only
a letter, as in Thai, they are triples, followed by the last two letters and the last.
Every character starts exactly one piece, so what is shorter is found as a prefix and what is longer as a phrase.
Words of a text whose language is known are stored as their stems (`page/stemming.py`).
"""

import re
from collections.abc import Iterator

from seekread.page.folding import fold_words
from seekread.page.languages import CJK, SPACELESS, UNSPACED_LETTERS, Language
from seekread.page.stemming import stem

RUN = re.compile(f"[{CJK}]+|[{UNSPACED_LETTERS}]+")
PIECE = re.compile(rf"{RUN.pattern}|[^\s{SPACELESS}]+")
LETTERS = re.compile(f"[{UNSPACED_LETTERS}]")


def indexed(text: str, language: Language = "none") -> str:
    """The words of a document's text, as the index stores them."""
    words = RUN.sub(lambda run: f" {' '.join(stored(run[0]))} ", fold_words(text))
    if language == "none":
        return words
    spelled = words.split()
    stems = {word: stem(word, language) for word in set(spelled)}
    return " ".join(map(stems.__getitem__, spelled))


def width(run: str) -> int:
    """How many characters of a run are compared at a time."""
    return 3 if LETTERS.match(run) else 2


def stored(run: str) -> Iterator[str]:
    """What the index holds of a run: its stretches, and its end in ever shorter ones."""
    size = width(run)
    return (run[start : start + size] for start in range(len(run)))


def stretches(run: str) -> Iterator[str]:
    """The overlapping pairs of a run of characters, or triples of letters; none for what is shorter."""
    size = width(run)
    return (run[start : start + size] for start in range(len(run) - size + 1))


def pieces(folded: str) -> list[str]:
    """Folded text as a list of spaced words and of runs without spaces."""
    return PIECE.findall(folded)


def is_spaceless(piece: str) -> bool:
    """Say whether a piece is of a script without spaces."""
    return RUN.match(piece) is not None
