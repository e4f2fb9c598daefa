"""What was meant, where somebody wrote a name that nobody knows."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about a name that nobody knows: the one that was meant, perhaps."""
    from difflib import get_close_matches

    found = get_close_matches(name, list(known), 1)
    return f"; did you mean {found[0]!r}?" if found else ""
