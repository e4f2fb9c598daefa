"""You.com as it answers on the wire."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from seekread.provider import BadReply, Blocked, ProviderError, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import NO_KEY_TO_REJECT, Refusal, Simulator

PRICE = 0.005
FRESHNESS = r"day|week|month|year|\d{4}-\d\d-\d\dto\d{4}-\d\d-\d\d"
USED_UP = {"error": "payment_required", "message": "You have used your credits", "limit": 100, "used": 100}


class YouSimulator(Simulator):
    """Web and news sections behind `X-API-Key`."""

    name = "you"
    url_variable = "SEEKREAD_YOU_BASE_URL"
    key_variable: ClassVar[str | None] = "YDC_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(401, {"message": "Invalid or expired API key"}), Unauthorized),
        "no credits": Refusal(Fault(402, USED_UP), QuotaExhausted),
        "bad parameter": Refusal(Fault(422, {"detail": [{"loc": ["body"], "msg": "invalid"}]}), BadReply),
        "too fast": Refusal(Fault(429, {"message": "Too many requests"}, {"X-RateLimit-Remaining": "0"}), RateLimited),
    }
    # A section without hits is null.
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {"null instead of rows": None}

    def reply(self, received: Received) -> Answer:
        if received.headers.get("x-api-key") != self.key:
            return self.refused("wrong key")
        if received.path != "/v1/search":
            return self.refused("bad parameter")
        return self.answered(received.json)

    def answered(self, body: Mapping[str, Any]) -> Answer:
        """The answer to somebody who may ask."""
        both = "include_domains" in body and "exclude_domains" in body
        wrong = both or not re.fullmatch(FRESHNESS, body.get("freshness", "day")) or body.get("country") == "ZZ"
        if not body.get("query") or wrong:
            return Answer({"detail": [{"loc": ["body"], "msg": "invalid"}]}, 422)
        found = hits(
            body["query"],
            body.get("count", 10),
            page=body.get("offset", 0) + 1,
            allowed=body.get("include_domains", ()),
            blocked=body.get("exclude_domains", ()),
        )
        rows = [
            {
                **hit.row(url="url", title="title", description="snippet"),
                "snippets": [f"{hit.snippet} At length."],
                "page_age": f"{hit.published}T09:12:00",
            }
            for hit in found
        ]
        told = {"results": {"web": rows or None, "news": None}, "metadata": {"query": body["query"], "latency": 0.4}}
        return Answer(told, price=PRICE)


class KeylessYouSimulator(YouSimulator):
    """The same at another place, for about a hundred queries a day."""

    name = "you keyless"
    url_variable = "SEEKREAD_YOU_KEYLESS_URL"
    key_variable = None
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "day used up": Refusal(Fault(402, {**USED_UP, "period": "day"}), QuotaExhausted),
        "too fast": Refusal(Fault(429, {"message": "Too many requests"}), RateLimited),
        "a key": Refusal(Fault(401, {"message": "no key is wanted here"}), Blocked),
    }
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {**YouSimulator.expected, **NO_KEY_TO_REJECT}

    def settings(self) -> dict[str, Any]:
        return {"keyless_url": self.base_url, "api_key": None}

    def reply(self, received: Received) -> Answer:
        if "x-api-key" in received.headers or received.path != "/v1/agents/search":
            return self.refused("a key")
        return replace(self.answered(received.json), price=0.0)
