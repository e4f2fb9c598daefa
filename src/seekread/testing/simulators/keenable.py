"""Keenable as it answers on the wire."""

from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

PRICE = 0.001


class KeenableSimulator(Simulator):
    """Search with a key, or beside it for everybody who says their name."""

    name = "keenable"
    url_variable = "KEENABLE_API_URL"
    key_variable = "KEENABLE_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(401, {"error": "invalid key"}), Unauthorized),
        "no credits": Refusal(Fault(402, {"message": "insufficient credits"}), QuotaExhausted),
        "bad parameter": Refusal(Fault(422, {"detail": "invalid"}), BadReply),
        "too fast": Refusal(Fault(429, {"message": "rate limit"}), RateLimited),
    }

    def reply(self, received: Received) -> Answer:
        body, public = received.json, received.path == "/v1/search/public"
        if not public and received.headers.get("x-api-key") != self.key:
            return self.refused("wrong key")
        named = not public or received.headers.get("x-keenable-title")
        if received.path not in {"/v1/search", "/v1/search/public"} or not named or not body.get("query"):
            return self.refused("bad parameter")
        found = hits(body["query"], 10, allowed=[body["site"]] if "site" in body else ())
        rows = [hit.row(title="title", url="url", snippet="snippet", published_at="published") for hit in found]
        return Answer({"query": body["query"], "mode": "pro", "results": rows}, price=0.0 if public else PRICE)
