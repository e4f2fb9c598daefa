"""`seekread gather`: the passages that answer a question, from the best pages, with their sources."""

from typing import TYPE_CHECKING, Any

import click

from seekread.cli.exits import NOTHING_FOUND
from seekread.cli.flags import flags, given
from seekread.cli.terminal import note, say, say_folded
from seekread.options import GATHER

if TYPE_CHECKING:
    from seekread.gathering.evidence import Gathered


@click.command()
@click.argument("question", nargs=-1, required=True)
@flags(GATHER, but={"question"})
@click.option("--json", "as_json", is_flag=True, help="Everything that is known, as JSON.")
@click.pass_context
def gather(context: click.Context, /, question: tuple[str, ...], **options: Any) -> None:
    """
    Search, read the best pages, and print the passages that answer QUESTION, each with its source.

    Passages and sources go to stdout, what was left out to stderr. Nothing found is exit code 3.
    """
    import anyio

    from seekread.render.evidence import evidence_text, left_out

    async def run() -> "Gathered":
        from seekread.client import Seekread

        async with Seekread(**context.obj) as web:
            return await web.gather(" ".join(question), **given(options, GATHER))

    found = anyio.run(run)
    if options["as_json"]:
        say(found.model_dump_json(indent=2))
    else:
        say_folded(evidence_text(found))
    note(*(f"· {line}" for line in (*left_out(found), *found.notes)))
    context.exit(0 if found.passages else NOTHING_FOUND)
