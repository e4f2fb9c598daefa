"""`seekread extract`: a document at hand as Markdown, without the network."""

import sys
from mimetypes import guess_type
from pathlib import Path

import anyio
import click

from seekread.cli.terminal import note, say
from seekread.extraction.extracted import Extracted
from seekread.outcomes import MEANINGS, is_failure

SECONDS = 60.0
"""For a file at hand: nobody else waits, and processor time is bounded besides."""


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--url", help="The address the document came from, for its links.")
@click.option("--json", "as_json", is_flag=True, help="Everything that is known, as JSON.")
@click.pass_context
def extract(ctx: click.Context, file: str, url: str | None, as_json: bool) -> None:
    """
    Read a FILE (`-` is stdin) as Markdown.

    HTML, PDF, Word, PowerPoint, Excel, EPUB, notebooks, e-mail, feeds, Markdown, text, code, JSON and CSV are told
    apart by their bytes and by the name of the file.
    """
    from seekread.extraction.extracted import page_from

    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}") from None
    extracted = anyio.run(read_in_worker, raw, guess_type(file)[0] or "", url or Path(file).name)
    failed = is_failure(extracted.outcome)
    page = page_from(extracted, url or "")
    page = page.model_copy(update={"success": False, "error": extracted.error}) if failed else page
    say(page.model_dump_json(indent=2) if as_json else page.content)
    if failed:
        note(f"seekread: {page.error}")
    ctx.exit(MEANINGS[page.outcome].exit_code)


async def read_in_worker(raw: bytes, content_type: str, url: str) -> Extracted:
    """Read a document as the built-in reader does: in a process of its own, within its bounds."""
    from seekread.errors import ProviderError
    from seekread.readers.builtin.frames import MAX_BODY
    from seekread.readers.builtin.workers import WorkerLimits, Workers

    if len(raw) > MAX_BODY:
        return Extracted(outcome="too_large", error=f"the file is larger than {MAX_BODY // 1024**2} MB")
    async with Workers(WorkerLimits(size=1, seconds=SECONDS)) as workers:
        try:
            return await workers.read(raw, content_type, url)
        except ProviderError as error:
            return Extracted(outcome=error.outcome, error=str(error))
