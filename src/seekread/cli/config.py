"""`seekread config`: every setting, where its value came from, and how to change it. Keys are never shown."""

import json
import re
from typing import Any

import click

from seekread.cli.names import completer, settings
from seekread.cli.terminal import hidden, note, say
from seekread.redact import MASK, redact
from seekread.secret import SecretStr

CREDENTIALS = re.compile(r"(?<=://)\S*@|^[^\s/:]+:[^\s/]*@")
"""What stands before the host of an address. A password may hold any character, so the last `@` counts."""


@click.group()
def config() -> None:
    """Show the settings and where each value came from; change them."""


@config.command("show")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def show(ctx: click.Context, as_json: bool) -> None:
    """Print every setting with its value and source; keys are masked."""
    from seekread.config.settings import all_settings
    from seekread.config.sources import load

    loaded = load(ctx.obj["settings"], file=ctx.obj["config"])
    rows: list[tuple[str, Any, str, str | None]] = [
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


@config.command("set")
@click.argument("name", shell_complete=completer(settings))
@click.argument("value", nargs=-1)
@click.pass_context
def set_value(ctx: click.Context, name: str, value: tuple[str, ...]) -> None:
    """
    Write a setting into your file: `limit 8`, `providers.brave.api_key`.

    Several values make a list. A key is asked for where none is given, so that no command line shows it; comments in
    the file stay.
    """
    from seekread.config.writing import find_setting

    setting = find_setting(name)
    text = ",".join(value)
    if not value and setting.secret:
        text = hidden(f"{name} (hidden)")
    elif not value:
        raise click.UsageError(f"which value should {name} have? Take it out with: seekread config unset {name}")
    write(ctx, setting.place, setting.value(text))


@config.command("unset")
@click.argument("name", shell_complete=completer(settings))
@click.pass_context
def unset(ctx: click.Context, name: str) -> None:
    """Take a setting out of your file, so that its default counts again."""
    from seekread.config.writing import find_setting

    write(ctx, find_setting(name).place, None)


def write(ctx: click.Context, place: tuple[str, ...], value: Any) -> None:
    """Write one value, and say where; the environment wins over a file, which is said too."""
    from seekread.config.writing import own_file, write_settings

    path = own_file(ctx.obj["config"])
    loaded = write_settings(path, {place: value})
    say(f"{'.'.join(place)} {'is default again' if value is None else 'is set'} in {path}")
    source = loaded.origins.get(place[-1], "") if place[0] != "providers" else ""
    if source.startswith("environment"):
        note(f"the {source} is set and wins over the file")


@config.command("edit")
@click.pass_context
def edit(ctx: click.Context) -> None:
    """Open your settings file in $EDITOR; what makes no sense is not kept."""
    from seekread.config.writing import own_file, write_text

    path = own_file(ctx.obj["config"])
    before = path.read_text(encoding="utf-8") if path.exists() else STARTING_FILE
    text = click.edit(before, extension=".toml", require_save=True)
    if text is None or text == before:
        say("nothing was changed")
        return
    write_text(path, text)
    say(f"written to {path}")


STARTING_FILE = """# Settings of seekread; `seekread config explain` says what there is.
# [search]
# limit = 5
# keyless = ["exa", "parallel"]
"""


@config.command("schema")
def schema() -> None:
    """Print a JSON Schema of the settings file, for editors that check TOML by one."""
    from seekread.config.schema import settings_schema

    say(json.dumps(settings_schema(), indent=2))


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
