"""
PubMed: the literature of medicine, through the E-utilities of the NCBI. A search names articles, a second call tells.

Reference: https://www.ncbi.nlm.nih.gov/books/NBK25499/
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from seekread.provider import (
    Call,
    Found,
    KnownAnswer,
    Params,
    ProviderError,
    Query,
    RateLimited,
    Reply,
    Request,
    Scope,
    SearchResult,
    SecretStr,
    Unauthorized,
    Wish,
    setting,
)
from seekread.providers.json_paths import rows_at
from seekread.providers.refusals import worded
from seekread.providers.spans import both_ends
from seekread.providers.xml_replies import words_of, xml_of

ARTICLE = "https://pubmed.ncbi.nlm.nih.gov/{}/"
MEANINGS = {"rate limit": RateLimited, "API key": Unauthorized}


@dataclass(frozen=True)
class PubMed:
    """Search the abstracts of PubMed."""

    api_key: SecretStr | None = setting(
        None, env="NCBI_API_KEY", about="Key of the NCBI: ten calls a second, not three."
    )
    base_url: str = setting("https://eutils.ncbi.nlm.nih.gov/entrez/eutils", about="Where the API answers.")
    contact: str | None = setting(None, env="NCBI_EMAIL", about="Mail of yours, as the NCBI likes it.")
    delay_seconds: float = setting(0.7, about="Least seconds between two searches, of two calls each.")

    name: ClassVar[str] = "pubmed"
    label: ClassVar[str] = "PubMed"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = (KnownAnswer("asthma", "pubmed.ncbi.nlm.nih.gov"),)
    scope: ClassVar[Scope] = "corpus"
    by_name: ClassVar[bool] = True
    max_results: ClassVar[int] = 100
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "page"})
    caveat: ClassVar[str] = "the literature of medicine, not the web"

    def search(self, query: Query) -> Call[Found]:
        ends = both_ends(query)
        request = self._get(
            "esearch",
            term=query.text,
            retmode="json",
            sort="relevance",
            retmax=query.limit,
            retstart=(query.page - 1) * query.limit or None,
            datetype="pdat" if ends else None,
            mindate=f"{ends[0]:%Y/%m/%d}" if ends else None,
            maxdate=f"{ends[1]:%Y/%m/%d}" if ends else None,
        )
        return Call(request, parse_numbers, explain, then=self._told)

    def _told(self, named: Found) -> Call[Found] | None:
        """The call for the articles that a search has named."""
        numbers = [result.title for result in named.results]
        if not numbers:
            return None
        request = self._get("efetch", id=",".join(numbers), retmode="xml")
        return Call(request, partial(parse_articles, named=named), explain)

    def _get(self, tool: str, **wanted: str | int | None) -> Request:
        params: Params = {"db": "pubmed", "tool": "seekread", "email": self.contact, **wanted, "api_key": self.api_key}
        return Request("GET", f"{self.base_url}/{tool}.fcgi", params=params)


def parse_numbers(reply: Reply) -> Found:
    numbers = rows_at(reply.json(), "esearchresult", "idlist")
    return Found([SearchResult(title=number, url=ARTICLE.format(number)) for number in numbers])


def parse_articles(reply: Reply, *, named: Found) -> Found:
    """Every article that was named, in that order."""
    told = {
        words_of(article, ".//PMID"): article for article in xml_of(reply).iter("PubmedArticle", "PubmedBookArticle")
    }
    return replace(named, results=[result(number.title, told[number.title]) for number in named.results])


def result(number: str, article: Any) -> SearchResult:
    texts = (words_of(part, ".") for part in article.iter("AbstractText"))
    journal = words_of(article, ".//Journal/Title")
    return SearchResult(
        title=words_of(article, ".//ArticleTitle") or words_of(article, ".//BookTitle"),
        url=ARTICLE.format(number),
        snippet=" ".join(texts) or journal or "no abstract",
        extra_snippets=(journal,) if journal else (),
        published_date=day_of(article),
    )


def day_of(article: Any) -> str | None:
    """The day of publication; the month is a number or three letters."""
    parts = [words_of(article, f".//PubDate/{part}") for part in ("Day", "Month", "Year")]
    return " ".join(filter(None, parts)) or None


def explain(reply: Reply) -> ProviderError | None:
    return worded(reply, MEANINGS)
