"""
What a user typed, as an expression SQLite understands.

`OR` between two words and "quoted phrases" mean what they mean on the web; everything else is text to look for.
No character a user types reaches the syntax: only folded words do, each inside quotation marks.
Two readings are made: `strict` wants every word, `loose` is content with some and leaves the order to the ranking.
A quoted phrase is wanted in both. Small words that say nothing about a subject ("how do I …") are left out,
unless there are no others.

A word is looked for by the stems it has in the languages of the index. A quoted phrase is looked for by its stems too,
and then in the text as it was written (`says`).
"""

import re
from collections.abc import Collection, Iterator

from seekread.index.words import is_spaceless, pieces, stored, stretches, width
from seekread.late import dataclass
from seekread.page.folding import fold_words
from seekread.page.languages import STOP_WORDS, Language
from seekread.page.stemming import language_of, stem

TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
QUOTES = str.maketrans(dict.fromkeys("“”„«»「」『』", '"'))
MOST_TERMS = 64
"""SQLite limits how deep an expression may be; nobody means more words than this."""
MOST_UNITS = 128
LONG_QUESTION, MOST_KEYWORDS = 4, 6
"""Words, small ones aside, from which on nobody expects all of them in one text: of a sentence, and else."""
SENTENCE_ENDS = tuple("?.;\uff1f\u061f\u3002\u2026")
"""Also the question marks of Greek, Chinese, Japanese and Arabic."""
UNKNOWN: tuple[Language, ...] = ("none",)
"""The languages of an index of which nothing is known."""


