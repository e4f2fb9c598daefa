"""A quotation that is not on a page, in words: what differs, and the nearest passage without a link to cite."""

from seekread.page.cited import CheckedQuotation
from seekread.page.gate import unspoken
from seekread.page.invisible import one_line

LONGEST_NEAREST = 600
"""Characters shown of the nearest passage."""


def not_there(checked: CheckedQuotation) -> str:
    """What differs, and what the page says instead, for orientation."""
    words = f"Not there: {unspoken(one_line('; '.join(checked.differences)))}."
    nearest = checked.nearest
    if nearest is None:
        return words
    shown = one_line(nearest.text)
    shown = shown if len(shown) <= LONGEST_NEAREST else f"{shown[:LONGEST_NEAREST]}…"
    return f"{words}\nNearest on the page, at {nearest.start} to {nearest.end}: {unspoken(shown)}"
