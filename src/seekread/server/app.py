"""
The service as an ASGI application.

A request passes, in this order: where it comes from, who is asking, whether its body arrives, how busy we are and how
often it was asked. Then its endpoint answers. Whatever goes wrong is told in the words of the endpoint's dialect.
"""

import asyncio
import logging
import os
import time
import traceback
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
from dataclasses import field, replace
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seekread.batch.reader import Reader
from seekread.compose import Parts
from seekread.errors import SeekreadError
from seekread.late import dataclass
from seekread.mcp import package
from seekread.ports import StoreUnavailable
from seekread.redact import redact
from seekread.server import api, metrics
from seekread.server.access import Visitors, is_below, is_loopback
from seekread.server.auth import Authentication
from seekread.server.dialects import DIALECTS
from seekread.server.dialects.dialect import Dialect
from seekread.server.events import Attempts
from seekread.server.identity import PROTOCOL, identity_of
from seekread.server.jobs import Jobs
from seekread.server.keys import HeaderKey, KeyPlace
from seekread.server.limits import (
    BODY_SECONDS,
    MAX_BODY,
    MAX_CONCURRENT,
    MAX_STRANGERS,
    UNCOUNTED,
    Concurrency,
    keep_rate,
)
from seekread.server.metrics import Metrics
from seekread.server.names import method_name, route_name
from seekread.server.openapi import document
from seekread.server.problems import EXPECTED, FailureShape, Rejected, native, problem, told
from seekread.server.ready import ReadyAnswers
from seekread.server.sessions import Session, Sessions, current, enter
from seekread.server.signins import SignIns
from seekread.server.tokens import Token, Tokens
from seekread.server.traced import Traced
from seekread.server.visit import HttpVisit, Senders

if TYPE_CHECKING:
    from seekread.mcp.server import HttpRoutes

logger = logging.getLogger("seekread.server")

LEFT = 499
"""What is counted for a client that left before it had its answer; nginx counts it so."""
STORE_SECONDS = 2.0
"""How long the store may take before the service calls itself not ready."""
SHARE_SECONDS = 2.0
"""How often a worker leaves its numbers for the others."""

FOR_PROGRAMS = ("/v1", "/metrics", "/.well-known", *PROTOCOL)
"""Our own addresses that no link on somebody's page has any business with; dialects name theirs."""


@dataclass(frozen=True)
class ServiceOptions:
    """How the service is run."""

    host: str = "127.0.0.1"
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    require_token: bool = False
    share_cache: bool = False
    """Whether all tokens share the answers and pages that are kept."""
    max_body: int = MAX_BODY
    max_concurrent: int = MAX_CONCURRENT
    max_strangers: int = MAX_STRANGERS
    body_seconds: float = BODY_SECONDS
    workers: int = 1
    boot: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    """Names this run of the service in all its workers."""

    @property
    def needs_token(self) -> bool:
        """Beyond loopback a token is needed, whatever was asked for."""
        return self.require_token or not is_loopback(self.host)