@dataclass(frozen=True)
class Term:
    """One word, or one phrase: folded pieces that stand next to each other."""

    pieces: tuple[str, ...]
    quoted: bool = False
    small: bool = False
    languages: tuple[Language, ...] = UNKNOWN

    @property
    def phrases(self) -> list[str]:
        """The pieces as the index stores them, side by side, in each of its languages."""
        spelled = (tuple(stem(piece, language) for piece in self.pieces) for language in self.languages)
        return [Term(pieces).phrase for pieces in dict.fromkeys(spelled)]

    @property
    def phrase(self) -> str:
        """The pieces side by side, spelled as they are."""
        words: list[str] = []
        for piece in self.pieces[:-1]:
            words += stored(piece) if is_spaceless(piece) else [piece]
        last = self.pieces[-1]
        if is_spaceless(last) and len(last) < width(last):
            return f'"{" ".join([*words, last])}"*'
        return f'"{" ".join([*words, *(stretches(last) if is_spaceless(last) else [last])])}"'

    @property
    def strict(self) -> str:
        """The expression for this term as it was typed, in singular and plural."""
        return either(self.forms())

    def forms(self) -> list[str]:
        if self.quoted or len(self.pieces) > 1:
            return self.phrases
        return [Term((form,)).phrase for form in self.words()]

    def words(self) -> list[str]:
        """How a term of one piece may be spelled in the index."""
        known = [stem(self.pieces[0], language) for language in self.languages if language != "none"]
        plain = spellings(self.pieces[0]) if "none" in self.languages else []
        return list(dict.fromkeys([*known, *plain]))

    def units(self) -> Iterator[str]:
        """Everything in this term that is worth finding alone."""
        if self.quoted or len(self.pieces) > 1:
            yield either(self.phrases)
        for piece in () if self.quoted else self.pieces:
            if is_spaceless(piece) and len(piece) > width(piece):
                yield from (Term((stretch,)).phrase for stretch in stretches(piece))
            else:
                yield Term((piece,), languages=self.languages).strict

    def singles(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Its words one by one, and its runs bit by bit: the expression of each, and how the index may spell it."""
        for piece in self.pieces:
            for single in stretches(piece) if is_spaceless(piece) and len(piece) > width(piece) else (piece,):
                term = Term((single,), languages=self.languages)
                yield term.strict, frozenset(term.words())


@dataclass(frozen=True)
class Expression:
    """Groups that are all wanted, each of terms of which one is enough."""

    groups: tuple[tuple[Term, ...], ...]
    sentence: bool = False

    def __bool__(self) -> bool:
        return bool(self.groups)

    @property
    def is_long(self) -> bool:
        """Whether this is rather a question in whole sentences than some words to look for."""
        return len(self.groups) >= LONG_QUESTION and (self.sentence or len(self.groups) > MOST_KEYWORDS)

    @property
    def terms(self) -> tuple[Term, ...]:
        return tuple(term for group in self.groups for term in group)

    @property
    def strict(self) -> str:
        """Every group is wanted."""
        return " AND ".join(f"({' OR '.join(term.strict for term in group)})" for group in self.groups)

    @property
    def units(self) -> tuple[str, ...]:
        """The single expressions of which the loose reading wants some."""
        return tuple(dict.fromkeys(unit for term in self.terms for unit in term.units()))[:MOST_UNITS]

    @property
    def words(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """Every single word or bit of a run that is looked for, in order: its expression and its spellings."""
        found = dict(each for term in self.terms for each in term.singles())
        return tuple(found.items())[:MOST_UNITS]

    def loose(self, others: Collection[str] = (), telling: Collection[str] = ()) -> str:
        """
        Any unit, or any of other words of the index, is enough, except that quoted phrases are still wanted.

        Where some units are `telling`, one of these is wanted, and the rest only counts.
        """
        phrases = Expression(tuple(group for group in self.groups if any(term.quoted for term in group))).strict
        some = " OR ".join([*self.units, *(Term((word,)).phrase for word in sorted(others))])
        wanted = [phrases] if phrases else []
        wanted += [f"({' OR '.join(telling)})"] if telling else []
        return " AND ".join([*wanted, f"({some})"]) if wanted else some

    def says(self, *texts: str) -> bool:
        """Say whether texts hold the quoted phrases letter for letter, case, accents and signs aside."""
        folded = [f" {' '.join(pieces(fold_words(text)))} " for text in texts]
        return all(
            any(f" {' '.join(term.pieces)} " in text or _run_in(term, text) for term in group for text in folded)
            for group in self.groups
            if all(term.quoted for term in group)
        )

    @property
    def quoted(self) -> bool:
        """Whether a phrase has to stand in the text as it was typed."""
        return any(term.quoted and len(term.languages) + len(term.pieces) > 1 for term in self.terms)


def _run_in(term: Term, text: str) -> bool:
    """A phrase that begins or ends inside a run without spaces."""
    return any(map(is_spaceless, term.pieces)) and " ".join(term.pieces) in text


def any_of(words: Collection[str]) -> str:
    """Any of these words of the index."""
    return either([Term((word,)).phrase for word in sorted(words)])


def either(forms: list[str]) -> str:
    """Any of these."""
    return f"({' OR '.join(forms)})" if len(forms) > 1 else forms[0]


def parse(text: str, languages: Collection[Language] = UNKNOWN) -> Expression:
    """Read what a user typed. It may hold no word at all; then the expression is false."""
    spoken = tuple(sorted(languages)) or UNKNOWN
    small = STOP_WORDS.get(language_of(text), frozenset())
    groups: list[tuple[Term, ...]] = []
    joining = False
    for quoted, word in TERM.findall(text.translate(QUOTES)):
        if word == "OR":
            joining = bool(groups)
            continue
        found = tuple(pieces(fold_words(quoted or word)))
        if not found:
            continue
        # Somebody who writes WHO or IT means more than the small word.
        is_small = found[0] in small and len(found) == 1 and not quoted and not (len(word) > 1 and word.isupper())
        term = Term(found, quoted=bool(quoted), small=is_small, languages=spoken)
        if joining:
            groups[-1] += (term,)
        else:
            groups.append((term,))
        joining = False
    telling = [group for group in groups if not all(term.small for term in group)]
    sentence = len(telling) < len(groups) or text.rstrip().endswith(SENTENCE_ENDS)
    return Expression(tuple(dict.fromkeys(telling or groups))[:MOST_TERMS], sentence)


def spellings(word: str) -> list[str]:
    """A word with its other number: `page` and `pages` find each other."""
    if not (word.isascii() and word.isalpha() and len(word) > 2):
        return [word]
    if word.endswith("s"):
        return [word] if word.endswith("ss") or len(word) == 3 else [word, word[:-1]]
    return [word, f"{word}s"]
