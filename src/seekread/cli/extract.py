"""`seekread extract`: HTML at hand as Markdown, without the network."""

import sys
from pathlib import Path

import click

from seekread.cli.terminal import note, say
from seekread.outcomes import MEANINGS


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--url", help="The address the HTML came from, for its links.")
@click.option("--json", "as_json", is_flag=True, help="Everything that is known, as JSON.")
@click.pass_context
def extract(ctx: click.Context, file: str, url: str | None, as_json: bool) -> None:
    """Read the main content of an HTML FILE (`-` is stdin) as Markdown."""
    from seekread.extraction.charset import decode
    from seekread.readers.builtin.reader import extract as extract_page

    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}") from None
    page = extract_page(decode(raw).text, url)
    say(page.model_dump_json(indent=2) if as_json else page.content)
    if not page.success:
        note(f"seekread: {page.error}")
    ctx.exit(MEANINGS[page.outcome].exit_code)
