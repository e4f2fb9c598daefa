"""
Words as a search sees them: folded, stemmed a little, Chinese and Japanese as pairs of characters, Thai as triples.

The stemmers are short tables of endings, longest first, one per language. They err on the side of too little:
what they leave apart (`strength` and `strong`, compounds, misspellings) `kinship` brings together again, because
the vocabulary of one page is small enough to compare every word of the question with all of it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import pairwise

from seekread.page.folding import fold_word
from seekread.page.languages import ENDINGS, FILLERS, SPACELESS, STOP_WORDS, UNSPACED_LETTERS, Language

MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
"""Signs inside words that `\\w` leaves out: accents, vowel points, Indic vowels."""
WORD = re.compile(rf"(?P<spaceless>[{SPACELESS}]+)|(?:[^\W_{SPACELESS}]+|[{MARKS}]+)+")
SPACED_WORD = re.compile(rf"(?:[^\W_]+|[{MARKS}]+)+")
ASCII_WORD = re.compile("[0-9A-Za-z]+")
"""The same in a text that has none without spaces, and in one of plain letters, which takes a third of the time."""

SHORTEST_WORD = 3
SHORTEST_STEM: dict[Language, int] = {"de": 4, "nl": 4}
"""How much must stay of a word when an ending is taken off; three letters elsewhere."""
FEWEST_SMALL_WORDS = 0.1
"""Running text has at least this share of stop words in its own language."""
STOP_WORD_WEIGHT = 0.2
SINGLE_CHARACTER_WEIGHT = 0.25
LETTERS = re.compile(r"[^\W\d_]+")
SPACELESS_CHARACTER = re.compile(f"[{SPACELESS}]")
LETTER_BY_LETTER = re.compile(f"[{UNSPACED_LETTERS}]")


@lru_cache(maxsize=65536)
def stem(word: str, language: Language) -> str:
    """The stem of a folded word. Words of three letters and words with digits are left alone."""
    if len(word) <= SHORTEST_WORD or not word.isalpha():
        return word
    for _ in range(2 if language == "en" else 1):
        word = shorter(word, language)
    if language == "en":
        if len(word) > SHORTEST_WORD and word[-1] == word[-2] and word[-1] not in "lsz":
            word = word[:-1]
        if word[-1] == "i":
            word = word[:-1] + "y"
    return word


def shorter(word: str, language: Language) -> str:
    """A word without its longest known ending, if enough of it stays."""
    shortest = SHORTEST_STEM.get(language, SHORTEST_WORD)
    for ending in ENDINGS[language]:
        if word.endswith(ending) and len(word) - len(ending) >= shortest:
            return word[: -len(ending)]
    return word


def language_of(text: str) -> Language:
    """Guess the language of a text from its script and its small words; `none` when no stemmer fits."""
    words = LETTERS.findall(text[:20_000])
    small = dict.fromkeys(STOP_WORDS, 0)
    for word, times in Counter(words).items():
        for language in speaking(word):
            small[language] += times
    best = max(small, key=lambda language: small[language])
    return best if words and small[best] / len(words) >= FEWEST_SMALL_WORDS else "none"


@lru_cache(maxsize=65536)
def speaking(word: str) -> tuple[Language, ...]:
    """The languages that have a word among their small ones."""
    folded = fold_word(word)
    return tuple(language for language, stop_words in STOP_WORDS.items() if folded in stop_words)


def terms(text: str, language: Language) -> Iterator[str]:
    """The terms of a text: stems of words; where no spaces stand characters and pairs of them, or three letters."""
    if not text.isascii() and SPACELESS_CHARACTER.search(text):
        return mixed_terms(text, language)
    words = ASCII_WORD if text.isascii() else SPACED_WORD
    return map(terms_in(language), words.findall(text))


def mixed_terms(text: str, language: Language) -> Iterator[str]:
    """The same of a text in which runs without spaces stand."""
    term_of = terms_in(language)
    for match in WORD.finditer(text):
        run = match["spaceless"]
        if run is None:
            yield term_of(match[0])
        elif LETTER_BY_LETTER.match(run):
            yield from (run[start : start + 3] for start in range(max(len(run) - 2, 1)))
        else:
            yield from run
            yield from map("".join, pairwise(run))


@cache
def terms_in(language: Language) -> Callable[[str], str]:
    """What gives the stem of a word as it is written."""
    return lru_cache(maxsize=65536)(lambda word: stem(fold_word(word), language))


def weight(term: str, language: Language) -> float:
    """How much a term of a question says about what is asked, 0 to 1, before its rarity is known."""
    if not is_spaceless(term):
        return STOP_WORD_WEIGHT if term in stop_stems(language) else 1.0
    if LETTER_BY_LETTER.match(term):
        return 1.0
    filler = sum(character in FILLERS for character in term)
    if filler == len(term):
        return 0.0
    if len(term) == 1:
        return SINGLE_CHARACTER_WEIGHT
    return 0.5 if filler else 1.0


def is_spaceless(term: str) -> bool:
    """Say whether a term is a few characters of a script without spaces."""
    return len(term) <= 3 and SPACELESS_CHARACTER.match(term) is not None


@lru_cache
def stop_stems(language: Language) -> frozenset[str]:
    """The stems of a language's stop words, and the words themselves."""
    return STOP_WORDS[language] | {stem(word, language) for word in STOP_WORDS[language]}


def kinship(asked: str, found: str) -> float:
    """
    How likely two different stems mean the same, 0 to 1: a long common beginning, or one inside the other.

    That covers endings no table knows, and compounds such as `Verteidigungslinie`.
    """
    short, long = sorted((asked, found), key=len)
    if len(short) < 4:
        return 0.0
    if short[:4] == long[:4]:
        common = next(
            (place for place, (one, other) in enumerate(zip(short, long, strict=False)) if one != other), len(short)
        )
        if common >= 0.6 * len(long):
            return common / len(long)
    return 0.6 if len(short) >= 5 and short in long else 0.0


def likeness(asked: str, found: str) -> float:
    """How alike two stems are written, 0 to 1, by the triples of letters they share: for misspelled words."""
    if min(len(asked), len(found)) < 6:
        return 0.0
    ours, theirs = triples(asked), triples(found)
    share = 2 * len(ours & theirs) / (len(ours) + len(theirs))
    return 0.8 * share if share >= 0.6 else 0.0


@lru_cache(maxsize=65536)
def triples(word: str) -> frozenset[str]:
    """Every three letters in a row of a word."""
    return frozenset(word[index : index + 3] for index in range(len(word) - 2))
