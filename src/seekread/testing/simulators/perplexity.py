"""The Perplexity Search API as it answers on the wire."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import ClassVar

from seekread.provider import BadReply, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

DATES = ("search_after_date_filter", "search_before_date_filter")
EDGE = "<html><head><title>401 Authorization Required</title></head><body></body></html>"


class PerplexitySimulator(Simulator):
    """Ranked results behind a bearer."""

    name = "perplexity"
    url_variable = "SEEKREAD_PERPLEXITY_BASE_URL"
    key_variable = "PERPLEXITY_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(401, {"error": {"message": "Invalid API key", "code": 401}}), Unauthorized),
        "wrong key, said by the edge": Refusal(Fault(401, EDGE), Unauthorized),
        "too fast": Refusal(Fault(429, "slow down", {"retry-after-ms": "1500"}), RateLimited),
        "bad parameter": Refusal(
            Fault(422, {"detail": [{"loc": ["body", "max_results"], "msg": "too many", "type": "x"}]}), BadReply
        ),
    }

    def reply(self, received: Received) -> Answer:
        body = received.json
        if received.headers.get("authorization") != f"Bearer {self.key}":
            return self.refused("wrong key")
        domains = body.get("search_domain_filter", [])
        denied = [domain[1:] for domain in domains if domain.startswith("-")]
        allowed = [domain for domain in domains if not domain.startswith("-")]
        wrong = (
            received.path != "/search"
            or not 1 <= body.get("max_results", 10) <= 20
            or len(domains) > 20
            or bool(denied and allowed)
            or not re.fullmatch("[A-Z]{2}", body.get("country", "US"))
            or not all(re.fullmatch(r"\d\d/\d\d/\d{4}", body[name]) for name in DATES if name in body)
            or body.get("search_recency_filter", "day") not in {"hour", "day", "week", "month", "year"}
        )
        if wrong:
            return self.refused("bad parameter")
        rows = [
            {
                "title": hit.title,
                "url": hit.url,
                "snippet": f"{hit.snippet}\n\n" + f"A long extract of page {hit.rank}. " * 20,
                "date": str(hit.published),
                "last_updated": str(hit.published + timedelta(days=2)),
            }
            for hit in hits(body["query"], body.get("max_results", 10), allowed=allowed, blocked=denied)
        ]
        return Answer({"id": "e1f0", "server_time": None, "results": rows}, price=0.005)
