"""arXiv as it answers on the wire."""

import re
from collections.abc import Mapping
from typing import ClassVar
from xml.sax.saxutils import escape

from seekread.provider import BadReply, ProviderError, SuspiciousEmpty, Unreachable
from seekread.testing.hits import Hit, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import ROW_FAULTS, Refusal, Simulator

DAYS = re.compile(r"\((?P<text>.*)\) AND submittedDate:\[\d{12} TO \d{12}\]", re.DOTALL)


def feed(entries: str, total: int, begin: int = 0) -> str:
    """A page of results."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        "<title>ArXiv Query</title><id>http://arxiv.org/api/x</id>"
        f'<opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">{total}'
        "</opensearch:totalResults>"
        f'<opensearch:startIndex xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">{begin}'
        f"</opensearch:startIndex>{entries}</feed>"
    )


def entry(hit: Hit) -> str:
    """One paper, with the line breaks a real one has."""
    return (
        f"<entry><id>http://arxiv.org/abs/2610.{hit.rank:05}v1</id><updated>{hit.published}T10:00:00Z</updated>"
        f"<published>{hit.published}T09:12:00Z</published><title>{escape(hit.title)}</title>"
        f"<summary>  {escape(hit.snippet)}\n</summary><author><name>Ada Author</name></author>"
        f'<link title="pdf" href="http://arxiv.org/pdf/2610.{hit.rank:05}v1" rel="related"/></entry>'
    )


MISTAKE = "<entry><id>http://arxiv.org/api/errors#incorrect</id><title>Error</title><summary>bad</summary></entry>"
LAUGH = "<entry><id>http://arxiv.org/abs/1</id><title>One &a;</title></entry>"
BOMB = '<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "aaaa">]>' + feed(LAUGH, 1).partition("\n")[2]


class ArxivSimulator(Simulator):
    """Abstracts as an Atom feed."""

    name = "arxiv"
    prefix = "/api"
    url_variable = "SEEKREAD_ARXIV_BASE_URL"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "error as an entry": Refusal(Fault(200, feed(MISTAKE, 1)), BadReply),
        "error with its status": Refusal(Fault(400, feed(MISTAKE, 1)), BadReply),
        "too fast": Refusal(Fault(503, "Rate exceeded."), Unreachable),
        "a page that is missing": Refusal(Fault(200, feed("", 812)), SuspiciousEmpty),
        "no count": Refusal(Fault(200, '<feed xmlns="http://www.w3.org/2005/Atom"/>'), BadReply),
        "another feed": Refusal(Fault(200, "<rss><channel><item/></channel></rss>"), BadReply),
        "an entry without fields": Refusal(Fault(200, feed("<entry/>", 1)), BadReply),
        "entities of its own": Refusal(Fault(200, BOMB), BadReply),
        "half a feed": Refusal(Fault(200, feed("", 0)[:90]), BadReply),
    }
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = ROW_FAULTS

    def reply(self, received: Received) -> Answer:
        params = received.params
        dated = DAYS.fullmatch(asked) if (asked := params.get("search_query", "")) else None
        text = dated["text"] if dated else asked
        if received.path != "/api/query" or not text.startswith("all:"):
            return self.refused("error with its status")
        count, begin = int(params.get("max_results", 10)), int(params.get("start", 0))
        found = hits(text.removeprefix("all:"), count, page=begin // count + 1)
        body = feed("".join(map(entry, found)), 60 if found else 0, begin)
        return Answer(body, content_type="application/atom+xml; charset=utf-8")
