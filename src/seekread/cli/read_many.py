"""`seekread read-many`: any number of pages into one file."""

import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from seekread.cli.terminal import note
from seekread.hostnames import completed

if TYPE_CHECKING:
    from seekread.batch.progress import Progress

LINES = 500
"""Lines of the list that are read at once."""
SHOWN_EVERY = 0.5
"""Seconds between two looks at the progress on a terminal."""


@click.command("read-many")
@click.argument("source", required=False, metavar="[FILE|-]")
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Where pages go: one JSON object a line, or Parquet for a name that ends so.",
)  # fmt: skip
@click.option("--from-search", "queries", multiple=True, metavar="QUERY", help="Read what a search finds; repeatable.")
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="Results of each search.")
@click.option(
    "--delay",
    type=click.FloatRange(0),
    default=1.0,
    show_default=True,
    help="Seconds between two requests to one site.",
)
@click.option("--per-host", type=click.IntRange(1), default=2, show_default=True, help="Pages of one site at once.")
@click.option("--at-once", type=click.IntRange(1), default=32, show_default=True, help="Pages at once, of all sites.")
@click.option(
    "--tries", type=click.IntRange(1), default=3, show_default=True, help="Tries for a page that may still come."
)
@click.option("--reader", multiple=True, help="Readers to try, in order.")
@click.option("--ignore-robots", is_flag=True, help="Read what robots.txt asks programs not to read.")
@click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
@click.pass_context
def read_many(
    ctx: click.Context, /, source: str | None, queries: tuple[str, ...], output: Path, **options: Any
) -> None:
    """
    Read the pages of a list, one address a line, into one file; `-` reads the list from stdin.

    Begin it again with the same file to go on: pages that are there are not read again, whatever ended the run
    before. All processes that share a store (--store redis://… on several machines) are polite to a site together.
    """
    import anyio

    if (source is None) == (not queries):
        raise click.UsageError("name a file with addresses, or -, or use --from-search")
    progress = anyio.run(run, source, queries, output, options, ctx.obj)
    note(progress.line())
    ctx.exit(1 if progress.done and sum(progress.failures.values()) == progress.done else 0)


async def run(
    source: str | None, queries: tuple[str, ...], output: Path, options: dict[str, Any], setup: dict[str, Any]
) -> "Progress":
    """Read the pages."""
    from seekread.batch.page_file import PageFile
    from seekread.batch.parquet import require_pyarrow, write_parquet
    from seekread.batch.progress import Progress
    from seekread.batch.reader import Reader
    from seekread.batch.run import read_into
    from seekread.calling.courtesy import Manners
    from seekread.clock import SystemClock

    as_parquet = output.suffix == ".parquet"
    if as_parquet:
        require_pyarrow()
    lines = output.with_name(output.name + ".jsonl") if as_parquet else output
    manners = Manners(options["delay"], options["per_host"], robots=not options["ignore_robots"])
    progress = Progress(SystemClock(), total_of(source))
    async with Reader(
        manners=manners,
        reader=options["reader"],
        at_once=options["at_once"],
        tries=options["tries"],
        settings=setup["settings"],
        config=setup["config"],
    ) as reader:
        urls = found(queries, options["limit"], setup) if source is None else listed(source)
        with PageFile(lines) as file, shown(progress, quiet=options["quiet"]) as show:
            await read_into(file, reader, urls, progress, on_page=lambda _: show())
    if as_parquet:
        write_parquet(lines, output)
        lines.unlink()
    return progress


def total_of(source: str | None) -> int | None:
    """How many lines a list has, where it can be read twice."""
    if source is None or source == "-" or not Path(source).is_file():
        return None
    with Path(source).open("rb") as file:
        return sum(1 for line in file if line.strip())


async def listed(source: str) -> AsyncIterator[str]:
    """The addresses of a list, a few lines at a time; a pipe may be slow."""
    import anyio.to_thread

    with opened(source) as file:
        while lines := await anyio.to_thread.run_sync(lambda: list(islice(file, LINES))):
            for line in lines:
                if url := line.strip():
                    yield completed(url)


@contextmanager
def opened(source: str) -> Iterator[IO[str]]:
    if source == "-":
        yield sys.stdin
        return
    with Path(source).open(encoding="utf-8", errors="surrogateescape") as file:
        yield file


async def found(queries: tuple[str, ...], limit: int, setup: dict[str, Any]) -> AsyncIterator[str]:
    """The addresses that searches find."""
    from seekread.client import Seekread

    async with Seekread(**setup) as web:
        for query in queries:
            for result in (await web.search(query, limit=limit)).results:
                yield result.url


@contextmanager
def shown(progress: "Progress", *, quiet: bool) -> Iterator[Callable[[], None]]:
    """A line on the terminal's standard error that is kept up to date; nothing when nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.status import Status

    with Status("", console=Console(stderr=True)) as status:
        last = 0.0

        def show() -> None:
            nonlocal last
            if time.monotonic() - last >= SHOWN_EVERY:
                last = time.monotonic()
                status.update(progress.line())

        yield show
