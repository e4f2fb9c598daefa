"""The E-utilities of the NCBI as they answer on the wire."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar
from xml.sax.saxutils import escape

from seekread.provider import BadReply, ProviderError, RateLimited, Unauthorized
from seekread.testing.hits import Hit, hits
from seekread.testing.server import Answer, Fault, Received
from seekread.testing.simulators.simulator import ROW_FAULTS, Refusal, Simulator

DAY = r"\d{4}/\d\d/\d\d"


def told(body: Any, text: str) -> Any:
    """Another text instead of the articles; the search that named them stays as it is."""
    return text if isinstance(body, str) else body


def article(hit: Hit) -> str:
    """One article."""
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{9000 + hit.rank}</PMID><Article><Journal><Title>A Journal</Title>"
        f"<JournalIssue><PubDate><Year>{hit.published.year}</Year><Month>{hit.published:%b}</Month>"
        f"<Day>{hit.published.day:02}</Day></PubDate></JournalIssue></Journal>"
        f"<ArticleTitle>{escape(hit.title)}</ArticleTitle><Abstract><AbstractText>{escape(hit.snippet)}</AbstractText>"
        "</Abstract></Article></MedlineCitation></PubmedArticle>"
    )


class PubMedSimulator(Simulator):
    """A search that names articles, and a call that tells about them; a key is welcome in the address."""

    name = "pubmed"
    prefix = "/entrez/eutils"
    url_variable = "SEEKREAD_PUBMED_BASE_URL"
    key_variable = "NCBI_API_KEY"
    refusals: ClassVar[Mapping[str, Refusal]] = {
        "wrong key": Refusal(Fault(400, {"error": "API key invalid", "count": "1"}), Unauthorized),
        "bad parameter": Refusal(Fault(200, {"esearchresult": {"ERROR": "Empty term"}}), BadReply),
        "too fast": Refusal(Fault(429, {"error": "API rate limit exceeded", "limit": "3"}), RateLimited),
        "no article": Refusal(Fault(change=lambda body: told(body, "<PubmedArticleSet/>")), BadReply),
        "no XML": Refusal(Fault(change=lambda body: told(body, "<html><p>busy")), BadReply),
        "numbers that are none": Refusal(Fault(200, {"esearchresult": {"count": "1", "idlist": [None]}}), BadReply),
        "numbers in no list": Refusal(Fault(200, {"esearchresult": {"count": "1", "idlist": {}}}), BadReply),
    }
    expected: ClassVar[Mapping[str, type[ProviderError] | None]] = ROW_FAULTS

    def __init__(self, *, port: int = 0, key: str | None = None) -> None:
        super().__init__(port=port, key=key)
        self.named: dict[str, Hit] = {}

    def reply(self, received: Received) -> Answer:
        params = received.params
        if params.get("api_key", self.key) != self.key:
            return self.refused("wrong key")
        if received.path == "/entrez/eutils/efetch.fcgi":
            articles = [article(self.named[number]) for number in params["id"].split(",")]
            kind = '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" "https://dtd.example/pubmed.dtd">'
            return Answer(f'<?xml version="1.0"?>{kind}<PubmedArticleSet>{"".join(articles)}</PubmedArticleSet>')
        days = all(re.fullmatch(DAY, params.get(name, "2026/01/01")) for name in ("mindate", "maxdate"))
        if received.path != "/entrez/eutils/esearch.fcgi" or not params.get("term") or not days:
            return self.refused("bad parameter")
        count, begin = int(params.get("retmax", 20)), int(params.get("retstart", 0))
        found = {str(9000 + hit.rank): hit for hit in hits(params["term"], count, page=begin // count + 1)}
        self.named.update(found)
        return Answer({"header": {}, "esearchresult": {"count": str(len(found)), "idlist": list(found)}})
