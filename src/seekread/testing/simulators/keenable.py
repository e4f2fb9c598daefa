"""Keenable as it answers on the wire."""

from collections.abc import Mapping
from typing import Any, ClassVar

from seekread.provider import BadReply, ProviderError, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import NO_KEY_TO_REJECT, Refusal, Simulator

PRICE = 0.001


class KeenableSimulator(Simulator):
    """Search with a key."""

    name = "keenable"
    url_variable = "KEENABLE_API_URL"
    key_variable: ClassVar[str | None] = "KEENABLE_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(401, {"error": "invalid key"}), Unauthorized),
        "no credits": Refusal(Fault(402, {"message": "insufficient credits"}), QuotaExhausted),
        "bad parameter": Refusal(Fault(422, {"detail": "invalid"}), BadReply),
        "too fast": Refusal(Fault(429, {"message": "rate limit"}), RateLimited),
    }

    def reply(self, received: Received) -> Answer:
        if received.headers.get("x-api-key") != self.key:
            return self.refused("wrong key")
        if received.path != "/v1/search" or not received.json.get("query"):
            return self.refused("bad parameter")
        return found(received.json, PRICE)


def found(body: Mapping[str, Any], price: float = 0.0) -> Answer:
    """Hits for a query."""
    rows = [
        hit.row(title="title", url="url", snippet="snippet", published_at="published")
        for hit in hits(body["query"], 10, allowed=[body["site"]] if "site" in body else ())
    ]
    return Answer({"query": body["query"], "mode": "pro", "results": rows}, price=price)


class KeylessKeenableSimulator(KeenableSimulator):
    """The same for everybody who says their name, and for nobody with a key."""

    name = "keenable keyless"
    key_variable = None
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "hour used up": Refusal(Fault(429, {"message": "hourly cap", "retry_after_seconds": 40}), RateLimited),
        "no name": Refusal(Fault(422, {"detail": "X-Keenable-Title is required"}), BadReply),
    }
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = NO_KEY_TO_REJECT

    def settings(self) -> dict[str, Any]:
        return {"base_url": self.base_url, "api_key": None}

    def reply(self, received: Received) -> Answer:
        anonymous = received.path == "/v1/search/public" and "x-api-key" not in received.headers
        named = anonymous and received.headers.get("x-keenable-title")
        return found(received.json) if named and received.json.get("query") else self.refused("no name")
