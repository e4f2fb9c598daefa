"""`seekread cache`: what is kept, and how to forget it."""

import json
from typing import Any

import click

from seekread.cli.terminal import say

KINDS = {"searches": "search/", "pages": "snapshot/"}


@click.group()
def cache() -> None:
    """Show or clear what is kept: answers and pages. What was spent is never forgotten."""


@cache.command("info")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def info(ctx: click.Context, as_json: bool) -> None:
    """Show how much is kept, and where."""
    import anyio

    facts = anyio.run(gather, ctx.obj)
    if as_json:
        say(json.dumps(facts, indent=2))
        return
    for name, value in facts.items():
        say(f"{name:<9} {value}")


@cache.command("clear")
@click.option("--only", type=click.Choice(sorted(KINDS)), help="Only these.")
@click.pass_context
def clear(ctx: click.Context, only: str | None) -> None:
    """Forget answers and pages."""
    import anyio

    forgotten = anyio.run(forget, ctx.obj, only)
    say(f"forgot {forgotten} {'entry' if forgotten == 1 else 'entries'}")


async def gather(given: dict[str, Any]) -> dict[str, Any]:
    parts = opened(given)
    try:
        entries, size = await parts.store.size()
        kept = {kind: len(await parts.store.scan(prefix, limit=1_000_000)) for kind, prefix in KINDS.items()}
    finally:
        await parts.close()
    return {"store": parts.store_url.rpartition("@")[2], "entries": entries, "bytes": size, **kept}


async def forget(given: dict[str, Any], only: str | None) -> int:
    parts = opened(given)
    prefixes = [KINDS[only]] if only else [*KINDS.values(), "address/"]
    prefixes += ["address/"] if only == "pages" else []
    try:
        return sum([await parts.store.clear(prefix) for prefix in prefixes])
    finally:
        await parts.close()


def opened(given: dict[str, Any]) -> Any:
    from seekread.compose import compose
    from seekread.config.sources import load

    return compose(load(given["settings"], file=given["config"]))
