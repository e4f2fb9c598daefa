"""What the commands that read in bulk share: how polite they are, where pages go, and how far they are."""

import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seekread.cli.flags import together
from seekread.cli.names import NAMES
from seekread.cli.terminal import note

if TYPE_CHECKING:
    from seekread.batch.parquet import RecordKind
    from seekread.batch.progress import Progress
    from seekread.batch.reader import Reader

SHOWN_EVERY = 0.5
"""Seconds between two looks at the progress on a terminal."""


def named(_ctx: click.Context, _parameter: click.Parameter, output: Path) -> Path:
    """An output that can be gone on with."""
    if str(output) == "-":
        raise click.BadParameter("a file that can be gone on with has a name")
    return output


LIST = click.Path(exists=True, dir_okay=False, allow_dash=True)
"""A list, or stdin."""
OUTPUT = click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    callback=named,
    help="Where it goes: one JSON object a line, or Parquet for a name that ends so.",
)  # fmt: skip
COUNT = click.IntRange(1)
polite = together(
    click.option(
        "--delay", type=click.FloatRange(0),
        help="Seconds between two requests to one site, instead of the setting bulk_delay.",
    ),
    click.option("--per-host", type=COUNT, help="Pages of one site at once, instead of the setting bulk_per_host."),
    click.option("--at-once", type=COUNT, default=32, show_default=True, help="Pages at once, of all sites."),
    click.option("--tries", type=COUNT, default=3, show_default=True, help="Tries for a page that may still come."),
    click.option("--reader", multiple=True, shell_complete=NAMES["reader"], help="Readers to try, in order."),
    click.option("--ignore-robots", is_flag=True, help="Read what robots.txt asks programs not to read."),
    click.option("--quiet", "-q", is_flag=True, help="Show no progress."),
)  # fmt: skip
"""The options that say how sites are treated."""


def reader_for(options: dict[str, Any], setup: dict[str, Any]) -> "Reader":
    """A reader as the options of a command want it."""
    from seekread.batch.reader import Reader

    return Reader(**reading(options, setup))


def reading(options: dict[str, Any], setup: dict[str, Any]) -> dict[str, Any]:
    """What the options of a command say about reading."""
    from seekread.calling.courtesy import Manners
    from seekread.config.sources import load
    from seekread.errors import Misconfigured

    if not options["ignore_robots"] and find_spec("protego") is None:
        # Said at once, and not after the first page.
        raise Misconfigured(
            "reading in bulk honours robots.txt, for which a package is missing: install seekread[robots], "
            "or read without asking it (--ignore-robots)"
        )
    configuration = load(setup["settings"], file=setup["config"])
    read = configuration.settings.read
    delay = read.bulk_delay if options["delay"] is None else options["delay"]
    return {
        "manners": Manners(delay, options["per_host"] or read.bulk_per_host, robots=not options["ignore_robots"]),
        "reader": options["reader"],
        "at_once": options["at_once"],
        "tries": options["tries"],
        "configuration": configuration,
    }


@contextmanager
def lines_for(output: Path, what: "RecordKind" = "pages") -> Iterator[Path]:
    """The file of lines for an output. Parquet is made of it at the end, and it of the Parquet that is there."""
    if output.suffix.lower() != ".parquet":
        yield output
        return
    from seekread.batch.parquet import require_pyarrow, write_lines, write_parquet

    require_pyarrow()
    lines = output.with_name(output.name + ".jsonl")
    if output.exists() and not lines.exists():
        write_lines(output, lines, what)
    yield lines
    write_parquet(lines, output, what)
    lines.unlink()


async def unseen(_: Any) -> None:
    """Nobody watches."""


@contextmanager
def shown(progress: "Progress", *, quiet: bool) -> Iterator[Callable[[Any], Awaitable[None]]]:
    """A line on the terminal's standard error that is kept up to date; nothing when nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield unseen
        return
    from rich.console import Console
    from rich.status import Status

    with Status("", console=Console(stderr=True)) as status:
        last = 0.0

        async def show(_: Any) -> None:
            nonlocal last
            if time.monotonic() - last >= SHOWN_EVERY:
                last = time.monotonic()
                status.update(progress.line())

        yield show


@contextmanager
def resumable(progress: "Progress", path: Path) -> Iterator[None]:
    """Say how far a run was that ends before its list does, and how to go on."""
    try:
        yield
    except BaseException:
        note(progress.line(), f"begin the same command again to go on with {path}")
        raise


def not_recorded(setup: dict[str, Any]) -> None:
    """Refuse what bulk does not do, before somebody believes that nothing is asked."""
    if setup["record"] or setup["replay"]:
        raise click.UsageError("what is done in bulk is neither recorded nor replayed: leave out --record and --replay")


def code_of(progress: "Progress", left_out: int = 0) -> int:
    """How a run ends: in failure if nothing at all came of it, be it that the list is no text."""
    if not (progress.done or progress.skipped):
        return 1 if left_out else 0
    return 1 if progress.done and sum(progress.failures.values()) == progress.done else 0
