"""`seekread serve`: the engine over HTTP."""

import click

from seekread.cli.terminal import say


@click.command()
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on; beyond loopback a token is needed."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8787,
    show_default=True,
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes that share the store."
)
@click.option("--token-file", metavar="FILE", help="Tokens in the clear, one per line, as containers are given them.")
@click.option("--require-token", is_flag=True, help="Ask for a token on loopback too.")
@click.option("--allowed-host", multiple=True, help="Another name this service answers to, as behind a proxy.")
@click.option("--allowed-origin", multiple=True, help="A site whose pages may use this service.")
@click.option("--share-cache", is_flag=True, help="Let all tokens share the answers and pages that are kept.")
@click.option(
    "--max-concurrent",
    type=click.IntRange(1),
    default=512,
    show_default=True,
    help="Requests at once, for each worker.",
)
@click.option(
    "--drain-seconds",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    help="Time for requests under way when told to end.",
)
@click.pass_context
def serve(
    ctx: click.Context,
    host: str,
    port: int,
    workers: int,
    token_file: str | None,
    require_token: bool,
    allowed_host: tuple[str, ...],
    allowed_origin: tuple[str, ...],
    share_cache: bool,
    max_concurrent: int,
    drain_seconds: int,
) -> None:
    """
    Serve the engine over HTTP: our own API at /v1, other vendors' dialects below /compat, the console at /.

    The address is printed to stdout. SIGTERM ends it when the last request is answered.
    """
    from seekread.errors import Misconfigured

    try:
        from seekread.server import run
        from seekread.server.app import ServiceOptions
    except ImportError as error:
        raise Misconfigured(
            f"serving needs a package that is not installed ({error.name}): install seekread[server]"
        ) from None
    options = ServiceOptions(
        host=host,
        allowed_hosts=allowed_host,
        allowed_origins=allowed_origin,
        require_token=require_token,
        share_cache=share_cache,
        max_concurrent=max_concurrent,
        workers=workers,
    )
    recipe = run.Recipe(options, token_file=token_file, **ctx.obj)
    run.serve(recipe, port=port, drain_seconds=drain_seconds, announce=announce)


def announce(address: str) -> None:
    """Say where the service is; whoever started it may read that from a pipe."""
    say(f"seekread listens on {address}")
