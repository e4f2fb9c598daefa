"""How the command line ends: documented exit codes, errors as one sentence on stderr, a silent broken pipe."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from seekread.errors import SeekreadError
from seekread.render.failure import exit_code, tell

NOTHING_FOUND = 3
INTERRUPTED = 130


def run(command: click.Command, name: str | None = None) -> NoReturn:
    """Run a command as a program of its own, and end as it did."""
    with reported():
        try:
            code = command.main(prog_name=name, standalone_mode=False)
        except click.ClickException as error:
            error.show()
            code = error.exit_code
    sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def reported() -> Iterator[None]:
    """Turn errors into a sentence and an exit code."""
    try:
        yield
    except SeekreadError as error:
        click.echo(f"seekread: {tell(error)}", err=True)
        raise SystemExit(exit_code(error)) from None
    except (KeyboardInterrupt, click.Abort):
        click.echo("seekread: interrupted", err=True)
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader of our output left, as `head` does: that is its right.
        let_go_of_output()
        raise SystemExit(0) from None
    except OSError as error:
        click.echo(f"seekread: {error.strerror or error}{f': {error.filename}' if error.filename else ''}", err=True)
        let_go_of_output()
        raise SystemExit(1) from None


def let_go_of_output() -> None:
    """Spare Python another try, when it ends, to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(*lines: str) -> None:
    """Tell the person at the terminal something, beside the data."""
    for line in lines:
        click.echo(line, err=True)
