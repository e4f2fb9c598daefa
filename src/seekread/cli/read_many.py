"""`seekread read-many`: any number of pages into one file."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seekread.cli.bulk import COUNT, LIST, OUTPUT, code_of, lines_for, not_recorded, polite, reading, resumable, shown
from seekread.cli.lists import LineList
from seekread.cli.terminal import note
from seekread.hostnames import completed

if TYPE_CHECKING:
    from seekread.batch.on_ray import RayReader
    from seekread.batch.progress import Progress
    from seekread.batch.reader import Reader


@click.command("read-many")
@click.argument("source", required=False, type=LIST, metavar="[FILE|-]")
@OUTPUT
@click.option("--from-search", "queries", multiple=True, metavar="QUERY", help="Read what a search finds; repeatable.")
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="Results of each search.")
@polite
@click.option(
    "--engine",
    type=click.Choice(["process", "ray"]),
    default="process",
    show_default=True,
    help="Who reads: this process, or the actors of a Ray cluster.",
)
@click.option("--actors", type=COUNT, help="With --engine ray: processes that read, a CPU each; usually all but one.")
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

    not_recorded(ctx.obj)
    if (source is None) == (not queries):
        raise click.UsageError("name a file with addresses, or -, or use --from-search")
    listed = LineList(source) if source else None
    with lines_for(output) as lines:
        progress = anyio.run(run, listed, queries, lines, options, ctx.obj)
    note(*(listed.remarks() if listed else ()), progress.line())
    ctx.exit(code_of(progress, listed.left_out if listed else 0))


async def run(
    listed: LineList | None, queries: tuple[str, ...], lines: Path, options: dict[str, Any], setup: dict[str, Any]
) -> "Progress":
    """Read the pages."""
    from seekread.batch.page_file import PageFile
    from seekread.batch.progress import Progress
    from seekread.batch.run import read_into
    from seekread.clock import SystemClock

    progress = Progress(SystemClock(), listed.total() if listed else None)
    async with reader_of(options, setup) as reader:
        urls = addresses_in(listed) if listed else found(queries, options["limit"], setup)
        with PageFile(lines) as file, resumable(progress, lines), shown(progress, quiet=options["quiet"]) as show:
            await read_into(file, reader, urls, progress, show)
    return progress


def reader_of(options: dict[str, Any], setup: dict[str, Any]) -> "Reader | RayReader":
    """Who reads."""
    if options["engine"] == "ray":
        from seekread.batch.on_ray import RayReader

        return RayReader(actors=options["actors"], **reading(options, setup))
    from seekread.batch.reader import Reader

    return Reader(**reading(options, setup))


async def addresses_in(listed: LineList) -> AsyncIterator[str]:
    """The addresses of a list."""
    async for line in listed.lines():
        yield completed(line)


async def found(queries: tuple[str, ...], limit: int, setup: dict[str, Any]) -> AsyncIterator[str]:
    """The addresses that searches find."""
    from seekread.client import Seekread

    async with Seekread(**setup) as web:
        for query in queries:
            for result in (await web.search(query, limit=limit)).results:
                yield result.url
