"""`seekread open`: pages as Markdown on stdout."""

import json
from dataclasses import asdict
from typing import Any

import click

from seekread.cli.exits import NOTHING_FOUND
from seekread.cli.flags import flags, given
from seekread.cli.lines import arguments
from seekread.cli.terminal import note, say, say_folded
from seekread.hostnames import completed
from seekread.models import Page
from seekread.options import OPEN
from seekread.printable import on_a_line


@click.command("open")
@click.argument("urls", nargs=-1, required=True)
@flags(OPEN, but={"url", "urls"})
@click.option("--outline", is_flag=True, help="Only the headings, with offsets.")
@click.option("--find", "needle", help="Only the places where this text stands.")
@click.option("--quote", "quoted", help="Check that this quotation stands on the page, and where.")
@click.option("--fence", is_flag=True, help="Put the page's words between fences no page can know (text only).")
@click.option("--format", "style", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
@click.pass_context
def open_command(ctx: click.Context, /, urls: tuple[str, ...], **options: Any) -> None:
    """
    Read pages as Markdown; `-` reads one address per line from stdin, and JSON is one page a line then.

    The built-in reader fetches by itself: no third party sees the address. What is private is refused
    (`seekread guard URL` says why). A page read before is not fetched again while it is fresh.
    """
    import anyio

    unfenced = options["style"] != "text" or any(options[name] for name in ("as_json", "outline", "needle", "quoted"))
    if options["fence"] and unfenced:
        raise click.UsageError("--fence is for pages as text: without --format, --json, --outline, --find and --quote.")
    addresses = [completed(url) for url in arguments(urls, "address")]
    # Whoever reads many of them reads one a line.
    options["indent"] = None if urls == ("-",) else 2
    codes = anyio.run(open_all, addresses, options, ctx.obj)
    ctx.exit(max(codes, default=0))


async def open_all(urls: list[str], options: dict[str, Any], setup: dict[str, Any]) -> list[int]:
    """Open the pages with one engine and print each."""
    from seekread.client import Seekread

    style = "json" if options["as_json"] else options["style"]
    wanted = given(options, OPEN)
    async with Seekread(**setup) as web:
        web.trust(*urls)
        codes = []
        for start in range(0, len(urls), 10):
            batch = urls[start : start + 10]
            if len(batch) == 1:
                pages: tuple[Page, ...] = (await web.open_page(batch[0], **wanted),)
            else:
                pages = await web.open_pages(batch, **wanted)
            codes += [await show(web, page, style, options) for page in pages]
    return codes


async def show(web: Any, page: Page, style: str, options: dict[str, Any]) -> int:
    """Print one page, or what was asked about it."""
    if not page.success:
        from seekread.render.failure import page_exit_code, tell_page

        if style == "json":
            say(page.model_dump_json(indent=options["indent"]))
        note(f"seekread: {page.url}: {tell_page(page)}")
        return page_exit_code(page)
    if options["outline"] or options["needle"] or options["quoted"]:
        from seekread.client import snapshot_of

        return ask(await snapshot_of(web, page), options, as_json=style == "json")
    if style == "json":
        say(page.model_dump_json(indent=options["indent"]))
    elif style == "markdown":
        say(page.content)
        note(*page.notes)
    else:
        from seekread.render.pages import page_text

        say_folded(page_text(page, fenced=options["fence"]))
    return 0


def ask(snapshot: Any, options: dict[str, Any], *, as_json: bool) -> int:
    """Answer from the snapshot: outline, find or quote."""
    if options["quoted"]:
        return say_quote(snapshot.check_quote(options["quoted"]), as_json=as_json)
    found = snapshot.find(options["needle"]) if options["needle"] else snapshot.outline()
    if as_json:
        say(json.dumps([asdict(item) for item in found], indent=2, ensure_ascii=False))
    for item in () if as_json else found:
        say(on_a_line(as_match(item) if options["needle"] else as_heading(item)))
    return 0 if found else NOTHING_FOUND


def say_quote(checked: Any, *, as_json: bool) -> int:
    """Print the citation, or what differs and, for orientation, what the page says instead."""
    from seekread.render.quotation import not_there

    citation = checked.citation
    if citation is None:
        say(checked.model_dump_json(indent=2) if as_json else not_there(checked))
        return NOTHING_FOUND
    words = f"{citation.kind} at {citation.start} to {citation.end}: {citation.text}\n{citation.link}"
    say(citation.model_dump_json(indent=2) if as_json else words)
    return 0


def as_match(match: Any) -> str:
    return f"{match.offset}: {' '.join((match.before + match.match + match.after).split())}"


def as_heading(heading: Any) -> str:
    place = f"(offset {heading.offset}, {heading.length} characters)"
    return f"{'  ' * (heading.level - 1)}{heading.number} {heading.title}  {place}"
