"""
Serper's search, news and scrape: `http://127.0.0.1:8787/compat/serper/search` with a token as `X-API-KEY`.

Reference: https://serper.dev/playground
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seekread.models import SearchResponse, SearchResult
from seekread.options import SEARCH
from seekread.page.plain import plain_text
from seekread.server.dialects.dialect import Dialect, longest_text, open_whole, search, sent, sent_somehow, two_letters
from seekread.server.dialects.offers import Foreign, absent, answered
from seekread.server.dialects.tbs import recency
from seekread.server.keys import HeaderKey
from seekread.server.problems import Problem, unread

STATUS = {401: 403}
"""Who has no key, or a wrong one, is forbidden there."""
SAFE_SEARCH = {"active": "strict", "off": "off"}
NOT_OFFERED = (
    "images",
    "videos",
    "places",
    "maps",
    "reviews",
    "shopping",
    "lens",
    "scholar",
    "patents",
    "autocomplete",
)


class SerperSearch(Foreign):
    """What a search is sent."""

    known: ClassVar = frozenset({"autocorrect", "type", "engine"})

    q: str
    num: int = Field(default=10, ge=1)
    page: int = Field(default=1, ge=1, le=SEARCH["page"].most)
    gl: str | None = None
    hl: str | None = None
    tbs: str | None = None
    safe: str | None = None


class SerperScrape(Foreign):
    """What the scrape is sent."""

    url: str
    includeMarkdown: bool = False  # noqa: N815 - the wire's name


async def serper_search(request: Request) -> Response:
    asked = await sent_somehow(request, SerperSearch)
    response = await found(asked)
    answer = {"answerBox": {"answer": response.answer}} if response.answer else {}
    rows = [row(result, rank) for rank, result in enumerate(response.results, start=1)]
    return answered({"searchParameters": about(asked, "search"), **answer, "organic": rows, "credits": 0}, asked)


async def serper_news(request: Request) -> Response:
    asked = await sent_somehow(request, SerperSearch)
    response = await found(asked, search_type="news")
    rows = [{**row(result, rank), "source": result.source} for rank, result in enumerate(response.results, start=1)]
    return answered({"searchParameters": about(asked, "news"), "news": rows, "credits": 0}, asked)


async def serper_scrape(request: Request) -> Response:
    asked = await sent(request, SerperScrape)
    page = await open_whole(asked.url)
    if not page.success:
        raise unread(page)
    facts = {"title": page.title, "description": page.metadata.get("description")}
    body = {
        "text": plain_text(page.content),
        "metadata": {name: value for name, value in facts.items() if value},
        "credits": 0,
    }
    return answered({**body, **({"markdown": page.content} if asked.includeMarkdown else {})}, asked)


async def found(asked: SerperSearch, **options: Any) -> SearchResponse:
    """The answer of the engine."""
    return await search(
        asked.q,
        limit=asked.num,
        page=asked.page,
        country=two_letters(asked.gl),
        language=asked.hl,
        safe_search=SAFE_SEARCH.get(asked.safe or "", asked.safe),
        **recency(asked.tbs),
        **options,
    )


def about(asked: SerperSearch, kind: str) -> dict[str, Any]:
    """What was asked, as the answer repeats it."""
    told = {"q": asked.q, "gl": asked.gl, "hl": asked.hl, "tbs": asked.tbs, "num": asked.num, "page": asked.page}
    return {**{name: value for name, value in told.items() if value is not None}, "type": kind, "engine": "seekread"}


def row(result: SearchResult, rank: int) -> dict[str, Any]:
    shown = {"title": result.title, "link": result.url, "snippet": longest_text(result), "position": rank}
    return {**shown, **({"date": result.published_date} if result.published_date else {})}


def failure(problem: Problem, headers: Mapping[str, str]) -> Response:
    """A failure as its clients understand it."""
    status = STATUS.get(problem.status, problem.status)
    return JSONResponse({"message": problem.detail or problem.title, "statusCode": status}, status, dict(headers))


DIALECT = Dialect(
    name="serper",
    prefixes=("/compat/serper",),
    routes=(
        Route("/compat/serper/search", serper_search, methods=["GET", "POST"]),
        Route("/compat/serper/news", serper_news, methods=["GET", "POST"]),
        Route("/compat/serper/scrape", serper_scrape, methods=["POST"]),
        *(absent(f"/compat/serper/{name}", "send search or news") for name in NOT_OFFERED),
    ),
    failure=failure,
    keys=(HeaderKey("X-API-KEY"),),
)