class Service:
    """
    The service: everything its endpoints share, and the door every request comes through.

    routes: endpoints that tell of failures in our own words
    dialects: endpoints that do so in a vendor's
    protocol: the agents'
    console: the module with the pages for people
    """

    def __init__(
        self,
        parts: Parts,
        tokens: Tokens,
        options: ServiceOptions | None = None,
        *,
        routes: Sequence[BaseRoute] = (),
        dialects: Sequence[Dialect] = (),
        protocol: "HttpRoutes | None" = None,
        console: Any = None,
    ) -> None:
        self.identity = identity_of(parts)
        self.options = opening(parts, options)
        self.dialects = tuple(dialects)
        self._spoken_at = lru_cache(maxsize=256)(partial(dialect_at, self.dialects))
        self.parts = parts
        self.tokens = tokens
        self.metrics = Metrics()
        self.attempts = Attempts(self.metrics)
        self.sessions = Sessions(parts, self.metrics, boot=self.options.boot, apart=self._keeps_apart)
        self.concurrency = Concurrency(self.options.max_concurrent)
        self.strangers = Concurrency(self.options.max_strangers)
        self.ready = ReadyAnswers()
        self.draining = False
        self._senders = Senders(self.options.max_concurrent, self.options.body_seconds)
        self._sending_strangers = Senders(self.options.max_strangers, self.options.body_seconds)
        self._listeners: set[HttpVisit] = set()
        public = frozenset(getattr(console, "PUBLIC", ()))
        self._unauthorized: Callable[[Request], Any] | None = getattr(console, "unauthorized", None)
        self._unknown: Callable[[Request], Response] | None = getattr(console, "unknown", None)
        for_programs = (*FOR_PROGRAMS, *(prefix for dialect in self.dialects for prefix in dialect.prefixes))
        self.jobs = Jobs(parts.store, parts.clock, self._bulk_reader, parts.telemetry)
        self.signins = SignIns(parts.store, tokens)
        self._authentication = Authentication(
            tokens,
            self._sending_strangers,
            required=self.options.needs_token,
            public=public,
            signins=self.signins if console else None,
            for_programs=for_programs,
            identity=self.identity,
        )
        self.visitors = Visitors(
            self.options.host,
            allowed_hosts=self.options.allowed_hosts,
            allowed_origins=self.options.allowed_origins,
            for_programs=for_programs,
        )
        self._for_programs = for_programs
        self._protocol = protocol
        spoken = [route for dialect in self.dialects for route in dialect.routes]
        known = self.identity.routes() if self.identity else []
        own = [*routes, *known, *spoken, *(protocol.routes if protocol else ()), *(console.routes() if console else ())]
        self._app = Starlette(
            routes=own,
            exception_handlers=dict.fromkeys(EXPECTED, on_failure) | {Exception: on_failure},
            lifespan=lambda _app: self.running(),
        )
        self._app.state.service = self
        door: ASGIApp = self._for_other_sites() if self.options.allowed_origins else self._answer
        self._door: ASGIApp = Traced(door, parts.telemetry) if parts.telemetry.active else door

    def _bulk_reader(self) -> Reader:
        """Reads for crawls. Only our own reader: nobody's plan is spent on pages that nobody chose."""
        return Reader(configuration=self.parts.configuration, reader="builtin", telemetry=self.parts.telemetry)

    def _keeps_apart(self) -> bool:
        """Whether each token has answers and pages of its own."""
        return not self.options.share_cache and (self.identity is not None or len(self.tokens.all()) > 1)

    def shape(self, path: str) -> FailureShape:
        """How the clients of an address expect to be told of failures."""
        dialect = self._spoken_at(path)
        return dialect.failure if dialect else native

    def _keys(self, path: str) -> tuple[KeyPlace, ...]:
        """Where the clients of an address put their key, beside where everybody may."""
        dialect = self._spoken_at(path)
        return dialect.keys if dialect else ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http":
            await self._door(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _for_other_sites(self) -> ASGIApp:
        """Tell browsers that pages of the allowed sites may read what is answered; they ask before they send."""
        origins = [origin.rstrip("/") for origin in self.options.allowed_origins]
        keys = [key.name for dialect in self.dialects for key in dialect.keys if isinstance(key, HeaderKey)]
        headers = ["authorization", "content-type", "mcp-protocol-version", "mcp-session-id", *keys]
        return CORSMiddleware(self._answer, allow_origins=origins, allow_methods=["GET", "POST"], allow_headers=headers)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        started, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), *self._always()]}
            await send(message)

        visit = HttpVisit(scope, receive, noted, self.options.max_body)
        try:
            await self._admitted(visit)
        finally:
            if visit.left:
                status = LEFT
            labels = {"route": route_name(scope), "method": method_name(scope)}
            self.metrics.count("seekread_http_requests_total", **labels, status=str(status))
            self.metrics.time("seekread_http_request_duration_seconds", time.perf_counter() - started, **labels)

    async def _admitted(self, visit: HttpVisit) -> None:
        """Every check, then the endpoint."""
        scope = visit.scope
        try:
            self.visitors.check(scope)
            token = await self._authentication.admit(visit, self._keys(scope["path"]))
            known = token is not None or not self.options.needs_token
            await visit.body(self._senders if known else self._sending_strangers)
            with self._place(scope["path"], token, known=known):
                if token:
                    await keep_rate(token, self.parts.store)
                enter(session := self.sessions.of(token))
                if at_once := await self._at_once(visit, session):
                    await at_once(scope, visit.receive, visit.send)
                    return
                with self._listening(visit):
                    await visit.answer(self._app)
        except ClientDisconnect:
            visit.left = True
        except Rejected as error:
            await (await self._refusal(scope, error))(scope, visit.receive, visit.send)
        except SeekreadError as error:
            await self.shape(scope["path"])(*told(error))(scope, visit.receive, visit.send)
        except Exception as error:  # noqa: BLE001 - the edge of the process; the endpoint's handler has answered
            logger.error("a mistake while answering %s: %s", route_name(scope), trace(error))  # noqa: TRY400

    async def _at_once(self, visit: HttpVisit, session: Session) -> Response | None:
        """An answer that needs no work, so that nobody has to look whether its client is still there."""
        answer = api.AT_ONCE.get(visit.scope["path"])
        found = await answer(visit, session, self.ready) if answer else None
        if found:
            visit.scope["route"] = visit.scope["path"]
        return found

    def _place(self, path: str, token: Token | None, *, known: bool) -> AbstractContextManager[None]:
        """A place among the requests under way."""
        if path in UNCOUNTED:
            return nullcontext()
        return self.concurrency.one(token) if known else self.strangers.one()

    @contextmanager
    def _listening(self, visit: HttpVisit) -> Iterator[None]:
        """Remember who listens without end, so that it can be ended."""
        if self._protocol is None or not self._protocol.is_endless(visit.scope):
            yield
            return
        self._listeners.add(visit)
        try:
            yield
        finally:
            self._listeners.discard(visit)

    async def store_trouble(self) -> str:
        """What is wrong with the store, where requests cannot be answered without it; otherwise nothing."""
        state = self.parts.settings.state
        needed = state.quota_fails_closed or not state.cache_fails_open
        if not needed and not any(token.per_minute for token in self.tokens.all()):
            return ""
        try:
            async with asyncio.timeout(STORE_SECONDS):
                # Taking a lock writes: a store that can only be read cannot count what is spent.
                async with self.parts.store.lock(f"ready/{self.options.boot}/{os.getpid()}", lifetime=60, wait=0):
                    return ""
        except TimeoutError:
            return f"The store has not answered within {STORE_SECONDS:g} s."
        except (StoreUnavailable, OSError) as error:
            return str(error)

    @asynccontextmanager
    async def letting_go(self) -> AsyncIterator[None]:
        """End the streams agents listen on, as soon as what they asked for is answered."""
        ending = asyncio.create_task(self._end_streams())
        try:
            yield
        finally:
            await ended(ending)

    async def _end_streams(self) -> None:
        if self._protocol:
            await self._protocol.answered()
            for visit in self._listeners:
                visit.end()

    async def _refusal(self, scope: Scope, error: Rejected) -> Response:
        """What somebody reads who is not let in; a person is shown how to log in."""
        shape = self.shape(scope["path"])
        if error.problem.status == 401 and self._unauthorized and wants_page(scope) and shape is native:
            scope["app"] = self._app
            shown: Response = await self._unauthorized(Request(scope))
            return shown
        return shape(error.problem, error.headers)

    def unknown(self, request: Request) -> Response | None:
        """The page for a person who asks for an address where nothing is; programs are told as usual."""
        for_programs = is_below(request.scope["path"], self._for_programs)
        if self._unknown is None or for_programs or not wants_page(request.scope):
            return None
        return self._unknown(request)

    def _always(self) -> list[tuple[bytes, bytes]]:
        """Headers of every answer. Who keeps a connection open is told when the service is about to end."""
        leaving = [(b"connection", b"close")] if self.draining else []
        return [(b"x-content-type-options", b"nosniff"), *leaving]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """What lives as long as the service; an application it is mounted in holds this open."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.parts.close)
            stack.enter_context(self.attempts.listening())
            if self._protocol:
                await stack.enter_async_context(self._protocol.running())
            crawling = asyncio.create_task(self.jobs.working())
            stack.push_async_callback(ended, crawling)
            if self.options.workers > 1:
                sharing = asyncio.create_task(self._share_numbers())
                stack.push_async_callback(ended, sharing)
            yield

    async def _share_numbers(self) -> None:
        while True:
            await asyncio.sleep(SHARE_SECONDS)
            with suppress(StoreUnavailable):
                await metrics.leave(self.parts.store, self.options.boot, str(os.getpid()), self.metrics.numbers)


def dialect_at(dialects: Sequence[Dialect], path: str) -> Dialect | None:
    """The dialect of an address."""
    return next((dialect for dialect in dialects if dialect.owns(path)), None)


async def ended(task: "asyncio.Task[None]") -> None:
    """Wait for a task that was told to end."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def create_app(
    parts: Parts,
    tokens: Tokens,
    options: ServiceOptions | None = None,
    *,
    dialects: Sequence[Dialect] = DIALECTS,
) -> Service:
    """The service over an engine, which is closed with it."""
    options = opening(parts, options)
    return Service(
        parts,
        tokens,
        options,
        routes=[*own_routes(), *api.routes()],
        dialects=dialects,
        protocol=protocol_routes(options, tokens),
        console=console_module(),
    )


