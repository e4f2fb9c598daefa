"""Algolia's search of Hacker News as it answers on the wire."""

import re
from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, RateLimited
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

SPAN = r"created_at_i>=\d+,created_at_i<=\d+"


class HackerNewsSimulator(Simulator):
    """Stories without a key."""

    name = "hackernews"
    prefix = "/api/v1"
    url_variable = "SEEKREAD_HACKERNEWS_BASE_URL"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "bad parameter": Refusal(Fault(400, {"message": "invalid filter", "status": 400}), BadReply),
        "too fast": Refusal(Fault(429, {"message": "Too many requests", "status": 429}), RateLimited),
        "failure with status 200": Refusal(Fault(200, {"message": "Index does not exist", "status": 404}), BadReply),
    }

    def reply(self, received: Received) -> Answer:
        params = received.params
        right = re.fullmatch(SPAN, params.get("numericFilters", "created_at_i>=0,created_at_i<=1"))
        if received.path != "/api/v1/search" or not params.get("query") or not right:
            return self.refused("bad parameter")
        count, page = int(params.get("hitsPerPage", 20)), int(params.get("page", 0))
        found = hits(params["query"], count, page=page + 1)
        rows = [
            {
                "objectID": str(4000 + hit.rank),
                **hit.row(title="title", url="url", story_text="snippet"),
                "points": 120 - hit.rank,
                "num_comments": hit.rank,
                "created_at": f"{hit.published}T09:12:00Z",
                "_tags": ["story"],
            }
            for hit in found
        ]
        return Answer({"hits": rows, "page": page, "nbHits": len(rows), "hitsPerPage": count})
