"""Valyu as it answers on the wire."""

from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

PRICE = 0.0015
KINDS = {"all", "web", "proprietary", "news"}


class ValyuSimulator(Simulator):
    """Search behind `x-api-key`; each result has its price."""

    name = "valyu"
    prefix = "/v1"
    url_variable = "SEEKREAD_VALYU_BASE_URL"
    key_variable = "VALYU_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(401, {"error": "Invalid API key"}), Unauthorized),
        "no credits": Refusal(Fault(402, {"error": "Insufficient credits"}), QuotaExhausted),
        "bad parameter": Refusal(Fault(422, {"message": "invalid", "errors": [{"key": "query"}]}), BadReply),
        "too fast": Refusal(Fault(429, {"message": "slow down", "retry_after": 4}), RateLimited),
        "failure with status 200": Refusal(Fault(200, {"success": False, "error": "failed", "results": []}), BadReply),
    }

    def reply(self, received: Received) -> Answer:
        body = received.json
        if received.headers.get("x-api-key") != self.key:
            return self.refused("wrong key")
        wrong = body.get("search_type", "all") not in KINDS or body.get("country_code") == "ZZ"
        if received.path != "/v1/search" or not body.get("query") or wrong or body.get("max_num_results", 10) > 100:
            return self.refused("bad parameter")
        found = hits(
            body["query"],
            body.get("max_num_results", 10),
            allowed=body.get("included_sources", ()),
            blocked=body.get("excluded_sources", ()),
        )
        rows = [
            {
                **hit.row(title="title", url="url", content="snippet", publication_date="published"),
                "price": PRICE,
                "relevance_score": round(1 / hit.rank, 3),
            }
            for hit in found
        ]
        price = round(len(rows) * PRICE, 6)
        told = {"success": True, "error": None, "tx_id": "tx_1", "results": rows, "total_deduction_dollars": price}
        return Answer(told, price=price)
