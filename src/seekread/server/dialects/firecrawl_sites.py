"""
Firecrawl's map and crawl: its crawls are jobs like ours.

Reference: https://docs.firecrawl.dev/api-reference/endpoint/crawl-post
"""

from datetime import UTC, datetime
from typing import Any, ClassVar

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seekread.batch.record import PageRecord
from seekread.batch.scope import SiteScope
from seekread.hostnames import completed
from seekread.outcomes import is_failure
from seekread.server import crawls
from seekread.server.dialects.dialect import Texts, sent
from seekread.server.dialects.offers import Foreign, answered, only
from seekread.server.dialects.path_patterns import as_patterns
from seekread.server.jobs import KEPT_SECONDS, JobState
from seekread.server.models import MOST_PAGES

STATES: dict[JobState, str] = {
    "waiting": "scraping",
    "running": "scraping",
    "done": "completed",
    "cancelled": "cancelled",
    "failed": "failed",
}
PART = 100
"""Pages in one answer."""


class FirecrawlMap(Foreign):
    """What `/v2/map` is sent."""

    known: ClassVar = frozenset({"ignoreQueryParameters", "integration", "origin", "sitemap", "timeout"})

    url: str
    search: str | None = None
    limit: int = Field(default=MOST_PAGES, ge=1)
    includeSubdomains: bool = True  # noqa: N815 - the wire's name


Format = str | dict[str, Any]
"""A format or a source: its name, or an object whose type that is."""


def kind_of(each: Format) -> str:
    """The name of a format or a source, however it is written."""
    return each if isinstance(each, str) else str(each.get("type", ""))


class CrawlFormats(Foreign):
    """How the pages of a crawl are wanted."""

    formats: tuple[Format, ...] = ()


class FirecrawlCrawl(Foreign):
    """What `/v2/crawl` is sent."""

    refused: ClassVar = {
        "allowExternalLinks": "crawl each site by itself",
        "prompt": "say which paths you want with includePaths",
        "webhook": "ask for the state of the crawl",
    }
    known: ClassVar = frozenset(
        {"crawlEntireDomain", "deduplicateSimilarURLs", "delay", "ignoreQueryParameters", "integration",
         "maxConcurrency", "origin", "sitemap", "zeroDataRetention"}
    )  # fmt: skip

    url: str
    scrapeOptions: CrawlFormats | None = None  # noqa: N815 - the wire's name
    includePaths: Texts = ()  # noqa: N815
    excludePaths: Texts = ()  # noqa: N815
    maxDiscoveryDepth: int | None = Field(default=None, ge=0)  # noqa: N815
    limit: int = Field(default=MOST_PAGES, ge=1)
    allowSubdomains: bool = False  # noqa: N815


async def firecrawl_map(request: Request) -> Response:
    asked = await sent(request, FirecrawlMap)
    scope = SiteScope(completed(asked.url), 1, min(asked.limit, MOST_PAGES), subdomains=asked.includeSubdomains)
    found = (await crawls.mapped(request, scope)).urls
    words = (asked.search or "").lower().split()
    links = [{"url": url} for url in found if all(word in url.lower() for word in words)]
    return answered({"success": True, "links": links}, asked)


async def start_crawl(request: Request) -> Response:
    asked = await sent(request, FirecrawlCrawl)
    formats = asked.scrapeOptions.formats if asked.scrapeOptions else ()
    only("formats", map(kind_of, formats), ["markdown"])
    depth = 50 if asked.maxDiscoveryDepth is None else asked.maxDiscoveryDepth
    scope = SiteScope(
        completed(asked.url),
        depth,
        min(asked.limit, MOST_PAGES),
        as_patterns(asked.includePaths),
        as_patterns(asked.excludePaths),
        asked.allowSubdomains,
    )
    job = await crawls.begun(request, scope)
    return answered({"success": True, "id": job.id, "url": f"{request.url}/{job.id}"}, asked, asked.scrapeOptions)


async def crawl_status(request: Request) -> Response:
    skip = request.query_params.get("skip", "0")
    offset = min(int(skip), MOST_PAGES) if skip.isdecimal() else 0
    job = await crawls.job_of(request)
    pages = await crawls.jobs_of(request).pages(job, offset, PART)
    body: dict[str, Any] = {
        "success": job.state != "failed",
        "status": STATES[job.state],
        "total": job.pages,
        "completed": job.pages,
        "creditsUsed": 0,
        "expiresAt": f"{datetime.fromtimestamp(job.created_at + KEPT_SECONDS, UTC):%Y-%m-%dT%H:%M:%S.000Z}",
        "data": [document_of(page) for page in pages if not is_failure(page.outcome) and not page.duplicate_of],
    }
    if len(pages) == PART:
        body["next"] = f"{request.url.replace(query='')}?skip={offset + PART}"
    return JSONResponse({**body, "error": job.error} if job.error else body)


async def cancel_crawl(request: Request) -> Response:
    await crawls.cancelled(request)
    return JSONResponse({"success": True, "status": "cancelled"})


async def crawl_errors(request: Request) -> Response:
    job = await crawls.job_of(request)
    failed = [page for page in await crawls.jobs_of(request).pages(job, 0, job.pages) if is_failure(page.outcome)]
    by_robots = [page for page in failed if page.metadata.get("code") == "robots"]
    errors = [
        {"id": page.key.hex(), "url": page.url, "error": page.error, "code": page.outcome.upper()}
        for page in failed
        if page not in by_robots
    ]
    return JSONResponse({"success": True, "errors": errors, "robotsBlocked": [page.url for page in by_robots]})


def document_of(page: PageRecord) -> dict[str, Any]:
    """A record as a document."""
    facts = {
        "title": page.title,
        "description": page.metadata.get("description"),
        "language": page.metadata.get("language"),
        "sourceURL": page.url,
        "url": page.final_url or page.url,
        "statusCode": page.status or 200,
        "contentType": page.content_type,
    }
    return {"markdown": page.markdown, "metadata": {name: value for name, value in facts.items() if value is not None}}


def routes_at(root: str) -> tuple[Route, ...]:
    """The endpoints below one of the addresses its clients know."""
    return (
        Route(f"{root}/map", firecrawl_map, methods=["POST"]),
        Route(f"{root}/crawl", start_crawl, methods=["POST"]),
        Route(f"{root}/crawl/{{id}}", crawl_status, methods=["GET"]),
        Route(f"{root}/crawl/{{id}}", cancel_crawl, methods=["DELETE"]),
        Route(f"{root}/crawl/{{id}}/errors", crawl_errors, methods=["GET"]),
    )
