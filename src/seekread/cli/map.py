"""`seekread map`: the addresses of a site."""

from typing import TYPE_CHECKING, Any

import click

from seekread.cli.bulk import polite, reader_for
from seekread.cli.crawl import scope_of, within
from seekread.cli.exits import NOTHING_FOUND
from seekread.cli.terminal import say

if TYPE_CHECKING:
    from seekread.batch.scope import SiteScope


@click.command("map")
@click.argument("url")
@within
@polite
@click.pass_context
def map_command(ctx: click.Context, /, url: str, **options: Any) -> None:
    """Print the addresses a site names, one a line: its first page's links, its llms.txt, its sitemaps."""
    import anyio

    found = anyio.run(run, scope_of(url, options, 1), options, ctx.obj)
    ctx.exit(0 if found else NOTHING_FOUND)


async def run(scope: "SiteScope", options: dict[str, Any], setup: dict[str, Any]) -> int:
    """Print addresses as they are found, and say how many."""
    from seekread.batch.crawl import map_site

    found = 0
    async with reader_for(options, setup) as reader:
        async for address in map_site(scope, reader):
            found += 1
            say(address)
    return found
