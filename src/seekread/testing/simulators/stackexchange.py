"""Stack Exchange as it answers on the wire."""

from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import ClassVar

from seekread.provider import BadReply, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

USED_UP = "too many requests from this IP, more requests available in 80000 seconds"


def refusal(status: int, number: int, name: str, text: str) -> Fault:
    """An error in the envelope of the API."""
    return Fault(status, {"error_id": number, "error_name": name, "error_message": text})


class StackExchangeSimulator(Simulator):
    """Questions; a key is welcome in the address."""

    name = "stackexchange"
    prefix = "/2.3"
    url_variable = "SEEKREAD_STACKEXCHANGE_BASE_URL"
    key_variable = "STACKEXCHANGE_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(400, 400, "bad_parameter", "`key` doesn't match an application"), Unauthorized),
        "bad parameter": Refusal(refusal(400, 400, "bad_parameter", "site is required"), BadReply),
        "too fast": Refusal(refusal(400, 502, "throttle_violation", "simply too fast"), RateLimited),
        "too fast with another status": Refusal(refusal(503, 502, "throttle_violation", "too fast"), RateLimited),
        "day used up": Refusal(refusal(400, 502, "throttle_violation", USED_UP), QuotaExhausted),
    }

    def reply(self, received: Received) -> Answer:
        params = received.params
        if params.get("key", self.key) != self.key:
            return self.refused("wrong key")
        if received.path != "/2.3/search/advanced" or not params.get("site") or not params.get("q"):
            return self.refused("bad parameter")
        found = hits(params["q"], int(params.get("pagesize", 30)), page=int(params.get("page", 1)))
        rows = [
            {
                "question_id": hit.rank,
                **hit.row(title="title", link="url", body="snippet"),
                "score": 60 - hit.rank,
                "is_answered": True,
                "answer_count": 2,
                "creation_date": int(datetime.combine(hit.published, time(), UTC).timestamp()),
                "tags": ["python"],
            }
            for hit in found
        ]
        return Answer({"items": rows, "has_more": False, "quota_max": 300, "quota_remaining": 299})
