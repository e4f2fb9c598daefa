"""`seekread extract`: a file at hand as Markdown, without the network."""

import sys
from pathlib import Path

import click

from seekread.cli.terminal import note, say
from seekread.outcomes import MEANINGS

HTML = frozenset({"", ".html", ".htm", ".xhtml"})


def is_html(file: str) -> bool:
    """Say whether a file is HTML by its name, or does not say what it is."""
    return Path(file).suffix.lower() in HTML


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--url", help="The address the HTML came from, for its links.")
@click.option("--json", "as_json", is_flag=True, help="Everything that is known, as JSON.")
@click.pass_context
def extract(ctx: click.Context, file: str, url: str | None, as_json: bool) -> None:
    """
    Read the main content of a FILE (`-` is HTML on stdin) as Markdown.

    HTML, Markdown, text, code, PDF, JSON, CSV and feeds are told apart by their bytes and by the name of the file.
    """
    from seekread.extraction.charset import decode
    from seekread.extraction.document import extract as extract_page
    from seekread.extraction.document import extract_file

    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}") from None
    page = extract_page(decode(raw).text, url) if file == "-" or is_html(file) else extract_file(raw, file, url)
    say(page.model_dump_json(indent=2) if as_json else page.content)
    if not page.success:
        note(f"seekread: {page.error}")
    ctx.exit(MEANINGS[page.outcome].exit_code)
