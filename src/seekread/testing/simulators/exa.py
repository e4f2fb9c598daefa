"""Exa as it answers on the wire."""

from collections.abc import Mapping
from typing import Any, ClassVar

from seekread.provider import (
    BadReply,
    ProviderError,
    QuotaExhausted,
    SuspiciousEmpty,
    Unauthorized,
    Unreachable,
)
from seekread.testing.hits import NOTHING, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.mcp_tool import McpTool, said
from seekread.testing.simulators.simulator import NO_KEY_TO_REJECT, ROW_FAULTS, Refusal, Simulator


def refusal(status: int, text: str, tag: str) -> Fault:
    """An error in Exa's envelope."""
    return Fault(status, {"requestId": "abc", "error": text, "tag": tag})


def contents(body: Mapping[str, Any]) -> Answer:
    """Pages as text; an address with the magic word cannot be read, and what cannot be read is free."""
    read = [url for url in body["urls"] if NOTHING not in url]
    lost = {"status": "error", "error": {"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404}}
    price = round(0.001 * len(read), 6)
    told = {
        "requestId": "abc",
        "results": [
            {"id": url, "title": f"Page {url}", "url": url, "text": f"# Page\n\nText of {url}"} for url in read
        ],
        "statuses": [{"id": url, **({"status": "success"} if url in read else lost)} for url in body["urls"]],
        "costDollars": {"total": price},
    }
    return Answer(told, price=price)


class ExaSimulator(Simulator):
    """Search and contents behind `x-api-key`."""

    name = "exa"
    url_variable = "SEEKREAD_EXA_BASE_URL"
    key_variable = "EXA_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(401, "Invalid API key", "INVALID_API_KEY"), Unauthorized),
        "bad parameter": Refusal(refusal(400, "Invalid body", "INVALID_REQUEST_BODY"), BadReply),
        "no credits": Refusal(refusal(402, "No more credits", "NO_MORE_CREDITS"), QuotaExhausted),
        "budget used up": Refusal(refusal(403, "Budget exceeded", "API_KEY_BUDGET_EXCEEDED"), QuotaExhausted),
        "overloaded": Refusal(refusal(503, "Overloaded", "SERVICE_OVERLOADED"), Unreachable),
    }

    def reply(self, received: Received) -> Answer:
        body = received.json
        if received.headers.get("x-api-key") != self.key:
            return self.refused("wrong key")
        if received.path == "/contents":
            return contents(body)
        both = "includeDomains" in body and "excludeDomains" in body
        if received.path != "/search" or not body.get("query") or both or body.get("numResults", 10) > 100:
            return self.refused("bad parameter")
        found = hits(
            body["query"],
            body.get("numResults", 10),
            allowed=body.get("includeDomains", ()),
            blocked=body.get("excludeDomains", ()),
        )
        passages = body.get("contents", {}).get("highlights")
        rows = [
            {
                "id": hit.url,
                "title": hit.title,
                "url": hit.url,
                "publishedDate": f"{hit.published}T00:00:00.000Z",
                "author": None,
                "score": round(1 / (hit.rank + 2), 4),
                **({"highlights": [hit.snippet, f"{hit.snippet} Again."]} if passages else {}),
            }
            for hit in found
        ]
        price = round(0.007 + 0.001 * max(0, len(rows) - 10), 6)
        told = {"resolvedSearchType": "neural", "costDollars": {"total": price}}
        return Answer({"requestId": "abc", "results": rows, **told}, price=price)


class KeylessExaSimulator(McpTool):
    """The tool `web_search_exa`, which writes for people."""

    name = "exa keyless"
    url_variable = "SEEKREAD_EXA_KEYLESS_URL"
    believable = False
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {**NO_KEY_TO_REJECT, **ROW_FAULTS}
    refusals: ClassVar[Mapping[str, Refusal]] = {
        **McpTool.refusals,
        "small talk": Refusal(said("I could not find that."), BadReply),
        "nothing in words": Refusal(said("No search results found. Please try a different query."), SuspiciousEmpty),
    }
    tool = "web_search_exa"

    def called(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        found = hits(arguments["query"], arguments.get("numResults", 8))
        text = "\n\n".join(f"Title: {hit.title}\nURL: {hit.url}\nText: {hit.snippet}" for hit in found)
        return {"content": [{"type": "text", "text": text}] if found else []}
