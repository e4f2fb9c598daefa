"""
Tavily's map and crawl. Its crawl answers when it is done, so it is bounded by the time a client waits.

Reference: https://docs.tavily.com/documentation/api-reference/endpoint/crawl
"""

import time
import uuid
from typing import ClassVar, Literal

import anyio
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from seekread.batch.scope import SiteScope
from seekread.hostnames import completed
from seekread.outcomes import is_failure
from seekread.server import crawls
from seekread.server.dialects.dialect import Texts, sent
from seekread.server.dialects.offers import Foreign, answered
from seekread.server.dialects.path_patterns import as_patterns
from seekread.server.models import MOST_PAGES
from seekread.server.problems import rejected

WAIT_SECONDS = 140.0
"""A little less than its clients wait."""
LOOK_SECONDS = 0.5


class TavilySite(Foreign):
    """What `/map` and `/crawl` are sent."""

    refused: ClassVar = {
        "instructions": "say which paths you want with select_paths",
        "select_domains": "crawl each site by itself",
        "include_images": "crawl the text alone",
    }
    known: ClassVar = frozenset({"api_key", "extract_depth", "include_favicon", "timeout"})

    url: str
    format: Literal["markdown"] = "markdown"
    max_depth: int = Field(default=1, ge=1, le=50)
    limit: int = Field(default=50, ge=1)
    select_paths: Texts = ()
    exclude_paths: Texts = ()


async def tavily_map(request: Request) -> Response:
    asked, started = await sent(request, TavilySite), time.perf_counter()
    mapped = await crawls.mapped(request, scope_of(asked))
    return answered({"base_url": asked.url, "results": list(mapped.urls), **timing(started)}, asked)


async def tavily_crawl(request: Request) -> Response:
    asked, started = await sent(request, TavilySite), time.perf_counter()
    jobs, job = crawls.jobs_of(request), await crawls.begun(request, scope_of(asked))
    try:
        with anyio.move_on_after(WAIT_SECONDS):
            while job.is_open:
                await anyio.sleep(LOOK_SECONDS)
                job = await jobs.get(job.owner, job.id) or job
    finally:
        # Nobody can come back for the rest.
        with anyio.CancelScope(shield=True):
            job = await jobs.cancel(job)
    pages = await jobs.pages(job, 0, job.pages)
    read = [
        {"url": page.url, "raw_content": page.markdown, "favicon": None}
        for page in pages
        if not is_failure(page.outcome) and not page.duplicate_of
    ]
    if not read:
        # Its answer has no other place to say so.
        told = next((page.error for page in pages if page.error), "no page was read in time")
        raise rejected(502, "crawl_failed", f"No page of the site could be read: {told}")
    return answered({"base_url": asked.url, "results": read, **timing(started)}, asked)


def scope_of(asked: TavilySite) -> SiteScope:
    return SiteScope(
        completed(asked.url),
        asked.max_depth,
        min(asked.limit, MOST_PAGES),
        as_patterns(asked.select_paths),
        as_patterns(asked.exclude_paths),
    )


def timing(started: float) -> dict[str, float | str]:
    return {"response_time": round(time.perf_counter() - started, 3), "request_id": str(uuid.uuid4())}


ROUTES = (
    Route("/compat/tavily/map", tavily_map, methods=["POST"]),
    Route("/compat/tavily/crawl", tavily_crawl, methods=["POST"]),
)