def opening(parts: Parts, options: ServiceOptions | None) -> ServiceOptions:
    """How the service is run; where an identity provider says who may use it, nobody else may."""
    options = options or ServiceOptions()
    return replace(options, require_token=True) if parts.settings.auth.auth_issuer else options


def own_routes() -> list[BaseRoute]:
    """How the service itself is."""
    return [
        Route("/healthz", healthz),
        Route("/readyz", readyz),
        Route("/metrics", metrics_text),
        Route("/openapi.json", openapi),
    ]


async def healthz(_request: Request) -> Response:
    """The process lives."""
    return JSONResponse({"status": "ok"})


async def readyz(request: Request) -> Response:
    """Requests can be answered: the service stays, the store works where it must, and somebody can be asked."""
    service: Service = request.app.state.service
    if service.draining:
        return native(problem(503, "draining", "The service is about to end."), {})
    if trouble := await service.store_trouble():
        return native(problem(503, "store_unavailable", redact(trouble)), {})
    if not (chain := [provider.name for provider in current().parts.chain(())]) and not service.parts.replay:
        return native(problem(503, "not_configured", "No provider is set up.", outcome="not_configured"), {})
    return JSONResponse({"status": "ready", "chain": chain})


async def metrics_text(request: Request) -> Response:
    """The numbers of all workers."""
    service: Service = request.app.state.service
    numbers: metrics.Numbers = dict(service.metrics.numbers)
    if service.options.workers > 1:
        numbers = await metrics.shared(service.parts.store, service.options.boot, str(os.getpid()), numbers)
    for name, breaker in service.parts.gate.breakers.items():
        numbers["seekread_provider_resting", (("provider", name),)] = float(breaker.is_open)
    numbers["seekread_http_requests_in_flight", ()] = float(service.concurrency.now)
    text = metrics.written({**numbers, **metrics.account(await service.parts.ledger.usage())})
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")


