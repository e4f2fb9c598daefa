"""`seekread providers`: who can be asked, what each can do, and what is missing."""

import json
from typing import Any

import click

from seekread.cli.terminal import say, say_folded


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def providers(ctx: click.Context, as_json: bool) -> None:
    """Show the providers: whether they are set up, need a key, and which wishes they honour."""
    import anyio

    from seekread.compose import compose
    from seekread.config.sources import load

    parts = compose(load(ctx.obj["settings"], file=ctx.obj["config"]))
    known = parts.catalog()
    chain = [facts.name for facts in known if facts.position]
    last = anyio.run(outcomes, parts)
    rows = [{**facts.row(), "last_outcome": last.get(facts.name)} for facts in known]
    if as_json:
        say(json.dumps(rows, indent=2))
        return
    width = max((len(item["name"]) for item in rows), default=0)
    for item in rows:
        state = "ready" if item["configured"] else "not set up"
        key = needs(item["name"], item["needs"], keyless=item["keyless"])
        say_folded(f"{item['name']:<{width}} {state:<11} {' + '.join(item['roles']):<14} {key}")
        if item["honours"]:
            say_folded(f"{'':<{width}} honours {', '.join(item['honours'])}")
        if item["last_outcome"]:
            say_folded(f"{'':<{width}} last: {item['last_outcome']}")
        if item["caveat"]:
            say_folded(f"{'':<{width}} note: {item['caveat']}")
    say(f"\nasked by default: {' → '.join(chain) or 'nobody'}", err=True)


def needs(name: str, settings: list[str], *, keyless: bool) -> str:
    """What a provider needs, by the variables that people set."""
    from seekread.config.needs import needed_of

    wanted = [needed.variable for needed in needed_of(name)] or [f"SEEKREAD_{name}_{each}".upper() for each in settings]
    return f"needs {', '.join(wanted)}" if wanted or not keyless else "keyless"


async def outcomes(parts: Any) -> dict[str, str]:
    """How the last attempt at each provider went, in words."""
    from seekread.ports import StoreUnavailable

    try:
        known = await parts.attempts.all()
    except StoreUnavailable:
        return {}
    finally:
        await parts.close()
    now = parts.clock.time()
    return {name: f"{outcome}, {max(0.0, now - at) / 60:.0f} min ago" for name, (outcome, at) in known.items()}
