"""Tavily as it answers on the wire."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, time
from email.utils import format_datetime
from itertools import count
from typing import Any, ClassVar

from seekread.provider import BadReply, Blocked, ProviderError, QuotaExhausted, RateLimited, Unauthorized
from seekread.testing.hits import NOTHING, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import NO_KEY_TO_REJECT, Refusal, Simulator

ALLOWED: dict[str, set[Any]] = {
    "search_depth": {"basic", "advanced", "fast", "ultra-fast"},
    "topic": {"general", "news", "finance"},
    "time_range": {"day", "week", "month", "year", "d", "w", "m", "y"},
    "max_results": set(range(21)),
}


def beyond(body: Mapping[str, Any]) -> bool:
    """Whether a list is longer than Tavily takes, or the depth has no safe search."""
    unsafe = "safe_search" in body and body.get("search_depth") in {"fast", "ultra-fast"}
    return unsafe or len(body.get("include_domains", ())) > 300 or len(body.get("exclude_domains", ())) > 150


def refusal(status: int, text: str) -> Fault:
    """An error in Tavily's envelope."""
    return Fault(status, {"detail": {"error": text}})


PRICE = 0.008
"""Dollars a credit."""


class TavilySimulator(Simulator):
    """Search and extract, with the key as a bearer or in the body."""

    name = "tavily"
    url_variable = "SEEKREAD_TAVILY_BASE_URL"
    key_variable: ClassVar[str | None] = "TAVILY_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(401, "Unauthorized: missing or invalid API key."), Unauthorized),
        "bad parameter": Refusal(refusal(400, "Invalid topic."), BadReply),
        "too fast": Refusal(refusal(429, "Your request has been blocked due to excessive requests."), RateLimited),
        "plan used up": Refusal(refusal(432, "This request exceeds your plan's set usage limit."), QuotaExhausted),
        "pay-as-you-go used up": Refusal(refusal(433, "This request exceeds the pay-as-you-go limit."), QuotaExhausted),
    }

    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {"null instead of rows": None}

    def __init__(self, *, port: int = 0, key: str | None = None) -> None:
        super().__init__(port=port, key=key)
        self._read = count(1)

    def reply(self, received: Received) -> Answer:
        body = received.json
        bearer = received.headers.get("authorization", "").removeprefix("Bearer ")
        if self.key not in {bearer, body.get("api_key")}:
            return self.refused("wrong key")
        return self.answered(received)

    def answered(self, received: Received) -> Answer:
        """The answer to somebody who may ask."""
        body = received.json
        if any(name in body and body[name] not in values for name, values in ALLOWED.items()) or beyond(body):
            return Answer({"detail": {"error": "Invalid parameter."}}, 400)
        if received.path == "/extract":
            return self.extract(body)
        if received.path != "/search" or not body.get("query"):
            return Answer({"detail": {"error": "Not found"}}, 404)
        return self.search(body)

    def search(self, body: Mapping[str, Any]) -> Answer:
        """Hits for a query."""
        found = hits(
            body["query"],
            body.get("max_results", 5),
            allowed=body.get("include_domains", ()),
            blocked=body.get("exclude_domains", ()),
        )
        with_dates = body.get("topic") == "news" or body.get("include_published_date")
        rows = [
            {
                "title": hit.title,
                "url": hit.url,
                "content": hit.snippet,
                "score": round(1 / (hit.rank + 1), 4),
                "raw_content": None,
                **({"published_date": rfc_date(hit.published)} if with_dates else {}),
            }
            for hit in found
        ]
        answer = f"A short answer about {body['query']}." if body.get("include_answer") else None
        used = 2 if body.get("search_depth") == "advanced" else 1
        return Answer(
            {
                "query": body["query"],
                "follow_up_questions": None,
                "answer": answer,
                "images": [],
                "results": rows,
                "response_time": 0.01,
                "request_id": "4c1f",
                **usage(body, used),
            },
            price=used * PRICE,
        )

    def extract(self, body: Mapping[str, Any]) -> Answer:
        """Pages as Markdown, a credit for every fifth; an address with the magic word cannot be read."""
        urls = body["urls"]
        read = [url for url in urls if NOTHING not in url]
        fifths = sum(next(self._read) % 5 == 0 for _ in read)
        used = fifths * (2 if body.get("extract_depth") == "advanced" else 1)
        return Answer(
            {
                "results": [
                    {"url": url, "title": f"Page {url}", "raw_content": f"# Page\n\nText of {url}"} for url in read
                ],
                "failed_results": [{"url": url, "error": "Failed to fetch url"} for url in urls if url not in read],
                "response_time": 0.01,
                "request_id": "4c20",
                **usage(body, used),
            },
            price=used * PRICE,
        )


def usage(body: Mapping[str, Any], used: int) -> dict[str, Any]:
    return {"usage": {"credits": used}} if body.get("include_usage") else {}


def rfc_date(day: Any) -> str:
    return format_datetime(datetime.combine(day, time(9, 12), UTC), usegmt=True)


CAP = {"code": "hourly_cap_reached", "message": "Hourly cap reached.", "window": "hour", "retry_after_seconds": 40}


class KeylessTavilySimulator(TavilySimulator):
    """The same for those who say that they have no key."""

    name = "tavily keyless"
    key_variable = None
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "hour used up": Refusal(Fault(429, {"error": CAP}), RateLimited),
        "day used up": Refusal(Fault(429, {"error": {**CAP, "retry_after_seconds": 80_000}}), QuotaExhausted),
        "not keyless": Refusal(Fault(401, {"error": {"code": "unauthorized", "message": "no key"}}), Blocked),
    }
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = {**TavilySimulator.expected, **NO_KEY_TO_REJECT}

    def settings(self) -> dict[str, Any]:
        return {"base_url": self.base_url, "api_key": None}

    def reply(self, received: Received) -> Answer:
        mode = received.headers.get("x-tavily-access-mode")
        if mode != "keyless" or "authorization" in received.headers or "api_key" in received.json:
            return self.refused("not keyless")
        return replace(self.answered(received), price=0.0)
