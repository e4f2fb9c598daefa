"""An MCP server as it answers over streamable HTTP."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from seekread.provider import BadReply, ProviderError, SuspiciousEmpty, Unauthorized
from seekread.testing.hits import NOTHING, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

EDITION = "2025-06-18"
SESSION = "one-session"
LIMIT = [{"type": "text", "text": "limit reached"}]


def told(**result: Any) -> Fault:
    """Another result of the tool; the greeting before it stays as it is."""

    def change(body: Any) -> Any:
        asked = isinstance(body, dict) and "content" in body.get("result", {})
        return {**body, "result": result} if asked else body

    return Fault(change=change)


class McpSimulator(Simulator):
    """Two tools, `search` and `fetch`, behind a bearer; a session has to be opened first."""

    name = "mcp"
    url_variable = "SEEKREAD_MCP_BASE_URL"
    key_variable = "MCP_SERVER_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(401, {"error": "invalid_token"}), Unauthorized),
        "no such tool": Refusal(
            Fault(200, {"jsonrpc": "2.0", "id": 2, "error": {"code": -1, "message": "no"}}), BadReply
        ),
        "the tool failed": Refusal(told(isError=True, content=LIMIT, structuredContent={"results": []}), BadReply),
        "nothing at all": Refusal(told(content=[]), SuspiciousEmpty),
        "small talk": Refusal(told(content=[{"type": "text", "text": "I could not find that."}]), BadReply),
    }
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {}

    def settings(self) -> dict[str, Any]:
        arguments = {"query": "{query}", "limit": "{limit}", "site": "{allowed_domains}"}
        return {**super().settings(), "tool": "search", "fetch_tool": "fetch", "arguments": arguments}

    def environment(self) -> dict[str, str]:
        return {**super().environment(), "SEEKREAD_MCP_TOOL": "search"}

    def reply(self, received: Received) -> Answer:
        if received.headers.get("authorization") != f"Bearer {self.key}":
            return self.refused("wrong key")
        body = received.json
        if body.get("method") == "initialize":
            result = {"protocolVersion": EDITION, "capabilities": {"tools": {}}, "serverInfo": {"name": "s"}}
            return Answer({"jsonrpc": "2.0", "id": body["id"], "result": result}, headers={"Mcp-Session-Id": SESSION})
        if received.headers.get("mcp-session-id") != SESSION:
            return Answer({"jsonrpc": "2.0", "error": {"code": -32600, "message": "no session"}}, 400)
        if body.get("method") == "notifications/initialized":
            return Answer(b"", 202)
        return Answer({"jsonrpc": "2.0", "id": body["id"], "result": self.called(**body["params"])})

    def called(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a tool answers, as data and as text."""
        if name == "fetch":
            url = arguments["url"]
            text = "" if NOTHING in url else f"# A page\n\nWhat stands at {url}."
            data: dict[str, Any] = {"title": "A page", "content": text}
        else:
            found = hits(arguments["query"], arguments.get("limit", 10), allowed=arguments.get("site", ()))
            data = {"results": [hit.row(title="title", url="url", snippet="snippet") for hit in found]}
        return {"content": [{"type": "text", "text": json.dumps(data)}], "structuredContent": data, "isError": False}
