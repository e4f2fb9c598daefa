"""A tool of an MCP server that wants no key and keeps no sessions: one request, one answer as an event of a stream."""

from collections.abc import Mapping
from typing import Any, ClassVar

from seekread.provider import BadReply, RateLimited, SuspiciousEmpty
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator


def told(**answer: Any) -> Fault:
    """Another answer of the tool."""
    return Fault(200, {"jsonrpc": "2.0", "id": 2, **answer})


def said(text: str, **more: Any) -> Fault:
    """Words instead of results."""
    return told(result={"content": [{"type": "text", "text": text}], **more})


class McpTool(Simulator):
    """Subclasses name the tool and answer its calls."""

    prefix = "/mcp"
    tool: ClassVar[str]
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "cap reached": Refusal(Fault(429, {"error": "anonymous cap reached"}), RateLimited),
        "no such tool": Refusal(told(error={"code": -32602, "message": "unknown tool"}), BadReply),
        "the tool failed": Refusal(said("limit reached", isError=True), BadReply),
        "nothing at all": Refusal(told(result={"content": []}), SuspiciousEmpty),
    }

    def settings(self) -> dict[str, Any]:
        return {"keyless_url": self.base_url, "api_key": None}

    def called(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What the tool answers."""
        raise NotImplementedError

    def reply(self, received: Received) -> Answer:
        accepted = "text/event-stream" in received.headers.get("accept", "")
        asked = received.path == self.prefix and received.json.get("method") == "tools/call" and accepted
        if not asked or received.json["params"]["name"] != self.tool or "authorization" in received.headers:
            return self.refused("no such tool")
        result = self.called(received.json["params"]["arguments"])
        return Answer({"jsonrpc": "2.0", "id": received.json["id"], "result": result})
