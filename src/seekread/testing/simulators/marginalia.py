"""Marginalia as it answers on the wire."""

from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, ProviderError, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator


class MarginaliaSimulator(Simulator):
    """Results behind `API-Key`, which may be the one that all share."""

    name = "marginalia"
    url_variable = "SEEKREAD_MARGINALIA_BASE_URL"
    key_variable = "MARGINALIA_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(401, "Invalid API key"), Unauthorized),
        "bad parameter": Refusal(Fault(400, "Bad request"), BadReply),
        "too fast": Refusal(Fault(503, "Slow down"), RateLimited),
    }
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {"status 503": RateLimited}

    def reply(self, received: Received) -> Answer:
        params = received.params
        if received.headers.get("api-key") not in {self.key, "public"}:
            return self.refused("wrong key")
        if received.path != "/search" or not params.get("query") or int(params.get("count", 10)) > 100:
            return self.refused("bad parameter")
        found = hits(params["query"], int(params.get("count", 10)), page=int(params.get("page", 1)))
        rows = [{**hit.row(url="url", title="title", description="snippet"), "quality": 1.2} for hit in found]
        return Answer({"license": "CC-BY-NC-SA 4.0", "query": params["query"], "results": rows})
