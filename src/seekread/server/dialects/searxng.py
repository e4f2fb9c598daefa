"""
SearXNG's JSON search: `SearxSearchWrapper(searx_host="http://:TOKEN@127.0.0.1:8787/compat/searxng")`.

There is no parameter for the number of results, so a page holds ten.

Reference: https://docs.searxng.org/dev/search_api.html
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seekread.errors import InvalidQuery
from seekread.models import SearchResponse, SearchResult
from seekread.options import SEARCH
from seekread.outcomes import is_failure
from seekread.server.dialects.dialect import Dialect, form, longest_text, scores, search
from seekread.server.dialects.offers import only
from seekread.server.keys import BasicKey
from seekread.server.problems import Problem, rejected

ON_A_PAGE = 10
SAFE_SEARCH = {"0": "off", "1": "moderate", "2": "strict"}
CATEGORIES = ("general", "web", "news")
"""Others, such as images, science or files, have engines of their own there."""
ANY_LANGUAGE = frozenset({"", "all", "auto"})


async def searxng_search(request: Request) -> Response:
    asked = {**request.query_params, **(await form(request) if request.method == "POST" else {})}
    if asked.get("format", "json") != "json":
        raise rejected(403, "format_not_offered", "Only format=json is offered here.")
    page = asked.get("pageno", "1")
    language = asked.get("language", "")
    response = await search(
        asked.get("q", ""),
        limit=ON_A_PAGE,
        search_type=kind(asked),
        freshness=asked.get("time_range"),
        safe_search=SAFE_SEARCH.get(asked.get("safesearch", "")),
        language=None if language in ANY_LANGUAGE else language,
        page=page_number("pageno", page),
    )
    return JSONResponse(answer(response, "news" if kind(asked) else "general"))


def kind(asked: Mapping[str, str]) -> str | None:
    """
    The kind of search that categories stand for.

    They are named in a list, or one by one as `category_news=on`, as a form of theirs does.
    """
    listed = [name.strip() for name in asked.get("categories", "").split(",")]
    marked = [name.removeprefix("category_") for name in asked if name.startswith("category_")]
    wanted = only("categories", filter(None, [*listed, *marked]), CATEGORIES)
    return "news" if wanted == {"news"} else None


def page_number(name: str, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:6]) <= SEARCH["page"].most:
        raise InvalidQuery(f"Invalid value {text[:50]!r} for parameter {name}")
    return int(text)


def answer(response: SearchResponse, category: str) -> dict[str, Any]:
    """A response as SearXNG gives it; engines that could not answer are named, as there."""
    numbers = scores(response.results)
    return {
        "query": response.query,
        "number_of_results": len(response.results),
        "results": [
            {**row(result, rank, numbers[rank - 1]), "category": category}
            for rank, result in enumerate(response.results, start=1)
        ],
        "answers": [response.answer] if response.answer else [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [[a.provider, a.outcome] for a in response.attempts if is_failure(a.outcome)],
    }


def row(result: SearchResult, rank: int, score: float) -> dict[str, Any]:
    parsed = urlsplit(result.url)
    return {
        "url": result.url,
        "title": result.title,
        "content": longest_text(result),
        "engine": result.providers[0] if result.providers else "seekread",
        "engines": list(result.providers) or ["seekread"],
        "parsed_url": [parsed.scheme, parsed.netloc, parsed.path, "", parsed.query, parsed.fragment],
        "positions": [rank],
        "score": score,
        "publishedDate": f"{result.published_date}T00:00:00" if result.published_date else None,
        "thumbnail": "",
        "img_src": "",
        "template": "default.html",
    }


def failure(problem: Problem, headers: Mapping[str, str]) -> Response:
    """A failure as its clients understand it."""
    return JSONResponse({"error": problem.detail or problem.title}, problem.status, dict(headers))


DIALECT = Dialect(
    name="searxng",
    prefixes=("/compat/searxng",),
    # Clients differ in whether they add `/search`.
    routes=tuple(
        Route(f"/compat/searxng{end}", searxng_search, methods=["GET", "POST"]) for end in ("", "/", "/search")
    ),
    failure=failure,
    keys=(BasicKey(),),
)
