"""
What a user typed, as an expression SQLite understands.

`OR` between two words and "quoted phrases" mean what they mean on the web; everything else is text to look for.
No character a user types reaches the syntax: only folded words do, each inside quotation marks.
Two readings are made: `strict` wants every word, `loose` is content with some and leaves the order to the ranking.
A quoted phrase is wanted in both. Small words that say nothing about a subject ("how do I …") are left out,
unless there are no others.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from seekread.index.words import is_spaceless, pairs, pieces
from seekread.page.folding import fold_words
from seekread.page.languages import STOP_WORDS
from seekread.page.stemming import language_of

TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
QUOTES = str.maketrans(dict.fromkeys("“”„«»「」『』", '"'))
MOST_TERMS = 64
"""SQLite limits how deep an expression may be; nobody means more words than this."""
MOST_UNITS = 128


@dataclass(frozen=True)
class Term:
    """One word, or one phrase: folded pieces that stand next to each other."""

    pieces: tuple[str, ...]
    quoted: bool = False
    small: bool = False

    @property
    def phrase(self) -> str:
        """The pieces as the index stores them, side by side."""
        stored: list[str] = []
        for piece in self.pieces[:-1]:
            stored += [*pairs(piece), piece[-1]] if is_spaceless(piece) else [piece]
        last = self.pieces[-1]
        if not is_spaceless(last):
            return f'"{" ".join([*stored, last])}"'
        if len(last) == 1:
            return f'"{" ".join([*stored, last])}"*'
        return f'"{" ".join([*stored, *pairs(last)])}"'

    @property
    def strict(self) -> str:
        """The expression for this term as it was typed, in singular and plural."""
        forms = self.forms()
        return f"({' OR '.join(forms)})" if len(forms) > 1 else forms[0]

    def forms(self) -> list[str]:
        if self.quoted or len(self.pieces) > 1:
            return [self.phrase]
        return [Term((form,)).phrase for form in spellings(self.pieces[0])]

    def units(self) -> Iterator[str]:
        """Everything in this term that is worth finding alone."""
        if self.quoted or len(self.pieces) > 1:
            yield self.phrase
        for piece in () if self.quoted else self.pieces:
            if is_spaceless(piece) and len(piece) > 2:
                yield from (Term((pair,)).phrase for pair in pairs(piece))
            else:
                yield Term((piece,)).strict


@dataclass(frozen=True)
class Expression:
    """Groups that are all wanted, each of terms of which one is enough."""

    groups: tuple[tuple[Term, ...], ...]

    def __bool__(self) -> bool:
        return bool(self.groups)

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
    def loose(self) -> str:
        """Any unit is enough, except that quoted phrases are still wanted."""
        phrases = Expression(tuple(group for group in self.groups if any(term.quoted for term in group))).strict
        some = " OR ".join(self.units)
        return f"{phrases} AND ({some})" if phrases else some


def parse(text: str) -> Expression:
    """Read what a user typed. It may hold no word at all; then the expression is false."""
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
        term = Term(found, quoted=bool(quoted), small=is_small)
        if joining:
            groups[-1] += (term,)
        else:
            groups.append((term,))
        joining = False
    telling = [group for group in groups if not all(term.small for term in group)]
    return Expression(tuple(dict.fromkeys(telling or groups))[:MOST_TERMS])


def spellings(word: str) -> list[str]:
    """A word with its other number: `page` and `pages` find each other."""
    if not (word.isascii() and word.isalpha() and len(word) > 2):
        return [word]
    if word.endswith("s"):
        return [word] if word.endswith("ss") or len(word) == 3 else [word, word[:-1]]
    return [word, f"{word}s"]
