"""
Perplexity's search API: `Perplexity(api_key=TOKEN, base_url="http://127.0.0.1:8787/compat/perplexity")`.

Reference: https://docs.perplexity.ai/api-reference/search-post
"""

import uuid
from collections.abc import Mapping
from itertools import chain, zip_longest
from typing import Any, ClassVar

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seekread.errors import InvalidQuery
from seekread.models import SearchResponse, SearchResult
from seekread.outcomes import MEANINGS
from seekread.server.dialects.dialect import Dialect, Texts, longest_text, search, sent
from seekread.server.dialects.offers import Foreign, answered
from seekread.server.dialects.tbs import american_day
from seekread.server.problems import Problem

MOST_QUERIES = 5


class PerplexitySearch(Foreign):
    """What `/search` is sent."""

    refused: ClassVar = {
        "last_updated_after_filter": "send search_after_date_filter",
        "last_updated_before_filter": "send search_before_date_filter",
    }

    query: Texts
    max_results: int = Field(default=10, ge=1)
    search_domain_filter: Texts = ()
    search_language_filter: Texts = ()
    search_recency_filter: str | None = None
    search_after_date_filter: str | None = None
    search_before_date_filter: str | None = None
    country: str | None = None


async def perplexity_search(request: Request) -> Response:
    asked = await sent(request, PerplexitySearch)
    if not 1 <= len(asked.query) <= MOST_QUERIES:
        raise InvalidQuery(f"send between 1 and {MOST_QUERIES} queries, not {len(asked.query)}")
    options = {
        "limit": asked.max_results,
        "allowed_domains": [domain for domain in asked.search_domain_filter if not domain.startswith("-")],
        "blocked_domains": [domain[1:] for domain in asked.search_domain_filter if domain.startswith("-")],
        "language": asked.search_language_filter[0] if asked.search_language_filter else None,
        "country": asked.country,
        **recency(asked),
    }
    responses = [await search(query, **options) for query in asked.query]
    results = [row(result) for result in merged(responses)[: asked.max_results]]
    return answered({"id": str(uuid.uuid4()), "results": results, "server_time": None}, asked)


def recency(asked: PerplexitySearch) -> dict[str, Any]:
    """How old results may be; an hour is a day to every other engine."""
    if asked.search_recency_filter:
        return {"freshness": "day" if asked.search_recency_filter == "hour" else asked.search_recency_filter}
    after, before = asked.search_after_date_filter, asked.search_before_date_filter
    return {"date_from": american_day(after), "date_to": american_day(before)}


def merged(responses: list[SearchResponse]) -> list[SearchResult]:
    """The best of every query first, each address once."""
    rows = chain.from_iterable(zip_longest(*(response.results for response in responses)))
    return list({result.url: result for result in reversed([row for row in rows if row])}.values())[::-1]


def row(result: SearchResult) -> dict[str, Any]:
    return {
        "title": result.title,
        "url": result.url,
        "snippet": longest_text(result),
        "date": result.published_date,
        "last_updated": None,
    }


def failure(problem: Problem, headers: Mapping[str, str]) -> Response:
    """A failure as its clients understand it; they ask again by themselves unless they are told that it is no use."""
    code = problem.outcome or problem.type.rpartition(":")[2]
    worth_it = problem.outcome == "overloaded" or (problem.outcome and MEANINGS[problem.outcome].step == "retry")
    error = {"message": problem.detail or problem.title, "type": code, "code": problem.status}
    return JSONResponse(
        {"error": error}, problem.status, {"x-should-retry": "true" if worth_it else "false", **headers}
    )


DIALECT = Dialect(
    name="perplexity",
    prefixes=("/compat/perplexity",),
    routes=(Route("/compat/perplexity/search", perplexity_search, methods=["POST"]),),
    failure=failure,
)
