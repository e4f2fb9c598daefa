"""
The server: the handlers on the official SDK's `Server`, and its routes for streamable HTTP and SSE.

The SDK's `Server` is used rather than its decorators, because the schemas come from the table of options and arguments
are taken under every name models use for them.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

import anyio
from mcp.server import CacheHint, Server
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from seekread.mcp.handlers import BEAT, Agents
from seekread.toolkit.answer import Budget
from seekread.toolkit.definitions import ToolNames
from seekread.toolkit.guidance import INSTRUCTIONS

if TYPE_CHECKING:
    from seekread.client import Seekread

HttpTransport = Literal["http", "sse"]

PATHS: dict[HttpTransport, str] = {"http": "/mcp", "sse": "/sse"}
UNCHECKED = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""The SDK's own check of `Host` and `Origin` knows less than that of the service around it."""
QUIET = 20
"""Looks in a row at which no call was under way; an answer passes through a handful of tasks before it is written."""
STABLE = CacheHint(ttl_ms=3_600_000, scope="public")
"""What is offered does not change while the server runs."""


def create_server(
    web: Callable[[], "Seekread"],
    *,
    tool_prefix: str = "",
    max_tokens: int = Budget.usual,
    beat: float = BEAT,
    list_pages: bool = True,
) -> Server[Any]:
    """
    A server of the protocol over one `Seekread`.

    web: gives the `Seekread`; asked when a tool needs it, so that starting costs nothing and a wrong setting is an
        error a model can tell its user about
    tool_prefix: goes before every tool's name
    max_tokens: estimated tokens of one result, unless a call asks for more
    beat: seconds between two signs of life of a slow call
    list_pages: whether pages that were read are listed as resources; not where several people share a server
    """
    names = ToolNames(tool_prefix)
    return server_of(
        Agents(web, names=names, budget=Budget(max_tokens), beat=beat, list_pages=lambda: list_pages), names
    )


def server_of(agents: Agents, names: ToolNames) -> Server[Any]:
    """A server of the protocol with its handlers."""
    return Server(
        "seekread",
        title="seekread",
        version=version("seekread"),
        instructions=names.written(INSTRUCTIONS),
        cache_hints={"tools/list": STABLE, "prompts/list": STABLE, "resources/templates/list": STABLE},
        on_list_tools=agents.list_tools,
        on_call_tool=agents.call_tool,
        on_list_prompts=agents.list_prompts,
        on_get_prompt=agents.get_prompt,
        on_list_resources=agents.list_resources,
        on_list_resource_templates=agents.list_templates,
        on_read_resource=agents.read_resource,
    )


class HttpRoutes:
    """
    The protocol at `/mcp` and `/sse`, as routes of an application that holds `running()` open while it lives.

    They answer whoever comes: tokens, `Host` and `Origin` are for the application around them to check.
    """

    def __init__(
        self,
        web: Callable[[], "Seekread"],
        *,
        transports: Sequence[HttpTransport] = ("http", "sse"),
        tool_prefix: str = "",
        max_tokens: int = Budget.usual,
        list_pages: Callable[[], bool] = lambda: True,
    ) -> None:
        names = ToolNames(tool_prefix)
        self._agents = Agents(web, names=names, budget=Budget(max_tokens), list_pages=list_pages)
        server = server_of(self._agents, names)
        # Without sessions any worker can answer any request, and nothing is lost with a restart.
        self._manager = StreamableHTTPSessionManager(server, stateless=True, security_settings=UNCHECKED)
        made: dict[HttpTransport, Callable[[], list[BaseRoute]]] = {
            "http": lambda: [Route(PATHS["http"], endpoint=StreamableHTTPASGIApp(self._manager))],
            "sse": lambda: event_stream(server),
        }
        self.routes: list[BaseRoute] = [route for transport in transports for route in made[transport]()]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep what requests need while the application lives."""
        async with self._manager.run():
            yield

    async def answered(self) -> None:
        """Wait until no call is under way, and what was answered has been handed to the socket."""
        quiet = 0
        while quiet < QUIET:
            await anyio.sleep(0.005)
            quiet = 0 if self._agents.under_way else quiet + 1

    def is_endless(self, scope: Scope) -> bool:
        """Whether a request asks for a stream that ends only when somebody leaves."""
        return scope["method"] == "GET" and scope["path"] in PATHS.values()


def event_stream(server: Server[Any]) -> list[BaseRoute]:
    """The older transport: a stream of events, and an address to send messages to."""
    transport = SseServerTransport("/messages/", security_settings=UNCHECKED)

    async def listen(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            await Response(status_code=405, headers={"Allow": "GET"})(scope, receive, send)
            return
        async with transport.connect_sse(scope, receive, send) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    return [Route(PATHS["sse"], endpoint=Door(listen)), Mount("/messages", app=transport.handle_post_message)]


class Door:
    """An ASGI application that routes do not take for a function of a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._app(scope, receive, send)
