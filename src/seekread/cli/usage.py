"""`seekread usage`: what was spent, what is left, and when it runs out."""

import json
from dataclasses import asdict
from typing import Any

import click

from seekread.cli.terminal import say


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def usage(ctx: click.Context, as_json: bool) -> None:
    """Show calls, spend, what is left of each plan and when it runs out at this rate."""
    import anyio

    rows = anyio.run(gather, ctx.obj)
    if as_json:
        say(json.dumps([asdict(row) for row in rows], indent=2))
        return
    if not rows:
        say("nothing was asked yet")
    for row in rows:
        left = "no limit" if row.remaining is None else f"{row.remaining:.10g} of {row.limit:.10g} {row.plan.unit} left"
        reset = f", resets on {row.resets_on}" if row.resets_on else ""
        say(f"{row.provider:<12} {row.identity:<9} {row.calls:.0f} calls  ${row.dollars:.3f}  {left}{reset}")
        for day, dollars in row.days.items():
            if dollars:
                say(f"{'':<12} {day} ${dollars:.3f}")
        if row.forecast:
            say(f"{'':<12} {row.forecast}")


async def gather(given: dict[str, Any]) -> Any:
    from seekread.cli.cache import opened

    parts = opened(given)
    try:
        return await parts.ledger.usage()
    finally:
        await parts.close()
