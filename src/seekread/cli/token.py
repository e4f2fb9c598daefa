"""`seekread token`: who may use the service."""

import json
from typing import TYPE_CHECKING, Any

import click

from seekread.cli.terminal import say

if TYPE_CHECKING:
    from seekread.server.tokens import Tokens


@click.group()
def token() -> None:
    """Make, list and revoke the tokens of the HTTP service. Only their hashes are kept."""


@token.command("create")
@click.argument("name")
@click.option("--per-minute", type=click.IntRange(1), help="Requests a minute.")
@click.option("--max-concurrent", type=click.IntRange(1), help="Requests at once, for each worker.")
@click.option("--daily-calls", type=click.IntRange(0), help="Calls to providers a day.")
@click.option("--daily-dollars", type=click.FloatRange(0), help="Dollars a day.")
@click.pass_context
def create(ctx: click.Context, /, name: str, **caps: Any) -> None:
    """Make a token and print it. It is shown this once."""
    say(opened(ctx.obj).create(name, **caps))
    say("Keep it: it cannot be shown again. Send it as `Authorization: Bearer <token>`.", err=True)


@token.command("list")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def list_tokens(ctx: click.Context, as_json: bool) -> None:
    """Show the tokens by name, with their caps."""
    rows = [found.model_dump(exclude={"sha256"}) for found in opened(ctx.obj).all()]
    if as_json:
        say(json.dumps(rows, indent=2))
        return
    for row in rows:
        caps = ", ".join(
            f"{name.replace('_', ' ')} {value}" for name, value in row.items() if name in CAPS and value is not None
        )
        say(f"{row['name']:<20} since {row['created']}  {caps or 'no caps'}")
    if not rows:
        say("there is no token: `seekread token create NAME` makes one", err=True)


@token.command("revoke")
@click.argument("name")
@click.pass_context
def revoke(ctx: click.Context, name: str) -> None:
    """Make a token invalid, at once and for good."""
    opened(ctx.obj).revoke(name)
    say(f"{name} is revoked", err=True)


CAPS = ("per_minute", "max_concurrent", "daily_calls", "daily_dollars")


def opened(given: dict[str, Any]) -> "Tokens":
    """The tokens of the state folder."""
    from seekread.config.sources import load
    from seekread.server.tokens import Tokens, token_file

    return Tokens(token_file(load(given["settings"], file=given["config"]).state_folder))
