"""An API that nobody wrote a provider for, as the settings describe it when they say nothing."""

from collections.abc import Mapping
from typing import Any, ClassVar

from seekread.provider import BadReply, Unauthorized
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

DESCRIBED = {
    "method": "POST",
    "parameters": {
        "words": "{query}",
        "size": "{limit}",
        "page": "{page}",
        "only": "{allowed_domains}",
        "not": "{blocked_domains}",
        "span": {"from": "{date_from}", "to": "{date_to}"},
        "since": "{freshness}",
        "where": "{country}",
        "tongue": "lang:{language}",
        "safe": "{safe_search}",
        "kind": "{search_type}",
    },
    "headers": {"X-Token": "{key}"},
    "words": {"safe_search": {"off": "0", "strict": "1"}},
    "results": "data.items",
    "fields": {"title": "name", "url": "link", "snippet": "texts"},
}


class JsonApiSimulator(Simulator):
    """Results in the usual places, and in a mode of its own in places that have to be described."""

    name = "json_api"
    url_variable = "SEEKREAD_JSON_API_BASE_URL"
    key_variable = "JSON_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(401, {"error": "who are you?"}), Unauthorized),
        "bad parameter": Refusal(Fault(400, {"error": "no query"}), BadReply),
    }
    modes: ClassVar[Mapping[str, Mapping[str, Any]]] = {"described": DESCRIBED}

    def reply(self, received: Received) -> Answer:
        keys = {received.headers.get("authorization"), received.headers.get("x-token")}
        if not keys & {f"Bearer {self.key}", self.key}:
            return self.refused("wrong key")
        asked = received.params or received.json
        if received.method == "GET":
            found = hits(asked.get("q", ""), int(asked.get("count", 10)))
            return Answer({"results": [hit.row(title="title", url="url", snippet="snippet") for hit in found]})
        if not asked.get("words"):
            return self.refused("bad parameter")
        found = hits(
            asked["words"],
            int(asked["size"]),
            page=int(asked["page"]),
            allowed=asked.get("only", ()),
            blocked=asked.get("not", ()),
        )
        rows = [{**hit.row(name="title", link="url"), "texts": hit.snippet} for hit in found]
        return Answer({"data": {"items": rows}})
