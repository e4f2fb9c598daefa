"""Patterns of paths as vendors take them, regular expressions, written as ours."""

import re
from collections.abc import Iterable

from seekread.errors import InvalidQuery

ANY = re.compile(r"\(?\.[*+]\??\)?|\[\^/\][*+]")
"""What stands for any text."""
ESCAPED = re.compile(r"\\([./?&=_~+-])")
SPECIAL = frozenset("\\()[]{}|+?^$")


def as_patterns(expressions: Iterable[str]) -> tuple[str, ...]:
    """
    Each expression as a pattern with `*`; one that says more than that is a mistake of the caller.

    A stranger's regular expression can be made to run for hours, so none is run.
    """
    return tuple(map(as_pattern, expressions))


def as_pattern(expression: str) -> str:
    """`^/docs/.*$` as `/docs/*`; an expression may match in the middle, so what is not tied to an end is open there."""
    body = expression.removeprefix("^").removesuffix("$")
    plain = ESCAPED.sub(lambda match: f"\0{match[1]}", ANY.sub("*", body))
    if any(letter in SPECIAL for letter in re.sub("\0.", "", plain)):
        raise InvalidQuery(f"the pattern {expression!r} is not understood: write text and .* only, such as /docs/.*")
    start = "" if expression.startswith("^") or body.startswith("/") else "*"
    end = "" if expression.endswith("$") else "*"
    return re.sub(r"\*+", "*", f"{start}{plain.replace(chr(0), '')}{end}")
