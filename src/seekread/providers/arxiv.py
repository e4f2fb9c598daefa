"""
arXiv: preprints of physics, mathematics, computer science and their neighbours. No key.

Reference: https://info.arxiv.org/help/api/user-manual.html
"""

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from seekread.provider import (
    BadReply,
    Call,
    Found,
    KnownAnswer,
    Query,
    Reply,
    Request,
    Scope,
    SearchResult,
    SuspiciousEmpty,
    Wish,
    setting,
)
from seekread.providers.spans import both_ends
from seekread.providers.xml_replies import words_of, xml_of

ATOM = {"": "http://www.w3.org/2005/Atom", "opensearch": "http://a9.com/-/spec/opensearch/1.1/"}
FIELDED = re.compile(r"(?<!\S)[(]?(?:ti|au|abs|co|jr|cat|rn|all):")
"""A query in arXiv's own words, which is passed on as it is."""


@dataclass(frozen=True)
class Arxiv:
    """Search the abstracts of arXiv."""

    base_url: str = setting("https://export.arxiv.org/api", about="Where the API answers.")
    delay_seconds: float = setting(3.0, about="Least seconds between two searches, as arXiv asks for.")

    name: ClassVar[str] = "arxiv"
    label: ClassVar[str] = "arXiv"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = (KnownAnswer("attention is all you need", "arxiv.org"),)
    scope: ClassVar[Scope] = "corpus"
    by_name: ClassVar[bool] = True
    at_once: ClassVar[int | None] = 1
    max_results: ClassVar[int] = 100
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "page"})
    caveat: ClassVar[str] = "preprints, not the web; nobody has to have reviewed them"

    def search(self, query: Query) -> Call[Found]:
        params = {
            "search_query": search_query(query),
            "start": (query.page - 1) * query.limit or None,
            "max_results": query.limit,
        }
        return Call(Request("GET", f"{self.base_url}/query", params=params), parse_results)


def search_query(query: Query) -> str:
    """The words in every field, and the days on which a paper was submitted."""
    text = query.text if FIELDED.search(query.text) else f"all:{query.text}"
    if ends := both_ends(query):
        return f"({text}) AND submittedDate:[{ends[0]:%Y%m%d}0000 TO {ends[1]:%Y%m%d}2359]"
    return text


def parse_results(reply: Reply) -> Found:
    feed = xml_of(reply)
    total = int(words_of(feed, "opensearch:totalResults", ATOM))
    begin = int(words_of(feed, "opensearch:startIndex", ATOM) or 0)
    results = [result(entry) for entry in feed.findall("entry", ATOM)]
    if not results and begin < total:
        raise SuspiciousEmpty(f"arXiv counts {total} papers and shows none, as it does at times")
    return Found(results)


def result(entry: Any) -> SearchResult:
    address, title, summary = (words_of(entry, name, ATOM) for name in ("id", "title", "summary"))
    if "/api/errors" in address:
        raise BadReply(f"arXiv does not understand the query: {summary}"[:200])
    if not address or not title:
        raise ValueError("an entry without title or address")
    authors = [words_of(author, "name", ATOM) for author in entry.findall("author", ATOM)]
    return SearchResult(
        title=title,
        url=address.replace("http://", "https://", 1),
        snippet=summary,
        extra_snippets=(f"By {', '.join(authors)}",) if authors else (),
        published_date=words_of(entry, "published", ATOM) or None,
    )
