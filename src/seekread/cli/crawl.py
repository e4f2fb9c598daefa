"""`seekread crawl`: the pages of a site into one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seekread.cli.bulk import COUNT, OUTPUT, code_of, lines_for, polite, reader_for, shown
from seekread.cli.flags import together
from seekread.cli.terminal import note
from seekread.hostnames import completed

if TYPE_CHECKING:
    from seekread.batch.progress import Progress
    from seekread.batch.scope import SiteScope

within = together(
    click.option("--limit", type=COUNT, default=1000, show_default=True, help="Pages at most."),
    click.option("--include", multiple=True, metavar="PATTERN", help="Only paths such as /docs/*; repeatable."),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="No paths such as */tag/*; repeatable."),
    click.option("--subdomains", is_flag=True, help="Pages of the domains below it too."),
)
"""The options that say what belongs to a site."""


def scope_of(url: str, options: dict[str, Any], depth: int) -> "SiteScope":
    """What belongs to a site, as the options of a command want it."""
    from seekread.batch.scope import SiteScope

    start = completed(url)
    limits = {name: options[name] for name in ("limit", "include", "exclude", "subdomains")}
    return SiteScope(start=start, depth=depth, **limits)


@click.command()
@click.argument("url")
@OUTPUT
@click.option("--depth", type=click.IntRange(0), default=10, show_default=True, help="Links from the first page.")
@within
@polite
@click.pass_context
def crawl(ctx: click.Context, /, url: str, output: Path, depth: int, **options: Any) -> None:
    """
    Read the pages of a site into one file: what its sitemaps and llms.txt name, and what its pages link to.

    Begin it again with the same file to go on. Calendars without end, names of sessions and pages that do not exist
    but answer all the same are noticed and left.
    """
    import anyio

    with lines_for(output) as lines:
        progress = anyio.run(run, scope_of(url, options, depth), lines, options, ctx.obj)
    note(progress.line())
    ctx.exit(code_of(progress))


async def run(scope: "SiteScope", lines: Path, options: dict[str, Any], setup: dict[str, Any]) -> "Progress":
    """Crawl."""
    from seekread.batch.crawl import Crawl
    from seekread.batch.progress import Progress
    from seekread.clock import SystemClock

    progress = Progress(SystemClock())
    async with reader_for(options, setup) as reader:
        with shown(progress, quiet=options["quiet"]) as show:
            await Crawl(scope, reader, lines, progress).run(show)
    return progress
