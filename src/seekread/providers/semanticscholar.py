"""
Semantic Scholar: papers of every field with their abstracts and citations.

Reference: https://api.semanticscholar.org/api-docs/graph
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from seekread.provider import (
    Call,
    Found,
    KnownAnswer,
    Params,
    Query,
    Reply,
    Request,
    Scope,
    SearchResult,
    SecretStr,
    Wish,
    setting,
)
from seekread.providers.json_paths import rows_at

FIELDS = "title,url,abstract,tldr,year,publicationDate,venue,citationCount,openAccessPdf"


@dataclass(frozen=True)
class SemanticScholar:
    """Search the papers of Semantic Scholar."""

    api_key: SecretStr | None = setting(
        None, env=("SEMANTIC_SCHOLAR_API_KEY", "S2_API_KEY"), about="API key; without it all share one allowance."
    )
    base_url: str = setting("https://api.semanticscholar.org/graph/v1", about="Where the API answers.")
    delay_seconds: float = setting(1.0, about="Least seconds between two searches.")

    name: ClassVar[str] = "semanticscholar"
    label: ClassVar[str] = "Semantic Scholar"
    known_answers: ClassVar[tuple[KnownAnswer, ...]] = (KnownAnswer("deep learning", "semanticscholar.org"),)
    scope: ClassVar[Scope] = "corpus"
    by_name: ClassVar[bool] = True
    max_results: ClassVar[int] = 100
    max_query: ClassVar[int] = 300
    honours: ClassVar[frozenset[Wish]] = frozenset({"dates", "page"})
    caveat: ClassVar[str] = "papers, not the web; without a key it is often busy"

    def search(self, query: Query) -> Call[Found]:
        params: Params = {
            # A word with a hyphen finds nothing.
            "query": query.text.replace("-", " "),
            "limit": query.limit,
            "offset": (query.page - 1) * query.limit or None,
            "fields": FIELDS,
            "publicationDateOrYear": span(query),
        }
        headers = {"x-api-key": self.api_key.get_secret_value() if self.api_key else None}
        return Call(Request("GET", f"{self.base_url}/paper/search", params=params, headers=headers), parse_results)


def span(query: Query) -> str | None:
    """The first and the last day, of which either may be left open."""
    dated = query.date_from or query.date_to
    return f"{query.date_from or ''}:{query.date_to or ''}" if dated else None


def parse_results(reply: Reply) -> Found:
    data = reply.json()
    match data:
        # A list without hits may be left out.
        case {"total": 0} if "data" not in data:
            return Found(())
    return Found([result(row) for row in rows_at(data, "data")])


def result(row: Mapping[str, Any]) -> SearchResult:
    summary, cited = (row.get("tldr") or {}).get("text"), row.get("citationCount")
    texts = [text for text in (summary, row.get("abstract"), row.get("venue"), "no abstract") if text]
    return SearchResult(
        title=row["title"] or "",
        url=row["url"],
        snippet=texts[0],
        extra_snippets=(row["abstract"],) if summary and row.get("abstract") else (),
        published_date=row.get("publicationDate"),
        age=str(row.get("year") or ""),
        flags=(f"cited by {cited}",) if cited else (),
    )
