"""`seekread host`: put seekread into a checkout of a program that searches the web, and take it out again."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from seekread.cli.terminal import note, say
from seekread.errors import Misconfigured

if TYPE_CHECKING:
    from seekread.dropins.table import DropIn
    from seekread.dropins.trial import Environment

F = TypeVar("F", bound=Callable[..., Any])

PYTHON = click.option(
    "--python",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    help="The host's interpreter; by default that of .venv in the checkout.",
)
DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
FAILED = 1


def checkout(command: F) -> F:
    """The two arguments every command has."""
    command = click.argument("path", type=click.Path(path_type=Path))(command)
    return click.argument("name")(command)


@click.group()
def host() -> None:
    """
    Put seekread into the checkout of a host, and take it out again.

    A host is a program with a web search of its own, for which we bring a drop-in. A name that is none is answered with
    those there are.
    """


@host.command("add")
@checkout
@DRY_RUN
@click.option("--install", is_flag=True, help="Install seekread into the host's environment too; its pins stay.")
@PYTHON
@click.pass_context
def add(ctx: click.Context, name: str, path: Path, dry_run: bool, install: bool, python: Path | None) -> None:
    """
    Write the drop-in for host NAME into its checkout at PATH.

    Shows the diff, runs the host's own tests of web search where it can, and says what to do next. All or nothing:
    whatever is not in order is said in one sentence, and nothing is written.
    """
    from seekread.dropins import place, trial
    from seekread.dropins.changes import shown
    from seekread.dropins.table import drop_in

    table = drop_in(name)
    prepared = place.prepare_to_add(table, path, python)
    environment = prepared.environment
    if not dry_run:
        if install:
            trial.install(table, environment, prepared.pinned)
        place.add(table, prepared)
    say(shown(prepared.changes, environment.root), nl=False)
    if prepared.pinned:
        note(f"left as they are: {', '.join(f'{name} {version}' for name, version in prepared.pinned.items())}")
    if dry_run:
        note("nothing was written")
        return
    passed = tested(table, environment)
    note(*(f"to install: {' '.join(words)}" for words in table.install if passed is None), *table.says)
    ctx.exit(FAILED if passed is False else 0)


@host.command("remove")
@checkout
@DRY_RUN
def remove(name: str, path: Path, dry_run: bool) -> None:
    """Take the drop-in for host NAME out of its checkout at PATH: every file is again what it was."""
    from seekread.dropins import place
    from seekread.dropins.changes import shown
    from seekread.dropins.record import undoing
    from seekread.dropins.table import drop_in

    table = drop_in(name)
    found, record = place.added(table, path)
    changes = undoing(record, found.root)
    if not dry_run:
        place.remove(table, found, record, changes)
    say(shown(changes, found.root), nl=False)
    note("nothing was written" if dry_run else "seekread stays installed in the host's environment")


@host.command("check")
@checkout
@PYTHON
@click.pass_context
def check(ctx: click.Context, name: str, path: Path, python: Path | None) -> None:
    """
    Run the contract in the checkout of host NAME at PATH.

    The drop-in is whole, the host's pins suit us, and the host's own tests of web search pass.
    """
    from seekread.dropins import pins, place, trial
    from seekread.dropins.record import altered
    from seekread.dropins.table import drop_in

    table = drop_in(name)
    found, record = place.added(table, path)
    if changed := altered(record, found.root):
        raise Misconfigured(f"the drop-in was changed since it was added: {', '.join(changed)}")
    say(f"ok  the drop-in of seekread {record.seekread} is whole")
    environment = trial.Environment(found.root, python)
    installed = environment.versions(table.pinned)
    for package, version in pins.check(table, environment).items():
        there = installed.get(package, version)
        other = f"!   {package} {there} is installed, and the host's lock file names {version}"
        say(f"ok  {package} {version} is the host's own" if there == version else other)
    done = trial.test(table, environment)
    if not done.passed:
        note(*done.said.splitlines())
    say(f"{'ok ' if done.passed else 'not'} {' '.join(table.test)}: {done.verdict}")
    ctx.exit(0 if done.passed else FAILED)


def tested(table: "DropIn", environment: "Environment") -> bool | None:
    """Run the host's tests and say how they went; `None` where they cannot be run."""
    from seekread.dropins import trial

    try:
        done = trial.test(table, environment)
    except Misconfigured as error:
        note(f"the host's tests were not run: {error}")
        return None
    if not done.passed:
        note(*done.said.splitlines())
    note(f"the host's tests {'pass' if done.passed else 'fail'}: {done.verdict}")
    return done.passed
