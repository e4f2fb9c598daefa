"""`seekread gather`: the passages that answer a question, from the best pages, with their sources."""

from typing import TYPE_CHECKING

import click

from seekread.cli.exits import NOTHING_FOUND
from seekread.cli.flags import split_names
from seekread.cli.terminal import note, say
from seekread.printable import on_a_line

if TYPE_CHECKING:
    from seekread.gathering.evidence import Gathered


@click.command()
@click.argument("question")
@click.option("--budget", type=click.IntRange(1), default=2000, show_default=True, help="Characters to return at most.")
@click.option("--tokens", is_flag=True, help="The budget is in estimated tokens.")
@click.option("--pages", type=click.IntRange(1, 10), default=5, show_default=True, help="Results to read.")
@click.option("--also", "phrasings", multiple=True, metavar="TEXT", help="Another way to ask; may be repeated.")
@click.option("--provider", "-p", multiple=True, help="Providers to ask, in order.")
@click.option("--json", "as_json", is_flag=True, help="Everything that is known, as JSON.")
@click.pass_context
def gather(
    context: click.Context,
    question: str,
    budget: int,
    tokens: bool,
    pages: int,
    phrasings: tuple[str, ...],
    provider: tuple[str, ...],
    as_json: bool,
) -> None:
    """Search, read the best pages, and print the passages that answer QUESTION, each with its source."""
    import anyio

    async def run() -> "Gathered":
        from seekread.client import Seekread

        async with Seekread(**context.obj) as web:
            return await web.gather(
                question,
                budget=budget,
                unit="tokens" if tokens else "characters",
                phrasings=phrasings,
                pages=pages,
                provider=split_names(provider),
            )

    found = anyio.run(run)
    say(found.model_dump_json(indent=2) if as_json else shown(found))
    note(*(f"· {line}" for line in remarks(found)))
    context.exit(0 if found.passages else NOTHING_FOUND)


def shown(found: "Gathered") -> str:
    """The passages, then their sources."""
    sources = [on_a_line(f"[{each.number}] {each.title}  {each.url}") for each in found.sources]
    return "\n\n".join(filter(None, (found.content, "\n".join(sources)))) or "Nothing that answers this was found."


def remarks(found: "Gathered") -> list[str]:
    """What was left out and why, and what else there is to know."""
    left_out = [
        on_a_line(f"left out: {each.url} ({each.why}{f': {each.outcome}' if each.why == 'failed' else ''})")
        for each in found.left_out
    ]
    return [*left_out, *found.notes]
