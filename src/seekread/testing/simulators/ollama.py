"""Ollama's web search as it answers on the wire."""

from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, RateLimited, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator


class OllamaSimulator(Simulator):
    """Search behind a bearer."""

    name = "ollama"
    url_variable = "SEEKREAD_OLLAMA_BASE_URL"
    key_variable = "OLLAMA_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(401, {"error": "unauthorized"}), Unauthorized),
        "bad parameter": Refusal(Fault(400, {"error": "query is required"}), BadReply),
        "too much": Refusal(Fault(429, {"error": "you have reached your weekly limit"}), RateLimited),
    }

    def reply(self, received: Received) -> Answer:
        body = received.json
        if received.headers.get("authorization") != f"Bearer {self.key}":
            return self.refused("wrong key")
        if received.path != "/api/web_search" or not body.get("query") or body.get("max_results", 5) > 10:
            return self.refused("bad parameter")
        found = hits(body["query"], body.get("max_results", 5))
        return Answer({"results": [hit.row(title="title", url="url", content="snippet") for hit in found]})
