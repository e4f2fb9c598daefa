"""The command line. Every command lives in its own module and is imported when it is called."""

from importlib import import_module
from typing import Any

import click

from seekread.cli.terminal import say
from seekread.spelling import nearest
from seekread.version import VERSION

COMMANDS = {
    "setup": "Set up engines, keys and agents, step by step.",
    "search": "Search the web.",
    "gather": "Search, read the best pages, and print the passages that answer a question.",
    "open": "Read pages as Markdown.",
    "read-many": "Read the pages of a list into one file, politely, and go on where it ended.",
    "search-many": "Ask the queries of a list into one file, within plans and caps, and go on where it ended.",
    "map": "Print the addresses of a site.",
    "crawl": "Read the pages of a site into one file.",
    "extract": "Read the main content of an HTML file.",
    "providers": "Show the providers: what they can do, whether they are set up.",
    "config": "Show the settings and where each value came from; change them.",
    "index": "Manage the local full-text index.",
    "guard": "Explain whether an address may be read, and why.",
    "cache": "Show or clear what is kept.",
    "forget": "Forget what was asked and read: about something, of a token, or all.",
    "host": "Put seekread into the checkout of a program that searches the web.",
    "mcp": "Serve agents over the Model Context Protocol.",
    "serve": "Serve HTTP: the API, vendors' dialects, and a console for people.",
    "token": "Create, list and revoke tokens for the service.",
    "usage": "Show what was spent and what is left.",
    "doctor": "Check this installation and its settings.",
    "completion": "Print what a shell needs to complete commands.",
}

EPILOG = """
\b
Exit codes: 0 ok · 1 failure · 2 usage · 3 nothing found · 4 configuration or key
            5 rate or quota · 6 refused by policy · 130 interrupted
"""


FOR_EVERYBODY = {"--config": 1, "--store": 1, "--record": 1, "--replay": 1, "--verbose": 0, "-v": 0, "-vv": 0}
"""The options of every command, and how many values each takes."""


def brought_forward(arguments: list[str]) -> list[str]:
    """The arguments with the options of every command before the command, wherever somebody wrote them."""
    first, rest = list[str](), list[str]()
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        if argument == "--":
            return [*first, *rest, argument, *waiting]
        name, equals, _ = argument.partition("=")
        if name in FOR_EVERYBODY:
            values = 0 if equals else FOR_EVERYBODY[name]
            first += [argument, *waiting[:values]]
            del waiting[:values]
        else:
            rest.append(argument)
    return [*first, *rest]


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is needed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, brought_forward(args))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}{nearest(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = import_module(f"seekread.cli.{name}")
        # `open` would hide the built-in of that name in its own module.
        command: click.Command = getattr(module, f"{name}_command", None) or getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def print_version(ctx: click.Context, _parameter: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        say(f"seekread {VERSION}")
        ctx.exit()


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--config", "config_file", metavar="FILE", help="Settings file to read instead of your own.")
@click.option("--store", metavar="URL", help="Where state is kept: a path, redis://… or memory:.")
@click.option("--record", metavar="FILE", help="Write every search and page of this call to a file.")
@click.option("--replay", metavar="FILE", help="Answer from a recording, without the network.")
@click.option("--verbose", "-v", count=True, help="Log to stderr; twice for more.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=print_version, help="Show the version."
)
@click.pass_context
def app(
    ctx: click.Context, config_file: str | None, store: str | None, record: str | None, replay: str | None, verbose: int
) -> None:
    """Search the web and read pages, through any engine, with honest answers."""
    settings = {"store": store} if store else {}
    ctx.obj = {"config": config_file, "settings": settings, "record": record, "replay": replay}
    from seekread.redact import log_to_stderr

    if not verbose:
        log_to_stderr()
        return
    import logging

    from seekread.compose import compose
    from seekread.config.sources import load

    # Services repeat keys in headers, and the HTTP client logs those: the filter has to know the keys.
    secrets = compose(load(settings, file=config_file)).secrets
    log_to_stderr(logging.DEBUG if verbose > 1 else logging.INFO, secrets)
