"""What washing a page removed or noticed, counted by kind so that nothing disappears silently."""

from collections import defaultdict
from dataclasses import field

from seekread.late import dataclass
from seekread.models import Signal
from seekread.page.invisible import clean, collapse_base64, collapse_runs


@dataclass
class Tally:
    """Counts what was taken out of a page, by reason."""

    counts: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    characters: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))

    def note(self, kind: str, reason: str = "", *, count: int = 1, characters: int = 0) -> None:
        """Count something about the page."""
        self.counts[kind, reason] += count
        self.characters[kind, reason] += characters

    def removed(self, reason: str, text: str) -> None:
        """Count hidden text that was removed; an element without text hides nothing."""
        if text:
            self.note("hidden-text", reason, characters=len(text))

    def clean_characters(self, text: str) -> str:
        """Remove invisible characters and count them by class."""
        cleaned, found = clean(text)
        for name, count in found.items():
            self.note("invisible-characters", name, count=count, characters=count)
        return cleaned

    def collapse(self, text: str) -> str:
        """Collapse long base64 runs and endless repetition, and count both."""
        text, blobs = collapse_base64(text)
        if blobs:
            self.note("base64", "collapsed", count=blobs)
        text, runs = collapse_runs(text)
        if runs:
            self.note("stuffing", "repeated words collapsed", count=runs)
        return text

    def signals(self) -> tuple[Signal, ...]:
        """One signal for each kind and reason."""
        return tuple(
            Signal(kind=kind, count=count, detail=detail(reason, self.characters[kind, reason]))
            for (kind, reason), count in self.counts.items()
        )


def detail(reason: str, characters: int) -> str:
    """The reason and how many characters it concerns."""
    return f"{reason}, {characters} characters" if characters else reason
