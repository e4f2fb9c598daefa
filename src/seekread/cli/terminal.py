"""What the command line prints: the only place that writes to a terminal."""

import sys
from contextlib import suppress

import click

from seekread.printable import on_a_line, shown


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text of as many lines as it has."""
    click.echo(shown(text), err=err, nl=nl)


def say_styled(text: str) -> None:
    """Print text with escapes of our own, everything else in which was made harmless before (`display.py`)."""
    click.echo(text, color=True)


def note(*lines: str) -> None:
    """Tell the person at the terminal something beside the data, each on one line; who has left is told nothing."""
    with suppress(BrokenPipeError):
        for line in lines:
            click.echo(on_a_line(line), err=True)


def person_is_here() -> bool:
    """Whether somebody sits at a terminal who can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def hidden(question: str) -> str:
    """What a person types unseen, or the next line where none is there."""
    return str(click.prompt(question, hide_input=True, err=True)) if person_is_here() else sys.stdin.readline().strip()
