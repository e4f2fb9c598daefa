"""Spans of requests: the trace a client sends goes on here, and what the engines do stands below it."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seekread.ports import Telemetry
from seekread.server.limits import UNCOUNTED
from seekread.server.names import method_name, route_name

TRACE_CONTEXT = ("traceparent", "tracestate")
LONGEST = 512
"""Characters of trace context that are taken from anybody; the standard asks for no more."""


class Traced:
    """An application whose requests are told of. Questions about the service itself are not."""

    def __init__(self, app: ASGIApp, telemetry: Telemetry) -> None:
        self._app = app
        self._telemetry = telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["path"] in UNCOUNTED:
            await self._app(scope, receive, send)
            return
        status: int | None = None

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        headers = Headers(scope=scope)
        caller = {name: sent for name in TRACE_CONTEXT if (sent := headers.get(name)) and len(sent) <= LONGEST}
        with self._telemetry.work("request", caller=caller) as work:
            try:
                await self._app(scope, receive, noted)
            finally:
                # Who left before the answer has none.
                failed = status is not None and status >= 500
                work.ended(failed=failed, method=method_name(scope), route=route_name(scope), status=status)
