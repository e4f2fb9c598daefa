"""
A tool of an MCP server, called over streamable HTTP by the client that calls every service.

So proxies, certificates, caps, masks and the words for failures are those of everybody. A call is three requests: the
server is greeted, told that we are ready, and asked. Its answers are JSON, or one event of a stream.

Reference: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from seekread.provider import ONE_UNIT, BadReply, Call, Cost, Reply, Request
from seekread.providers.refusals import without_key

EDITION = "2025-06-18"
"""The edition of the protocol that is offered; the server may name an earlier one."""


@dataclass(frozen=True)
class McpCall:
    """Which tool of which server is called, with what, and who reads its answer."""

    url: str
    headers: Mapping[str, str | None] = field(repr=False)
    tool: str
    arguments: Mapping[str, Any] = field(repr=False)
    read: Callable[[Mapping[str, Any]], Any]
    cost: Cost = ONE_UNIT

    def call(self) -> Call[Any]:
        """The requests it takes, the first with those that follow."""
        hello = {"protocolVersion": EDITION, "capabilities": {}, "clientInfo": {"name": "seekread", "version": "0"}}
        return Call(self._post("initialize", hello, {}, 1), greeted, then=self._ready, cost=self.cost)

    def at_once(self) -> Call[Any]:
        """The one request it takes where a server keeps no sessions and wants no key."""
        return replace(self._asked({}), explain=without_key, cost=self.cost)

    def _ready(self, session: Mapping[str, str | None]) -> Call[Any]:
        request = self._post("notifications/initialized", {}, session)
        # Nothing is answered to a notification.
        return Call(request, lambda _reply: session, then=self._asked)

    def _asked(self, session: Mapping[str, str | None]) -> Call[Any]:
        request = self._post("tools/call", {"name": self.tool, "arguments": dict(self.arguments)}, session, 2)
        return Call(request, partial(answer_of, read=self.read))

    def _post(
        self, method: str, params: Mapping[str, Any], session: Mapping[str, str | None], number: int | None = None
    ) -> Request:
        accepted = {"Accept": "application/json, text/event-stream"}
        body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or None}
        return Request("POST", self.url, headers={**accepted, **self.headers, **session}, json=body)


def greeted(reply: Reply) -> dict[str, str | None]:
    """The headers that the rest of a session is known by."""
    edition = message_of(reply)["protocolVersion"]
    return {"MCP-Protocol-Version": str(edition), "Mcp-Session-Id": reply.headers.get("mcp-session-id")}


def answer_of(reply: Reply, *, read: Callable[[Mapping[str, Any]], Any]) -> Any:
    return read(message_of(reply))


def message_of(reply: Reply) -> Mapping[str, Any]:
    """The result in a reply, which is JSON or a stream of events."""
    text = reply.text()
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    for message in map(json.loads, lines or [text]):
        match message:
            case {"result": dict(result)}:
                return result
            case {"error": {"message": str(words)}}:
                raise BadReply(f"the MCP server says: {words}"[:200])
    raise ValueError("no result of a call")
