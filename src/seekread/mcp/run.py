"""Run the server as a process over stdin and stdout. On an address, the service serves it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seekread.client import Seekread


class ProcessWeb:
    """The one `Seekread` of a process, made when it is first needed and closed in the end."""

    def __init__(self, make: Callable[[], "Seekread"]) -> None:
        self._make = make
        self._web: Seekread | None = None

    def __call__(self) -> "Seekread":
        """The `Seekread`."""
        if self._web is None:
            self._web = self._make()
        return self._web

    async def close(self) -> None:
        """Close it, if it was made."""
        if self._web is not None:
            await self._web.close()


async def serve_stdio(make: Callable[[], "Seekread"], **options: Any) -> None:
    """Serve one client over stdin and stdout until it leaves."""
    from mcp.server.stdio import stdio_server

    from seekread.mcp.server import create_server

    web = ProcessWeb(make)
    server = create_server(web, **options)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await web.close()
