"""SearXNG as it answers on the wire."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from seekread.provider import BadReply, NotConfigured, ProviderError, RateLimited, SuspiciousEmpty
from seekread.testing.hits import hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

RULES = {
    "pageno": r"[1-9]\d*",
    "time_range": "day|week|month|year",
    "safesearch": "[012]",
    "language": r"all|auto|[a-z]{2,3}(-[a-zA-Z]{2})?",
}
PAGE = "<!doctype html><html><body><h1>SearXNG</h1></body></html>"
BLOCKED = {"results": [], "unresponsive_engines": [["google", "Suspended: CAPTCHA"], ["qwant", "timeout"]]}


class SearXNGSimulator(Simulator):
    """An instance that allows JSON; give it a key to put a guarding proxy in front."""

    name = "searxng"
    url_variable = "SEARXNG_URL"
    key_variable = None
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "JSON not allowed": Refusal(Fault(403, "<!doctype html><title>403 Forbidden</title>"), NotConfigured),
        "limiter": Refusal(Fault(429, "Too Many Requests", content_type="text/plain"), RateLimited),
        "bad parameter": Refusal(Fault(400, {"error": "Invalid value x for parameter time_range"}), BadReply),
        "bot check": Refusal(Fault(302, "", {"location": "/"}), BadReply),
        "web page instead of JSON": Refusal(Fault(200, PAGE), BadReply),
        "engines blocked": Refusal(Fault(200, {"query": "x", **BLOCKED}), SuspiciousEmpty),
        "no row has an address": Refusal(Fault(200, {"results": [{"url": None, "title": "x"}]}), SuspiciousEmpty),
    }

    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {
        "status 403": NotConfigured,
        "status 404": NotConfigured,
    }

    def reply(self, received: Received) -> Answer:
        params = received.params
        if not params.get("q"):
            return Answer({"error": "No query"}, 400)
        for name, rule in RULES.items():
            if name in params and not re.fullmatch(rule, params[name]):
                return Answer({"error": f"Invalid value {params[name]} for parameter {name}"}, 400)
        if params.get("format") != "json":
            return Answer(PAGE)
        if "text/html" not in received.headers.get("accept", "*/*") or "accept-language" not in received.headers:
            return Answer("Too Many Requests", 429, content_type="text/plain")
        found = hits(params["q"], 10, page=int(params.get("pageno", 1)))
        return Answer(
            {
                "query": params["q"],
                "results": [self.row(hit, params) for hit in found],
                "answers": [],
                "corrections": [],
                "infoboxes": [],
                "suggestions": [f"{params['q']} news"],
                "unresponsive_engines": [],
            }
        )

    def row(self, hit: Any, params: Mapping[str, str]) -> dict[str, Any]:
        """One merged result."""
        return {
            "url": hit.url,
            "title": hit.title,
            "content": hit.snippet,
            "engine": "brave",
            "engines": ["brave", "duckduckgo"],
            "positions": [hit.rank],
            "score": round(2 / hit.rank, 4),
            "category": params.get("categories", "general"),
            "publishedDate": f"{hit.published}T09:12:00" if params.get("categories") == "news" else None,
            "thumbnail": "",
            "template": "default.html",
            "parsed_url": ["https", hit.url.split("/")[2], "/", "", "", ""],
        }
