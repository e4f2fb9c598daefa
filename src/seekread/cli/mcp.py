"""`seekread mcp`: serve agents over the Model Context Protocol, and print what their clients need to know."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from seekread.cli.terminal import note, say
from seekread.mcp.clients import CLIENTS

if TYPE_CHECKING:
    from seekread.client import Seekread


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


@mcp.command("config")
@click.option("--client", type=click.Choice(sorted(CLIENTS)), required=True, help="Which program will use it.")
@click.option(
    "--transport",
    type=click.Choice(["stdio", "http", "sse"]),
    default="stdio",
    show_default=True,
    help="How it connects.",
)
@click.option("--url", help="Address of a running server, for http and sse.")
@click.option("--name", default="seekread", show_default=True, help="What the client calls the server.")
@click.option("--env", multiple=True, metavar="NAME", help="Pass this variable on; by default those that are set.")
@click.option("--uvx", is_flag=True, help="Start it with uvx, without installing it.")
@click.option("--tool-prefix", default="", help="Goes before every tool's name.")
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
