"""Serper as it answers on the wire."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from seekread.provider import BadReply, QuotaExhausted, Unauthorized
from seekread.testing.hits import NOTHING, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import Refusal, Simulator

SPAN = r"qdr:[hdwmy]|cdr:1,cd_min:\d\d/\d\d/\d{4},cd_max:\d\d/\d\d/\d{4}"


def refusal(status: int, text: str) -> Fault:
    """An error in Serper's envelope."""
    return Fault(status, {"message": text, "statusCode": status})


PRICE = 0.001


def scraped(body: Mapping[str, Any]) -> Answer:
    """A page as text and as Markdown, for two credits; with the magic word in its address it has no text."""
    text = "" if NOTHING in body["url"] else f"Text of {body['url']}"
    markdown = {"markdown": f"# Page\n\n{text}" if text else ""} if body.get("includeMarkdown") else {}
    told = {"text": text, **markdown, "metadata": {"title": f"Page {body['url']}"}, "credits": 2}
    return Answer(told, price=2 * PRICE)


class SerperSimulator(Simulator):
    """Web and news results, and pages, behind `X-API-KEY`."""

    name = "serper"
    url_variable = "SEEKREAD_SERPER_BASE_URL"
    key_variable = "SERPER_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(refusal(403, "Unauthorized."), Unauthorized),
        "no credits": Refusal(refusal(400, "Not enough credits"), QuotaExhausted),
        "bad parameter": Refusal(refusal(400, "Query pattern not allowed"), BadReply),
    }

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "scrape_url": f"{self.url}/scrape"}

    def environment(self) -> dict[str, str]:
        return {**super().environment(), "SEEKREAD_SERPER_SCRAPE_URL": f"{self.url}/scrape"}

    def reply(self, received: Received) -> Answer:
        body = received.json
        if received.headers.get("x-api-key") != self.key:
            return self.refused("wrong key")
        if received.path == "/scrape":
            return scraped(body)
        section = {"/search": "organic", "/news": "news"}.get(received.path)
        if not section or not body.get("q") or not re.fullmatch(SPAN, body.get("tbs", "qdr:d")):
            return self.refused("bad parameter")
        rows = [
            {
                "position": hit.rank,
                "title": hit.title,
                "link": hit.url,
                "snippet": hit.snippet,
                "date": f"{hit.published:%b} {hit.published.day}, {hit.published.year}",
            }
            for hit in hits(body["q"], body.get("num", 10), page=body.get("page", 1))
        ]
        asked = {"q": body["q"], "type": "search", "engine": "google"}
        used = 2 if body.get("num", 10) > 10 else 1
        told = {"searchParameters": asked, **({section: rows} if rows else {}), "credits": used}
        return Answer(told, price=used * PRICE)
