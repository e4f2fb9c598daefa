"""Keep a host's own keys out of what its users and models read, and out of what they search for."""

from collections.abc import Sequence

from seekread.calling.outgoing import Outgoing
from seekread.options import Query
from seekread.redact import MASK, Secrets, redact
from seekread.searching.policy import Policy

BEGINNING = 8
"""Characters of a long key that are masked on their own, wherever they stand."""


def masked(text: str, secrets: Sequence[str]) -> str:
    """
    Text without the given keys and without anything that looks like one.

    Whole keys go before parts of them, and where somebody masked the beginning of one, its end goes too.
    """
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, MASK)
        if len(secret) > BEGINNING:
            text = text.replace(MASK + secret[BEGINNING:], MASK)
    return redact(text, secrets)


def refuse_to_leak(query: Query, secrets: Sequence[str]) -> None:
    """Refuse a query that would carry a key out to a search engine."""
    Policy(outgoing=Outgoing(Secrets(*filter(None, secrets)))).check(query)
