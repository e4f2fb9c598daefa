"""SerpApi as it answers on the wire."""

import re
from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.serper import SPAN
from seekread.testing.simulators.simulator import Refusal, Simulator

PRICE = 0.015


def refusal(status: int, text: str) -> Fault:
    """An error in SerpApi's envelope."""
    return Fault(status, {"error": text})


class SerpApiSimulator(Simulator):
    """Google's results behind a key in the address."""

    name = "serpapi"
    url_variable = "SEEKREAD_SERPAPI_BASE_URL"
    key_variable = "SERPAPI_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(401, "Invalid API key. Your API key should be here: ..."), Unauthorized),
        "bad parameter": Refusal(refusal(400, "Missing query `q` parameter."), BadReply),
        "too fast": Refusal(refusal(429, "You have exceeded your hourly throughput."), RateLimited),
        "plan used up": Refusal(refusal(429, "Your account has run out of searches."), QuotaExhausted),
        "failed search": Refusal(
            Fault(200, {"search_metadata": {"status": "Error"}, "error": "We couldn't get valid results."}), BadReply
        ),
        "odd success": Refusal(
            Fault(200, {"search_metadata": {"status": "Success"}, "error": "Unsupported `zz` location."}), BadReply
        ),
    }

    def reply(self, received: Received) -> Answer:
        params = received.params
        if params.get("api_key") != self.key:
            return self.refused("wrong key")
        if received.path != "/search.json" or not params.get("q") or not re.fullmatch(SPAN, params.get("tbs", "qdr:d")):
            return self.refused("bad parameter")
        count, begin = int(params.get("num", 10)), int(params.get("start", 0))
        rows = [
            {"position": hit.rank, **hit.row(title="title", link="url", snippet="snippet", date="published")}
            for hit in hits(params["q"], count, page=begin // count + 1)
        ]
        section = "news_results" if params.get("tbm") == "nws" else "organic_results"
        nothing = {"error": "Google hasn't returned any results for this query."}
        told = {"search_metadata": {"id": "x", "status": "Success"}, "search_information": {"total_results": len(rows)}}
        return Answer({**told, **({section: rows} if rows else nothing)}, price=PRICE)
