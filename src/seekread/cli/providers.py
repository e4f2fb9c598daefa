"""`seekread providers`: who can be asked, what each can do, and what is missing."""

import dataclasses
import json
from typing import Any

import click

UNKNOWN: dict[str, Any] = {
    "roles": [], "configured": False, "keyless": True, "needs": [], "max_results": 0, "honours": [], "in_chain": False,
}  # fmt: skip
"""What is known of a provider whose package cannot be imported."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def providers(ctx: click.Context, as_json: bool) -> None:
    """Show the providers: whether they are set up, need a key, and which wishes they honour."""
    import anyio

    from seekread.compose import compose
    from seekread.config.sources import load

    parts = compose(load(ctx.obj["settings"], file=ctx.obj["config"]))
    asked = {provider.name for provider in parts.chain(())}
    rows = [row(name, parts, asked) for name in parts.registry.search_names()]
    rows += [
        row(name, parts, asked) for name in parts.registry.read_names() if name not in parts.registry.search_names()
    ]
    last = anyio.run(outcomes, parts)
    rows = [{**item, "last_outcome": last.get(item["name"])} for item in rows]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for item in rows:
        state = "ready" if item["configured"] else "not set up"
        key = "keyless" if item["keyless"] else "needs " + ", ".join(item["needs"])
        click.echo(f"{item['name']:<12} {state:<11} {' + '.join(item['roles']):<14} {key}")
        if item["honours"]:
            click.echo(f"             honours {', '.join(item['honours'])}")
        if item["last_outcome"]:
            click.echo(f"             last: {item['last_outcome']}")
        if item["caveat"]:
            click.echo(f"             note: {item['caveat']}")
    click.echo(f"\nasked by default: {' → '.join(p.name for p in parts.chain(())) or 'nobody'}", err=True)


async def outcomes(parts: Any) -> dict[str, str]:
    """How the last attempt at each provider went, in words."""
    from seekread.ports import StoreUnavailable

    try:
        known = await parts.last_outcomes()
    except StoreUnavailable:
        return {}
    finally:
        await parts.close()
    now = parts.clock.time()
    return {name: f"{outcome}, {max(0.0, now - at) / 60:.0f} min ago" for name, (outcome, at) in known.items()}


def row(name: str, parts: Any, asked: set[str]) -> dict[str, Any]:
    """One provider as data."""
    from seekread.errors import NotConfigured
    from seekread.provider import traits
    from seekread.providers.registry import required

    registry = parts.registry
    try:
        made = registry.provider_class(name, registry.group(name))
    except NotConfigured as error:
        return {**UNKNOWN, "name": name, "label": name, "caveat": str(error)}
    about = traits(made)
    fields = dataclasses.fields(made) if dataclasses.is_dataclass(made) else ()
    needs = [f.name for f in fields if f.init and required(f) and not f.metadata.get("kind")]
    roles = [role for role, method in (("search", "search"), ("read", "read")) if hasattr(made, method)]
    return {
        "name": name,
        "label": about.label,
        "roles": roles,
        "configured": registry.configured(name),
        "keyless": not any("key" in need for need in needs),
        "needs": needs,
        "max_results": about.max_results,
        "honours": sorted(about.honours),
        "caveat": about.caveat,
        "in_chain": name in asked,
    }
