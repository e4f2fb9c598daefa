"""
Tavily's API: `TavilyClient(api_key=TOKEN, api_base_url="http://127.0.0.1:8787/compat/tavily")`.

Reference: https://docs.tavily.com/documentation/api-reference/introduction
"""

import time
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seekread.errors import InvalidQuery
from seekread.models import Page, SearchResponse
from seekread.page.plain import plain_text
from seekread.providers.countries import NAMES
from seekread.render.failure import explain_page
from seekread.server.dialects import tavily_sites
from seekread.server.dialects.dialect import Dialect, Texts, longest_text, open_each, scores, search, sent
from seekread.server.dialects.offers import Foreign, absent, answered, not_offered, only
from seekread.server.keys import FieldKey
from seekread.server.problems import Problem

MOST_URLS = 20
TOPICS = ("general", "news", "finance")
"""Finance is a general search to every other engine."""


class TavilySearch(Foreign):
    """What `/search` is sent."""

    refused: ClassVar = {"exact_match": "put the phrase into quotation marks in the query"}
    known: ClassVar = frozenset({"api_key", "search_depth", "chunks_per_source", "timeout", "include_usage"})

    query: str
    topic: str = "general"
    max_results: int = Field(default=5, ge=0)
    time_range: str | None = None
    days: int | None = Field(default=None, ge=1, le=3650)
    start_date: str | None = None
    end_date: str | None = None
    include_domains: Texts = ()
    exclude_domains: Texts = ()
    country: str | None = None
    language: str | None = None
    safe_search: bool | None = None
    include_answer: bool | str = False
    include_raw_content: bool | Literal["markdown", "text"] = False


class Extract(Foreign):
    """What `/extract` is sent."""

    known: ClassVar = frozenset({"api_key", "extract_depth", "chunks_per_source", "timeout", "include_usage"})

    urls: Texts
    query: str | None = None
    format: Literal["markdown", "text"] = "markdown"


async def tavily_search(request: Request) -> Response:
    asked, started = await sent(request, TavilySearch), time.perf_counter()
    response = await search(
        asked.query,
        limit=max(1, asked.max_results),
        search_type="news" if only("topic", [asked.topic], TOPICS) == {"news"} else None,
        allowed_domains=asked.include_domains,
        blocked_domains=asked.exclude_domains,
        country=country_code(asked.country),
        language=asked.language,
        safe_search="strict" if asked.safe_search else None,
        **recency(asked),
    )
    texts = await raw_texts(response, written(asked.include_raw_content)) if asked.include_raw_content else {}
    results = [
        {
            "title": result.title,
            "url": result.url,
            "content": longest_text(result),
            "score": score,
            "raw_content": texts.get(result.url),
            "published_date": result.published_date,
        }
        for result, score in zip(response.results, scores(response.results), strict=True)
    ]
    answer = {
        "query": asked.query,
        "follow_up_questions": None,
        "answer": response.answer if asked.include_answer else None,
        "images": [],
        "results": results if asked.max_results else [],
    }
    return answered({**answer, **timed(started)}, asked)


async def tavily_extract(request: Request) -> Response:
    asked, started = await sent(request, Extract), time.perf_counter()
    if not 1 <= len(asked.urls) <= MOST_URLS:
        raise InvalidQuery(f"send between 1 and {MOST_URLS} urls, not {len(asked.urls)}")
    pages = await open_each(asked.urls, query=asked.query)
    text_of = written(asked.format)
    read = [
        {"url": page.url, "title": page.title, "raw_content": text_of(page), "images": []}
        for page in pages
        if page.success
    ]
    failed = [{"url": page.url, "error": explain_page(page)} for page in pages if not page.success]
    return answered({"results": read, "failed_results": failed, **timed(started)}, asked)


def recency(asked: TavilySearch) -> dict[str, Any]:
    """How old results may be; an explicit range of days wins, as it does there."""
    if asked.start_date or asked.end_date:
        return {"date_from": asked.start_date, "date_to": asked.end_date}
    if asked.time_range:
        return {"freshness": asked.time_range}
    if asked.days:
        return {"date_from": f"{datetime.now(UTC) - timedelta(days=asked.days):%Y-%m-%d}"}
    return {}


def country_code(name: str | None) -> str | None:
    """Two letters for the English name that is sent."""
    if name is None or len(name) == 2:
        return name
    codes = {country: code for code, country in NAMES.items()}
    if (code := codes.get(name.strip().lower())) is None:
        raise InvalidQuery(not_offered(f"country {name[:50]!r}", "send the English name of a country, or two letters"))
    return code


def written(form: bool | str) -> Callable[[Page], str]:
    """How a page is written: as plain text if that was asked for."""
    return (lambda page: plain_text(page.content)) if form == "text" else (lambda page: page.content)


async def raw_texts(response: SearchResponse, text_of: Callable[[Page], str]) -> dict[str, str]:
    """The pages behind the results; one that cannot be read has none."""
    pages = await open_each([result.url for result in response.results])
    return {page.url: text_of(page) for page in pages if page.success}


def timed(started: float) -> dict[str, Any]:
    return {"response_time": round(time.perf_counter() - started, 3), "request_id": str(uuid.uuid4())}


def failure(problem: Problem, headers: Mapping[str, str]) -> Response:
    """A failure as its clients understand it."""
    return JSONResponse({"detail": {"error": problem.detail or problem.title}}, problem.status, dict(headers))


DIALECT = Dialect(
    name="tavily",
    prefixes=("/compat/tavily",),
    routes=(
        Route("/compat/tavily/search", tavily_search, methods=["POST"]),
        Route("/compat/tavily/extract", tavily_extract, methods=["POST"]),
        *tavily_sites.ROUTES,
        absent("/compat/tavily/research", "search, and extract what you found"),
    ),
    failure=failure,
    keys=(FieldKey("api_key"),),
)
