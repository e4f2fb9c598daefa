"""
The server: the handlers on the official SDK's `Server`, and an ASGI application for streamable HTTP and SSE.

The SDK's `Server` is used rather than its decorators, because the schemas come from the table of options and arguments
are taken under every name models use for them.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

from mcp.server import CacheHint, Server
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from seekread.mcp.bearer import Bearer
from seekread.mcp.handlers import BEAT, Agents
from seekread.toolkit.answer import Budget
from seekread.toolkit.definitions import ToolNames
from seekread.toolkit.guidance import INSTRUCTIONS

if TYPE_CHECKING:
    from seekread.client import Seekread

HttpTransport = Literal["http", "sse"]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
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
    agents = Agents(web, names=names, budget=Budget(max_tokens), beat=beat, list_pages=list_pages)
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


class HttpApp:
    """
    An ASGI application that serves the protocol at `/mcp` and `/sse`.

    It runs by itself, or inside another application: add its `routes`, and hold `running()` open in the lifespan.
    """

    def __init__(
        self,
        server: Server[Any],
        *,
        transports: Sequence[HttpTransport],
        hosts: Iterable[str] | None,
        token: str | None,
    ) -> None:
        self._security = security(hosts)
        self._token = token
        # Without sessions any worker can answer any request, and nothing is lost with a restart.
        self._manager = StreamableHTTPSessionManager(server, stateless=True, security_settings=self._security)
        doors: dict[HttpTransport, Callable[[], list[BaseRoute]]] = {
            "http": self._streamable,
            "sse": lambda: self._event_stream(server),
        }
        self.routes: list[BaseRoute] = [route for transport in transports for route in doors[transport]()]
        self._app = Starlette(routes=self.routes, lifespan=lambda _app: self.running())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._app(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep what requests need while the application lives."""
        async with self._manager.run():
            yield

    def _streamable(self) -> list[BaseRoute]:
        return [Route("/mcp", endpoint=self._behind_token(StreamableHTTPASGIApp(self._manager)))]

    def _event_stream(self, server: Server[Any]) -> list[BaseRoute]:
        transport = SseServerTransport("/messages/", security_settings=self._security)

        async def listen(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["method"] != "GET":
                await Response(status_code=405, headers={"Allow": "GET"})(scope, receive, send)
                return
            # The transport checks too, but raises after it has answered.
            if refusal := await TransportSecurityMiddleware(self._security).validate_request(Request(scope, receive)):
                await refusal(scope, receive, send)
                return
            async with transport.connect_sse(scope, receive, send) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())

        return [
            Route("/sse", endpoint=self._behind_token(Door(listen))),
            Mount("/messages", app=self._behind_token(transport.handle_post_message)),
        ]

    def _behind_token(self, app: ASGIApp) -> ASGIApp:
        return Bearer(app, self._token) if self._token else app


class Door:
    """An ASGI application that routes do not take for a function of a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._app(scope, receive, send)


def http_app(
    web: "Seekread | Callable[[], Seekread]",
    *,
    transports: Sequence[HttpTransport] = ("http", "sse"),
    hosts: Iterable[str] | None = (),
    token: str | None = None,
    tool_prefix: str = "",
    max_tokens: int = Budget.usual,
    list_pages: bool = True,
) -> HttpApp:
    """
    An ASGI application over a `Seekread`, which stays the caller's to close.

    hosts: names this server answers to beside those of loopback, with or without a port; `None` where the
        application around it has checked `Host` and `Origin` already
    token: what clients have to send as `Authorization: Bearer …`; without one, whoever reaches it may use it
    """
    opened: Callable[[], Seekread] = web if callable(web) else lambda: web
    server = create_server(opened, tool_prefix=tool_prefix, max_tokens=max_tokens, list_pages=list_pages)
    return HttpApp(server, transports=transports, hosts=hosts, token=token)


def security(hosts: Iterable[str] | None) -> TransportSecuritySettings:
    """Which `Host` and `Origin` are answered: a page in somebody's browser must not reach a server on loopback."""
    if hosts is None:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = [*LOOPBACK, *hosts]
    ports = [name if with_port(name) else f"{name}:*" for name in names]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*names, *ports],
        allowed_origins=[f"{scheme}://{name}" for scheme in ("http", "https") for name in (*names, *ports)],
    )


def with_port(name: str) -> bool:
    return name.rpartition("]")[2].count(":") == 1
