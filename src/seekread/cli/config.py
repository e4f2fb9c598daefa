"""`seekread config`: every setting, and where its value came from. Keys are never shown."""

import json
from typing import Any

import click
from pydantic import SecretStr


@click.group()
def config() -> None:
    """Show the settings and where each value came from."""


@config.command("show")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def show(ctx: click.Context, as_json: bool) -> None:
    """Print every setting with its value and source; keys are masked."""
    from seekread.config.settings import all_settings
    from seekread.config.sources import load

    loaded = load(ctx.obj["settings"], file=ctx.obj["config"])
    rows = [
        (f"{section}.{name}", getattr(getattr(loaded.settings, section), name), loaded.origins[name], info.description)
        for name, (section, info) in all_settings().items()
    ]
    rows += provider_rows(loaded)
    if as_json:
        click.echo(json.dumps([{"name": n, "value": shown(v), "source": s} for n, v, s, _ in rows], indent=2))
        return
    width = max(len(row[0]) for row in rows)
    for name, value, source, _ in rows:
        click.echo(f"{name:<{width}}  {shown(value)!s:<24}  {source}")


@config.command("path")
def path() -> None:
    """Print where the settings file and the state live."""
    from seekread.config.paths import config_file
    from seekread.config.sources import load

    loaded = load()
    click.echo(f"settings  {loaded.file or config_file(loaded.environ)}")
    click.echo(f"state     {loaded.state_folder}")


@config.command("explain")
def explain() -> None:
    """Print what each setting means, its default and its environment names."""
    from seekread.config.settings import all_settings, variables

    for name, (section, info) in all_settings().items():
        click.echo(f"[{section}] {name} = {info.default!r}  ({', '.join(variables(name, info))})")
        click.echo(f"    {info.description}")


def provider_rows(loaded: Any) -> list[tuple[str, Any, str, str | None]]:
    """The fields of every provider that have a value."""
    from seekread.registry import READ_GROUP, SEARCH_GROUP, installed, provider_class

    rows = {}
    for group in (SEARCH_GROUP, READ_GROUP):
        for name in sorted(installed(group)):
            for field, origin in loaded.provider_values(provider_class(name, group)).items():
                rows[f"providers.{name}.{field}"] = (origin.value, origin.source)
    return [(name, value, source, None) for name, (value, source) in rows.items()]


def shown(value: Any) -> Any:
    """A value as it may be shown."""
    if isinstance(value, SecretStr):
        return "***"
    return list(value) if isinstance(value, tuple) else value
