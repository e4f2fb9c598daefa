"""
Firecrawl's scrape, search, map and crawl: `Firecrawl(api_key=TOKEN, api_url="http://127.0.0.1:8787")`.

Its clients drop a path from the address they are given, so these endpoints stand at the root.

Reference: https://docs.firecrawl.dev/api-reference/v2-introduction
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seekread.errors import InvalidQuery
from seekread.models import Page, SearchResult
from seekread.server.dialects import firecrawl_sites
from seekread.server.dialects.dialect import Dialect, Foreign, Texts, longest_text, open_each, open_whole, search, sent
from seekread.server.problems import Problem, unread

OFFERED = frozenset({"markdown", "links"})
FRESHNESS = {"h": "day", "d": "day", "w": "week", "m": "month", "y": "year"}
STATUS = {502: 500, 504: 408}
"""Its clients ask again on 502 whatever went wrong, and know 408 as a timeout."""

Format = str | dict[str, Any]


class Scrape(Foreign):
    """What `/v2/scrape` is sent."""

    url: str
    formats: tuple[Format, ...] = ("markdown",)
    maxAge: int | None = Field(default=None, ge=0)  # noqa: N815 - the wire's name


class ScrapeOptions(Foreign):
    """How the pages of results are to be read."""

    formats: tuple[Format, ...] = ()


class FirecrawlSearch(Foreign):
    """What `/v2/search` is sent."""

    query: str
    limit: int = Field(default=5, ge=1)
    sources: tuple[Format, ...] = ("web",)
    tbs: str | None = None
    country: str | None = None
    includeDomains: Texts = ()  # noqa: N815
    excludeDomains: Texts = ()  # noqa: N815
    scrapeOptions: ScrapeOptions | None = None  # noqa: N815


async def scrape(request: Request) -> Response:
    asked = await sent(request, Scrape)
    wanted = offered(asked.formats)
    page = await open_whole(asked.url, max_age=None if asked.maxAge is None else asked.maxAge / 1000)
    if not page.success:
        raise unread(page)
    return JSONResponse({"success": True, "data": document(page, wanted)})


async def firecrawl_search(request: Request) -> Response:
    asked = await sent(request, FirecrawlSearch)
    kinds = [kind_of(source) for source in asked.sources] or ["web"]
    if unknown := set(kinds) - {"web", "news"}:
        raise InvalidQuery(f"sources {', '.join(sorted(unknown))} are not offered; send web or news")
    wanted = offered(asked.scrapeOptions.formats) if asked.scrapeOptions else frozenset()
    found: dict[str, Any] = {}
    for kind in dict.fromkeys(kinds):
        response = await search(
            asked.query,
            limit=asked.limit,
            search_type="news" if kind == "news" else None,
            freshness=freshness(asked.tbs),
            country=asked.country if asked.country and len(asked.country) == 2 else None,
            allowed_domains=asked.includeDomains,
            blocked_domains=asked.excludeDomains,
        )
        pages = await open_each([result.url for result in response.results]) if wanted else []
        read = {page.url: document(page, wanted) for page in pages if page.success}
        found[kind] = [
            {**row(result, rank, kind), **read.get(result.url, {})}
            for rank, result in enumerate(response.results, start=1)
        ]
    return JSONResponse({"success": True, "data": found, "warning": None, "creditsUsed": 0})


def offered(formats: tuple[Format, ...]) -> frozenset[str]:
    """The formats wanted, all of which must be among those that are offered."""
    wanted = frozenset(kind_of(each) for each in formats)
    if unknown := wanted - OFFERED:
        raise InvalidQuery(f"formats {', '.join(sorted(unknown))} are not offered; send markdown or links")
    return wanted


def kind_of(each: Format) -> str:
    """Formats and sources are words, or objects with a type."""
    return each if isinstance(each, str) else str(each.get("type", ""))


def freshness(tbs: str | None) -> str | None:
    """`qdr:w` as `week`."""
    letter = (tbs or "").partition("qdr:")[2][:1]
    return FRESHNESS.get(letter)


def document(page: Page, wanted: frozenset[str]) -> dict[str, Any]:
    """A page as a document."""
    facts = {
        "title": page.title,
        "description": page.metadata.get("description"),
        "language": page.metadata.get("language"),
        "publishedTime": page.metadata.get("date"),
        "sourceURL": page.url,
        "url": page.final_url or page.url,
        "statusCode": page.status or 200,
        "contentType": page.content_type,
        "cacheState": "hit" if page.cached else "miss",
        "creditsUsed": 0,
    }
    found: dict[str, Any] = {"metadata": {name: value for name, value in facts.items() if value is not None}}
    if "markdown" in wanted:
        found["markdown"] = page.content
    if "links" in wanted:
        found["links"] = [link.url for link in page.links]
    return found


def row(result: SearchResult, rank: int, kind: str) -> dict[str, Any]:
    shared = {"url": result.url, "title": result.title, "position": rank}
    if kind == "news":
        return {**shared, "snippet": longest_text(result), "date": result.published_date}
    return {**shared, "description": longest_text(result)}


def failure(problem: Problem, headers: Mapping[str, str]) -> Response:
    """A failure as its clients understand it."""
    body = {"success": False, "error": problem.detail or problem.title, "code": problem.type.rpartition(":")[2].upper()}
    return JSONResponse(body, STATUS.get(problem.status, problem.status), dict(headers))


DIALECT = Dialect(
    name="firecrawl",
    prefixes=("/v2",),
    routes=(
        Route("/v2/scrape", scrape, methods=["POST"]),
        Route("/v2/search", firecrawl_search, methods=["POST"]),
        *firecrawl_sites.ROUTES,
    ),
    failure=failure,
)
