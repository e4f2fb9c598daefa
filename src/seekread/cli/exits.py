"""How the command line ends: documented exit codes, errors as one sentence on stderr, a silent broken pipe."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from seekread.cli.terminal import note
from seekread.printable import on_a_line

NOTHING_FOUND = 3
INTERRUPTED = 130


def run(command: click.Command, name: str | None = None) -> NoReturn:
    """Run a command as a program of its own, and end as it did."""
    try:
        with reported():
            try:
                code = command.main(prog_name=name, standalone_mode=False)
            except click.exceptions.NoArgsIsHelpError as error:
                # The help of a group, of as many lines as it has.
                error.show()
                code = error.exit_code
            except click.ClickException as error:
                vars(error)["message"] = on_a_line(error.message)
                error.show()
                code = error.exit_code
    finally:
        # All that is left ends with the process: looking for cycles in it first is a tenth of a search.
        gc.freeze()
    sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def reported() -> Iterator[None]:
    """Turn errors into a sentence and an exit code."""
    try:
        yield
    except (KeyboardInterrupt, click.Abort):
        note("seekread: interrupted")
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader of our output left, as `head` does: that is its right.
        let_go_of_output()
        raise SystemExit(0) from None
    except OSError as error:
        note(f"seekread: {error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        let_go_of_output()
        raise SystemExit(1) from None
    except Exception as error:
        # Not before something went wrong: help should not wait for what only errors need.
        from seekread.errors import SeekreadError
        from seekread.render.failure import exit_code, tell

        if not isinstance(error, SeekreadError):
            raise
        note(f"seekread: {tell(error)}")
        raise SystemExit(exit_code(error)) from None


def let_go_of_output() -> None:
    """Spare Python another try, when it ends, to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
