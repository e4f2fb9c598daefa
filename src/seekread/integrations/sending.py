"""
How an adapter reaches its services.

A host hands over what it has: nothing (our own pooled client), a transport of httpx2, anything with the `Sender` port's
`send`, or a client of the libraries the contracts name, with `get` and `post` (`requests.Session`,
`httpx.AsyncClient`).
"""

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import anyio.to_thread

from seekread.calling.deadline import GRACE
from seekread.errors import TimedOut, Unreachable
from seekread.ports import Sender
from seekread.provider import Reply, Request, given

Sleep = Callable[[float], Awaitable[None] | None]
"""Waits before another attempt; hosts and tests may bring one that does not await."""


async def pause(sleep: Sleep, seconds: float) -> None:
    """Wait, whichever kind of sleep it is."""
    waiting = sleep(seconds)
    if inspect.isawaitable(waiting):
        await waiting


def sender_for(transport: Any = None) -> Sender:
    """The sender behind whatever a host handed over."""
    return brought(transport) or OwnClient(transport)


def brought(transport: Any) -> Sender | None:
    """The sender a host brought; `None` if it brought nothing, or a transport for our own client."""
    if transport is not None and callable(getattr(transport, "get", None)):
        return Punctual(BorrowedClient(transport))
    if transport is None or callable(getattr(transport, "handle_async_request", None)):
        return None
    return Punctual(cast("Sender", transport))


@dataclass(frozen=True)
class Punctual:
    """A sender that somebody brought, who may not look at the clock."""

    sender: Sender

    async def send(self, request: Request, *, seconds: float) -> Reply:
        """Send one request, and wait no longer than a moment beyond its time."""
        try:
            async with asyncio.timeout(seconds + GRACE):
                return await self.sender.send(request, seconds=seconds)
        except TimeoutError:
            raise TimedOut(f"no reply within {seconds:.3g} s") from None


class OwnClient:
    """Our pooled client, made for the first request; it serves any number of event loops."""

    def __init__(self, transport: Any = None) -> None:
        self._transport = transport
        self._client: Any = None

    async def send(self, request: Request, *, seconds: float) -> Reply:
        """Send one request."""
        if self._client is None:
            from seekread.http.client import ServiceClient
            from seekread.version import user_agent

            self._client = ServiceClient(user_agent=user_agent(), transport=self._transport)
        reply: Reply = await self._client.send(request, seconds=seconds)
        return reply

    async def close(self) -> None:
        """Close its connections; the next request makes new ones."""
        if self._client is not None:
            await self._client.close()


class BorrowedClient:
    """A client of another library: its `get` and `post` are awaited, or run on a thread where they block."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def send(self, request: Request, *, seconds: float) -> Reply:
        """Send one request through the other library, and name its failures as ours."""
        body = {} if request.json is None else {"json": given(request.json)}
        call = self._client.post if request.method == "POST" else self._client.get
        try:
            asked = partial(
                call, request.url, params=given(request.params), headers=given(request.headers), timeout=seconds, **body
            )
            answer = await (asked() if inspect.iscoroutinefunction(call) else anyio.to_thread.run_sync(asked))
            return Reply(status_of(answer), headers_of(answer), body_of(answer))
        except Exception as error:
            # Foreign code: its exceptions are known by their names only.
            if isinstance(status := getattr(getattr(error, "response", None), "status_code", None), int):
                return Reply(status, {}, str(error).encode())
            if "timeout" in type(error).__name__.lower() or isinstance(error, TimeoutError):
                raise TimedOut(f"no reply within {seconds:.3g} s") from error
            raise Unreachable(str(error) or type(error).__name__) from error


def status_of(answer: Any) -> int:
    """The status of an answer; one that has no number must say itself that it is good."""
    if isinstance(status := getattr(answer, "status_code", None), int):
        return status
    answer.raise_for_status()
    return 200


def headers_of(answer: Any) -> dict[str, str]:
    headers = getattr(answer, "headers", None)
    return {name.lower(): str(value) for name, value in headers.items()} if isinstance(headers, Mapping) else {}


def body_of(answer: Any) -> bytes:
    if isinstance(content := getattr(answer, "content", None), bytes):
        return content
    if isinstance(text := getattr(answer, "text", None), str):
        return text.encode()
    try:
        return json.dumps(answer.json()).encode()
    except (TypeError, ValueError):
        # A bare mock has a status and nothing to say.
        return b""
