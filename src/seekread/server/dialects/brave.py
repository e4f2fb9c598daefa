"""
Brave's web and news search: `http://127.0.0.1:8787/compat/brave/res/v1/web/search`, a token as `X-Subscription-Token`.

Some clients are given the whole address of the endpoint and others the place before it, so both are the web search.

Reference: https://api-dashboard.search.brave.com/documentation
"""

import time
import uuid
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlsplit

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seekread.errors import InvalidQuery
from seekread.models import SearchResponse, SearchResult
from seekread.options import SEARCH
from seekread.server.dialects.dialect import Dialect, Texts, search, sent_somehow, two_letters
from seekread.server.dialects.offers import Foreign, absent, answered, only
from seekread.server.keys import HeaderKey
from seekread.server.problems import Problem

ROOT = "/compat/brave/res/v1"
AGES = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}
LANGUAGES = {"jp": "ja", "zh-hans": "zh-CN", "zh-hant": "zh-TW"}
"""Codes of theirs that are nobody else's."""
SECTIONS = ("web", "query")
CODES: Mapping[int, tuple[int, str]] = {
    400: (422, "VALIDATION"),
    401: (422, "SUBSCRIPTION_TOKEN_INVALID"),
    429: (429, "RATE_LIMITED"),
}
"""What the service calls its errors, and the status it gives them: to it, a wrong key is a wrong parameter."""


class BraveSearch(Foreign):
    """What a search is sent, in its address or as JSON."""

    refused: ClassVar = {
        "goggles": "write operators such as site: into q",
        "goggles_id": "write operators such as site: into q",
        "summary": "let your model sum it up",
        "enable_rich_callback": "ask for web results",
    }
    known: ClassVar = frozenset({"text_decorations", "operators", "include_fetch_metadata", "ui_lang", "spellcheck"})

    q: str
    count: int = Field(default=20, ge=1)
    offset: int = Field(default=0, ge=0, lt=SEARCH["page"].most)
    country: str | None = None
    search_lang: str | None = None
    safesearch: str | None = None
    freshness: str | None = None
    result_filter: Texts = ()
    extra_snippets: bool = False


async def web_search(request: Request) -> Response:
    asked = await sent_somehow(request, BraveSearch)
    sections = {name.strip() for text in asked.result_filter for name in text.split(",")}
    only("result_filter", filter(None, sections), SECTIONS)
    response = await found(asked)
    body = {"type": "search", "query": about_query(asked, response)}
    rows = [row(result, "search_result", asked) for result in response.results]
    # Their reply to a search without hits has no such section, and not an empty one.
    web = {"web": {"type": "search", "results": rows, "family_friendly": True}} if rows else {}
    return answered({**body, **web}, asked)


async def news_search(request: Request) -> Response:
    asked = await sent_somehow(request, BraveSearch)
    response = await found(asked, search_type="news")
    rows = [row(result, "news_result", asked) for result in response.results]
    return answered({"type": "news", "query": about_query(asked, response), "results": rows}, asked)


async def found(asked: BraveSearch, **options: Any) -> SearchResponse:
    """The answer of the engine."""
    language = (asked.search_lang or "").lower()
    return await search(
        asked.q,
        limit=asked.count,
        page=asked.offset + 1,
        country=two_letters(asked.country),
        language=LANGUAGES.get(language, asked.search_lang),
        safe_search=asked.safesearch,
        **recency(asked.freshness),
        **options,
    )


def recency(freshness: str | None) -> dict[str, Any]:
    """`pw`, or two days with `to` between them."""
    if not freshness or freshness in AGES:
        return {"freshness": AGES.get(freshness or "")}
    first, between, last = freshness.partition("to")
    if not between:
        raise InvalidQuery(f"freshness is pd, pw, pm, py or 2026-10-01to2026-10-31, not {freshness[:30]!r}")
    return {"date_from": first, "date_to": last}


def about_query(asked: BraveSearch, response: SearchResponse) -> dict[str, Any]:
    more = len(response.results) >= asked.count and asked.offset + 1 < SEARCH["page"].most
    return {"original": asked.q, "more_results_available": more, "spellcheck_off": True}


def row(result: SearchResult, kind: str, asked: BraveSearch) -> dict[str, Any]:
    host = urlsplit(result.url).hostname or ""
    shown = {
        "type": kind,
        "title": result.title,
        "url": result.url,
        "description": result.snippet,
        "page_age": f"{result.published_date}T00:00:00" if result.published_date else None,
        "age": result.age or result.published_date,
        "extra_snippets": list(result.extra_snippets) if asked.extra_snippets and result.extra_snippets else None,
        "profile": {"name": host, "long_name": host, "url": result.url},
        "meta_url": {"scheme": urlsplit(result.url).scheme, "netloc": host, "hostname": host},
    }
    return {name: value for name, value in shown.items() if value is not None}


def failure(problem: Problem, headers: Mapping[str, str]) -> Response:
    """A failure as its clients understand it."""
    status, code = CODES.get(problem.status) or (problem.status, problem.type.rpartition(":")[2].upper())
    error = {"id": str(uuid.uuid4()), "status": status, "code": code, "detail": problem.detail or problem.title}
    body = {"type": "ErrorResponse", "error": error, "time": int(time.time())}
    return JSONResponse(body, status, dict(headers))


DIALECT = Dialect(
    name="brave",
    prefixes=("/compat/brave",),
    routes=(
        *(Route(path, web_search, methods=["GET", "POST"]) for path in ("/compat/brave", f"{ROOT}/web/search")),
        Route(f"{ROOT}/news/search", news_search, methods=["GET", "POST"]),
        *(
            absent(f"{ROOT}/{path}", "search the web or the news")
            for path in ("images/search", "videos/search", "llm/context", "summarizer/search", "chat/completions")
        ),
    ),
    failure=failure,
    keys=(HeaderKey("X-Subscription-Token"),),
)
