"""Kagi as it answers on the wire."""

from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

PRICE = 0.025
SECTIONS = {"search": "search", "news": "news"}


def refusal(status: int, code: str, text: str) -> Fault:
    """An error in Kagi's envelope."""
    return Fault(status, {"meta": {"trace": "x"}, "data": None, "error": [{"code": code, "message": text}]})


class KagiSimulator(Simulator):
    """Sections of results behind a bearer."""

    name = "kagi"
    prefix = "/api/v1"
    url_variable = "SEEKREAD_KAGI_BASE_URL"
    key_variable = "KAGI_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(401, "unauthorized", "Invalid token"), Unauthorized),
        "bad parameter": Refusal(refusal(400, "bad_request", "Missing query"), BadReply),
        "too fast": Refusal(refusal(429, "rate_limited", "Slow down"), RateLimited),
        "used up": Refusal(refusal(429, "usage", "Insufficient balance to perform this request"), QuotaExhausted),
        "failure with status 200": Refusal(refusal(200, "internal", "Something failed"), BadReply),
    }

    def reply(self, received: Received) -> Answer:
        body = received.json
        if received.headers.get("authorization") != f"Bearer {self.key}":
            return self.refused("wrong key")
        section = SECTIONS.get(body.get("workflow", "search"))
        if received.path != "/api/v1/search" or not body.get("query") or not section or body.get("page", 1) > 10:
            return self.refused("bad parameter")
        lens = body.get("lens", {})
        found = hits(
            body["query"],
            body.get("limit", 10),
            page=body.get("page", 1),
            allowed=lens.get("sites_included", ()),
            blocked=lens.get("sites_excluded", ()),
        )
        rows = [hit.row(url="url", title="title", snippet="snippet", time="published") for hit in found]
        return Answer({"meta": {"trace": "x"}, "data": {section: rows, "direct_answer": []}}, price=PRICE)
