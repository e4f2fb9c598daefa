"""`seekread search-many`: any number of queries, what each found in one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seekread.cli.bulk import COUNT, LIST, OUTPUT, code_of, lines_for, not_recorded, resumable, shown
from seekread.cli.flags import flags, given, together
from seekread.cli.lists import LineList
from seekread.cli.terminal import note, person_is_here
from seekread.options import SEARCH

if TYPE_CHECKING:
    from seekread.batch.progress import Progress
    from seekread.batch.search_record import SearchFile
    from seekread.batch.searcher import Searcher

bounds = together(
    click.option("--at-once", type=COUNT, default=16, show_default=True, help="Searches at once, as the pace allows."),
    click.option(
        "--tries", type=COUNT, default=3, show_default=True, help="Tries for a query that may be answered later."
    ),
    click.option("--max-dollars", type=click.FloatRange(0), help="What this run may spend; what is left waits."),
    click.option("--yes", "-y", is_flag=True, help="Go on without asking, whatever it costs."),
    click.option("--fresh", is_flag=True, help="Ask again, whatever was answered before."),
    click.option("--quiet", "-q", is_flag=True, help="Show no progress."),
)
"""The options that say how much, how fast and at which price."""


@click.command("search-many")
@click.argument("source", type=LIST, metavar="FILE|-")
@OUTPUT
@flags(SEARCH, but={"query"})
@bounds
@click.pass_context
def search_many(ctx: click.Context, /, source: str, output: Path, **options: Any) -> None:
    """
    Ask the queries of a list, one a line, and write what each found to one file; `-` reads the list from stdin.

    What it will cost is said first, and asked about where it costs something. Begin it again with the same file to go
    on: queries that are there are not asked again, whatever ended the run before.
    """
    import anyio

    not_recorded(ctx.obj)
    queries = LineList(source)
    if source != "-" and not Path(source).exists():
        raise click.UsageError(f"there is no file {source!r}")
    with lines_for(output, "searches") as lines:
        progress = anyio.run(run, queries, lines, options, ctx.obj)
    note(*queries.remarks(), progress.line())
    ctx.exit(code_of(progress, queries.left_out))


async def run(queries: LineList, lines: Path, options: dict[str, Any], setup: dict[str, Any]) -> "Progress":
    """Say what it costs, and ask."""
    from seekread.batch.progress import Progress
    from seekread.batch.run import search_into
    from seekread.batch.search_record import SearchFile
    from seekread.clock import SystemClock

    progress = Progress(SystemClock(), queries.total(), "queries")
    async with searcher_for(options, setup) as searcher:
        with SearchFile(lines) as file:
            await agree(queries, file, searcher, options)
            with resumable(progress, file.path), shown(progress, quiet=options["quiet"]) as show:
                await search_into(file, searcher, queries.lines(), progress, show)
    return progress


def searcher_for(options: dict[str, Any], setup: dict[str, Any]) -> "Searcher":
    """A searcher as the options of the command want it."""
    from seekread.batch.searcher import Searcher

    wanted = {**given(options, SEARCH), **({"max_age": 0} if options["fresh"] else {})}
    bounded = {name: options[name] for name in ("at_once", "tries", "max_dollars")}
    return Searcher(**bounded, settings=setup["settings"], config=setup["config"], **wanted)


async def agree(queries: LineList, file: "SearchFile", searcher: "Searcher", options: dict[str, Any]) -> None:
    """Say what it will cost; where that is more than nothing and nobody has said how much it may be, ask."""
    from seekread.batch.progress import money

    count, sample = new_among(queries, file) if queries.is_file else (None, "")
    if count == 0:
        return
    expected = await searcher.estimate(sample or "a question")
    first = ", ".join(price.words for price in expected.asked) or "nobody: no provider is set up"
    told = (
        [f"asked: {first}"]
        if count is None
        else [f"{count:,} {'query' if count == 1 else 'queries'} to ask", f"asked: {first}"]
    )
    if expected.others:
        told.append(f"where that fails: {', '.join(price.words for price in expected.others)}")
    if count is not None and expected.dollars:
        told.append(f"about {money(count * expected.dollars)}")
    limit = options["max_dollars"]
    note(" · ".join([*told, *([] if limit is None else [f"stops at {money(limit)}"])]))
    if expected.is_free or options["yes"] or limit is not None:
        return
    if not person_is_here():
        raise click.UsageError("this may cost money: say how much with --max-dollars, or --yes to whatever it costs")
    if not click.confirm("Go on?", err=True):
        raise click.exceptions.Exit(1)


def new_among(queries: LineList, file: "SearchFile") -> tuple[int, str]:
    """How many queries of a list the file does not hold, each counted once, and one of them."""
    new, sample = set[bytes](), ""
    for query in queries.each():
        if (key := file.key_of(query)) not in new and not file.has(query):
            new.add(key)
            sample = sample or query
    return len(new), sample
