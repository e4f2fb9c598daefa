"""A MediaWiki as it answers on the wire."""

from collections.abc import Mapping
from typing import ClassVar

from seekread.provider import BadReply, RateLimited, Unauthorized, Unreachable
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator


def refusal(code: str, info: str) -> Fault:
    """An error as MediaWiki sends it: with status 200."""
    return Fault(200, {"error": {"code": code, "info": info}}, {"MediaWiki-API-Error": code})


class WikipediaSimulator(Simulator):
    """`list=search` of a wiki; the language arrives as `uselang`, since loopback has no subdomains."""

    name = "wikipedia"
    url_variable = "SEEKREAD_WIKIPEDIA_BASE_URL"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "bad parameter": Refusal(refusal("badvalue", "Unrecognized value for parameter srwhat"), BadReply),
        "too fast": Refusal(refusal("ratelimited", "You've exceeded your rate limit."), RateLimited),
        "inner trouble": Refusal(refusal("internal_api_error_DBQueryError", "Database query error"), Unreachable),
        "nameless client": Refusal(Fault(403, "Please set a user-agent and respect our robot policy"), Unauthorized),
    }

    def reply(self, received: Received) -> Answer:
        params = received.params
        if received.headers.get("user-agent", "").startswith("python") or "user-agent" not in received.headers:
            return self.refused("nameless client")
        if received.path != "/w/api.php" or params.get("list") != "search" or not params.get("srsearch"):
            return self.refused("bad parameter")
        count, offset = int(params.get("srlimit", 10)), int(params.get("sroffset", 0))
        found = hits(params["srsearch"], count, page=offset // count + 1)
        rows = [
            {
                "ns": 0,
                "title": hit.title,
                "pageid": hit.rank,
                "size": 1000,
                "wordcount": 150,
                "snippet": f'<span class="searchmatch">Text</span> &amp; words: {hit.snippet}',
                "timestamp": f"{hit.published}T09:12:00Z",
            }
            for hit in found
        ]
        more = {"continue": {"sroffset": offset + count, "continue": "-||"}} if found else {}
        info = {"totalhits": len(found)} if found else {"totalhits": 0, "suggestion": "something"}
        return Answer({"batchcomplete": True, **more, "query": {"searchinfo": info, "search": rows}})
