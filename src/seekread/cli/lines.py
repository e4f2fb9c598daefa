"""Arguments from stdin: `-` stands for one a line."""

import sys

import click


def arguments(given: tuple[str, ...], wanted: str) -> list[str]:
    """The arguments given, or the lines of stdin for `-`; nothing at all is a usage error."""
    if given != ("-",):
        return list(given)
    try:
        found = [line.strip() for line in sys.stdin if line.strip()]
    except UnicodeDecodeError:
        raise click.UsageError("stdin is not valid UTF-8 text") from None
    if not found:
        raise click.UsageError(f"stdin is empty: send one {wanted} per line")
    return found
