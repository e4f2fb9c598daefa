"""`seekread mcp`: serve agents over the Model Context Protocol, and print what their clients need to know."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from seekread.cli.flags import together
from seekread.cli.terminal import note, say
from seekread.mcp.clients import CLIENTS
from seekread.mcp.install import writable

if TYPE_CHECKING:
    from seekread.client import Seekread
    from seekread.mcp.install import ClientChange


@click.group(invoke_without_command=True)
@click.option(
    "--transport",
    type=click.Choice(["stdio", "http", "sse"]),
    default="stdio",
    show_default=True,
    help="stdin and stdout, streamable HTTP at /mcp, or SSE at /sse.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="Port; 0: a free one.")
@click.option(
    "--token",
    envvar="SEEKREAD_MCP_TOKEN",
    show_envvar=True,
    help="What clients send as bearer token; needed beyond loopback. Others see command lines: use the variable.",
)
@click.option("--allowed-host", multiple=True, metavar="NAME", help="Answer to this host name too; repeatable.")
@click.option("--allowed-origin", multiple=True, metavar="ORIGIN", help="Let pages of this site ask too; repeatable.")
@click.option("--tool-prefix", default="", help="Goes before every tool's name, where names would clash.")
@click.option(
    "--max-tokens", type=click.IntRange(500), default=8000, show_default=True, help="Estimated tokens of one result."
)
@click.pass_context
def mcp(ctx: click.Context, /, **options: Any) -> None:
    """
    Serve agents over the Model Context Protocol.

    No key is needed to start: what is missing is said when a tool is called. Logs go to stderr.
    """
    if ctx.invoked_subcommand is not None:
        return
    from seekread.mcp import package
    from seekread.redact import log_to_stderr

    package.check()
    log_to_stderr()
    serve = serve_stdio if options["transport"] == "stdio" else serve_http
    serve(ctx.obj or {}, options)


def serve_stdio(given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Serve one client over stdin and stdout."""
    import anyio

    from seekread.mcp import run

    shape = {name: options[name] for name in ("tool_prefix", "max_tokens")}
    anyio.run(partial(run.serve_stdio, partial(open_web, given), **shape))


def open_web(given: Mapping[str, Any]) -> "Seekread":
    """The engine, with what the command line said. Importing it takes a while, and nobody has called a tool yet."""
    from seekread.client import Seekread

    return Seekread(**given)


def serve_http(given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Serve whoever may come to an address."""
    from seekread.mcp.server import PATHS
    from seekread.server import run
    from seekread.server.agents import AgentsRecipe
    from seekread.server.app import ServiceOptions

    transport = options["transport"]
    recipe = AgentsRecipe(
        ServiceOptions(
            host=options["host"], allowed_hosts=options["allowed_host"], allowed_origins=options["allowed_origin"]
        ),
        token=options["token"] or None,
        transports=(transport,),
        tool_prefix=options["tool_prefix"],
        max_tokens=options["max_tokens"],
        **given,
    )

    def announce(address: str) -> None:
        note(f"seekread mcp on {address}{PATHS[transport]}")

    if run.serve(recipe, port=options["port"], announce=announce).interrupted:
        # It ends like any other command then, over stdin and stdout too.
        raise KeyboardInterrupt


entry_options = together(
    click.option(
        "--transport",
        type=click.Choice(["stdio", "http", "sse"]),
        default="stdio",
        show_default=True,
        help="How it connects.",
    ),
    click.option("--url", help="Address of a running server, for http and sse."),
    click.option("--name", default="seekread", show_default=True, help="What the client calls the server."),
    click.option("--env", multiple=True, metavar="NAME", help="Pass this variable on; by default those that are set."),
    click.option("--uvx", is_flag=True, help="Start it with uvx, without installing it."),
    click.option("--tool-prefix", default="", help="Goes before every tool's name."),
)
"""How the server is started or reached, and what it is called."""


@mcp.command("config")
@click.option("--client", type=click.Choice(sorted(CLIENTS)), required=True, help="Which program will use it.")
@entry_options
@click.pass_context
def config(ctx: click.Context, /, client: str, **options: Any) -> None:
    """
    Print what to paste into a client's settings.

    Only names of variables are printed, never their values.
    """
    from seekread.mcp.clients import ServerEntry, snippet, variables_in_use

    given = ctx.find_root().obj or {}
    if not options["env"] and options["transport"] == "stdio":
        options["env"] = variables_in_use(given.get("config"))
    file, text = snippet(client, ServerEntry(**options))
    say(f"# {file}", err=True)
    say(text)


CLIENT = click.option(
    "--client", "clients", type=click.Choice(writable()), multiple=True, help="Which program; repeatable."
)
ALL = click.option("--all", "everybody", is_flag=True, help="Every program that is found on this machine.")


@mcp.command("install")
@CLIENT
@ALL
@entry_options
@click.pass_context
def install_command(ctx: click.Context, /, clients: tuple[str, ...], everybody: bool, **options: Any) -> None:
    """
    Write the server into the settings of the programs that will use it.

    Everything else in their files stays, and a copy is kept beside each. Where a file cannot be changed without losing
    something, such as comments in JSON, the entry is printed instead. Values of variables are never written.
    """
    given = ctx.find_root().obj or {}
    tell(installed(chosen(clients, everybody=everybody), options, given.get("config")))


@mcp.command("uninstall")
@CLIENT
@ALL
@click.option("--name", default="seekread", show_default=True, help="What the client calls the server.")
def uninstall_command(clients: tuple[str, ...], everybody: bool, name: str) -> None:
    """Take the server out of the settings of programs: a file nobody has changed since is what it was before."""
    from seekread.mcp.install import uninstall

    tell(uninstall(client, name) for client in chosen(clients, everybody=everybody))


def chosen(clients: tuple[str, ...], *, everybody: bool) -> list[str]:
    """The programs that were named, or those that are there."""
    from seekread.mcp.install import present

    found = present()
    if not clients and not everybody:
        raise click.UsageError(f"which program? --client NAME, or --all for {', '.join(found) or 'none that is here'}")
    return list(dict.fromkeys(clients)) if clients else found


def installed(clients: Iterable[str], options: Mapping[str, Any], config: str | None) -> "list[ClientChange]":
    """Write the entry for each program; variables are named only where a program can refer to them."""
    from seekread.mcp.clients import ServerEntry, variables_in_use
    from seekread.mcp.install import install

    found = options["env"] or (variables_in_use(config) if options["transport"] == "stdio" else ())
    changes = []
    for client in clients:
        passed = found if CLIENTS[client].refers else ()
        if set(found) - set(passed):
            note(f"{client} cannot refer to variables ({', '.join(found)}): keep them in the settings file instead")
        changes.append(install(client, ServerEntry(**{**options, "env": passed})))
    return changes


WORDS = {
    "written": "{client}: written to {path}; restart it",
    "unchanged": "{client}: {path} has it already",
    "removed": "{client}: taken out of {path}",
    "restored": "{client}: {path} is what it was before",
    "not there": "{client}: nothing of ours in {path}",
    "by hand": "{client}: {path} was left alone, because {why}",
}


def tell(changes: "Iterable[ClientChange]") -> None:
    """Say what became of each program's settings, and print what has to be pasted."""
    for change in changes:
        say(WORDS[change.done].format(client=change.client, path=change.path, why=change.why))
        if change.entry:
            say(change.entry)
