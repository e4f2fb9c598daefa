"""What the command line prints: the only place that writes to a terminal."""

import click

from seekread.printable import on_a_line, shown


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text of as many lines as it has."""
    click.echo(shown(text), err=err, nl=nl)


def note(*lines: str) -> None:
    """Tell the person at the terminal something beside the data, each on one line."""
    for line in lines:
        click.echo(on_a_line(line), err=True)
