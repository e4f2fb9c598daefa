"""`seekread search`: results on stdout, notes on stderr."""

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import click

from seekread.cli.exits import NOTHING_FOUND
from seekread.cli.flags import flags, given
from seekread.cli.lines import arguments
from seekread.cli.terminal import note, say
from seekread.errors import SeekreadError
from seekread.models import RouteName, SearchResponse
from seekread.options import SEARCH
from seekread.render.failure import exit_code, failure_values, tell

FORMATS = ("text", "markdown", "json", "envelope", "term2")


@click.command()
@click.argument("query", nargs=-1, required=True)
@flags(SEARCH, but={"query"})
@click.option("--route", type=click.Choice(get_args(RouteName)), help="How several providers are asked.")
@click.option("--format", "style", type=click.Choice(FORMATS), default="text", show_default=True, help="Output format.")
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
@click.option("--quiet", "-q", is_flag=True, help="No notes on stderr.")
@click.pass_context
def search(ctx: click.Context, /, query: tuple[str, ...], **options: Any) -> None:
    """
    Search the web for QUERY; `-` reads one query per line from stdin.

    Results go to stdout, notes and attempts to stderr. Nothing found is exit code 3, failure is never "no results".
    """
    style = "json" if options["as_json"] else options["style"]
    queries = arguments(query, "query") if query == ("-",) else [" ".join(query)]
    settings = {**ctx.obj["settings"], **({"route": route} if (route := options["route"]) else {})}
    setup = {**ctx.obj, "settings": settings, "config": ctx.obj["config"] or file_of_the_host(style)}
    if not (options["quiet"] or options["provider"] or ctx.obj["replay"]) and style in {"text", "markdown"}:
        from seekread.cli.consent import ask_once

        ask_once(ctx.obj)
    import anyio

    codes = anyio.run(ask_all, queries, given(options, SEARCH), setup, style, options["quiet"])
    ctx.exit(next((code for code in codes if code not in {0, NOTHING_FOUND}), max(codes, default=0)))


def file_of_the_host(style: str) -> Path | None:
    """term2's own settings file for term2's format, where seekread has none: its sandbox hides the environment."""
    if style != "term2":
        return None
    from seekread.config.sources import load
    from seekread.config.term2_file import term2_file_in_use

    return None if load().file else term2_file_in_use()


async def ask_all(
    queries: Iterable[str],
    options: dict[str, Any],
    setup: dict[str, Any],
    style: str,
    quiet: bool,
) -> list[int]:
    """Ask every query in turn with one engine, and print each answer as it comes."""
    from seekread.client import Seekread

    codes = []
    async with Seekread(**setup) as web:
        for text in queries:
            try:
                response = await web.search(text, **options)
            except SeekreadError as error:
                codes.append(failed(error, style))
                continue
            say(rendered(response, style), nl=style != "term2")
            if not quiet:
                note(*remarks(response))
            codes.append(0 if response.results else NOTHING_FOUND)
    return codes


def rendered(response: SearchResponse, style: str) -> str:
    """A response in the format asked for."""
    match style:
        case "json":
            return response.model_dump_json(indent=2)
        case "envelope":
            from seekread.render.envelope import envelope

            return json.dumps(
                envelope(response, source=response.provider or "", now=time.time()), indent=2, ensure_ascii=False
            )
        case "term2":
            from seekread.render.results import term2_markdown

            return term2_markdown(response)
        case "markdown":
            from seekread.render.results import results_markdown

            return results_markdown(response).rstrip("\n")
        case _:
            from seekread.render.results import results_text

            return results_text(response)


def failed(error: SeekreadError, style: str) -> int:
    """A failure in the format asked for; term2 and the envelope expect theirs on stdout."""
    match style:
        case "term2":
            say(f"Error: {error}")
        case "envelope":
            from seekread.render.envelope import failure

            say(json.dumps(failure(str(error)), indent=2, ensure_ascii=False))
        case "json":
            say(json.dumps(failure_values(error), indent=2, ensure_ascii=False))
        case _:
            note(f"seekread: {tell(error)}")
    return exit_code(error)


def remarks(response: SearchResponse) -> list[str]:
    """What a person should know beside the results."""
    tried = " → ".join(f"{a.provider} {a.outcome} {a.milliseconds} ms" for a in response.attempts)
    age = f"cached {response.age_seconds:.0f} s ago" if response.cached and response.age_seconds is not None else ""
    filters = ", ".join(f"{wish}: {how}" for wish, how in response.filters.items())
    return [f"· {line}" for line in (tried, age, filters, *response.notes) if line]
