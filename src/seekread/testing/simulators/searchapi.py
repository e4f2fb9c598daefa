"""SearchApi as it answers on the wire."""

import re
from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

PRICE = 0.004
RULES = {
    "engine": "google|google_news",
    "time_period": "last_(hour|day|week|month|year)",
    "time_period_min": r"\d\d/\d\d/\d{4}",
    "time_period_max": r"\d\d/\d\d/\d{4}",
    "safe": "active|off",
}


class SearchApiSimulator(Simulator):
    """Google's results behind a key in the address."""

    name = "searchapi"
    prefix = "/api/v1"
    url_variable = "SEEKREAD_SEARCHAPI_BASE_URL"
    key_variable = "SEARCHAPI_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(401, {"error": "Invalid API key"}), Unauthorized),
        "bad parameter": Refusal(Fault(400, {"error": "Unsupported parameter"}), BadReply),
        "too fast": Refusal(Fault(429, {"error": "Hourly searches limit reached"}), RateLimited),
        "plan used up": Refusal(
            Fault(429, {"error": "You have used all of the searches for this month. Upgrade your plan."}),
            QuotaExhausted,
        ),
        "another list": Refusal(
            Fault(200, {"search_metadata": {"status": "Success"}, "news_results": [{"title": "T", "link": "l"}]}),
            BadReply,
        ),
        "failed search": Refusal(Fault(200, {"search_metadata": {"status": "Error"}, "error": "failed"}), BadReply),
    }

    def reply(self, received: Received) -> Answer:
        params = received.params
        if params.get("api_key") != self.key:
            return self.refused("wrong key")
        wrong = [name for name, rule in RULES.items() if name in params and not re.fullmatch(rule, params[name])]
        if received.path != "/api/v1/search" or not params.get("q") or wrong:
            return self.refused("bad parameter")
        rows = [
            {"position": hit.rank, **hit.row(title="title", link="url", snippet="snippet", date="published")}
            for hit in hits(params["q"], 10, page=int(params.get("page", 1)))
        ]
        told = {"search_metadata": {"id": "search_x", "status": "Success"}, "search_information": {}}
        return Answer({**told, **({"organic_results": rows} if rows else {})}, price=PRICE)
