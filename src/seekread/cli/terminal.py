"""What the command line prints: the only place that writes to a terminal."""

import sys
from contextlib import suppress
from typing import TextIO

import click

from seekread.printable import on_a_line, shown


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text of as many lines as it has."""
    click.echo(shown(text), err=err, nl=nl)


def say_folded(text: str) -> None:
    """Print lines that people read: on a terminal broken between words."""
    for line in shown(text).split("\n"):
        click.echo("\n".join(folded(line, sys.stdout)))


def say_styled(text: str) -> None:
    """Print text with escapes of our own, everything else in which was made harmless before (`display.py`)."""
    click.echo(text, color=True)


def note(*lines: str) -> None:
    """Tell the person at the terminal something beside the data, each on one line; who has left is told nothing."""
    with suppress(BrokenPipeError):
        for line in lines:
            for part in folded(on_a_line(line), sys.stderr):
                click.echo(part, err=True)


MARKS = ("✓ ", "✗ ", "· ", "→ ")
"""What a line may begin with that its continuation stands behind."""


def folded(line: str, stream: TextIO) -> list[str]:
    """A line as a terminal shows it without breaking words; a pipe gets it whole."""
    if not stream.isatty():
        return [line]
    import shutil
    import textwrap

    width = shutil.get_terminal_size().columns
    if len(line) <= width:
        return [line]
    text = line.lstrip()
    indent = " " * (len(line) - len(text) + (2 if text.startswith(MARKS) else 0))
    # An address or a path that is longer than the line stays whole, so that it can be copied.
    lines = textwrap.wrap(
        line,
        width,
        subsequent_indent=indent,
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or [line]


def person_is_here() -> bool:
    """Whether somebody sits at a terminal who can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def hidden(question: str) -> str:
    """What a person types unseen, or the next line where none is there."""
    typed = click.prompt(question, hide_input=True, err=True) if person_is_here() else sys.stdin.readline()
    return str(typed).strip()
