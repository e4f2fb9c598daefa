"""Microsoft Web IQ as it answers on the wire."""

from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

PRICE = 0.035
FIELDS = {"query", "maxResults", "language", "region", "safeSearch"}
MOST = {"/v3/search/web": 50, "/v3/search/news": 20}


def refusal(status: int, code: str, wait: object = None) -> Fault:
    """An error in the envelope of the service."""
    return Fault(status, {"errorCode": code, "userMessage": code, "retryAfter": wait, "traceId": "abc"})


class WebIQSimulator(Simulator):
    """Web and news search behind `x-apikey`."""

    name = "webiq"
    prefix = "/v3"
    url_variable = "SEEKREAD_WEBIQ_BASE_URL"
    key_variable = "WEBIQ_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(401, "InvalidApiKey"), Unauthorized),
        "not allowed": Refusal(refusal(403, "ServiceNotEnabled"), Unauthorized),
        "bad parameter": Refusal(refusal(400, "InvalidRequest"), BadReply),
        "too fast": Refusal(refusal(429, "TooManyRequests", 3), RateLimited),
        "too fast in their own number": Refusal(refusal(430, "TooManyRequests", "2026-11-16T10:00:00Z"), RateLimited),
    }

    def reply(self, received: Received) -> Answer:
        body = received.json
        if received.headers.get("x-apikey") != self.key:
            return self.refused("wrong key")
        news = received.path.endswith("news")
        known = body.keys() <= (FIELDS - {"safeSearch"} if news else FIELDS)
        codes = all(len(body.get(name, "en")) == 2 for name in ("language", "region"))
        safe = body.get("safeSearch", "off") in {"off", "strict"}
        fits = 0 < len(body.get("query", "")) <= 1000 and body.get("maxResults", 10) <= MOST.get(received.path, 0)
        if not (known and codes and safe and fits):
            return self.refused("bad parameter")
        rows = [
            {**hit.row(title="title", url="url", content="snippet", lastUpdatedAt="published"), "language": "en"}
            for hit in hits(body["query"], body.get("maxResults", 10))
        ]
        return Answer({"newsResults" if news else "webResults": rows, "traceId": "abc"}, price=PRICE)
