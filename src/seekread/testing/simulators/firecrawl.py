"""Firecrawl as it answers on the wire."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from seekread.provider import BadReply, Blocked, ProviderError, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import NOTHING, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import NO_KEY_TO_REJECT, Refusal, Simulator


def refusal(status: int, text: str, **more: Any) -> Fault:
    """An error in Firecrawl's envelope."""
    return Fault(status, {"success": False, "error": text, **more})


PRICE = 0.00083
"""Dollars a credit."""


class FirecrawlSimulator(Simulator):
    """Search and scrape behind a bearer."""

    name = "firecrawl"
    url_variable = "SEEKREAD_FIRECRAWL_BASE_URL"
    key_variable: ClassVar[str | None] = "FIRECRAWL_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(401, "Unauthorized: Invalid token"), Unauthorized),
        "no credits": Refusal(refusal(402, "Insufficient credits"), QuotaExhausted),
        "too fast": Refusal(refusal(429, "Rate limit exceeded", retry_after_seconds=12), RateLimited),
        "day used up": Refusal(refusal(429, "free tier", reason="credits", retry_after_seconds=84289), QuotaExhausted),
        "bad parameter": Refusal(refusal(400, "Bad Request", details=[]), BadReply),
        "failure with status 200": Refusal(refusal(200, "Something failed"), BadReply),
    }

    # A site Firecrawl will not read is a 403.
    read_expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {"status 403": Blocked}

    def reply(self, received: Received) -> Answer:
        if received.headers.get("authorization") != f"Bearer {self.key}":
            return self.refused("wrong key")
        return self.answered(received)

    def answered(self, received: Received) -> Answer:
        """The answer to somebody who may ask."""
        body = received.json
        if received.path == "/v2/scrape":
            return self.scrape(body["url"])
        both = "includeDomains" in body and "excludeDomains" in body
        if received.path != "/v2/search" or both or len(body["query"]) > 500:
            return Answer({"success": False, "error": "Bad Request", "details": []}, 400)
        found = hits(
            body["query"],
            body.get("limit", 5),
            allowed=body.get("includeDomains", ()),
            blocked=body.get("excludeDomains", ()),
        )
        if {"type": "news"} in body.get("sources", []):
            rows = [
                {"title": hit.title, "url": hit.url, "snippet": hit.snippet, "date": "2 days ago", "position": hit.rank}
                for hit in found
            ]
            return self.found({"news": rows}, len(rows))
        rows = [{"url": hit.url, "title": hit.title, "description": hit.snippet, "position": hit.rank} for hit in found]
        return self.found({"web": rows}, len(rows))

    def found(self, data: Mapping[str, Any], number: int) -> Answer:
        """So many results, which cost two credits for every ten."""
        used = 2 * max(1, -(-number // 10))
        return Answer({"success": True, "data": data, "warning": None, "creditsUsed": used}, price=used * PRICE)

    def scrape(self, url: str) -> Answer:
        """A page as Markdown; an address with the magic word answers with a 404 of its own."""
        status = 404 if NOTHING in url else 200
        about = {"title": f"Page {url}", "sourceURL": url, "url": url, "statusCode": status, "contentType": "text/html"}
        page = {"markdown": f"# Page\n\nText of {url}", "metadata": {**about, "creditsUsed": 1}}
        return Answer({"success": True, "data": page}, price=PRICE)


class KeylessFirecrawlSimulator(FirecrawlSimulator):
    """The same for those without a key, which costs nobody a credit."""

    name = "firecrawl keyless"
    key_variable = None
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "too fast": Refusal(refusal(429, "Rate limit exceeded", retry_after_seconds=12), RateLimited),
        "day used up": Refusal(
            refusal(429, "keyless free tier", reason="credits", retry_after_seconds=84289), QuotaExhausted
        ),
        "a key": Refusal(refusal(401, "Unauthorized: Invalid token"), Blocked),
    }
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = NO_KEY_TO_REJECT

    def settings(self) -> dict[str, Any]:
        return {"base_url": self.base_url, "api_key": None}

    def reply(self, received: Received) -> Answer:
        if "authorization" in received.headers:
            return self.refused("a key")
        return replace(self.answered(received), price=0.0)
