"""Run the server as a process: over stdin and stdout, or on an address. Logs go to stderr, keys masked."""

import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from seekread.errors import Misconfigured
from seekread.mcp.bearer import SHORTEST_TOKEN
from seekread.redact import RedactingFilter

if TYPE_CHECKING:
    from seekread.client import Seekread

Transport = Literal["stdio", "http", "sse"]
PATHS = {"http": "/mcp", "sse": "/sse"}
MOST_CONNECTIONS = 512
DRAIN_SECONDS = 5
"""How long calls under way may take when the process is asked to end."""


@dataclass(frozen=True)
class ListenAddress:
    """Where to listen, and for whom."""

    host: str = "127.0.0.1"
    port: int = 8765
    token: str | None = field(default=None, repr=False)
    names: Sequence[str] = ()

    def checked(self) -> "ListenAddress":
        """This address, unless anybody could walk in."""
        if self.token is not None and len(self.token) < SHORTEST_TOKEN:
            raise Misconfigured(f"the token has {len(self.token)} characters; use at least {SHORTEST_TOKEN}")
        if not self.token and not is_loopback(self.host):
            raise Misconfigured(
                f"{self.host!r} can be reached from other machines: set SEEKREAD_MCP_TOKEN to a long random text, "
                "or listen on 127.0.0.1"
            )
        return self


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


async def serve_http(
    make: Callable[[], "Seekread"], transport: Literal["http", "sse"], address: ListenAddress, **options: Any
) -> None:
    """Serve on an address until the process is told to end."""
    import uvicorn

    from seekread.mcp.server import http_app

    address.checked()
    web = ProcessWeb(make)
    with bound(address) as listening:
        port = listening.getsockname()[1]
        own = () if is_wildcard(address.host) else (bracketed(address.host),)
        app = http_app(web, transports=(transport,), hosts=(*own, *address.names), token=address.token, **options)
        print(f"seekread mcp on http://{bracketed(address.host)}:{port}{PATHS[transport]}", file=sys.stderr, flush=True)  # noqa: T201
        config = uvicorn.Config(
            app,
            # Its own configuration would write the access log to stdout.
            log_config=None,
            access_log=False,
            lifespan="on",
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=DRAIN_SECONDS,
            server_header=False,
        )
        # The server answers what is under way and then raises the signal again: it has to find us, not the default.
        signal.signal(signal.SIGTERM, leave)
        try:
            await uvicorn.Server(config).serve(sockets=[listening])
        finally:
            await web.close()


def leave(_signal: int, _frame: Any) -> NoReturn:
    """End as asked."""
    raise SystemExit(0)


def bound(address: ListenAddress) -> socket.socket:
    """A socket that listens, or a sentence that says why not."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family, backlog=128)
    except OSError as error:
        raise Misconfigured(f"cannot listen on {address.host}:{address.port}: {error.strerror}") from None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_wildcard(host: str) -> bool:
    return host in {"0.0.0.0", "::", ""}  # noqa: S104 - recognised, not chosen


def bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def log_to_stderr(level: int = logging.WARNING) -> None:
    """Send logs to stderr, where they cannot disturb the protocol, unless somebody arranged otherwise."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    handler.addFilter(RedactingFilter())
    logging.basicConfig(level=level, handlers=[handler])
