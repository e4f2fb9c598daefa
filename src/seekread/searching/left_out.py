"""Results that were found and not shown: nothing left is not nothing found."""

from collections import Counter

POLICY = "allowed_domains or blocked_domains under [policy]"
"""The operator's lists; the caller's are named by their option."""


def left_out(dropped: Counter[str], *, nothing_left: bool) -> list[str]:
    """A note for what filters of ours removed: how many, and by which."""
    count = dropped.total()
    if not count:
        return []
    by = ", ".join(f"{name} ({number})" for name, number in dropped.items() if number)
    if nothing_left:
        return [f"found {count}, none passed: {by}"]
    return [f"{count} {'result' if count == 1 else 'results'} did not pass: {by}"]
