"""TinyFish as it answers on the wire."""

from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator


def refusal(status: int, code: str, text: str) -> Fault:
    """An error in TinyFish's envelope."""
    return Fault(status, {"error": {"code": code, "message": text}})


class TinyFishSimulator(Simulator):
    """Ten results a page behind `X-API-Key`."""

    name = "tinyfish"
    url_variable = "SEEKREAD_TINYFISH_BASE_URL"
    key_variable = "TINYFISH_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(401, "INVALID_API_KEY", "no such key"), Unauthorized),
        "bad parameter": Refusal(refusal(422, "INVALID_INPUT", "no such parameter"), BadReply),
        "no credits": Refusal(refusal(402, "INSUFFICIENT_CREDITS", "nothing left"), QuotaExhausted),
        "too fast": Refusal(refusal(429, "RATE_LIMITED", "slow down"), RateLimited),
    }

    def reply(self, received: Received) -> Answer:
        params = received.params
        if received.headers.get("x-api-key") != self.key:
            return self.refused("wrong key")
        both = "recency_minutes" in params and ("after_date" in params or "before_date" in params)
        page = int(params.get("page", 0))
        known = params.get("domain_type", "web") in {"web", "news", "research_paper"}
        if received.path != "/" or not params.get("query") or both or not known or page > 10:
            return self.refused("bad parameter")
        lists = [
            [domain for domain in params.get(name, "").split(",") if domain]
            for name in ("include_domains", "exclude_domains")
        ]
        found = hits(params["query"], 10, page=page + 1, allowed=lists[0], blocked=lists[1])
        rows = [
            {"position": hit.rank, **hit.row(title="title", url="url", snippet="snippet", date="published")}
            for hit in found
        ]
        return Answer({"query": params["query"], "results": rows, "total_results": len(rows), "page": page})
