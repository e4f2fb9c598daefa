"""Linkup as it answers on the wire."""

from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, QuotaExhausted, RateLimited, TimedOut, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

PRICES = {"deep": 0.0587}


def refusal(status: int, code: str, text: str) -> Fault:
    """An error in Linkup's envelope."""
    return Fault(status, {"statusCode": status, "error": {"code": code, "message": text, "details": []}})


class LinkupSimulator(Simulator):
    """Search behind a bearer."""

    name = "linkup"
    prefix = "/v1"
    url_variable = "SEEKREAD_LINKUP_BASE_URL"
    key_variable = "LINKUP_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(401, "UNAUTHORIZED", "Unauthorized action"), Unauthorized),
        "bad parameter": Refusal(refusal(400, "VALIDATION_ERROR", "Validation failed"), BadReply),
        "too fast": Refusal(refusal(429, "TOO_MANY_REQUESTS", "Too many requests"), RateLimited),
        "no credits": Refusal(refusal(429, "INSUFFICIENT_FUNDS_CREDITS", "Out of credits"), QuotaExhausted),
        "budget used up": Refusal(refusal(429, "EXCEED_BUDGET_LIMIT", "Budget reached"), QuotaExhausted),
        "too slow": Refusal(refusal(504, "REQUEST_DEADLINE_EXCEEDED", "Took too long"), TimedOut),
    }

    def reply(self, received: Received) -> Answer:
        body = received.json
        if received.headers.get("authorization") != f"Bearer {self.key}":
            return self.refused("wrong key")
        wanted = {"q", "depth", "outputType"} <= body.keys() and len(body.get("includeDomains", ())) <= 100
        if received.path != "/v1/search" or not wanted or body["outputType"] != "searchResults":
            return self.refused("bad parameter")
        found = hits(
            body["q"],
            body.get("maxResults", 10),
            allowed=body.get("includeDomains", ()),
            blocked=body.get("excludeDomains", ()),
        )
        if not found:
            return refusal(400, "SEARCH_QUERY_NO_RESULT", "The query did not yield any result").applied(Answer())
        rows = [{"type": "text", **hit.row(name="title", url="url", content="snippet"), "favicon": ""} for hit in found]
        image = {"type": "image", "name": "a picture", "url": "https://example.org/a.png"}
        return Answer({"results": [*rows, image]}, price=PRICES.get(body["depth"], 0.00587))
