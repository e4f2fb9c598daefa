"""Semantic Scholar as it answers on the wire."""

import re
from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

DAY = r"(\d{4}-\d\d-\d\d)?"


class SemanticScholarSimulator(Simulator):
    """Papers; a key is welcome in `x-api-key`."""

    name = "semanticscholar"
    prefix = "/graph/v1"
    url_variable = "SEEKREAD_SEMANTICSCHOLAR_BASE_URL"
    key_variable = "SEMANTIC_SCHOLAR_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(403, {"message": "Forbidden"}), Unauthorized),
        "bad parameter": Refusal(Fault(400, {"error": "Unacceptable query params"}), BadReply),
        "too fast": Refusal(Fault(429, {"message": "Too Many Requests.", "code": "429"}), RateLimited),
        "failure with status 200": Refusal(Fault(200, {"error": "Internal"}), BadReply),
    }

    def reply(self, received: Received) -> Answer:
        params = received.params
        if received.headers.get("x-api-key", self.key) != self.key:
            return self.refused("wrong key")
        count, begin = int(params.get("limit", 100)), int(params.get("offset", 0))
        dated = re.fullmatch(f"{DAY}:{DAY}", params.get("publicationDateOrYear", ":"))
        if received.path != "/graph/v1/paper/search" or not params.get("query") or not dated or count > 100:
            return self.refused("bad parameter")
        rows = [
            {
                "paperId": str(hit.rank),
                **hit.row(title="title", url="url", abstract="snippet", publicationDate="published"),
                "tldr": None,
                "year": hit.published.year,
                "citationCount": hit.rank,
                "openAccessPdf": None,
            }
            for hit in hits(params["query"], count, page=begin // count + 1)
        ]
        if not rows:
            return Answer({"total": 0, "offset": begin})
        return Answer({"total": 60, "offset": begin, "next": begin + count, "data": rows})