async def openapi(_request: Request) -> Response:
    """The description of the native endpoints."""
    return JSONResponse(document())


async def on_failure(request: Request, error: Exception) -> Response:
    """Tell of whatever went wrong in the words of the dialect."""
    service: Service = request.app.state.service
    if isinstance(error, HTTPException) and error.status_code == 404 and (shown := service.unknown(request)):
        return shown
    return service.shape(request.url.path)(*told(error))


def wants_page(scope: Scope) -> bool:
    """Whether a browser asks, which shows pages to a person."""
    return b"text/html" in dict(scope["headers"]).get(b"accept", b"")


def trace(error: Exception) -> str:
    """Where an error comes from, with keys masked."""
    return redact("".join(traceback.format_exception(error)))


def console_module() -> Any:
    """The console, where it is installed: `routes()`, and perhaps `PUBLIC` paths, `unauthorized` and `unknown`."""
    if find_spec("seekread.server.console") is None or find_spec("seekread.server.console.routes") is None:
        return None
    return import_module("seekread.server.console.routes")


def protocol_routes(options: ServiceOptions, tokens: Tokens) -> "HttpRoutes | None":
    """The agents' protocol, where `seekread[mcp]` is installed. Its session is the request's."""
    if package.missing():
        return None
    from seekread.mcp.server import HttpRoutes

    return HttpRoutes(current, list_pages=lambda: not options.needs_token and not tokens.all())
