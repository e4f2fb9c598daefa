"""Parallel as it answers on the wire."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from seekread.provider import BadReply, ProviderError, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import Hit, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.mcp_tool import McpTool
from seekread.testing.simulators.simulator import NO_KEY_TO_REJECT, Refusal, Simulator

PRICES = {"advanced": 0.009, "basic": 0.004}


def refusal(status: int, text: str) -> Fault:
    """An error in Parallel's envelope."""
    return Fault(status, {"type": "error", "error": {"ref_id": "abc", "message": text, "detail": None}})


class ParallelSimulator(Simulator):
    """Search behind `x-api-key`."""

    name = "parallel"
    url_variable = "SEEKREAD_PARALLEL_BASE_URL"
    key_variable = "PARALLEL_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(401, "Invalid API key"), Unauthorized),
        "no credit": Refusal(refusal(402, "Insufficient credit"), QuotaExhausted),
        "bad parameter": Refusal(refusal(422, "Validation error"), BadReply),
        "too fast": Refusal(refusal(429, "Too many requests"), RateLimited),
    }

    def reply(self, received: Received) -> Answer:
        body = received.json
        if received.headers.get("x-api-key") != self.key:
            return self.refused("wrong key")
        wanted = body.get("advanced_settings", {})
        policy = wanted.get("source_policy", {})
        lists = [policy.get(name, []) for name in ("include_domains", "exclude_domains")]
        if received.path != "/v1/search" or not body.get("search_queries") or sum(map(len, lists)) > 200:
            return self.refused("bad parameter")
        found = hits(
            body["search_queries"][0],
            wanted.get("max_results", 10),
            allowed=lists[0],
            # Ignored beside domains to allow.
            blocked=() if lists[0] else lists[1],
        )
        told = {"search_id": "search_x", "session_id": "s", "results": rows(found), "warnings": None, "usage": []}
        return Answer(told, price=PRICES[body.get("mode", "advanced")])


def rows(found: Sequence[Hit]) -> list[dict[str, Any]]:
    """Hits as Parallel writes them."""
    return [
        {
            **hit.row(url="url", title="title", publish_date="published"),
            "excerpts": [hit.snippet, f"{hit.snippet} Again."],
        }
        for hit in found
    ]


class KeylessParallelSimulator(McpTool):
    """The tool `web_search`, which answers with the rows of the API."""

    name = "parallel keyless"
    url_variable = "SEEKREAD_PARALLEL_KEYLESS_URL"
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = NO_KEY_TO_REJECT
    tool = "web_search"

    def called(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        data = {"search_id": "search_x", "results": rows(hits(arguments["search_queries"][0], 10))}
        return {"content": [{"type": "text", "text": json.dumps(data)}], "structuredContent": data}
