"""OpenAlex as it answers on the wire."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from seekread.provider import BadReply, ProviderError, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import Hit, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

PRICE = 0.001
FILTER = r"((from|to)_publication_date:\d{4}-\d\d-\d\d|language:[a-z]{2})(,|$)"


def refusal(status: int, error: str, text: str) -> Fault:
    """An error in OpenAlex's envelope."""
    return Fault(status, {"error": error, "message": text})


class OpenAlexSimulator(Simulator):
    """Works with their abstracts turned inside out; a key is welcome in the address."""

    name = "openalex"
    url_variable = "SEEKREAD_OPENALEX_BASE_URL"
    key_variable = "OPENALEX_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(401, "Invalid API key", "no such key"), Unauthorized),
        "bad parameter": Refusal(refusal(400, "Invalid query parameters error.", "no such filter"), BadReply),
        "too fast": Refusal(refusal(403, "Too fast", "slow down"), RateLimited),
        "day used up": Refusal(refusal(429, "Rate limit exceeded", "daily allowance"), QuotaExhausted),
    }
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {
        "status 403": RateLimited,
        "status 429": QuotaExhausted,
    }

    def reply(self, received: Received) -> Answer:
        params = received.params
        if params.get("api_key", self.key) != self.key:
            return self.refused("wrong key")
        wrong = not re.fullmatch(f"(?:{FILTER})*", params.get("filter", "")) or int(params.get("per_page", 25)) > 100
        if received.path != "/works" or not params.get("search") or wrong:
            return self.refused("bad parameter")
        found = hits(params["search"], int(params.get("per_page", 25)), page=int(params.get("page", 1)))
        told = {"meta": {"count": len(found), "page": 1}, "results": [self.row(hit) for hit in found]}
        return Answer(told, price=PRICE if "api_key" in params else 0.0)

    def row(self, hit: Hit) -> dict[str, Any]:
        """One work."""
        words = hit.snippet.split()
        places = {word: [at for at, other in enumerate(words) if other == word] for word in words}
        return {
            "id": f"https://openalex.org/W{hit.rank}",
            **hit.row(doi="url", display_name="title", publication_date="published"),
            "relevance_score": 100.0 - hit.rank,
            "cited_by_count": hit.rank,
            "abstract_inverted_index": places,
            "primary_location": {"landing_page_url": hit.url, "source": {"display_name": "A Journal"}},
        }
