"""Run the server as a process over stdin and stdout. On an address, the service serves it."""

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seekread.client import Seekread


async def serve_stdio(make: Callable[[], "Seekread"], **options: Any) -> None:
    """Serve one client over stdin and stdout until it leaves."""
    # What importing makes stays until the end: looking for garbage in it takes a good part of the start.
    gc.disable()
    try:
        from mcp.server.stdio import stdio_server

        from seekread.mcp.server import create_server
        from seekread.toolkit.web import LazyWeb
    finally:
        gc.freeze()
        gc.enable()
    web = LazyWeb(make=make)
    server = create_server(web, **options)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await web.close()
