"""`seekread config`: every setting, and where its value came from. Keys are never shown."""

import json
import re
from typing import Any

import click
from pydantic import SecretStr

from seekread.cli.terminal import say
from seekread.redact import MASK, redact

CREDENTIALS = re.compile(r"(?<=://)\S*@|^[^\s/:]+:[^\s/]*@")
"""What stands before the host of an address. A password may hold any character, so the last `@` counts."""


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
        say(json.dumps([{"name": n, "value": masked_value(v), "source": s} for n, v, s, _ in rows], indent=2))
        return
    width = max(len(row[0]) for row in rows)
    for name, value, source, _ in rows:
        say(f"{name:<{width}}  {masked_value(value)!s:<24}  {source}")


@config.command("path")
@click.pass_context
def path(ctx: click.Context) -> None:
    """Print where the settings file and the state live."""
    from seekread.config.paths import config_file
    from seekread.config.sources import load

    loaded = load(ctx.obj["settings"], file=ctx.obj["config"])
    say(f"settings  {loaded.file or config_file(loaded.environ)}")
    say(f"state     {loaded.state_folder}")


@config.command("explain")
def explain() -> None:
    """Print what each setting means, its default and its environment names."""
    from seekread.config.settings import all_settings, variables

    for name, (section, info) in all_settings().items():
        say(f"[{section}] {name} = {info.default!r}  ({', '.join(variables(name, info))})")
        say(f"    {info.description}")


def provider_rows(loaded: Any) -> list[tuple[str, Any, str, str | None]]:
    """The fields of every provider that have a value."""
    from seekread.provider import traits
    from seekread.providers.registry import Registry

    rows = {
        f"providers.{traits(made).name}.{field}": (origin.value, origin.source)
        for made in Registry().classes()
        for field, origin in loaded.provider_values(made).items()
    }
    return [(name, value, source, None) for name, (value, source) in sorted(rows.items())]


def masked_value(value: Any) -> Any:
    """A value as it may be shown: keys are masked, and so are names and passwords inside addresses."""
    match value:
        case SecretStr():
            return MASK
        case str():
            return redact(CREDENTIALS.sub(f"{MASK}@", value))
        case tuple() | list():
            return [masked_value(item) for item in value]
        case dict():
            return {name: masked_value(item) for name, item in value.items()}
        case _:
            return value
